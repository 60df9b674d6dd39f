"""Middleware: cross-origin resource sharing, the 500 of a defect, request lines."""

import logging
import re
import time
import traceback
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Literal
from uuid import uuid4

import msgspec
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
from mock_server.domain.access import MIN_REDACTABLE_LENGTH
from mock_server.domain.clock import format_time
from mock_server.domain.faults import Firing

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
    ) -> None:
        """`operations` are those whose methods preflights tell.

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
            return _allowing([*headers, *_preflight(operation)], send)
        headers.append((b"access-control-expose-headers", _EXPOSED))
        return self._app(scope, receive, _adding(headers, send))

    def _allow(self, origin: bytes) -> list[Header]:
        # With `*` a response is the same for every origin, and caches may share it.
        if self._all:
            return [(b"access-control-allow-origin", b"*")]
        return [(b"access-control-allow-origin", origin), (b"vary", b"origin")]


def _preflight(operation: Operation | None) -> list[Header]:
    """What a page may send to an operation; at other paths as to the documented."""
    methods: Sequence[str] = _METHODS
    names: Sequence[str] = _HEADERS
    if operation is not None and operation.neighbour is not None:
        methods, names = operation.methods, (*_HEADERS, _LOGIN_HEADER)
    return [
        (b"access-control-allow-methods", ", ".join(methods).encode()),
        (b"access-control-allow-headers", ", ".join(names).encode()),
        (b"access-control-max-age", b"600"),
    ]


async def _allowing(headers: Sequence[Header], send: Send) -> None:
    """Answer a preflight. It has no key, so it meets no fault and enters no journal."""
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
                await send_response(response, RequestBody(scope, receive), send)


LogFormat = Literal["text", "json"]
_MIN_KEY_CHARS = MIN_REDACTABLE_LENGTH


class Line(msgspec.Struct, rename="camel"):
    """The fields of a line; `time` is the real time when the request ended.

    `status` is 0 for a request without a response. `sandbox` is what the response
    names, `operation` the one of the path, `fault` the id and kind of what fired.
    """

    time: str
    sandbox: str | None
    operation: str | None
    method: str
    path: str
    status: int
    duration_ms: float
    fault: str | None


class RequestLog:
    """ASGI middleware that passes a line for each request to `write`.

    Lines have no line end. They name the operations of the table `operations`. `redact`
    gives the method and the path of a request as they may be logged: clients put API
    keys into paths by mistake.
    """

    def __init__(
        self,
        app: ASGIApp,
        log_format: LogFormat,
        write: Callable[[str], object],
        operations: Operations,
        redact: Callable[[Scope], tuple[str, str]],
    ) -> None:
        self._app = app
        self._format = _json if log_format == "json" else _text
        self._write = write
        names = operations.names_by_path()
        self._operations = {path.encode(): name for path, name in names.items()}
        self._redact = redact

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = time.perf_counter()
        response: Message = {}

        async def noting_send(message: Message) -> None:
            if "status" in message:
                response.update(message)
            await send(message)

        try:
            await self._app(scope, receive, noting_send)
        finally:
            duration_ms = (time.perf_counter() - start) * 1000
            self._write(self._format(self._line(scope, response, duration_ms)))

    def _line(self, scope: Scope, response: Message, duration_ms: float) -> Line:
        operation = self._operations.get(scope["raw_path"])
        # The path of an operation holds no key, and a short method cannot.
        is_known = operation is not None and len(scope["method"]) < _MIN_KEY_CHARS
        method, path = (
            (scope["method"], scope["path"]) if is_known else self._redact(scope)
        )
        return Line(
            time=format_time(time.time_ns() // 1_000_000),
            sandbox=_sandbox(response),
            operation=operation,
            method=method,
            path=path,
            status=response.get("status", 0),
            duration_ms=round(duration_ms, 3),
            fault=_fault(scope.get("mock_server.firing")),
        )


def _sandbox(response: Message) -> str | None:
    for name, value in response.get("headers", ()):
        if name == b"x-mock-sandbox":
            text: str = value.decode()
            return text
    return None


def _fault(firing: Firing | None) -> str | None:
    if firing is None:
        return None
    return f"{firing.fault.id} {firing.fault.definition.kind}"


def _text(line: Line) -> str:
    text = (
        f"{line.time[11:]} {line.sandbox or '-'} {line.method} {line.path} "
        f"{line.status} {line.duration_ms:.2f} ms"
    )
    return f"{text} {line.fault}" if line.fault else text


def _json(line: Line) -> str:
    return msgspec.json.encode(line).decode()
