"""How answers leave: what is written in one go is sent in one go."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from mock_server.wire.transport import CoalescingTransport, LoopTurn
from tests.process import serving
from tests.wire.sockets import REQUEST, connect


@pytest.mark.ci
def test_an_answer_comes_in_one_piece() -> None:
    with serving("--port=0") as (url, _), connect(url) as client:
        for _ in range(20):
            client.sendall(REQUEST)
            head, _, body = client.recv(65_536).partition(b"\r\n\r\n")
            assert f"content-length: {len(body)}".encode() in head.lower()


class Sink(asyncio.Protocol):
    """Takes what comes, until the end."""

    def __init__(self) -> None:
        self.taken = b""
        self.over = asyncio.get_running_loop().create_future()

    def data_received(self, data: bytes) -> None:
        self.taken += data

    def connection_lost(self, _exc: Exception | None) -> None:
        self.over.set_result(self.taken)


async def sent_by(*calls: tuple[Any, ...]) -> bytes:
    """What arrives of calls of a joined transport, each a name and its arguments."""
    loop, (here, there) = asyncio.get_running_loop(), socket.socketpair()
    _, sink = await loop.create_connection(Sink, sock=there)
    raw, _ = await loop.create_connection(asyncio.Protocol, sock=here)
    joined = CoalescingTransport(raw, loop)
    for name, *arguments in calls:
        getattr(joined, name)(*arguments)
    return bytes(await sink.over)


def sent(*calls: tuple[Any, ...]) -> bytes:
    return asyncio.run(sent_by(*calls))


def test_closing_sends_what_was_written() -> None:
    assert sent(("write", b"a"), ("write", b""), ("write", b"b"), ("close",)) == b"ab"


def test_large_pieces_keep_their_place() -> None:
    large = b"x" * 100_000
    parts = [("write", b"a"), ("write", large), ("write", b"b"), ("close",)]
    assert sent(*parts) == b"a" + large + b"b"


def test_aborting_drops_what_was_written() -> None:
    assert sent(("write", b"a"), ("abort",)) == b""


class Failing(CoalescingTransport):
    """A transport that cannot send any more."""

    def flush(self) -> None:
        raise RuntimeError("closed")


def test_a_connection_that_cannot_send_holds_up_no_other() -> None:
    async def run() -> tuple[bytes, list[object]]:
        loop, (here, there) = asyncio.get_running_loop(), socket.socketpair()
        _, sink = await loop.create_connection(Sink, sock=there)
        raw, _ = await loop.create_connection(asyncio.Protocol, sock=here)
        told: list[object] = []
        loop.set_exception_handler(lambda _, context: told.append(context["message"]))
        turn = LoopTurn()
        Failing(raw, loop, turn).write(b"a")
        CoalescingTransport(raw, loop, turn).write(b"b")
        await asyncio.sleep(0)
        raw.close()
        return bytes(await sink.over), told

    assert asyncio.run(run()) == (b"b", ["cannot send what was written"])
