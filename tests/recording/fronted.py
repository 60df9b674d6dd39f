"""A proxy in front of a server, and servers that do as a test tells them."""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any

from mock_server.domain.limits import Limits
from mock_server.http_call import Address
from mock_server.recording.application import Recording
from mock_server.server import running
from tests.support import SECONDS

Answering = Callable[["Conversation"], Awaitable[None]]


@contextmanager
def fronted(
    url: str, *, is_kept: bool = False, **limits: Any
) -> Iterator[tuple[str, Recording]]:
    """A proxy in front of the server at a URL; gives its own URL."""
    recording = Recording(Address.of(url), is_kept=is_kept, limits=Limits(**limits))
    with running(
        recording,
        on_stop=recording.close,
        is_dated=False,
        limits=recording.served_limits,
    ) as own:
        yield own, recording


class Conversation:
    """One request to a scripted target, and what is answered."""

    def __init__(self, head: bytes, reader: StreamReader, writer: StreamWriter) -> None:
        self.head = head
        self.reader = reader
        self.writer = writer

    async def body(self) -> bytes:
        """The body of an announced length."""
        for line in self.head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                return await self.reader.readexactly(int(line.split(b":")[1]))
        return b""

    async def say(self, content: bytes) -> None:
        """Send bytes."""
        self.writer.write(content)
        await self.writer.drain()


class Script:
    """A target in a thread: `heads` are the request heads that have come."""

    def __init__(self, answering: Answering, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.heads: list[bytes] = []
        self.url = ""
        self._answering = answering

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Called for each connection."""
        gone = OSError, asyncio.IncompleteReadError, asyncio.CancelledError
        with suppress(*gone):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                self.heads.append(head)
                await self._answering(Conversation(head, reader, writer))
        writer.close()
        with suppress(*gone):
            await writer.wait_closed()


@contextmanager
def scripted(answering: Answering) -> Iterator[Script]:
    """A target that answers each request so; its connections are kept."""
    loop, ready = asyncio.new_event_loop(), Event()
    script = Script(answering, loop)
    ended = asyncio.Event()

    async def serve() -> None:
        server = await asyncio.start_server(script.serve, "127.0.0.1", 0)
        script.url = "http://127.0.0.1:%d" % server.sockets[0].getsockname()[1]
        ready.set()
        await ended.wait()
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    thread = Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(SECONDS)
        yield script
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(SECONDS)
        loop.close()


def says(*contents: bytes) -> Answering:
    """Reads the body, then answers with these bytes."""

    async def answer(talk: Conversation) -> None:
        await talk.body()
        for content in contents:
            await talk.say(content)

    return answer
