"""Server-sent events: a journal, followed by clients as it grows."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial

import msgspec
from msgspec import Struct, field
from starlette.types import Receive, Send

from mock_server.admin.responses import BROWSER_HEADERS
from mock_server.api.journal_view import entry_view
from mock_server.domain.errors import LimitReached, SandboxNotFound
from mock_server.domain.journal import Entry
from mock_server.domain.limits import LIMITS
from mock_server.domain.memory import Holding
from mock_server.domain.sandbox import Sandbox
from mock_server.domain.sandboxes import Sandboxes

EVENT_STREAM = b"text/event-stream"
_HEARTBEAT_SECONDS = 15
_HEADERS = [
    (b"content-type", EVENT_STREAM),
    (b"cache-control", b"no-store"),
    *BROWSER_HEADERS,
    (b"x-accel-buffering", b"no"),
]


class Streams(Struct):
    """The streams that are open now; closing them lets a server stop."""

    _news: set[asyncio.Event] = field(default_factory=set)

    def check_room(self) -> None:
        """Raises LimitReached when there are as many as there may be."""
        if len(self._news) >= LIMITS.journal_streams:
            expected = f"at most {LIMITS.journal_streams} streams"
            raise LimitReached(expected, "one more", "path")

    def opened(self, news: asyncio.Event) -> None:
        """A stream has begun that wakes at `news`."""
        self._news.add(news)

    def ended(self, news: asyncio.Event) -> None:
        """A stream is over."""
        self._news.discard(news)

    def is_open(self, news: asyncio.Event) -> bool:
        """Whether the stream that wakes at `news` is to go on."""
        return news in self._news

    def close(self) -> None:
        """End all streams."""
        ended, self._news = self._news, set()
        for news in ended:
            news.set()


class Events(Struct):
    """The entries of a sandbox's journal from number `start` on, and all to come.

    Nothing is kept for a slow reader: it reads from the journal itself, and is told
    how many entries were gone before it came to them. If it `tells_changes`, it says
    too when the admin API may have changed the sandbox, for pages that show all of it.
    """

    streams: Streams
    sandboxes: Sandboxes
    sandbox: Sandbox
    start: int
    tells_changes: bool = False
    _changes: int = 0
    _holding: Holding | None = None

    def __post_init__(self) -> None:
        """Raises LimitReached when the memory for another stream is used up."""
        self._changes = self.sandbox.changes
        self._holding = self.sandboxes.memory.hold("streams", LIMITS.stream_bytes)

    async def send(self, receive: Receive, send: Send) -> None:
        """Stream until the client has gone, the sandbox, or the server."""
        news = asyncio.Event()
        wake = partial(asyncio.get_running_loop().call_soon_threadsafe, news.set)
        gone = asyncio.create_task(_disconnected(receive))
        gone.add_done_callback(lambda _: news.set())
        self.streams.opened(news)
        self.sandbox.listeners.append(wake)
        try:
            await send(
                {"type": "http.response.start", "status": 200, "headers": _HEADERS}
            )
            await send(_part(b": journal\n\n"))
            while self._goes_on(news) and not gone.done():
                for event in self._new():
                    await send(_part(event))
                await self._wait(news, send)
        finally:
            self.sandbox.listeners.remove(wake)
            self.streams.ended(news)
            gone.cancel()
        await send({"type": "http.response.body", "body": b""})

    def _new(self) -> Iterator[bytes]:
        journal = self.sandbox.journal
        end = journal.next_seq
        for entry in journal.since(self.start):
            yield from self._gap(entry.seq)
            self.start = entry.seq + 1
            yield _event(entry)
        yield from self._gap(end)
        if self.tells_changes and self._changes != self.sandbox.changes:
            self._changes = self.sandbox.changes
            yield b"event: changed\ndata: {}\n\n"

    def _gap(self, seq: int) -> Iterator[bytes]:
        """What is said of entries before `seq` that are no longer kept."""
        if seq > self.start:
            yield b'event: dropped\ndata: {"count":%d}\n\n' % (seq - self.start)
            self.start = seq

    async def _wait(self, news: asyncio.Event, send: Send) -> None:
        if self.sandbox.journal.next_seq > self.start:
            return
        try:
            half = self.sandboxes.ttl_of(self.sandbox.name) / 2
            await asyncio.wait_for(news.wait(), min(_HEARTBEAT_SECONDS, half))
        except TimeoutError:
            await send(_part(b": still here\n\n"))
        news.clear()

    def _goes_on(self, news: asyncio.Event) -> bool:
        """Whether stream and sandbox are still there; a followed one is not idle."""
        try:
            is_there = self.sandboxes.get(self.sandbox.name) is self.sandbox
        except SandboxNotFound:
            return False
        return is_there and self.streams.is_open(news)


def _event(entry: Entry) -> bytes:
    # JSON may come over several lines; each is a data line of its own.
    lines = msgspec.json.encode(entry_view(entry)).splitlines()
    data = b"".join(b"data: %b\n" % line for line in lines)
    return b"id: %d\nevent: entry\n%b\n" % (entry.seq, data)


def _part(content: bytes) -> dict[str, object]:
    return {"type": "http.response.body", "body": content, "more_body": True}


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
