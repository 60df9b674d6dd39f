"""The HTTP/1.1 protocol of a connection: uvicorn's, with a deadline and strict checks.

uvicorn waits for the rest of a request for ever. Here the time between the first and
the last byte of a request is limited; for the first request it starts with the
connection. A request whose end a proxy could read differently (RFC 9112 6) is refused
before it is performed, because it allows request smuggling.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, cast

from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.api.connection import Connection
from mock_server.api.envelope import error_envelope
from mock_server.domain.limits import Limits, Published
from mock_server.wire import uvicorn_internals
from mock_server.wire.framing import (
    END_OF_HEAD,
    AmbiguousFraming,
    ChunkCounter,
    TooManyChunks,
    check_framing,
)
from mock_server.wire.transport import (
    CoalescingTransport,
    LoopTurn,
    has_last_descriptor,
)
from mock_server.wire.uvicorn_internals import HttpParser
from mock_server.wire.whole_messages import whole_receive_and_send

_FIRST_BYTES = frozenset(range(0x21, 0x7F)) | frozenset(b"\r\n")
_TLS_HANDSHAKE = 0x16
_REFUSED_KEY = "mock_server.refused"
_LINES_AT_ONCE = 200
"""Maximum lines of received bytes that are parsed in one turn."""
_MIN_PART_BYTES, _MAX_PART_BYTES = 1024, 16 * 1024
"""Bytes that are parsed in a turn if there are more lines: few if these are chunks."""
_LOGGER = logging.getLogger("mock_server")


def protocol_class(http: HttpParser, limits: Limits) -> type[asyncio.Protocol]:
    """Return the protocol class for the connections of a server.

    Only the parser `http` is imported: importing takes long, and zttp is optional.
    Raises UnsupportedUvicorn.
    """
    uvicorn_internals.check(uvicorn_internals.USED_CLASSES[http])
    if http == "zttp":
        from uvicorn.protocols.http.zttp_impl import ZttpProtocol

        parser: Any = ZttpProtocol
    else:
        from mock_server.wire.strict import StrictH11Protocol

        parser = StrictH11Protocol
    attributes: dict[str, Any] = {
        "limits": limits,
        "parser": http,
        "loop_turn": LoopTurn(),
    }
    attributes["received_bytes"] = ReceivedBytes(limits.received_bytes)
    return type(f"Mock{parser.__name__}", (RequestDeadlineMixin, parser), attributes)


def skip_refused(app: ASGIApp, http: HttpParser) -> ASGIApp:
    """Wrap the application, so that it skips requests that the protocol has refused.

    uvicorn creates the task of a request once it has parsed the head. The protocol
    checks the head after that, before the task begins.
    """

    def perform(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if _REFUSED_KEY in scope:
            return _do_nothing()
        if http == "zttp":
            receive, send = whole_receive_and_send(receive, send)
        return app(scope, receive, send)

    return perform


async def _do_nothing() -> None:
    pass


class ReceivedBytes:
    """Counts the bytes of incomplete and pipelined requests on all connections.

    The memory budget counts large bodies. Heads, small bodies and requests that follow
    another one have not reached the application, so they are counted here.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._total = 0

    def add(self, count: int) -> bool:
        """Add `count`, which may be negative; return whether the total is allowed."""
        self._total += count
        return self._total <= self._limit


