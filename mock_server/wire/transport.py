"""The connection below a request, for what ASGI cannot express."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Receive, Scope, Send

EXTENSION = "mock_server.transport"


class Connected:
    """Hands an application the transport of a connection, as an ASGI extension."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.transport: asyncio.Transport | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["extensions"] = {EXTENSION: self.transport}
        await self._app(scope, receive, send)


def transport_of(scope: Scope) -> asyncio.Transport | None:
    """The transport of a request's connection; None in process, where there is none."""
    extensions: dict[str, asyncio.Transport] = scope.get("extensions") or {}
    return extensions.get(EXTENSION)
