"""Answers, and how they are written so that the client sees them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from starlette.types import Send

from mock_server.api.body import ClientGone, RequestBody
from mock_server.api.headers import Header
from mock_server.domain.limits import LIMITS
from mock_server.domain.rate_limit import Pass


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, a text (JSON unless it says otherwise) and headers of its own."""

    status: int
    body: bytes
    headers: tuple[Header, ...] = ()
    content_type: bytes = b"application/json"


def headers_of(answer: Answer, *further: Header) -> list[Header]:
    """All headers of an answer but those that the server adds."""
    return [
        (b"content-type", answer.content_type),
        (b"content-length", b"%d" % len(answer.body)),
        (b"cache-control", b"no-store"),
        *further,
        *answer.headers,
    ]


def rate_limit_headers(limit: Pass) -> tuple[Header, ...]:
    """Where a rate limit stands; the reset is in seconds from now."""
    return (
        (b"x-ratelimit-limit", b"%d" % limit.limit),
        (b"x-ratelimit-remaining", b"%d" % limit.remaining),
        (b"x-ratelimit-reset", b"%d" % limit.reset_seconds),
    )


async def write(
    answer: Answer,
    body: RequestBody,
    send: Send,
    headers: list[Header] | None = None,
) -> None:
    """Send an answer, with its `headers_of` where there is nothing to add.

    One that is given before the request's body has arrived announces the close, then
    reads and discards for a while: closing at once would lose it for most clients.
    """
    all_headers = headers_of(answer) if headers is None else headers
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
