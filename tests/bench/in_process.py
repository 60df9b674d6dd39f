"""Calls of an application in process, timed one by one."""

from __future__ import annotations

import asyncio
import statistics
import time

from starlette.types import ASGIApp, Message, Scope


async def _seconds(app: ASGIApp, scope: Scope, body: bytes) -> float:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        assert message.get("status", 200) == 200, message

    start = time.perf_counter()
    await app(scope, receive, send)
    return time.perf_counter() - start


def call_seconds(
    app: ASGIApp, method: str, path: str, body: bytes, times: int
) -> float:
    """The median of how long a call takes, without HTTP, in seconds."""
    headers = [
        (b"authorization", b"Bearer any-key"),
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(body)),
    ]
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": headers,
    }

    async def run() -> float:
        took = [await _seconds(app, dict(scope), body) for _ in range(times)]
        return statistics.median(took)

    return asyncio.run(run())
