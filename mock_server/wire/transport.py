"""A connection that sends what is written in one go as one piece."""

from __future__ import annotations

import asyncio

_LARGE_BYTES = 64 * 1024


class CoalescingTransport:
    """A transport that joins the writes of one turn of the event loop.

    uvicorn writes the head of an answer and its body on their own, and each write
    costs a call of the system: as much as all else that an answer takes.
    """

    def __init__(
        self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._transport = transport
        self._call_soon = loop.call_soon
        self._parts: list[bytes] = []
        self._written = 0
        self.get_extra_info = transport.get_extra_info
        self.is_closing = transport.is_closing
        self.pause_reading = transport.pause_reading
        self.resume_reading = transport.resume_reading
        self.can_write_eof = transport.can_write_eof

    def write(self, data: bytes) -> None:
        """Send it with what else this turn writes; what is large goes at once."""
        if not data:
            return
        self._parts.append(data)
        # A transport that is closing takes what comes at once, and nothing later.
        if len(data) >= _LARGE_BYTES or self.is_closing():
            self.flush()
        elif len(self._parts) == 1:
            self._call_soon(self.flush)

    def flush(self) -> None:
        """Send what has been written so far."""
        if self._parts:
            data = b"".join(self._parts)
            self._parts.clear()
            self._written += len(data)
            self._transport.write(data)

    def get_write_buffer_size(self) -> int:
        """How many bytes are still to be sent."""
        waiting = sum(map(len, self._parts))
        return waiting + self._transport.get_write_buffer_size()

    def sent(self) -> int:
        """How many bytes the system has taken to send so far."""
        return self._written - self._transport.get_write_buffer_size()

    def write_eof(self) -> None:
        """Send what there is, then a FIN."""
        self.flush()
        self._transport.write_eof()

    def close(self) -> None:
        """Close once all is sent."""
        self.flush()
        self._transport.close()

    def abort(self) -> None:
        """Close at once."""
        self._parts.clear()
        self._transport.abort()
