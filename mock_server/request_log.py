"""A log line for each request, as text or JSON."""

import time
from collections.abc import Callable
from typing import Literal

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.access import MIN_REDACTABLE_LENGTH
from mock_server.domain.clock import format_time
from mock_server.domain.faults import Firing

LogFormat = Literal["text", "json"]
_OPERATIONS = {path.encode(): name for path, name in OPERATIONS.names_by_path().items()}
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

    Lines have no line end. `redact` gives the method and the path of a request as they
    may be logged: clients put API keys into paths by mistake.
    """

    def __init__(
        self,
        app: ASGIApp,
        log_format: LogFormat,
        write: Callable[[str], object],
        redact: Callable[[Scope], tuple[str, str]] = lambda scope: (
            scope["method"],
            scope["path"],
        ),
    ) -> None:
        self._app = app
        self._format = _json if log_format == "json" else _text
        self._write = write
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
        operation = _OPERATIONS.get(scope["raw_path"])
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
