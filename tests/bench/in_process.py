"""Calls of an application in process, timed one by one."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterable, Sequence
from itertools import repeat

from starlette.types import ASGIApp, Message, Scope

from tests.bench.references import Canned

Call = tuple[str, str, bytes]
"""A method, a path with its query if there is one, and a body."""


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
    calls = repeat([(method, path, body)], times)
    return statistics.median(together(app, calls))


def together(app: ASGIApp, groups: Iterable[Sequence[Call]]) -> list[float]:
    """How long the calls of each group take together, in seconds.

    A group is only asked for when those before it are done.
    """

    async def run() -> list[float]:
        took = []
        for group in groups:
            scopes = [_scope(*call) for call in group]
            bodies = [body for _, _, body in group]
            took.append(
                sum(
                    [
                        await _seconds(app, *each)
                        for each in zip(scopes, bodies, strict=True)
                    ]
                )
            )
        return took

    return asyncio.run(run())


def canned_answer(app: ASGIApp, method: str, path: str, body: bytes) -> Canned:
    """What the application answers to a call."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    async def run() -> None:
        await app(_scope(method, path, body), receive, send)

    asyncio.run(run())
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    content = b"".join(message.get("body", b"") for message in sent)
    return Canned(method, path, headers, content.decode())


def _scope(method: str, path: str, body: bytes) -> Scope:
    path, _, query = path.partition("?")
    return {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [
            (b"authorization", b"Bearer any-key"),
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(body)),
        ],
    }
