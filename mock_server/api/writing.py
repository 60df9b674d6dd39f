"""How answers are written, so that the client sees them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from starlette.types import Send

from mock_server.api.answers import Answer, headers_of
from mock_server.api.body import ClientGone, RequestBody
from mock_server.api.headers import Header
from mock_server.domain.limits import LIMITS


async def write(
    answer: Answer,
    body: RequestBody,
    send: Send,
    headers: Sequence[Header] | None = None,
) -> None:
    """Send an answer, with its `headers_of` where there is nothing to add.

    One that is given before the request's body has arrived announces the close, then
    reads and discards for a while: closing at once would lose it for most clients.
    """
    headers = headers_of(answer) if headers is None else headers
    early = not body.arrived
    if early:
        headers = [*headers, (b"connection", b"close")]
    await send(
        {"type": "http.response.start", "status": answer.status, "headers": headers}
    )
    content = {"type": "http.response.body", "body": answer.body}
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
