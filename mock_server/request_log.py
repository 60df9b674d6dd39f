"""One line per request: text for people, JSON for machines."""

from __future__ import annotations

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
_SHORT = MIN_REDACTABLE_LENGTH


class Line(msgspec.Struct, rename="camel"):
    """What a line says of a request; `time` is the real one, at its end.

    A request that was left without an answer has the status 0. `sandbox` is the one
    that its answer names, `operation` the one that its path is of, `fault` the id and
    the kind of the fault that fired.
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
    """Hands a line for each request to `write`, without a line end."""

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
        """`redact` gives method and path of a request as they may be logged."""
        self._app = app
        self._written = _json if log_format == "json" else _text
        self._write = write
        self._redact = redact

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = time.perf_counter()
        answer: Message = {}

        async def sending(message: Message) -> None:
            if "status" in message:
                answer.update(message)
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            duration_ms = (time.perf_counter() - start) * 1000
            self._write(self._written(self._line(scope, answer, duration_ms)))

    def _line(self, scope: Scope, answer: Message, duration_ms: float) -> Line:
        operation = _OPERATIONS.get(scope["raw_path"])
        # An operation's own path is known to hold no key, and so are short methods.
        is_known = operation is not None and len(scope["method"]) < _SHORT
        method, path = (
            (scope["method"], scope["path"]) if is_known else self._redact(scope)
        )
        return Line(
            time=format_time(time.time_ns() // 1_000_000),
            sandbox=_sandbox(answer),
            operation=operation,
            method=method,
            path=path,
            status=answer.get("status", 0),
            duration_ms=round(duration_ms, 3),
            fault=_fault(scope.get("mock_server.firing")),
        )


def _sandbox(answer: Message) -> str | None:
    for name, value in answer.get("headers", ()):
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
