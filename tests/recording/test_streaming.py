"""Bodies pass piece by piece; nothing waits for a whole one, nothing holds one."""

from __future__ import annotations

import asyncio
import os
import subprocess

import pytest

from tests.process import serving
from tests.recording.fronted import Conversation, fronted, scripted
from tests.support import chunks, client_of, wait
from tests.wire.sockets import connect

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
STREAM = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)
LARGE = 200 * 1024 * 1024
PIECE = 64 * 1024
GROWTH = 20 * 1024 * 1024


def chunk(content: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(content), content)


def test_an_event_arrives_before_the_next_is_sent() -> None:
    told = asyncio.Event()

    async def one_by_one(talk: Conversation) -> None:
        await talk.say(STREAM + chunk(b"data: 1\n\n"))
        await told.wait()
        await talk.say(chunk(b"data: 2\n\n") + chunk(b""))

    with (
        scripted(one_by_one) as target,
        fronted(target.url) as (url, _),
        client_of(url) as client,
        client.stream("GET", "/") as answer,
    ):
        pieces = answer.iter_raw()
        assert next(pieces) == b"data: 1\n\n"
        target.loop.call_soon_threadsafe(told.set)
        assert b"".join(pieces) == b"data: 2\n\n"


def test_a_request_arrives_before_its_end_is_sent() -> None:
    heard: list[bytes] = []

    async def hear(talk: Conversation) -> None:
        heard.append(await talk.reader.readexactly(5))
        heard.append(await talk.reader.readexactly(5))
        await talk.say(OK)

    head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"
    with (
        scripted(hear) as target,
        fronted(target.url) as (url, _),
        connect(url) as client,
    ):
        client.sendall(head + b"first")
        assert wait(lambda: heard) == [b"first"]
        client.sendall(b"then.")
        assert client.recv(65_536).startswith(b"HTTP/1.1 200")
    assert heard == [b"first", b"then."]


def test_the_target_learns_that_a_client_has_gone() -> None:
    ended: list[bytes] = []

    async def until_the_end(talk: Conversation) -> None:
        await talk.say(STREAM + chunk(b"data: 1\n\n"))
        ended.append(await talk.reader.read())

    with scripted(until_the_end) as target, fronted(target.url) as (url, _):
        with client_of(url) as client, client.stream("GET", "/") as answer:
            next(answer.iter_raw())
        assert wait(lambda: ended) == [b""]


def test_the_target_learns_it_before_it_has_answered() -> None:
    ended: list[bytes] = []

    async def never(talk: Conversation) -> None:
        ended.append(await talk.reader.read())

    with scripted(never) as target, fronted(target.url) as (url, own):
        with connect(url) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            wait(lambda: target.heads)
        assert wait(lambda: ended) == [b""]
        (entry,) = wait(lambda: list(own.own.sandbox.state.journal.since(0)))
        assert (entry.status, entry.answer) == (0, b"")


def most_memory(process: subprocess.Popen[str]) -> int:
    """The most bytes that a process has taken so far."""
    with open(f"/proc/{process.pid}/status") as file:
        (line,) = [each for each in file if each.startswith("VmHWM")]
    return int(line.split()[1]) * 1024


@pytest.mark.ci
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
@pytest.mark.parametrize("direction", ["up", "down"])
def test_a_large_body_passes_without_being_held(direction: str) -> None:
    async def swallow(talk: Conversation) -> None:
        while not (await talk.reader.read(PIECE)).endswith(b"0\r\n\r\n"):
            pass
        await talk.say(OK)

    async def pour(talk: Conversation) -> None:
        await talk.say(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % LARGE)
        for piece in chunks(LARGE, PIECE):
            await talk.say(piece)

    behave = swallow if direction == "up" else pour
    with scripted(behave) as target:
        command = ["record", "--target", target.url, "--port=0"]
        with serving(*command) as (url, process), client_of(url) as client:
            client.get("/__admin/journal")
            before = most_memory(process)
            body = chunks(LARGE, PIECE) if direction == "up" else None
            with client.stream("POST", "/", content=body) as answer:
                assert sum(map(len, answer.iter_raw())) in (2, LARGE)
            assert most_memory(process) - before < GROWTH
