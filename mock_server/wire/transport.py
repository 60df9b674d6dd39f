"""The writing side of connections: joined writes, and clients that do not read."""

import asyncio
import contextlib
import socket
import struct
import sys
from collections.abc import Iterable

from mock_server.domain.limits import Published

if sys.platform != "win32":
    import fcntl
    import resource
    import termios

_LARGE_BYTES = 64 * 1024
_SPARE_DESCRIPTORS = 16
# struct linger: on, 0 seconds. Closing the socket then sends an RST.
_NO_LINGER = struct.pack("ii", 1, 0)


class Turn:
    """Connections that have written in this turn of an event loop."""

    def __init__(self) -> None:
        self._waiting: list[CoalescingTransport] = []

    def add(
        self, transport: "CoalescingTransport", loop: asyncio.AbstractEventLoop
    ) -> None:
        """Send a connection's written bytes at the end of the turn."""
        # A single call: uvloop makes a handle for each.
        if not self._waiting:
            loop.call_soon(self._flush, loop)
        self._waiting.append(transport)

    def _flush(self, loop: asyncio.AbstractEventLoop) -> None:
        waiting, self._waiting = self._waiting, []
        for transport in waiting:
            try:
                transport.flush()
            except Exception as error:  # must not affect other connections
                message = "cannot send what was written"
                loop.call_exception_handler({"message": message, "exception": error})


class CoalescingTransport:
    """A transport that joins the writes of one turn of the event loop.

    uvicorn writes head and body of a response separately, each by a system call:
    without joining, a request takes 16 % more CPU time (38.6 us instead of 33.2), and a
    client may get them apart. Sending within a turn would wake clients on the same
    machine one by one, which takes 17 % more.
    """

    def __init__(
        self,
        transport: asyncio.Transport,
        loop: asyncio.AbstractEventLoop,
        turn: Turn | None = None,
    ) -> None:
        """Join writes to `transport`; all connections on the loop share `turn`."""
        self._transport = transport
        self._loop = loop
        self._turn = turn or Turn()
        self._now = loop.time
        self._made = loop.time()
        self._parts: list[bytes] = []
        self._written = 0
        self.get_extra_info = transport.get_extra_info
        self.is_closing = transport.is_closing
        self.pause_reading = transport.pause_reading
        self.resume_reading = transport.resume_reading
        self.can_write_eof = transport.can_write_eof

    def write(self, data: bytes) -> None:
        """Send bytes at the end of this turn, or at once if there are many."""
        if not data:
            return
        if len(data) >= _LARGE_BYTES:  # joining would copy it
            self.flush()
            self._written += len(data)
            self._transport.write(data)
            return
        self._parts.append(data)
        # A closing transport still takes bytes in this turn, but not in the next one.
        if self.is_closing():
            self.flush()
        elif len(self._parts) == 1:
            self._turn.add(self, self._loop)

    def flush(self) -> None:
        if self._parts:
            data = b"".join(self._parts)
            self._parts.clear()
            self._written += len(data)
            self._transport.write(data)

    def get_write_buffer_size(self) -> int:
        waiting = sum(map(len, self._parts))
        return waiting + self._transport.get_write_buffer_size()

    def is_new(self) -> bool:
        """Return True if the connection is new and nothing has been written.

        Browsers open some connections in advance; their first request comes later.
        """
        if self._written or self._parts:
            return False
        return self._now() - self._made <= Published.new_seconds

    def sent(self) -> int:
        """Return the number of bytes handed to the operating system so far."""
        return self._written - self._transport.get_write_buffer_size()

    def write_eof(self) -> None:
        """Send the written bytes, then a FIN."""
        self.flush()
        self._transport.write_eof()

    def close(self) -> None:
        """Close once all bytes are sent."""
        self.flush()
        self._transport.close()

    def abort(self) -> None:
        """Close at once; bytes not sent yet are lost."""
        self._parts.clear()
        self._transport.abort()


def is_one_too_many(transport: asyncio.Transport) -> bool:
    """Return True if a connection has one of the process's last descriptors.

    These are for files, late imports, and processes that load documents.
    """
    if sys.platform != "win32":
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] - _SPARE_DESCRIPTORS
        # Without a limit the number is negative or very large.
        return bool(0 < most <= transport.get_extra_info("socket").fileno())
    return False


class UnreadConnections:
    """Ends connections whose clients no longer read their responses.

    Unread bytes stay in memory, even after the server has closed the connection. A
    client that reads slowly is left alone.
    """

    def __init__(self, seconds: float) -> None:
        """Allow a client to read nothing for at most `seconds`."""
        self._seconds = seconds
        self._stalled: dict[CoalescingTransport, tuple[int, float]] = {}

    def check(self, transports: Iterable[CoalescingTransport], now: float) -> None:
        """Reset the connections without progress for too long.

        `now` is in seconds, of a monotonic clock. Call this several times within the
        seconds that clients have.
        """
        stalled = {}
        for transport in transports:
            if not transport.get_write_buffer_size():
                continue
            taken = _bytes_taken(transport)
            before, since = self._stalled.get(transport, (taken, now))
            if taken != before:
                since = now
            if now - since >= self._seconds:
                _reset(transport)
            else:
                stalled[transport] = taken, since
        self._stalled = stalled


def _reset(transport: CoalescingTransport) -> None:
    # After a FIN the operating system would keep unsent bytes for minutes.
    raw = transport.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
    transport.abort()


def _bytes_taken(transport: CoalescingTransport) -> int:
    """Return the number of bytes that the client has taken, if known.

    The socket's send queue is subtracted where the system reports it: a socket takes
    more only in large lots, and a slow client needs minutes for one.
    """
    queued = bytearray(4)
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            fcntl.ioctl(
                transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, queued
            )
    return transport.sent() - int.from_bytes(queued, sys.byteorder)
