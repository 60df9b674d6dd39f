"""Ends connections whose clients no longer read what they have asked for.

What a client does not take stays in memory, also when the server has closed its side.
A client that is slow, but reads, is left alone.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import sys
from collections.abc import Iterable
from typing import Protocol

from mock_server.wire.transport import CoalescingTransport

if sys.platform != "win32":
    import fcntl
    import termios

LOOKS = 10
"""How often to look within the time that a client has."""
_LINGER_NOT = struct.pack("ii", 1, 0)


class Connection(Protocol):
    """What is needed of one of uvicorn's protocols."""

    transport: CoalescingTransport


class Unread:
    """Which connections have stood still, and for how long."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._still: dict[Connection, tuple[int, float]] = {}

    def look(self, connections: Iterable[Connection], now: float) -> None:
        """Reset those that have had bytes to send for so long, and have sent none.

        `now` is a time in seconds, of a clock that does not jump.
        """
        still = {}
        for connection in connections:
            transport = connection.transport
            if not transport.get_write_buffer_size():
                continue
            taken = _taken(transport)
            before, since = self._still.get(connection, (taken, now))
            if taken != before:
                since = now
            if now - since >= self._seconds:
                _reset(transport)
            else:
                still[connection] = taken, since
        self._still = still


def _reset(transport: CoalescingTransport) -> None:
    """End a connection by an RST; else the system would keep what it has taken."""
    raw = transport.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
    transport.abort()


def _taken(transport: CoalescingTransport) -> int:
    """Bytes that the client has taken so far, as far as can be told.

    What the system still keeps is counted where it tells: it takes more only in large
    lots, for which a slow client needs minutes.
    """
    kept = bytearray(4)
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            fcntl.ioctl(
                transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, kept
            )
    return transport.sent() - int.from_bytes(kept, sys.byteorder)
