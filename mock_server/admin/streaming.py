"""Sends long responses in parts: streams of journals, and downloads of fixtures.

Both end when the client disconnects. A server that stops ends streams, and waits for
downloads.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from threading import get_ident
from typing import TypeVar

import msgspec
from starlette.types import Scope, Send

from mock_server.admin.journal_view import entry_view
from mock_server.api.connection import connection_of
from mock_server.api.request import RequestBody
from mock_server.api.response import Headers, Response
from mock_server.api.slices import in_slices
from mock_server.domain.errors import LimitReached
from mock_server.domain.journal import Entry
from mock_server.domain.sandboxes.registry import Sandboxes, SandboxNotFound
from mock_server.domain.sandboxes.sandbox import Sandbox

EVENT_STREAM = b"text/event-stream"
# As server-sent events (WHATWG) advise, because proxies may close silent connections.
_HEARTBEAT_SECONDS = 15
# Responses contain texts of clients, which may be hostile. Browsers must not run a
# response as a script or a page, and other sites must not embed it (WHATWG Fetch).
BROWSER_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_EVENT_HEADERS = [
    (b"content-type", EVENT_STREAM),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # else nginx buffers events
    *BROWSER_HEADERS,
]
_ENTRIES_HELD = 8
"""Number of entries that a stream takes from the journal at a time."""
T = TypeVar("T")


class OpenResponses:
    """Counts the responses of a kind that are being sent now."""

    def __init__(self, limit: int, kind: str) -> None:
        """Allow `limit` responses at the same time; `kind` names them in messages."""
        self._limit = limit
        self._kind = kind
        self._open = 0

    def check_room(self) -> None:
        """Raise LimitReached if no other response may be sent."""
        if self._open >= self._limit:
            raise LimitReached(
                f"at most {self._limit} {self._kind}", "one more", "path"
            )

    @contextmanager
    def count_one(self) -> Iterator[None]:
        """Count a response while it is being sent."""
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1


class Streams(OpenResponses):
    """Counts and ends the streams of journals, and encodes events for all of them."""

    def __init__(self, sandboxes: Sandboxes) -> None:
        limits = sandboxes.limits
        super().__init__(limits.journal_streams, "streams")
        self._end_callbacks: set[Callable[[], object]] = set()
        # Cached, so that 100 streams encode an entry only once.
        self.event_of = lru_cache(limits.cached_events)(
            partial(_entry_event, sandboxes)
        )

    @contextmanager
    def count_stream(self, end: Callable[[], object]) -> Iterator[None]:
        """Count a stream while it is being sent; `close` calls `end`."""
        self._end_callbacks.add(end)
        try:
            with self.count_one():
                yield
        finally:
            self._end_callbacks.discard(end)

    def close(self) -> None:
        """End all streams, so that the server can stop."""
        for end in tuple(self._end_callbacks):
            end()


class JournalStream:
    """A response with the entries of a journal from `start` on, as server-sent events.

    With `sends_changes`, an event `changed` follows each change of the sandbox by the
    admin API, for pages that show its data.
    """

    def __init__(
        self,
        streams: Streams,
        sandboxes: Sandboxes,
        sandbox: Sandbox,
        start: int,
        *,
        sends_changes: bool = False,
    ) -> None:
        """Raise LimitReached if there is no memory for another stream."""
        self._streams = streams
        self._sandboxes = sandboxes
        self._sandbox = sandbox
        self._next_number = start
        self._sends_changes = sends_changes
        self._changes = sandbox.changes
        # Charged here, because `send` can refuse nothing after it has sent the head.
        self._charge = sandboxes.memory.charge("streams", sandboxes.limits.stream_bytes)
        self._wake_event = asyncio.Event()
        self._is_ended = False

    async def send(self, body: RequestBody, send: Send) -> None:
        """Send events until the client, the sandbox or the server is gone."""
        wake = _thread_safe_set(self._wake_event)
        # Only `receive` reports a disconnect, because uvicorn then ignores `send`.
        disconnect_task = asyncio.create_task(body.wait_for_disconnect())
        disconnect_task.add_done_callback(lambda _: self._end())
        with self._streams.count_stream(self._end):
            # Added before the journal is read, so that no entry is missed.
            self._sandbox.listeners.append(wake)
            heartbeat = disconnect_task
            try:
                await send(_start(_EVENT_HEADERS))
                await send(_part(b": journal\n\n"))
                heartbeat = asyncio.create_task(self._beat(send))
                while self._is_active():
                    # In slices, because `send` never waits for a fast reader.
                    async for event in in_slices(self._new_events()):
                        await send(_part(event))
                    if self._sandbox.journal.next_seq <= self._next_number:
                        await self._wake_event.wait()
                    # Cleared before the journal is read again, so that no news is lost.
                    self._wake_event.clear()
            finally:
                self._sandbox.listeners.remove(wake)
                heartbeat.cancel()
                disconnect_task.cancel()
        await send({"type": "http.response.body", "body": b""})

    def _end(self) -> None:
        self._is_ended = True
        self._wake_event.set()

    def _is_active(self) -> bool:
        try:
            # `get` counts as use, so that a sandbox with a stream does not expire.
            exists = self._sandboxes.get(self._sandbox.name) is self._sandbox
        except SandboxNotFound:
            return False
        return exists and not self._is_ended

    def _new_events(self) -> Iterator[bytes]:
        """Yield the events of entries and changes since the last call."""
        journal = self._sandbox.journal
        # If the journal is emptied meanwhile, its entries up to here are dropped.
        end = journal.next_seq
        # A few at a time: a slow reader must not keep entries that the journal drops.
        while entries := [*journal.since(self._next_number, _ENTRIES_HELD)]:
            for entry in entries:
                if self._is_ended:
                    return
                if entry.seq > self._next_number:
                    yield _dropped_event(entry.seq - self._next_number)
                self._next_number = entry.seq + 1
                yield self._streams.event_of(entry)
        if end > self._next_number:
            yield _dropped_event(end - self._next_number)
            self._next_number = end
        if self._sends_changes and self._changes != self._sandbox.changes:
            self._changes = self._sandbox.changes
            # Without an id, so that Last-Event-ID stays the number of the last entry.
            yield b"event: changed\ndata: {}\n\n"

    async def _beat(self, send: Send) -> None:
        """Send comments at intervals, so that proxies keep the connection open.

        A timeout of each wait instead would cost more than the event itself.
        """
        while True:
            # At least twice in the sandbox's time to live, so that it does not expire.
            half_ttl = self._sandboxes.ttl_of(self._sandbox.name) / 2
            await asyncio.sleep(min(_HEARTBEAT_SECONDS, half_ttl))
            await send(_part(b": still here\n\n"))
            self._wake_event.set()


def _thread_safe_set(event: asyncio.Event) -> Callable[[], object]:
    """Return a function that sets an event of this loop from any thread.

    This thread sets it directly; other threads must write to the loop's socket.
    """
    loop, loop_thread = asyncio.get_running_loop(), get_ident()

    def wake() -> None:
        if get_ident() == loop_thread:
            event.set()
        else:
            loop.call_soon_threadsafe(event.set)

    return wake


def _dropped_event(count: int) -> bytes:
    return b'event: dropped\ndata: {"count":%d}\n\n' % count


def _entry_event(sandboxes: Sandboxes, entry: Entry) -> bytes:
    # JSON of a body may have several lines, and each becomes a data line.
    # bytes.splitlines splits like event streams, at CR, LF and CRLF only.
    lines = msgspec.json.encode(entry_view(entry, sandboxes)).splitlines()
    data = b"".join(b"data: %b\n" % line for line in lines)
    return b"id: %d\nevent: entry\n%b\n" % (entry.seq, data)


@dataclass(frozen=True)
class Download:
    """A response with a large document, sent in parts between other responses.

    `make_parts` yields the same parts at each call.
    """

    make_parts: Callable[[], Iterator[bytes]]
    content_type: bytes
    open_responses: OpenResponses
    status: int

    async def send(self, body: RequestBody, send: Send) -> None:
        """Send all parts, unless the client disconnects."""
        send_task = asyncio.create_task(self._send(body.scope, send))
        disconnect_task = asyncio.create_task(body.wait_for_disconnect())
        disconnect_task.add_done_callback(lambda _: send_task.cancel())
        try:
            with self.open_responses.count_one():
                await send_task
        except asyncio.CancelledError:
            # Abort, because after a regular end the document would look complete.
            connection = connection_of(body.scope)
            if connection is not None:
                connection.transport.abort()
                await disconnect_task
        finally:
            disconnect_task.cancel()

    async def _send(self, scope: Scope, send: Send) -> None:
        headers = [
            (b"content-type", self.content_type),
            (b"cache-control", b"no-store"),
            *BROWSER_HEADERS,
        ]
        if scope["http_version"] == "1.0":
            # HTTP/1.0 has no chunks, so the length is needed first. The parts are made
            # twice, because keeping them would take much memory.
            length = sum([len(part) async for part in in_slices(self.make_parts())])
            headers.append((b"content-length", b"%d" % length))
        await send(_start(headers, self.status))
        if scope["method"] != "HEAD":
            for part in self.make_parts():
                await send(_part(part))
                # Let other requests run, because `send` never waits for a fast reader.
                await asyncio.sleep(0)
        await send({"type": "http.response.body", "body": b""})


LongResponse = JournalStream | Download
"""A response that is sent in parts."""


def in_parts(
    make_parts: Callable[[], Iterator[bytes]],
    open_responses: OpenResponses,
    content_type: bytes = b"application/json",
    status: int = 200,
) -> Response | Download:
    """Return a Response for a document of one part, else a Download."""
    # A short document does not count as a download.
    first_part, *rest = islice(make_parts(), 2)
    if not rest:
        return Response(status, first_part, content_type=content_type)
    return Download(make_parts, content_type, open_responses, status)


def _start(headers: Headers, status: int = 200) -> dict[str, object]:
    return {"type": "http.response.start", "status": status, "headers": headers}


def _part(content: bytes) -> dict[str, object]:
    return {"type": "http.response.body", "body": content, "more_body": True}
