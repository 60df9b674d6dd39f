"""Requests that do not arrive in time are ended, however steadily they come."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx2
import pytest

from mock_server.app import create_app
from mock_server.domain.limits import Limits
from mock_server.wire.server import running
from mock_server.wire.uvicorn_internals import HttpParser
from tests.support import LIBRARY, LIST, PIN, is_pinned

SECONDS = 0.6
LIMITS = Limits(receipt_seconds=SECONDS)
HANGS = 30.0
TICK = 0.01
"""How early a timer may be, in seconds."""
HEAD = b"PUT %b HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n" % PIN.encode()
TYPE = b"Content-Type: application/json\r\nContent-Length: 900\r\n\r\n"
GOOD = b"GET /__admin/health HTTP/1.1\r\nHost: x\r\n\r\n"
LISTED = (
    b"POST %b HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n"
    b"Content-Type: application/json\r\nContent-Length: 36\r\n\r\n"
    b'{"offset":0,"datasetId":"dataset-1"}' % LIST.encode()
)
# What is answered before, what is sent then, and what again and again.
SLOW: dict[str, tuple[bytes, bytes, bytes]] = {
    "nothing": (b"", b"", b""),
    "half a header": (b"", HEAD, b""),
    "a header byte by byte": (b"", HEAD + b"X-Slow: ", b"x"),
    "half a body": (b"", HEAD + TYPE + b"{", b""),
    "a body byte by byte": (b"", HEAD + TYPE + b"{", b" "),
    "half a second header": (GOOD, HEAD, b""),
    "half a second body": (GOOD, HEAD + TYPE + b"{", b""),
    "half a header in the segment before": (GOOD + HEAD, b"", b""),
    "a header in the segment before": (GOOD + HEAD + TYPE, b"", b""),
    "half a body in the segment before": (GOOD + HEAD + TYPE + b"{", b"", b""),
    "half a third header in the first segment": (LISTED + GOOD + HEAD, b"", b""),
}
Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Connection]:
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        yield reader, writer
    finally:
        writer.close()


async def served(connection: Connection, requests: bytes) -> None:
    """Send good requests, perhaps with a part of another, and await the responses."""
    reader, writer = connection
    writer.write(requests)
    count, answers = requests.count(b"POST ") + requests.count(b"GET "), b""
    while answers.count(b"HTTP/1.1 200 ") < count or not answers.endswith(b"}"):
        part = await reader.read(65_536)
        assert part, answers
        answers += part


async def ended(
    url: str, before: bytes, first: bytes, again: bytes
) -> tuple[bytes, float]:
    """What the server says at last, and after how many seconds."""
    start, answer = time.monotonic(), b""
    async with connected(url) as (reader, writer):
        if before:
            await served((reader, writer), before)
        writer.write(first)
        while True:
            try:
                part = await asyncio.wait_for(reader.read(65_536), SECONDS / 5)
            except TimeoutError:
                writer.write(again)
                continue
            except ConnectionResetError:
                part = b""
            if not part:
                return answer, time.monotonic() - start
            answer += part


async def all_ended(url: str) -> list[tuple[bytes, float]]:
    async with asyncio.timeout(HANGS):
        return await asyncio.gather(*(ended(url, *slow) for slow in SLOW.values()))


@pytest.mark.ci
@pytest.mark.parametrize("http", ["zttp", "h11"])
def test_slow_requests_get_408_and_are_not_performed(http: HttpParser) -> None:
    app = create_app(LIBRARY)
    with running(app, http=http, limits=LIMITS) as url:
        results = asyncio.run(all_ended(url))
    for answer, seconds in results:
        assert answer.startswith(b"HTTP/1.1 408 "), answer
        assert b'"statusText":"requestTimeout"' in answer
        assert b"within %g s" % SECONDS in answer
        assert b"connection: close" in answer
        assert seconds >= SECONDS - TICK
    assert is_pinned(app) is False


async def fetched_meanwhile(url: str) -> int:
    """The status of a request that others, which are slow, do not hold up."""
    slow = asyncio.create_task(all_ended(url))
    await asyncio.sleep(0)
    async with httpx2.AsyncClient(timeout=HANGS) as client:
        response = await client.get(url + "/__admin/health")
    assert not slow.done()
    await slow
    return response.status_code


@pytest.mark.ci
@pytest.mark.parametrize("http", ["zttp", "h11"])
def test_others_are_served_meanwhile(http: HttpParser) -> None:
    with running(create_app(LIBRARY), http=http, limits=LIMITS) as url:
        assert asyncio.run(fetched_meanwhile(url)) == 200


async def idle(url: str) -> bool:
    """Whether a connection lives on, long after three requests in one segment."""
    async with asyncio.timeout(HANGS), connected(url) as connection:
        await served(connection, GOOD + LISTED + GOOD)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(connection[0].read(65_536), 3 * SECONDS)
        await served(connection, GOOD)
        return True


@pytest.mark.ci
@pytest.mark.parametrize("http", ["zttp", "h11"])
def test_a_connection_may_be_idle_after_pipelined_requests(http: HttpParser) -> None:
    with running(create_app(LIBRARY), http=http, limits=LIMITS) as url:
        assert asyncio.run(idle(url))
