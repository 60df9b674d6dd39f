"""The HTTP/1.1 protocol of a connection: uvicorn's, bounded and strict.

uvicorn waits for ever for the rest of a request. Here the time from the first byte (or
from the connection) to the last byte of a request is bounded, whatever the pace. What
two readers might take for different requests is refused, and the connection ends.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from inspect import getcoroutinelocals
from typing import Any, Literal, cast

from mock_server.api.connection import TRANSPORT
from mock_server.api.envelope import error_envelope
from mock_server.domain.limits import LIMITS
from mock_server.wire.framing import Ambiguous, is_chunked, is_old, is_plain
from mock_server.wire.transport import CoalescingTransport

HttpParser = Literal["zttp", "h11"]

_FIRST = frozenset(range(0x21, 0x7F)) | frozenset(b"\r\n")
_END = b"\r\n\r\n"
# Fewer bytes cannot hold too many chunks, which have two line ends each.
_MANY = 4 * LIMITS.body_pieces
_LOGGER = logging.getLogger("mock_server")


def _last_answer(status: int, reason: str, status_text: str, message: str) -> bytes:
    """An answer as bytes, for connections on which no request can be answered."""
    body = error_envelope(status, status_text, message)
    return (
        f"HTTP/1.1 {status} {reason}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\ncache-control: no-store\r\n"
        "connection: close\r\n\r\n"
    ).encode() + body


_TIMEOUT = _last_answer(
    408,
    "Request Timeout",
    "requestTimeout",
    f"Expected the whole request within {LIMITS.receipt_seconds:g} s, "
    "got a part of it - at connection",
)
_BAD_REQUEST = _last_answer(
    400,
    "Bad Request",
    "badRequest",
    f"Expected an HTTP/1.1 request with lines of at most {LIMITS.head_line_bytes} "
    f"bytes, {LIMITS.headers} headers and {LIMITS.header_bytes} bytes of them, whose "
    "end is beyond doubt, got something else - at connection",
)
_TOO_MANY_PIECES = _last_answer(
    413,
    "Content Too Large",
    "bodyTooLarge",
    f"Expected at most {LIMITS.body_pieces} chunks, got more - at body",
)


class _TooManyPieces(ValueError):
    """A body in more chunks than the limit."""


class RequestDeadlineMixin:
    """A mixin for uvicorn's protocols, which both have `transport` and `cycle`."""

    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    app_state: dict[str, Any]
    cycle: Any
    tasks: set[asyncio.Task[None]]
    _joined: CoalescingTransport
    _deadline: asyncio.TimerHandle | None = None
    _begun = False
    _is_chunked = False
    _line_ends = 0
    _ahead = b""
    """The last bytes that came, while they hold more than the request in service."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop; the first request is awaited from now on."""
        joined = CoalescingTransport(cast("asyncio.Transport", transport), self.loop)
        self._joined = joined
        super().connection_made(joined)  # type: ignore[misc]
        # Each request's `scope["state"]` is a copy of this.
        self.app_state = self.app_state | {TRANSPORT: joined}
        self._arm()

    def data_received(self, data: bytes) -> None:
        """Called by the event loop."""
        if not self._begun:
            if data[0] not in _FIRST:
                self._end(_BAD_REQUEST)  # such as TLS; zttp would wait for a line
                return
            self._begun = True
        before = self.cycle
        was_complete = before is not None and not before.more_body
        try:
            if len(data) > _MANY or self._is_chunked:
                self._check_pieces(data, in_body=not (before is None or was_complete))
            super().data_received(data)  # type: ignore[misc]
            cycle = self.cycle
            if cycle is not before and not is_plain(cycle.scope):
                self._look_closely(data)
        except Exception as error:  # both parsers let some bytes through to here
            self._refuse(error, before)
            return
        self._ahead = data
        if cycle is None or cycle.more_body:
            self._arm()
            return
        has_come = cycle is not before or not was_complete
        if has_come and (data.endswith(cycle.body or _END) or self._is_last(data)):
            self._ahead = b""
        elif cycle.response_complete:
            self._arm()
            return
        # Bytes of the next request are read once this one is answered.
        if self._deadline is not None:
            self._disarm()

    def on_response_complete(self) -> None:
        """Called by uvicorn, which may go on with a request that came meanwhile."""
        before = self.cycle
        try:
            super().on_response_complete()  # type: ignore[misc]
            cycle = self.cycle
            if cycle is not before:
                self._is_chunked = False
                if not is_plain(cycle.scope):
                    self._look_closely(self._ahead)
        except Exception as error:
            self._refuse(error, before)
            return
        if self._ahead:
            if cycle.more_body or cycle.response_complete:
                self._arm()
            elif self._is_last(self._ahead):
                self._ahead = b""

    def eof_received(self) -> None:
        """Called by the event loop, which then closes the transport."""
        self._joined.flush()
        super().eof_received()  # type: ignore[misc]

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the event loop."""
        self._disarm()
        super().connection_lost(exc)  # type: ignore[misc]

    def send_400_response(self, msg: str) -> None:
        """Called by uvicorn for bytes that are no request."""
        del msg
        self._end(_BAD_REQUEST)

    def _look_closely(self, data: bytes) -> None:
        """Look at a request that has just come, of which nothing is done yet.

        `data` are the last bytes. Raises Ambiguous and _TooManyPieces.
        """
        scope = self.cycle.scope
        self._is_chunked = is_chunked(scope)
        self._line_ends = 0
        if self._is_chunked:
            self._count_pieces(data)
        if is_old(scope):
            # One answer, and none before it (RFC 9110 10.1.1), then the end.
            self.cycle.waiting_for_100_continue = False
            self.cycle.keep_alive = False

    def _check_pieces(self, data: bytes, *, in_body: bool) -> None:
        """Refuse too many chunks before they cost anything. Raises _TooManyPieces."""
        if in_body:
            if self._is_chunked:
                self._count_pieces(data)
            return
        self._is_chunked = False
        if b"chunked" in data.partition(_END)[0].lower():
            self._line_ends = 0
            self._count_pieces(data)

    def _count_pieces(self, data: bytes) -> None:
        """Count a body's chunks, at two lines each. Raises _TooManyPieces."""
        self._line_ends += data.count(b"\r\n")
        if self._line_ends > 2 * LIMITS.body_pieces:
            raise _TooManyPieces

    def _is_last(self, data: bytes) -> bool:
        """Whether nothing follows, in these bytes, on the request that has just come.

        It is told by how they end, for zttp does not say what it has not read yet.
        """
        end = _END if self._is_chunked else self.cycle.body or _END
        return data.endswith(end) or bool(end.endswith(data))

    def _arm(self) -> None:
        """Await the end of a request from now on, or from when it began."""
        if self._deadline is None:
            seconds = LIMITS.receipt_seconds
            self._deadline = self.loop.call_later(seconds, self._end, _TIMEOUT)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _refuse(self, error: Exception, before: Any) -> None:
        """End the connection; a request that came after `before` is not performed."""
        if not isinstance(error, (Ambiguous, _TooManyPieces)):
            _LOGGER.warning("invalid HTTP request: %r", error)
        if self.cycle is not before:
            for task in self.tasks:
                work = cast("Coroutine[Any, Any, None]", task.get_coro())
                if getcoroutinelocals(work).get("self") is self.cycle:
                    task.cancel()  # it has not begun
        is_long = isinstance(error, _TooManyPieces)
        self._end(_TOO_MANY_PIECES if is_long else _BAD_REQUEST)

    def _end(self, answer: bytes) -> None:
        """Close the connection, with a last answer unless one has begun."""
        cycle = self.cycle
        begun = cycle and cycle.response_started and not cycle.response_complete
        if not self.transport.is_closing():
            if not begun:
                self.transport.write(answer)
            self.transport.close()


PROTOCOLS: dict[HttpParser, str] = {
    "zttp": "mock_server.wire.zttp_protocol:BoundedZttp",
    "h11": "mock_server.wire.h11_protocol:BoundedH11",
}
"""Always named, never "auto": what is installed must not decide how bytes are read.

uvicorn imports the one that it is to use.
"""
