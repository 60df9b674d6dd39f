"""What the commands that steer a running server share: options, and how they end."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from mock_server.api.errors import ERRORS, BadFixture
from mock_server.cli.exits import BROKEN_FIXTURE, UNREACHABLE, USAGE, Stop
from mock_server.cli.settings import setting
from mock_server.remote import Refused, Remote, Unreachable


def remote_command(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command a Remote as its first argument, and the options that make it."""

    @setting("url", default="http://127.0.0.1:8000", help="Address of the server.")
    @setting("sandbox", metavar="NAME", help="Sandbox that is meant; else the default.")
    @setting("admin-token", metavar="TOKEN", help="Bearer token of the admin routes.")
    @wraps(command)
    def wrapped(
        url: str, sandbox: str | None, admin_token: str | None, **others: Any
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise click.BadParameter(f"Expected http://HOST:PORT, got {url!r}")
        given = (url, sandbox or "", admin_token or "")
        if not all(text.isascii() and text.isprintable() for text in given):
            raise click.BadParameter(
                "Expected visible ASCII as values of these options"
            )
        try:
            command(Remote(url, sandbox, admin_token), **others)
        except Unreachable as error:
            raise Stop(str(error), UNREACHABLE) from None
        except Refused as error:
            broken = error.status_text == ERRORS[BadFixture].plain.status_text
            raise Stop(str(error), BROKEN_FIXTURE if broken else USAGE) from None

    return wrapped
