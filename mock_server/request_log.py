"""One line per request: text for people, JSON for machines."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LogFormat = Literal["text", "json"]


class RequestLog:
    """Hands a line for each request to `write`, without a line end.

    A request that was left without an answer has the status 0.
    """

    def __init__(
        self,
        app: ASGIApp,
        log_format: LogFormat,
        write: Callable[[str], object],
        path_of: Callable[[Scope], str] = lambda scope: str(scope["path"]),
    ) -> None:
        """`path_of` gives the path of a request as it may be logged."""
        self._app = app
        self._line = _json if log_format == "json" else _text
        self._write = write
        self._path_of = path_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start, status = time.perf_counter(), 0

        async def sending(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            ms = (time.perf_counter() - start) * 1000
            path = self._path_of(scope)
            self._write(self._line(scope["method"], path, status, ms))


def _text(method: str, path: str, status: int, ms: float) -> str:
    now = time.strftime("%H:%M:%S")
    return f"{now} {method} {path} {status} {ms:.2f} ms"


def _json(method: str, path: str, status: int, ms: float) -> str:
    line = {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "method": method,
        "path": path,
        "status": status,
        "durationMs": round(ms, 3),
    }
    return msgspec.json.encode(line).decode()
