"""Calls of an application in process, timed one by one."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Sequence

from starlette.types import ASGIApp, Message, Scope


async def _seconds(app: ASGIApp, scope: Scope, body: bytes) -> float:
    return (await _answer(app, scope, body))[0]


async def _answer(app: ASGIApp, scope: Scope, body: bytes) -> tuple[float, bytes]:
    answer = b""

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        nonlocal answer
        assert message.get("status", 200) == 200, message
        answer = message.get("body", b"")

    start = time.perf_counter()
    await app(scope, receive, send)
    return time.perf_counter() - start, answer


def call_seconds(
    app: ASGIApp, method: str, path: str, body: bytes, times: int
) -> float:
    """The median of how long a call takes, without HTTP, in seconds."""

    async def run() -> float:
        scope = _scope(method, path, body)
        took = [await _seconds(app, dict(scope), body) for _ in range(times)]
        return statistics.median(took)

    return asyncio.run(run())


def timed_calls(
    app: ASGIApp, calls: Sequence[tuple[str, str, bytes]]
) -> tuple[float, list[bytes]]:
    """How long calls (method, path, body) take together in seconds, and the answers."""

    async def run() -> list[tuple[float, bytes]]:
        return [
            await _answer(app, _scope(method, path, body), body)
            for method, path, body in calls
        ]

    answers = asyncio.run(run())
    return sum(took for took, _ in answers), [answer for _, answer in answers]


def _scope(method: str, path: str, body: bytes) -> Scope:
    return {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [
            (b"authorization", b"Bearer any-key"),
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(body)),
        ],
    }
