"""Hands applications the connection below their requests."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.api.connection import EXTENSION


class Connected:
    """Hands an application the transport of a connection, as an ASGI extension."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.transport: asyncio.Transport | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["extensions"] = {EXTENSION: self.transport}
        await self._app(scope, receive, send)
