"""Clients that do not read what they have asked for hold no connection for ever."""

from __future__ import annotations

import asyncio
import select
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import pytest
from starlette.types import Receive, Scope, Send

from mock_server.domain.limits import DEFAULT_LIMITS, Limits
from mock_server.wire.server import Server, bind
from mock_server.wire.transport import CoalescingTransport, UnreadConnections
from mock_server.wire.uvicorn_internals import HttpParser

SECONDS = DEFAULT_LIMITS.unread_seconds
BELOW_HIGH_WATER = 40_000
LARGE = b"x" * 30_000_000
GET = b"GET / HTTP/1.1\r\nHost: x\r\n"


@dataclass(eq=False)
class Held:
    """A connection with bytes to send, and its client."""

    transport: CoalescingTransport
    client: socket.socket
    lost: asyncio.Future[None]

    async def taken(self) -> int:
        """How many bytes the client takes, and the server is then rid of."""
        count = len(self.client.recv(1_000_000))
        for _ in range(3):
            await asyncio.sleep(0)
        return count


class Lost(asyncio.Protocol):
    """Tells when a connection is gone."""

    def __init__(self) -> None:
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_lost(self, _exc: Exception | None) -> None:
        self.lost.set_result(None)


@asynccontextmanager
async def held(count: int) -> AsyncIterator[Held]:
    """A connection on which so many bytes wait that the system does not take."""
    loop, (here, there) = asyncio.get_running_loop(), socket.socketpair()
    with there:
        raw, protocol = await loop.create_connection(Lost, sock=here)
        joined = CoalescingTransport(raw, loop)
        while not joined.get_write_buffer_size():
            joined.write(b"x" * 65_536)
        # What waits by now may be of any size up to one piece.
        while joined.get_write_buffer_size() < count:
            joined.write(b"x" * (count - joined.get_write_buffer_size()))
        yield Held(joined, there, protocol.lost)
        joined.abort()


async def not_read(closes: bool) -> None:
    async with held(BELOW_HIGH_WATER) as connection:
        if closes:
            connection.transport.close()
        unread = UnreadConnections(SECONDS)
        unread.check([connection.transport], 100.0)
        unread.check([connection.transport], 100.0 + SECONDS - 1)
        assert not connection.lost.done()
        unread.check([connection.transport], 100.0 + SECONDS)
        await asyncio.wait_for(connection.lost, 30)


@pytest.mark.parametrize("closes", [False, True])
def test_what_is_not_read_is_ended(closes: bool) -> None:
    asyncio.run(not_read(closes))


async def slowly() -> int:
    """How often a client took something, always just in time, till it had it all."""
    async with held(500_000) as connection:
        unread, now, times = UnreadConnections(SECONDS), 0.0, 0
        while connection.transport.get_write_buffer_size():
            unread.check([connection.transport], now)
            assert not connection.transport.is_closing()
            assert await connection.taken()
            now += SECONDS - 1
            times += 1
        return times


def test_what_is_read_slowly_goes_on() -> None:
    assert asyncio.run(slowly()) > 2


async def written_meanwhile() -> None:
    async with held(BELOW_HIGH_WATER) as connection:
        unread = UnreadConnections(SECONDS)
        for now in range(0, int(SECONDS) + 10, 10):
            unread.check([connection.transport], float(now))
            connection.transport.write(b"more")
            connection.transport.flush()
        await asyncio.wait_for(connection.lost, 30)


def test_writing_more_is_no_progress() -> None:
    asyncio.run(written_meanwhile())


async def large(_scope: Scope, _receive: Receive, send: Send) -> None:
    """Answer with more than a connection takes at once."""
    headers = [(b"content-length", b"%d" % len(LARGE))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": LARGE})


@contextmanager
def serving(http: HttpParser, limits: Limits) -> Iterator[int]:
    """A server in a thread; gives its port."""
    listener, ready = bind("127.0.0.1", 0), threading.Event()
    server = Server(large, http, ready.set, is_embedded=True, limits=limits)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    port = listener.getsockname()[1]
    thread.start()
    assert ready.wait(30)
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join()


@pytest.mark.parametrize("http", ["zttp", "h11"])
@pytest.mark.ci
def test_a_server_ends_what_is_not_read_and_serves_on(http: HttpParser) -> None:
    with serving(http, Limits(unread_seconds=1.5)) as port:
        where = ("127.0.0.1", port)
        for end in (b"\r\n", b"Connection: close\r\n\r\n"):
            with socket.create_connection(where, timeout=30) as client:
                client.sendall(GET + end)
                assert received_after_a_stop(client) < len(LARGE)
        with socket.create_connection(where, timeout=30) as client:
            client.sendall(GET + b"Connection: close\r\n\r\n")
            assert count(client) > len(LARGE)


def received_after_a_stop(client: socket.socket) -> int:
    """How many bytes come of an answer that is not read until the server gives up."""
    errors = select.poll()
    errors.register(client, 0)
    assert errors.poll(30_000)
    return count(client)


def count(client: socket.socket) -> int:
    received = 0
    try:
        while part := client.recv(1_000_000):
            received += len(part)
    except ConnectionError:
        pass
    return received
