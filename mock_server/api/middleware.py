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

from mock_server.api.context import DECLARED
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
from mock_server.domain.printable import coloured, json_text, one_line

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
        return self._app(scope, receive, _adding(headers, send))

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
_ENVELOPE, _SUCCESS = b'{"code":', b'{"code":200,'


class Line(msgspec.Struct, rename="camel"):
    """The fields of a line; `time` is the real time when the request ended.

    `status` is 0 for a request without a response. `sandbox` is what the response
    names, `operation` the one of the path, `fault` the id and kind of what fired.
    `reason` is the message of a refusal.
    """

    time: str
    sandbox: str | None
    operation: str | None
    method: str
    path: str
    status: int
    duration_ms: float
    fault: str | None
    reason: str | None


class _Refused(msgspec.Struct, rename="camel"):
    """What is read of an answer that refuses a request."""

    status_text: str
    message: str


# Its problems, in brackets, name keys that it is about to declare: no state has them
# yet, so that nothing could redact them. The answer tells them.
_BAD_FIXTURE = "badFixture"


class RequestLog:
    """ASGI middleware that passes a line for each request to `write`.

    Lines have no line end. They name the operations of the table `operations`. `redact`
    gives the method and the path of a request as they may be logged: clients put API
    keys into paths by mistake. `redact_message` does so for the message of a refusal.
    """

    def __init__(
        self,
        app: ASGIApp,
        log_format: LogFormat,
        write: Callable[[str], object],
        operations: Operations,
        redact: Callable[[Scope], tuple[str, str]],
        redact_message: Callable[[Scope, str], str],
        *,
        is_coloured: bool = False,
    ) -> None:
        self._app = app
        as_text = _coloured_text if is_coloured else _text
        self._format = _json if log_format == "json" else as_text
        self._write = write
        names = operations.names_by_path()
        self._operations = {path.encode(): name for path, name in names.items()}
        self._redact = redact
        self._redact_message = redact_message

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = time.perf_counter()
        response: Message = {}

        async def noting_send(message: Message) -> None:
            if "status" in message:
                response.update(message)
            elif "body" not in response:
                response["body"] = message.get("body")
            await send(message)

        try:
            await self._app(scope, receive, noting_send)
        finally:
            duration_ms = (time.perf_counter() - start) * 1000
            self._write(self._format(self._line(scope, response, duration_ms)))

    def _line(self, scope: Scope, response: Message, duration_ms: float) -> Line:
        operation = self._operations.get(scope["raw_path"])
        # A declared path may have parameters, and so does not count as known.
        name = operation or scope.get(DECLARED)
        # The path of an operation holds no key, and a short method cannot.
        is_known = operation is not None and len(scope["method"]) < _MIN_KEY_CHARS
        method, path = (
            (scope["method"], scope["path"]) if is_known else self._redact(scope)
        )
        return Line(
            time=format_time(time.time_ns() // 1_000_000),
            sandbox=_sandbox(response),
            operation=name,
            method=method,
            path=path,
            status=response.get("status", 0),
            duration_ms=round(duration_ms, 3),
            fault=_fault(scope.get("mock_server.firing")),
            reason=self._reason(scope, response.get("body")),
        )

    def _reason(self, scope: Scope, body: bytes | None) -> str | None:
        """Why a request was refused, by the envelope in which that is told."""
        # With choice error_http_status=always_200 the status does not say.
        if not body or not body.startswith(_ENVELOPE) or body.startswith(_SUCCESS):
            return None
        try:
            refused = msgspec.json.decode(body, type=_Refused)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None  # a part of an answer, or one that a fault has spoiled
        message = refused.message
        if refused.status_text == _BAD_FIXTURE:
            message = message.partition(" (")[0]
        return self._redact_message(scope, message)


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
    status = f"{line.status} {line.duration_ms:.2f} ms"
    return one_line(f"{_begin(line)} {status}{_fault_text(line)}{_reason_text(line)}")


def _coloured_text(line: Line) -> str:
    status = coloured(str(line.status), line.status)
    duration = coloured(f"{line.duration_ms:.2f} ms", "dim")
    fault, reason = _fault_text(line), one_line(_reason_text(line))
    if fault:
        fault = coloured(fault, "magenta")
    return f"{one_line(_begin(line))} {status} {duration}{fault}{reason}"


def _begin(line: Line) -> str:
    return f"{line.time[11:]} {line.sandbox or '-'} {line.method} {line.path}"


def _fault_text(line: Line) -> str:
    return f" fault {line.fault}" if line.fault else ""


def _reason_text(line: Line) -> str:
    return f" - {line.reason}" if line.reason else ""


def _json(line: Line) -> str:
    text = msgspec.json.encode(line).decode()
    return text if text.isprintable() and "##" not in text else json_text(text)
