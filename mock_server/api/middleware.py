"""Around applications: cross-origin resource sharing, and the answer to a defect."""

import logging
import re
import traceback
from collections.abc import Awaitable, Collection
from uuid import uuid4

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mock_server.api.connection import NeedsConnection
from mock_server.api.headers import Header, values
from mock_server.api.request import RequestBody
from mock_server.api.response import Response, error_envelope, send_response

_EXPOSED = (
    b"retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, "
    b"x-mock-sandbox, x-mock-generation"
)
_PREFLIGHT = [
    (b"access-control-allow-methods", b"PUT, POST"),
    (b"access-control-allow-headers", b"authorization, content-type"),
    (b"access-control-max-age", b"600"),
]

_LOGGER = logging.getLogger("mock_server")
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


def internal_error(error: Exception) -> Response:
    """The 500 for an exception; what happened is only in the log, under its trace id.

    Raises NeedsConnection again: whoever calls in process is to see it.
    """
    if isinstance(error, NeedsConnection):
        raise error
    trace_id = uuid4().hex
    *_, last = traceback.extract_tb(error.__traceback__)
    where = f"{last.filename}:{last.lineno}"
    _LOGGER.error("unexpected %r at %s, trace id %s", error, where, trace_id)
    message = f"Expected no error, got one - at trace id {trace_id}"
    return Response(500, error_envelope(500, "internalError", message))


class ServerErrorMiddleware:
    """Turns any unexpected exception of an application into a 500."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception as error:
            response = internal_error(error)
            if not started:
                await send_response(response, RequestBody(scope, receive), send)
