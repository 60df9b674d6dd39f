"""The HTTP/1.1 protocol of a connection: uvicorn's, with a deadline for requests.

uvicorn waits for ever for the rest of a request. Here the time from the first byte (or
from the connection) to the last byte of a request is bounded, whatever the pace.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Literal, cast

from mock_server.api.connection import TRANSPORT
from mock_server.api.envelope import failure
from mock_server.domain.limits import LIMITS
from mock_server.wire.transport import Joined

HttpParser = Literal["zttp", "h11"]

_FIRST = frozenset(range(0x21, 0x7F)) | frozenset(b"\r\n")
_LOGGER = logging.getLogger("mock_server")


def _last_answer(status: int, reason: str, status_text: str, message: str) -> bytes:
    """An answer as bytes, for connections on which no request can be answered."""
    body = failure(status, status_text, message)
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
    "Expected an HTTP/1.1 request, got something else - at connection",
)

_TOO_MANY_PIECES = _last_answer(
    413,
    "Content Too Large",
    "bodyTooLarge",
    f"Expected at most {LIMITS.body_pieces} chunks, got more - at body",
)


class Bounded:
    """A mixin for uvicorn's protocols, which both have `transport` and `cycle`."""

    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    app_state: dict[str, Any]
    cycle: Any
    headers: list[tuple[bytes, bytes]]
    _joined: Joined
    _deadline: asyncio.TimerHandle | None = None
    _begun = False
    _line_ends = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop; the first request is awaited from now on."""
        joined = Joined(cast("asyncio.Transport", transport), self.loop)
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
        before, was_complete = self.cycle, self._is_complete()
        if self._is_chunked(data) and self._has_too_many_pieces(data):
            self._end(_TOO_MANY_PIECES)
            return
        try:
            super().data_received(data)  # type: ignore[misc]
        except Exception as error:  # both parsers let some bytes through to here
            _LOGGER.warning("invalid HTTP request: %r", error)
            self._end(_BAD_REQUEST)
        # Between requests, bytes that complete none are the beginning of the next.
        if self._is_complete() and not (was_complete and self.cycle is before):
            self._disarm()
        elif self._deadline is None:
            self._arm()

    def on_response_complete(self) -> None:
        """Called by uvicorn, which may go on with a request that came meanwhile."""
        super().on_response_complete()  # type: ignore[misc]
        if self._deadline is not None and self._is_complete():
            self._disarm()

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

    def _is_chunked(self, data: bytes) -> bool:
        """Whether these bytes can be of a request with a chunked body."""
        if self.cycle is None or not self.cycle.more_body:
            self._line_ends = 0
            return data.lower().find(b"chunked") >= 0
        return any(name == b"transfer-encoding" for name, _ in self.headers)

    def _has_too_many_pieces(self, data: bytes) -> bool:
        """Whether a body has more chunks than the limit, at two lines each."""
        self._line_ends += data.count(b"\r\n")
        return self._line_ends > 2 * LIMITS.body_pieces

    def _is_complete(self) -> bool:
        """Whether a request has come and all of it is there."""
        return self.cycle is not None and not self.cycle.more_body

    def _arm(self) -> None:
        seconds = LIMITS.receipt_seconds
        self._deadline = self.loop.call_later(seconds, self._end, _TIMEOUT)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

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
