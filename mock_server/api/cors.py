"""Cross-origin resource sharing for the public paths, so that web pages can call them.

Credentials are never allowed; a bearer key is an ordinary header, sent by the page.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mock_server.api.headers import values

_EXPOSED = (
    b"retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, "
    b"x-mock-sandbox, x-mock-generation"
)
_PREFLIGHT = [
    (b"access-control-allow-methods", b"PUT, POST"),
    (b"access-control-allow-headers", b"authorization, content-type"),
    (b"access-control-max-age", b"600"),
]

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[a-z0-9.:\[\]_-]+|null")


class CORS:
    """Answers preflights, and marks answers to admitted origins (`*` admits all)."""

    def __init__(self, app: ASGIApp, origins: Collection[str]) -> None:
        """Raises ValueError for what is no origin, and so could never match."""
        for origin in origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                expected = "an origin like https://app.example:8443, or *"
                raise ValueError(f"Expected {expected}, got {origin!r}")
        self._app = app
        self._all = "*" in origins
        self._origins = {origin.encode() for origin in origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = self._allow(scope) if scope["type"] == "http" else []
        if not headers:
            await self._app(scope, receive, send)
        elif scope["method"] == "OPTIONS" and values(
            scope["headers"], b"access-control-request-method"
        ):
            headers += _PREFLIGHT
            start = {"type": "http.response.start", "status": 204, "headers": headers}
            await send(start)
            await send({"type": "http.response.body", "body": b""})
        else:
            headers.append((b"access-control-expose-headers", _EXPOSED))
            await self._app(scope, receive, _adding(headers, send))

    def _allow(self, scope: Scope) -> list[tuple[bytes, bytes]]:
        origins = values(scope["headers"], b"origin")
        if not origins or not (self._all or origins[0] in self._origins):
            return []
        if self._all:
            return [(b"access-control-allow-origin", b"*")]
        return [(b"access-control-allow-origin", origins[0]), (b"vary", b"origin")]


def _adding(headers: list[tuple[bytes, bytes]], send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *headers]
        await send(message)

    return sending
