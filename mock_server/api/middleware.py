"""Middleware: cross-origin resource sharing, the 500 of a defect."""

import logging
import re
import traceback
from collections.abc import Awaitable, Callable, Collection, Sequence
from uuid import uuid4

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mock_server.api.headers import Header, values
from mock_server.api.operations.operation import Operation, Operations
from mock_server.api.request import RequestBody
from mock_server.api.response import (
    NeedsConnection,
    Response,
    error_envelope,
    send_response,
)
from mock_server.api.sending import AddingSend

_EXPOSED = (
    b"retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, "
    b"x-mock-sandbox, x-mock-generation"
)
# What clients of the documented operations send, and no more (spec 4, 5).
_METHODS = ("PUT", "POST")
_HEADERS = ("authorization", "content-type")
_LOGIN_HEADER = "token"
_NO_OPERATIONS = Operations(())

_LOGGER = logging.getLogger("mock_server")
# A serialized origin (RFC 6454 6.1): no path, so that one that has one is a mistake.
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[a-z0-9.:\[\]_-]+|null")


class CORS:
    """Answers preflights, and marks answers to admitted origins (`*` admits all)."""

    def __init__(
        self,
        app: ASGIApp,
        origins: Collection[str],
        operations: Operations = _NO_OPERATIONS,
        methods_at: Callable[[Scope], Collection[str]] = lambda _: (),
    ) -> None:
        """Preflights tell the methods of `operations`, and at other paths `methods_at`.

        Raises ValueError for what is no origin, and so could never match.
        """
        for origin in origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                expected = "an origin like https://app.example:8443, or *"
                raise ValueError(f"Expected {expected}, got {origin!r}")
        self._app = app
        self._all = "*" in origins
        self._origins = {origin.encode() for origin in origins}
        self._operations = operations
        self._methods_at = methods_at

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        origins = values(scope["headers"], b"origin")
        if not origins or not (self._all or origins[0] in self._origins):
            return self._app(scope, receive, send)
        headers = self._allow(origins[0])
        if scope["method"] == "OPTIONS" and values(
            scope["headers"], b"access-control-request-method"
        ):
            # Whether the path is served depends on a key, which a preflight has not.
            operation = self._operations.meant_by(scope["path"])
            methods = self._methods_at(scope) if operation is None else ()
            return _allowing([*headers, *_preflight(operation, methods)], send)
        headers.append((b"access-control-expose-headers", _EXPOSED))
        return self._app(scope, receive, AddingSend(send, headers))

    def _allow(self, origin: bytes) -> list[Header]:
        # With `*` a response is the same for every origin, and caches may share it.
        if self._all:
            return [(b"access-control-allow-origin", b"*")]
        return [(b"access-control-allow-origin", origin), (b"vary", b"origin")]


def _preflight(operation: Operation | None, declared: Collection[str]) -> list[Header]:
    """What a page may send to an operation, or where responses are declared for some
    methods; at other paths as to the documented.
    """
    methods: Sequence[str] = _METHODS
    names: Sequence[str] = _HEADERS
    if operation is not None and operation.neighbour is not None:
        methods, names = operation.methods, (*_HEADERS, _LOGIN_HEADER)
    elif declared:
        # `*` does not stand for `authorization` (Fetch 4.9).
        methods, names = sorted(declared), (*_HEADERS, "*")
    return [
        (b"access-control-allow-methods", ", ".join(methods).encode()),
        (b"access-control-allow-headers", ", ".join(names).encode()),
        (b"access-control-max-age", b"600"),
    ]


async def _allowing(headers: Sequence[Header], send: Send) -> None:
    """Answer a preflight. It has no key, so it meets no fault and enters no journal."""
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def internal_error(error: Exception) -> Response:
    """The 500 for an exception; what happened is only in the log, under its trace id.

    Raises NeedsConnection again: whoever calls in process is to see it.
    """
    if isinstance(error, NeedsConnection):
        raise error
    # The text of an exception may hold what a client sent: it stays in the log.
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
                await send_response(response, RequestBody.of(scope, receive), send)
