"""Chunks are counted as they are, however the bytes of a body are cut."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import chain
from urllib.parse import urlsplit

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from mock_server.app import create_app
from mock_server.wire.framing import ChunkCounter, TooManyChunks
from mock_server.wire.uvicorn_internals import HttpParser
from tests.support import LIBRARY, SECONDS, Switch
from tests.wire.battery import CLOSE, PIN_BODY, chunked, raw, status

Live = Callable[[HttpParser], tuple[Switch, str]]
LINES = b"a\r\n\r\nFF\r\n" * 3


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    for at in range(0, len(data), size):
        yield data[at : at + size]


def takes(limit: int, body: bytes, size: int) -> bool:
    """Whether a body in pieces of that size has at most so many chunks."""
    counter = ChunkCounter(limit)
    try:
        counter.begin(b"\r\n" + next(parts := pieces(body, size)), b"a: b\r\n")
        for each in parts:
            counter.add(each)
    except TooManyChunks:
        return False
    return True


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_content_counts_for_nothing(size: int) -> None:
    body = b"%x;b=c\r\n%b\r\n" % (len(LINES), LINES) * 4 + b"0\r\n\r\n"
    assert takes(5, body, size)
    assert not takes(4, body, size)


def test_where_the_body_begins_is_unknown_line_ends_count() -> None:
    counter = ChunkCounter(4)
    counter.begin(b"GET / HTTP/1.1\r\n\r\nFFFF\r\n", None)
    with pytest.raises(TooManyChunks):
        counter.add(b"\r\n" * 6)


@pytest.mark.parametrize("http", ["zttp", "h11"])
@pytest.mark.parametrize("cut", [1, 2, 3, 4, 5])
def test_a_head_may_be_cut_anywhere(live: Live, http: HttpParser, cut: int) -> None:
    switch, url = live(http)
    switch.app = create_app(LIBRARY)
    request = chunked(b"\r\n" * 20_000, PIN_BODY)
    end = request.index(b"\r\n\r\n") + cut
    assert status(answer(url, request[:end], request[end:])) == 200


FIRST = raw(body=b" " * 60_000).replace(CLOSE, b"")


@pytest.mark.parametrize("http", ["zttp", "h11"])
@pytest.mark.parametrize("first", [b"", FIRST])
def test_many_small_chunks_let_others_run_in_between(
    live: Live, http: HttpParser, first: bytes
) -> None:
    """Also if they follow another request, whose response is not ready yet."""
    switch, url = live(http)
    switch.app = turns
    request = chunked(*[b" "] * 4_000)
    assert int(answer(url, first + request).split()[-1]) > len(request) // 2_048


LINE_ENDS = b"\r\n" * 100_000


@pytest.mark.parametrize("http", ["zttp", "h11"])
@pytest.mark.parametrize("sent", [raw(body=LINE_ENDS), chunked(LINE_ENDS)])
def test_a_body_of_many_lines_waits_for_few_turns(
    live: Live, http: HttpParser, sent: bytes
) -> None:
    switch, url = live(http)
    switch.app = turns
    assert int(answer(url, sent).split()[-1]) < len(sent) // 4_096


@pytest.mark.parametrize("http", ["zttp", "h11"])
def test_chunks_that_follow_another_request_are_counted(
    live: Live, http: HttpParser
) -> None:
    switch, url = live(http)
    switch.app = turns
    second = answer(url, FIRST + chunked(*[b" "] * 5_000)).split(b"HTTP/1.1 ")[2]
    assert status(b"HTTP/1.1 " + second) == 413


@pytest.mark.parametrize("http", ["zttp", "h11"])
def test_chunks_that_arrive_before_a_response_are_counted(
    live: Live, http: HttpParser
) -> None:
    switch, url = live(http)
    is_called = asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await whole(receive)
        if scope["path"] == "/called":
            is_called.set()
        elif scope["path"] != "/turn":
            await is_called.wait()
        await PlainTextResponse("")(scope, receive, send)

    def parts() -> Iterator[bytes]:
        yield raw(body=b"").replace(CLOSE, b"")
        for each in pieces(chunked(*[b" "] * 5_000), 600):
            yield each
            answer(url, raw("GET /turn HTTP/1.1"))
        answer(url, raw("GET /called HTTP/1.1"))

    switch.app = app
    second = answer(url, then=parts()).split(b"HTTP/1.1 ")[2]
    assert status(b"HTTP/1.1 " + second) == 413


async def turns(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the number of turns of the event loop until the body was there."""
    count, body = 0, asyncio.create_task(whole(receive))
    while not body.done():
        await asyncio.sleep(0)
        count += 1
    for _ in range(100):  # meanwhile more arrives
        await asyncio.sleep(0)
    await PlainTextResponse(str(count))(scope, receive, send)


async def whole(receive: Receive) -> None:
    """Receive a whole body."""
    while (await receive()).get("more_body"):
        pass


def answer(url: str, *parts: bytes, then: Iterable[bytes] = ()) -> bytes:
    """The answer to a request that is sent in these parts, and then in others."""
    address = urlsplit(url)
    with closing(
        socket.create_connection((address.hostname, address.port), timeout=SECONDS)
    ) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for part in chain(parts, then):
            client.sendall(part)
        return b"".join(iter(lambda: client.recv(65_536), b""))
