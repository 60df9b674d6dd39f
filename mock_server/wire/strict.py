"""What h11 lets through and zttp refuses; both parsers are to answer alike."""

from __future__ import annotations

import re

from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.api.answers import Answer, headers_of
from mock_server.api.body import RequestBody
from mock_server.api.envelope import failure
from mock_server.api.writing import write
from mock_server.domain.limits import LIMITS

_CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")


class Strict:
    """Refuses requests that are ambiguous or over the limits of a head (RFC 9112)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        got = _fault(scope)
        if got is None:
            await self._app(scope, receive, send)
            return
        message = f"Expected an HTTP/1.1 request, got {got} - at connection"
        answer = Answer(400, failure(400, "badRequest", message))
        headers = headers_of(answer, (b"connection", b"close"))
        await write(answer, RequestBody(scope, receive), send, headers)


def _fault(scope: Scope) -> str | None:
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    names = {name for name, _ in headers}
    if not scope["http_version"].startswith("1."):
        return "another version"
    if len(headers) > LIMITS.headers:
        return f"more than {LIMITS.headers} headers"
    if sum(len(name) + len(value) for name, value in headers) > LIMITS.header_bytes:
        return f"headers of more than {LIMITS.header_bytes} bytes"
    if {b"content-length", b"transfer-encoding"} <= names:
        return "two kinds of framing"
    if any(_CONTROL.search(value) for _, value in headers):
        return "a control character in a header"
    return None
