"""Writes to connections: joins small writes, and ends clients that do not read."""

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
# SO_LINGER on, for 0 seconds: closing the socket then sends an RST.
_NO_LINGER = struct.pack("ii", 1, 0)


class LoopTurn:
    """The connections that have written bytes in this turn of an event loop."""

    def __init__(self) -> None:
        self._transports: list[CoalescingTransport] = []

    def add(
        self, transport: "CoalescingTransport", loop: asyncio.AbstractEventLoop
    ) -> None:
        """Send the written bytes of a connection at the end of the turn."""
        # Schedule one call for all connections: uvloop creates a handle for each call.
        if not self._transports:
            loop.call_soon(self._flush, loop)
        self._transports.append(transport)

    def _flush(self, loop: asyncio.AbstractEventLoop) -> None:
        transports, self._transports = self._transports, []
        for transport in transports:
            try:
                transport.flush()
            except Exception as error:  # an error must not affect other connections
                message = "cannot send what was written"
                loop.call_exception_handler({"message": message, "exception": error})


class CoalescingTransport:
    """A transport that joins the writes of one turn of the event loop.

    uvicorn writes head and body of a response separately. Joined, they need one system
    call, and arrive together. All responses of a turn are sent at its end: sending each
    at once would wake clients on the same machine one by one, which is slower.
    """

    def __init__(
        self,
        transport: asyncio.Transport,
        loop: asyncio.AbstractEventLoop,
        turn: LoopTurn | None = None,
    ) -> None:
        """Join writes to `transport`; all connections on the loop share `turn`."""
        self._transport = transport
        self._loop = loop
        self._loop_turn = turn or LoopTurn()
        self._clock = loop.time
        self._start_seconds = loop.time()
        self._unsent_parts: list[bytes] = []
        self._written_bytes = 0
        self._is_paused = self._is_held = False
        self.get_extra_info = transport.get_extra_info
        self.is_closing = transport.is_closing
        self.can_write_eof = transport.can_write_eof

    def pause_reading(self) -> None:
        self._is_paused = True
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._is_paused = False
        if not self._is_held:
            self._transport.resume_reading()

    def hold(self) -> None:
        """Read nothing until `release`, even if uvicorn resumes reading meanwhile."""
        self._is_held = True
        self._transport.pause_reading()

    def release(self) -> None:
        """Read again, unless uvicorn has paused reading."""
        self._is_held = False
        if not self._is_paused:
            self._transport.resume_reading()

    def write(self, data: bytes) -> None:
        """Send bytes at the end of this turn; send 64 KiB or more at once."""
        if not data:
            return
        if len(data) >= _LARGE_BYTES:  # joining would copy the bytes
            self.flush()
            self._written_bytes += len(data)
            self._transport.write(data)
            return
        self._unsent_parts.append(data)
        # A closing transport accepts bytes in this turn, but not in the next one.
        if self.is_closing():
            self.flush()
        elif len(self._unsent_parts) == 1:
            self._loop_turn.add(self, self._loop)

    def flush(self) -> None:
        if self._unsent_parts:
            data = b"".join(self._unsent_parts)
            self._unsent_parts.clear()
            self._written_bytes += len(data)
            self._transport.write(data)

    def get_write_buffer_size(self) -> int:
        unsent_bytes = sum(map(len, self._unsent_parts))
        return unsent_bytes + self._transport.get_write_buffer_size()

    def is_new(self) -> bool:
        """Return whether the connection is young and nothing has been written to it.

        Browsers open some connections in advance; their first request comes later than
        `Published.new_seconds`.
        """
        if self._written_bytes or self._unsent_parts:
            return False
        return self._clock() - self._start_seconds <= Published.new_seconds

    def sent_bytes(self) -> int:
        """Return the number of bytes handed to the operating system so far."""
        return self._written_bytes - self._transport.get_write_buffer_size()

    def write_eof(self) -> None:
        """Send the written bytes, then a FIN."""
        self.flush()
        self._transport.write_eof()

    def close(self) -> None:
        """Close the connection once all bytes are sent."""
        self.flush()
        self._transport.close()

    def abort(self) -> None:
        """Close the connection at once; bytes that were not sent are lost."""
        self._unsent_parts.clear()
        self._transport.abort()


def has_last_descriptor(transport: asyncio.Transport) -> bool:
    """Return whether a connection uses one of the last 16 descriptors of the process.

    These are reserved for files, late imports, and processes that load fixtures.
    """
    if sys.platform != "win32":
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0] - _SPARE_DESCRIPTORS
        # If there is no limit, the number is negative or very large.
        return bool(0 < limit <= transport.get_extra_info("socket").fileno())
    return False


class UnreadConnections:
    """Ends connections whose clients have stopped reading their responses.

    Unread bytes stay in memory, even after the server has closed the connection. A
    client that reads slowly keeps its connection.
    """

    def __init__(self, max_stall_seconds: float) -> None:
        """Allow a client to read nothing for at most `max_stall_seconds`."""
        self._max_stall_seconds = max_stall_seconds
        self._stalls: dict[CoalescingTransport, tuple[int, float]] = {}

    def check(self, transports: Iterable[CoalescingTransport], now: float) -> None:
        """Reset the connections whose clients have read nothing for too long.

        `now` is in seconds of a monotonic clock. Call this method several times within
        the allowed seconds.
        """
        stalls = {}
        for transport in transports:
            if not transport.get_write_buffer_size():
                continue
            bytes_taken = _bytes_taken(transport)
            bytes_before, stall_start = self._stalls.get(transport, (bytes_taken, now))
            if bytes_taken != bytes_before:
                stall_start = now
            if now - stall_start >= self._max_stall_seconds:
                _reset(transport)
            else:
                stalls[transport] = bytes_taken, stall_start
        self._stalls = stalls


def _reset(transport: CoalescingTransport) -> None:
    # With a FIN, the operating system would keep unsent bytes for minutes.
    raw_socket = transport.get_extra_info("socket")
    raw_socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
    transport.abort()


def _bytes_taken(transport: CoalescingTransport) -> int:
    """Return the number of bytes that the client has received, if known.

    If the system reports the send queue of the socket, subtract its bytes: the queue
    accepts bytes in large lots, and a slow client may need minutes for one.
    """
    queued = bytearray(4)
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            fcntl.ioctl(
                transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, queued
            )
    return transport.sent_bytes() - int.from_bytes(queued, sys.byteorder)
