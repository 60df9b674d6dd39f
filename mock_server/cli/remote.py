"""Calls of the admin API of a running server, for the commands that steer one."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any
from urllib.parse import quote

import click
import msgspec

from mock_server.api.envelope import Failure
from mock_server.api.errors import ERRORS, BadFixture
from mock_server.cli.exits import BROKEN_FIXTURE, UNREACHABLE, USAGE, Stop
from mock_server.cli.settings import setting

_SECONDS = 30
# A proxy that the environment names is for other hosts than a mock server.
_OPENER = urllib.request.ProxyHandler({})


@dataclass(frozen=True, slots=True)
class Remote:
    """A running server, and the sandbox in it that is meant."""

    url: str
    sandbox: str | None
    token: str | None

    def call(
        self,
        method: str,
        path: str,
        content: bytes = b"",
        *,
        content_type: str = "application/json",
        accept: str = "application/json",
        seconds: float = _SECONDS,
    ) -> tuple[int, bytes]:
        """The status and body of an answer. Raises Stop if there is no server."""
        part = f"/sandboxes/{quote(self.sandbox, safe='')}" if self.sandbox else ""
        headers = {"Content-Type": content_type, "Accept": accept}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        address = f"{self.url.rstrip('/')}/__admin{part}{path}"
        data = content if method in ("POST", "PUT") else None
        try:
            request = urllib.request.Request(  # noqa: S310 - the scheme is checked
                address, data, headers, method=method
            )
            opener = urllib.request.build_opener(_OPENER)
            with opener.open(request, timeout=seconds) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()
        except (OSError, ValueError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise Stop(f"cannot reach {self.url}: {reason}", UNREACHABLE) from None

    def get(self, method: str, path: str, content: bytes = b"", **how: Any) -> bytes:
        """The body of a good answer. Raises Stop with the message of any other."""
        status, body = self.call(method, path, content, **how)
        if status >= 400:
            raise refused(status, body)
        return body


def refused(status: int, body: bytes) -> Stop:
    """How a command ends that got an error answer."""
    try:
        failure = msgspec.json.decode(body, type=Failure)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return Stop(f"the server answered {status}", USAGE)
    is_fixture = failure.status_text == ERRORS[BadFixture].plain.status_text
    return Stop(failure.message, BROKEN_FIXTURE if is_fixture else USAGE)


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
        command(Remote(url, sandbox, admin_token), **others)

    return wrapped
