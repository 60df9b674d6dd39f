"""Cross-origin resource sharing for the public paths, so that web pages can call them.

Credentials are never allowed; a bearer key is an ordinary header, sent by the page.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Collection

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mock_server.api.headers import Header, values

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

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        origins = values(scope["headers"], b"origin")
        if not origins or not (self._all or origins[0] in self._origins):
            return self._app(scope, receive, send)
        headers = self._allow(origins[0])
        if scope["method"] == "OPTIONS" and values(
            scope["headers"], b"access-control-request-method"
        ):
            return _allowing(headers, send)
        headers.append((b"access-control-expose-headers", _EXPOSED))
        return self._app(scope, receive, _adding(headers, send))

    def _allow(self, origin: bytes) -> list[Header]:
        if self._all:
            return [(b"access-control-allow-origin", b"*")]
        return [(b"access-control-allow-origin", origin), (b"vary", b"origin")]


async def _allowing(headers: list[Header], send: Send) -> None:
    headers += _PREFLIGHT
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def _adding(headers: list[Header], send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *headers]
        await send(message)

    return sending
