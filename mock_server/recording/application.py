"""The application of `record`: a proxy, and the admin API of its journal beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import replace
from email.utils import formatdate

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mock_server.api.middleware import ServerErrorMiddleware
from mock_server.app import ADMIN, Application, create_app
from mock_server.domain.limits import Limits
from mock_server.http_call import Address
from mock_server.recording.proxy import Proxy
from mock_server.recording.record import Record
from mock_server.recording.target import Target

_FIXTURE = "empty"
_ADMIN = ADMIN.encode()


class Recording:
    """ASGI application in front of a service; `record` is what it has seen, if kept.

    `/__admin` is its own: health, journal, verification, console. All other paths are
    the target's, whatever they are. What it holds itself is the journal: its fixture is
    empty, and nothing that the admin API may change there changes an answer.
    """

    def __init__(
        self,
        address: Address,
        *,
        is_kept: bool = False,
        admin_token: str | None = None,
        limits: Limits = Limits(),
    ) -> None:
        """Raises ValueError for a token that no request could show."""
        self.target = Target(address, limits)
        self.own: Application = create_app(
            _FIXTURE, admin_token=admin_token, limits=limits
        )
        self.record = Record(limits) if is_kept else None
        sandboxes, operations = self.own.sandboxes, self.own.operations
        take = None if self.record is None else self.record.take
        proxy = Proxy(self.target, sandboxes, operations, take)
        self._proxy: ASGIApp = ServerErrorMiddleware(proxy)
        self.served_limits = replace(
            limits,
            receipt_seconds=limits.passed_seconds,
            body_pieces=limits.passed_pieces,
        )
        """The limits of the server that takes the requests."""
        self._closing: asyncio.Task[None] | None = None

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        path = (scope.get("raw_path") or b"").partition(b"?")[0]
        is_own = path == _ADMIN or path.startswith(_ADMIN + b"/")
        if is_own or scope["type"] != "http":
            return self.own(scope, receive, _dated(send))
        return self._proxy(scope, receive, send)

    def close(self) -> None:
        """End what would not end by itself; to be called on the event loop."""
        self.own.close()
        self._closing = asyncio.ensure_future(self._close_in_the_end())

    async def _close_in_the_end(self) -> None:
        # Requests on their way end first: the loop cancels this one after all others.
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await self.target.aclose()


def _dated(send: Send) -> Send:
    """Adds the Date that the server leaves out, as answers of the target have one."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            date = b"date", formatdate(usegmt=True).encode()
            message = {**message, "headers": [date, *message["headers"]]}
        await send(message)

    return sending
