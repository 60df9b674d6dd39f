"""The HTTP/1.1 protocol of a connection: uvicorn's, with a deadline for requests.

uvicorn waits for ever for the rest of a request. Here the time from the first byte (or
from the connection) to the last byte of a request is bounded, whatever the pace.
"""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.http.zttp_impl import ZttpProtocol

from mock_server.api.envelope import failure
from mock_server.domain.limits import LIMITS

HttpParser = Literal["zttp", "h11"]

_TIMEOUT_BODY = failure(
    408,
    "requestTimeout",
    f"Expected the whole request within {LIMITS.receipt_seconds:g} s, "
    "got a part of it - at connection",
)
_TIMEOUT = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\n"
    b"content-length: %d\r\ncache-control: no-store\r\nconnection: close\r\n\r\n%b"
) % (len(_TIMEOUT_BODY), _TIMEOUT_BODY)


class Deadline:
    """A mixin for uvicorn's protocols, which both have `transport` and `cycle`."""

    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    cycle: Any
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop; the first request is awaited from now on."""
        super().connection_made(transport)  # type: ignore[misc]
        self._arm()

    def data_received(self, data: bytes) -> None:
        """Called by the event loop."""
        self._arm()
        super().data_received(data)  # type: ignore[misc]
        if self.cycle is not None and not self.cycle.more_body:
            self._disarm()

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the event loop."""
        self._disarm()
        super().connection_lost(exc)  # type: ignore[misc]

    def _arm(self) -> None:
        if self._deadline is None:
            seconds = LIMITS.receipt_seconds
            self._deadline = self.loop.call_later(seconds, self._expire)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _expire(self) -> None:
        """End a connection that has not sent its request in time."""
        answering = self.cycle is not None and self.cycle.response_started
        complete = self.cycle is not None and self.cycle.response_complete
        if not self.transport.is_closing():
            if complete or not answering:
                self.transport.write(_TIMEOUT)
            self.transport.close()


class DeadlineZttp(Deadline, ZttpProtocol):
    """The native parser."""


class DeadlineH11(Deadline, H11Protocol):
    """The parser in Python."""


PROTOCOLS: dict[HttpParser, type[asyncio.Protocol]] = {
    "zttp": DeadlineZttp,
    "h11": DeadlineH11,
}
"""Always named, never "auto": what is installed must not decide how bytes are read."""
