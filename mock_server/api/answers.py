"""Answers, and how they are written so that the client sees them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from starlette.types import Send

from mock_server.api.body import ClientGone, RequestBody
from mock_server.domain.limits import LIMITS
from mock_server.domain.sandbox import Sandbox

Header = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, a JSON text and the headers that are not on every answer."""

    status: int
    body: bytes
    headers: tuple[Header, ...] = ()


def sandbox_headers(sandbox: Sandbox) -> tuple[Header, ...]:
    """The headers that say whose state an answer of the public API shows."""
    return (
        (b"x-mock-sandbox", sandbox.name.encode()),
        (b"x-mock-generation", b"%d" % sandbox.generation_number),
    )


async def write(
    answer: Answer, body: RequestBody, send: Send, headers: tuple[Header, ...] = ()
) -> None:
    """Send an answer, with further headers.

    One that is given before the request's body has arrived announces the close, then
    reads and discards for a while: closing at once would lose it for most clients.
    """
    all_headers = [
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(answer.body)),
        (b"cache-control", b"no-store"),
        *headers,
        *answer.headers,
    ]
    early = not body.arrived
    if early:
        all_headers.append((b"connection", b"close"))
    start = {
        "type": "http.response.start",
        "status": answer.status,
        "headers": all_headers,
    }
    content = {"type": "http.response.body", "body": answer.body}
    await send(start)
    if early:
        await send(content | {"more_body": True})
        await _discard(body)
        content = {"type": "http.response.body", "body": b""}
    await send(content)


async def _discard(body: RequestBody) -> None:
    try:
        async with asyncio.timeout(LIMITS.discard_seconds):
            await body.discard()
    except (TimeoutError, ClientGone):
        pass
