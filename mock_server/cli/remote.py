"""What the commands that steer a running server share: options, and how they end."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from mock_server.api.errors import ERRORS, BadFixture
from mock_server.cli.exits import BROKEN_FIXTURE, UNREACHABLE, USAGE, Stop, tell, write
from mock_server.cli.settings import setting, timeout_setting
from mock_server.client import SECONDS, AdminClient, Given, Refused
from mock_server.domain.printable import json_text
from mock_server.http_call import Unreachable


def remote_command(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command an AdminClient first, and the options that make it."""

    @setting("url", default="http://127.0.0.1:8000", help="Address of the server.")
    @setting("sandbox", metavar="NAME", help="Sandbox that is meant; else the default.")
    @setting("admin-token", metavar="TOKEN", help="Bearer token of the admin routes.")
    @timeout_setting(SECONDS)
    @wraps(command)
    def wrapped(
        url: str,
        sandbox: str | None,
        admin_token: str | None,
        timeout: float,
        **others: Any,
    ) -> None:
        given = (sandbox or "", admin_token or "")
        if not all(text.isascii() and text.isprintable() for text in given):
            raise click.BadParameter(
                "Expected visible ASCII as values of these options"
            )
        try:
            client = AdminClient(url, sandbox, admin_token, timeout, tell)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None
        try:
            command(client, **others)
        except Unreachable as error:
            raise Stop(str(error), UNREACHABLE) from None
        except Refused as error:
            raise Stop(str(error), _status(error)) from None

    return wrapped


def _status(error: Refused) -> int:
    """The exit code; a server that cannot just now is no fault of the usage."""
    if error.status >= 500:
        return UNREACHABLE
    broken = error.status_text == ERRORS[BadFixture].plain.status_text
    return BROKEN_FIXTURE if broken else USAGE


def show(given: Given[Any]) -> None:
    """Print an answer: the JSON that came, its strings printable."""
    write(json_text(given.text).rstrip("\n"))