class RequestDeadlineMixin:
    """A mixin for uvicorn's two protocols: it adds a deadline and strict checks.

    uvicorn's `cycle` is one request and its response. Both protocols create the next
    cycle only when the response is complete, and keep later bytes until then.
    """

    limits: Limits
    parser: HttpParser
    loop_turn: LoopTurn
    received_bytes: ReceivedBytes
    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    app_state: dict[str, Any]
    cycle: Any
    _unset_keepalive_if_required: Callable[[], None]
    _joining_transport: CoalescingTransport
    _chunk_counter: ChunkCounter
    _deadline: asyncio.TimerHandle | None = None
    _has_received = False
    _is_chunked = False
    _counted_bytes = 0
    """The bytes of this connection that `received_bytes` counts."""
    _pending_data = b""
    """The last received bytes, if they contain more than the request of the cycle."""
    _unparsed = b""
    """The received bytes that are parsed later."""
    _part_bytes = 0
    """The size of the next part of `_unparsed`."""
    _waits_for_response = False
    """True if `_unparsed` is parsed after the response."""
    _head_end: bytes | None = b""
    """The last bytes of a head so far; None if they may belong to another request."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop; starts the deadline of the first request."""
        inner = cast("asyncio.Transport", transport)
        joining = CoalescingTransport(inner, self.loop, self.loop_turn)
        self._joining_transport = joining
        self._chunk_counter = ChunkCounter(self.limits.body_pieces)
        super().connection_made(joining)  # type: ignore[misc]
        # uvicorn copies this into the `scope["state"]` of each request.
        self.app_state = self.app_state | Connection(joining, self.parser).state()
        self._start_deadline()
        if has_last_descriptor(inner):
            joining.abort()

    def data_received(self, data: bytes) -> None:
        """Called by the event loop: parse bytes of many lines in several turns.

        Small chunks take long, and one turn receives the bytes of all connections.
        Bytes behind a request are parsed after its response.
        """
        if self._unparsed or self._is_responding():
            self._keep(data)
        elif data.count(b"\r\n") <= _LINES_AT_ONCE:
            self._parse(data)
        else:
            self._joining_transport.hold()
            self._unparsed, self._part_bytes = data, _MIN_PART_BYTES
            self._parse_part()

    def _keep(self, data: bytes) -> None:
        """Keep received bytes in `_unparsed`; if there are many, read no more.

        A client that leaves is noticed only while its bytes are read.
        """
        if not self._unparsed:
            self._wait_for_response()
        self._unparsed += data
        if len(self._unparsed) >= Published.free_body_bytes:
            self._joining_transport.hold()
        self._count_waiting(len(data))

    def _parse_part(self) -> None:
        """Parse a part of `_unparsed`; the others in later turns, after the response.

        If uvicorn had them before, it would parse them in one turn after the response.
        """
        if self.transport.is_closing():
            return
        if self._is_responding():
            self._wait_for_response()
            self._count_waiting(len(self._unparsed))
            return
        size, lines_before = self._part_bytes, self._chunk_counter.line_ends
        part, self._unparsed = self._unparsed[:size], self._unparsed[size:]
        self._parse(part)
        has_chunks = self._chunk_counter.line_ends - lines_before > _LINES_AT_ONCE // 8
        self._part_bytes = (
            _MIN_PART_BYTES if has_chunks else min(2 * size, _MAX_PART_BYTES)
        )
        if self._unparsed:
            self.loop.call_soon(self._parse_part)
        elif not self.transport.is_closing():
            self._joining_transport.release()

    def _wait_for_response(self) -> None:
        self._waits_for_response, self._part_bytes = True, _MIN_PART_BYTES

    def _count_waiting(self, size: int) -> None:
        """Count bytes that wait; close the connection if all connections have many."""
        if not self._count_bytes(size):
            self._close_with(503)

    def _is_responding(self) -> bool:
        """Return whether a request is complete, and its response is not."""
        cycle = self.cycle
        return not (cycle is None or cycle.more_body or cycle.response_complete)

    def _parse(self, data: bytes) -> None:
        """Parse and check received bytes."""
        if not self._has_received:
            if data[0] not in _FIRST_BYTES:
                # Bytes of another protocol, such as TLS; zttp would wait for a line.
                if data[0] == _TLS_HANDSHAKE:
                    _LOGGER.warning("a client uses https: this server speaks http only")
                self._close_with(400)
                return
            self._has_received = True
        previous_cycle = self.cycle
        is_in_body = previous_cycle is not None and previous_cycle.more_body
        try:
            if self._is_chunked or len(data) > self._chunk_counter.harmless_bytes:
                self._count_chunks(data, is_in_body=is_in_body)
            super().data_received(data)  # type: ignore[misc]
            cycle = self.cycle
            if cycle is not previous_cycle:
                self._check_head(data, None if is_in_body else self._head_end)
        except Exception as error:  # the parsers raise several types for bad bytes
            self._refuse(error, previous_cycle)
            return
        is_of_cycle = is_in_body or cycle is not previous_cycle
        if is_of_cycle and not cycle.more_body and self._ends_request(data):
            self._pending_data = self._head_end = b""
            self._stop_deadline()
            if self._counted_bytes:
                self._release_bytes()
            return
        self._pending_data = data
        if not self._count_bytes(len(data)):
            self._close_with(503)
            return
        if is_of_cycle:
            self._head_end = None
        elif self._head_end is not None:
            self._head_end = (self._head_end + data)[1 - len(END_OF_HEAD) :]
        # A pipelined request is parsed after the response; then its time starts.
        if not self._is_responding():
            self._start_deadline()
        else:
            self._stop_deadline()
            if self._counted_bytes >= Published.free_body_bytes:
                self.cycle.flow.pause_reading()  # until the response is complete

    def on_response_complete(self) -> None:
        """Called by uvicorn: check a pipelined request, or start its deadline."""
        if self._waits_for_response:
            self._waits_for_response = False
            self.loop.call_soon(self._parse_part)
        previous_cycle = self.cycle
        try:
            super().on_response_complete()  # type: ignore[misc]
            cycle = self.cycle
            if cycle is not previous_cycle:
                self._check_head(self._pending_data)
        except Exception as error:
            self._refuse(error, previous_cycle)
            return
        if self._pending_data or cycle is not previous_cycle:
            if cycle.more_body or cycle.response_complete:
                self._start_deadline()
            elif self._ends_request(self._pending_data):
                self._pending_data = self._head_end = b""
                self._release_bytes()

    def eof_received(self) -> None:
        """Called by the event loop, which then closes the transport."""
        self._joining_transport.flush()
        super().eof_received()  # type: ignore[misc]

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the event loop: release the deadlines and the counted bytes."""
        self._stop_deadline()
        self._release_bytes()
        # uvicorn leaves this timer, which refers to the last request, after an error.
        self._unset_keepalive_if_required()
        super().connection_lost(exc)  # type: ignore[misc]

    def _unsupported_upgrade_warning(self) -> None:
        """Called by uvicorn: ignore an offer to upgrade (RFC 9110 7.8)."""

    def send_400_response(self, msg: str) -> None:
        """Called by uvicorn for bytes that are no request: respond with 400."""
        del msg
        self._close_with(400)

    def _count_chunks(self, data: bytes, *, is_in_body: bool) -> None:
        """Count the chunks in bytes that are not parsed yet. Raises TooManyChunks."""
        if not is_in_body:
            head = data.partition(END_OF_HEAD)[0]
            self._is_chunked = b"chunked" in head.lower()
            if self._is_chunked:
                self._chunk_counter.begin(data, self._head_end)
        elif self._is_chunked:
            self._chunk_counter.add(data)

    def _check_head(self, data: bytes, previous_bytes: bytes | None = None) -> None:
        """Check the request of `cycle`, whose head ends in the last bytes, `data`.

        Raises AmbiguousFraming and TooManyChunks.
        """
        scope = self.cycle.scope
        self._is_chunked = check_framing(scope)
        if self._is_chunked:
            self._chunk_counter.begin(data, previous_bytes)
        if scope["http_version"] == "1.0":
            # HTTP/1.0 has no 100 (RFC 9110 10.1.1), and one request per connection.
            self.cycle.waiting_for_100_continue = False
            self.cycle.keep_alive = False

    def _ends_request(self, data: bytes) -> bool:
        """Return whether the complete request of `cycle` ends where `data` ends.

        Compare the last bytes, because zttp does not report bytes that follow.
        """
        end = END_OF_HEAD if self._is_chunked else self.cycle.body or END_OF_HEAD
        return data.endswith(end) or bool(end.endswith(data))

    def _start_deadline(self) -> None:
        """Start the deadline of a request, unless it runs already."""
        if self._deadline is None:
            seconds = self.limits.receipt_seconds
            self._deadline = self.loop.call_later(seconds, self._close_with, 408)

    def _stop_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _count_bytes(self, size: int) -> bool:
        """Count received bytes; return whether all connections are within the limit."""
        added_bytes = min(size, 2 * Published.free_body_bytes - self._counted_bytes)
        self._counted_bytes += added_bytes
        return self.received_bytes.add(added_bytes)

    def _release_bytes(self) -> None:
        self.received_bytes.add(-self._counted_bytes)
        self._counted_bytes = 0

    def _refuse(self, error: Exception, previous_cycle: Any) -> None:
        """Close the connection because of an error.

        If the error is in a new request, after `previous_cycle`, do not perform it.
        """
        if not isinstance(error, (AmbiguousFraming, TooManyChunks)):
            # Log the type only, because the message may show the request.
            _LOGGER.warning("invalid HTTP request: %s", type(error).__name__)
        if self.cycle is not previous_cycle:
            self.cycle.scope[_REFUSED_KEY] = True
            self.cycle.disconnected = True  # else uvicorn misses a response
        self._close_with(413 if isinstance(error, TooManyChunks) else 400)

    def _close_with(self, status: int) -> None:
        """Close the connection; send a last response first, unless one has begun."""
        cycle = self.cycle
        is_responding = cycle and cycle.response_started and not cycle.response_complete
        if not self.transport.is_closing():
            if not is_responding:
                self.transport.write(_last_response(status, self.limits))
            self.transport.close()


def _last_response(status: int, limits: Limits) -> bytes:
    """Return the last response of a connection as bytes."""
    reason, status_text, message = {
        400: (
            "Bad Request",
            "badRequest",
            f"Expected an HTTP/1.1 request with lines of at most "
            f"{limits.head_line_bytes} bytes, {limits.headers} headers and "
            f"{limits.header_bytes} bytes of them, %22 in place of quotes in its URL, "
            "and an end that is unambiguous, got something else - at connection",
        ),
        408: (
            "Request Timeout",
            "requestTimeout",
            f"Expected the whole request within {limits.receipt_seconds:g} s, "
            "got a part of it - at connection",
        ),
        413: (
            "Content Too Large",
            "bodyTooLarge",
            f"Expected at most {limits.body_pieces} chunks, got more - at body",
        ),
        503: (
            "Service Unavailable",
            "serverBusy",
            f"Expected at most {limits.received_bytes} bytes of incomplete requests on "
            "all connections, got more - at connection (try again)",
        ),
    }[status]
    body = error_envelope(status, status_text, message)
    return (
        f"HTTP/1.1 {status} {reason}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\ncache-control: no-store\r\n"
        "connection: close\r\n\r\n"
    ).encode() + body
