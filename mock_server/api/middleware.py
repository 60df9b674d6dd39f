"""Middleware: cross-origin resource sharing (CORS), and a 500 for exceptions."""

import logging
import re
import traceback
from collections.abc import Awaitable, Collection, Sequence
from uuid import uuid4

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mock_server.api.connection import NeedsConnection
from mock_server.api.context import notes_of
from mock_server.api.envelope import error_envelope
from mock_server.api.errors import ForeignOrigin
from mock_server.api.headers import Header, values
from mock_server.api.request import RequestBody
from mock_server.api.response import AddingSend, Response, send_response
from mock_server.domain.errors import Refusal
from mock_server.domain.messages import cut

_EXPOSED = (
    b"retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, "
    b"x-mock-sandbox, x-mock-generation, x-mock-hint"
)
_REQUESTED_METHOD = b"access-control-request-method"
_REQUESTED_HEADERS = b"access-control-request-headers"
_CREDENTIALS = b"access-control-allow-credentials"
_VARY = b"vary", b"origin"
_NO_CREDENTIALS = (
    "a browser hides this response from the page, which sent a cookie: "
    "name the page's origin, --cors-origin %s"
)

_LOGGER = logging.getLogger("mock_server")
# A serialized origin (RFC 6454 6.1), which has no path.
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[a-z0-9.:\[\]_-]+|null")


def check_origin(text: str) -> None:
    """Raise ValueError for a text that is neither an origin nor `*`."""
    if text != "*" and not _ORIGIN.fullmatch(text):
        expected = "an origin like https://app.example:8443, or *"
        raise ValueError(f"Expected {expected}, got {text!r}")


class CORS:
    """Responds to preflights, and adds CORS headers to responses for allowed origins.

    `*` allows all origins, but no credentials such as cookies (Fetch 3.3.5): pages that
    send credentials need an origin that is named.
    """

    def __init__(self, app: ASGIApp, origins: Collection[str]) -> None:
        """Raises ValueError for a text that is neither an origin nor `*`."""
        for origin in origins:
            check_origin(origin)
        self._app = app
        self._allows_all = "*" in origins
        self._origins = {origin.encode() for origin in origins if origin != "*"}

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        origins = values(scope["headers"], b"origin")
        if not origins:
            return self._app(scope, receive, send)
        methods = values(scope["headers"], _REQUESTED_METHOD)
        is_preflight = scope["method"] == "OPTIONS" and bool(methods)
        headers = self._headers_for(origins[0])
        if not headers:
            if is_preflight:
                notes_of(scope).refused_preflight = self._refusal(origins[0])
            return self._app(scope, receive, send)
        if is_preflight:
            return _respond_to_preflight(
                [*headers, *_allow_requested(scope, methods[0])], send
            )
        own_host = b"".join(values(scope["headers"], b"host"))
        is_foreign = origins[0].partition(b"://")[2] != own_host
        if b"*" in headers[0] and is_foreign and values(scope["headers"], b"cookie"):
            notes_of(scope).hint = _NO_CREDENTIALS % origins[0].decode("latin-1")
        headers.append((b"access-control-expose-headers", _EXPOSED))
        return self._app(scope, receive, AddingSend(send, headers))

    def _headers_for(self, origin: bytes) -> list[Header]:
        """Return the headers that allow an origin; [] if it is not allowed."""
        if origin in self._origins:
            origins = (b"access-control-allow-origin", origin)
            return [origins, (_CREDENTIALS, b"true"), _VARY]
        if not self._allows_all:
            return []
        # If only `*` is allowed, caches may share a response: it has no `vary`.
        any_origin = (b"access-control-allow-origin", b"*")
        return [any_origin, _VARY] if self._origins else [any_origin]

    def _refusal(self, origin: bytes) -> Refusal:
        origins = ", ".join(sorted(each.decode() for each in self._origins))
        expected = f"an origin that may call: {cut(origins) or 'there is none'}"
        got, hint = origin.decode("latin-1"), "name further ones by --cors-origin"
        return ForeignOrigin.of(got, expected, "header Origin", hint)


def _allow_requested(scope: Scope, method: bytes) -> list[Header]:
    """Return the headers that allow a page all methods and headers that it requests.

    A preflight has no key, so its sandbox is unknown. If the request itself is wrong,
    the server refuses it later, with a better message than the browser's.
    """
    allowed = [(b"access-control-allow-methods", method)]
    if names := values(scope["headers"], _REQUESTED_HEADERS):
        allowed.append((b"access-control-allow-headers", b", ".join(names)))
    return [*allowed, (b"access-control-max-age", b"600")]


async def _respond_to_preflight(headers: Sequence[Header], send: Send) -> None:
    """Respond with 204 to a preflight; no fault fires, and no entry is journalled."""
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def internal_error(error: Exception) -> Response:
    """Return a 500 for an exception, and log the exception under a trace id.

    A NeedsConnection is raised again instead, for a caller in process.
    """
    if isinstance(error, NeedsConnection):
        raise error
    # The text of an exception may contain data of a client, so only the log shows it.
    trace_id = uuid4().hex
    *_, last_frame = traceback.extract_tb(error.__traceback__)
    source = f"{last_frame.filename}:{last_frame.lineno}"
    _LOGGER.error("unexpected %r at %s, trace id %s", error, source, trace_id)
    message = f"Expected no error, got one - at trace id {trace_id}"
    return Response(500, error_envelope(500, "internalError", message))


class ServerErrorMiddleware:
    """Responds with a 500 if an application raises an unexpected exception."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_started = False

        async def recording_send(message: Message) -> None:
            nonlocal has_started
            has_started = True
            await send(message)

        try:
            await self._app(scope, receive, recording_send)
        except Exception as error:
            response = internal_error(error)
            if not has_started:
                await send_response(response, RequestBody.of(scope, receive), send)
