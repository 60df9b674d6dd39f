"""The HTTP/1.1 protocol of a connection: uvicorn's, with a deadline and strict framing.

uvicorn waits for the rest of a request for ever. Here the time from the first byte of a
request (or from the connection) to its last is limited, however fast bytes arrive.
Ambiguous requests are refused before they are performed: a request whose end a proxy
could read differently (RFC 9112 6) allows request smuggling.
"""

import asyncio
import logging
from collections.abc import Awaitable
from typing import Any, cast

from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.api.connection import Connection
from mock_server.api.envelope import error_envelope
from mock_server.domain.limits import Limits, Published
from mock_server.wire import parts
from mock_server.wire.parts import HttpParser
from mock_server.wire.transport import CoalescingTransport, Turn, is_one_too_many
from mock_server.wire.whole import whole_ways

_FIRST_BYTES = frozenset(range(0x21, 0x7F)) | frozenset(b"\r\n")
END_OF_HEAD = b"\r\n\r\n"
_ONCE = b"host", b"content-length", b"transfer-encoding"  # RFC 9112 3.2, 6.3
_REFUSED = "mock_server.refused"
_LOGGER = logging.getLogger("mock_server")


def protocol_class(http: HttpParser, limits: Limits) -> type[asyncio.Protocol]:
    """Return the protocol class for the connections of a server.

    Imports only that parser: either takes 20 ms, and zttp may not be installed. Raises
    UnfitUvicorn.
    """
    parts.check(parts.PARTS[http])
    if http == "zttp":
        from uvicorn.protocols.http.zttp_impl import ZttpProtocol

        parser: Any = ZttpProtocol
    else:
        from mock_server.wire.strict import StrictH11Protocol

        parser = StrictH11Protocol
    shared = {"turn": Turn(), "received": ReceivedBytes(limits.received_bytes)}
    attributes = {"limits": limits, "parser": http, **shared}
    return type(f"Mock{parser.__name__}", (RequestDeadlineMixin, parser), attributes)


def unless_refused(app: ASGIApp, http: HttpParser) -> ASGIApp:
    """Wrap the application to skip requests that the protocol has refused.

    uvicorn creates the task of a request when it has parsed the head. The protocol
    checks the request only then; the task begins later, and ends here.
    """

    def perform(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if _REFUSED in scope:
            return _nothing()
        if http == "zttp":
            receive, send = whole_ways(receive, send)
        return app(scope, receive, send)

    return perform


async def _nothing() -> None:
    pass


class Ambiguous(ValueError):
    """A request that another server could read differently."""


class TooManyChunks(ValueError):
    """A body in more chunks than the limit allows."""


def is_chunked(scope: Scope) -> bool:
    """Return True if a request's body comes in chunks. Raises Ambiguous.

    Checks only what at least one parser accepts.
    """
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    fields = dict(headers)
    is_coded = b"transfer-encoding" in fields
    if is_coded:
        if b"content-length" in fields:
            raise Ambiguous("both Content-Length and Transfer-Encoding")
        # Another server may skip a coding that it does not know (RFC 9112 6.1).
        if fields[b"transfer-encoding"].lower() != b"chunked":
            raise Ambiguous("a transfer coding other than chunked")
        if scope["http_version"] == "1.0":
            raise Ambiguous("chunks in HTTP/1.0")  # RFC 9112 6.1
    if len(fields) < len(headers):
        names = [name for name, _ in headers]
        if any(names.count(name) > 1 for name in _ONCE):
            raise Ambiguous("Host, Content-Length or Transfer-Encoding twice")
    if not scope["query_string"].isascii():
        raise Ambiguous("a target that is not ASCII")
    return is_coded


class ChunkCounter:
    """Counts the chunks of one body after another.

    Each chunk costs a parser event however small it is (h11 needs 3.6 s for a million
    of one byte), so their number is limited besides the size of the body. Chunks are
    counted before they are parsed: by walking from one chunk's line to the next, or, if
    no line begins there, by line ends, of which each chunk has two.
    """

    def __init__(self, limit: int) -> None:
        self._max_line_ends = 2 * limit
        self._begin(walks=False)
        self.harmless_bytes = 2 * self._max_line_ends
        """Up to this many bytes cannot contain too many chunks."""

    def _begin(self, *, walks: bool) -> None:
        self._walks = walks
        self._line_ends = self._skip = 0
        self._line = b""

    def begin(self, data: bytes, before: bytes | None) -> None:
        """Start a new count; a head ends in `data`. Raises TooManyChunks.

        `before`: the bytes before `data`, None if other requests may be among them.
        """
        end = -1 if before is None else (before + data).find(END_OF_HEAD)
        self._begin(walks=end >= 0)
        self.add(data, max(0, end + len(END_OF_HEAD) - len(before or b"")))

    def add(self, data: bytes, at: int = 0) -> None:
        """Count the chunks in received bytes, from `at`. Raises TooManyChunks."""
        at += self._skip
        while self._walks and at < len(data) and self._line_ends <= self._max_line_ends:
            end = data.find(b"\n", at)
            self._line += data[at : end if end >= 0 else None]
            at = len(data)
            if end >= 0:
                size = _chunk_size(self._line)
                self._line, self._walks = b"", size > 0
                self._line_ends += 2 if size else 1
                at = end + 1 + (size + 2 if size else 0)
        self._skip = max(0, at - len(data))
        if not self._walks:
            self._line_ends += data.count(b"\r\n", at)
        if self._line_ends > self._max_line_ends:
            raise TooManyChunks


def _chunk_size(line: bytes) -> int:
    """Return a chunk's size by its line; 0 for the last one and a bad line."""
    try:
        return max(0, int(line.partition(b";")[0], 16))
    except ValueError:
        return 0


class ReceivedBytes:
    """Bytes of incomplete and pipelined requests, of all connections of a server.

    The memory budget counts large bodies. Heads, small bodies and requests behind
    another one reach no application yet, so they are counted here.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._total = 0

    def add(self, count: int) -> bool:
        """Count bytes, or fewer if negative; return True while all are in the limit."""
        self._total += count
        return self._total <= self._limit


class RequestDeadlineMixin:
    """A mixin for uvicorn's protocols, which both have `transport` and `cycle`.

    A cycle is one request and its response. Both parsers make the next cycle only when
    the response before is complete, and keep the bytes until then.
    """

    limits: Limits
    parser: HttpParser
    turn: Turn
    received: ReceivedBytes
    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    app_state: dict[str, Any]
    cycle: Any
    _joined: CoalescingTransport
    _chunks: ChunkCounter
    _deadline: asyncio.TimerHandle | None = None
    _has_begun = False
    _is_chunked = False
    _counted = 0
    """Bytes of this connection in `received`."""
    _ahead = b""
    """The last received bytes, if they contain more than the request of `cycle`."""
    _head: bytes | None = b""
    """The last bytes of a head so far; None if another request may have sent them."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop; starts the deadline of the first request."""
        raw = cast("asyncio.Transport", transport)
        joined = CoalescingTransport(raw, self.loop, self.turn)
        self._joined = joined
        self._chunks = ChunkCounter(self.limits.body_pieces)
        super().connection_made(joined)  # type: ignore[misc]
        # The `scope["state"]` of each request is a copy of this.
        self.app_state = self.app_state | Connection(joined, self.parser).state()
        self._arm()
        if is_one_too_many(raw):
            joined.abort()

    def data_received(self, data: bytes) -> None:
        """Called by the event loop."""
        if not self._has_begun:
            if data[0] not in _FIRST_BYTES:
                self._end(400)  # such as TLS, in which zttp would wait for a line end
                return
            self._has_begun = True
        before = self.cycle
        in_body = before is not None and before.more_body
        try:
            if self._is_chunked or len(data) > self._chunks.harmless_bytes:
                self._count_chunks(data, in_body=in_body)
            super().data_received(data)  # type: ignore[misc]
            cycle = self.cycle
            if cycle is not before:
                self._look_closely(data, None if in_body else self._head)
        except Exception as error:  # both parsers raise for some bytes
            self._refuse(error, before)
            return
        is_of_cycle = in_body or cycle is not before
        if is_of_cycle and not cycle.more_body and self._is_last(data):
            self._ahead = self._head = b""
            if self._deadline is not None:
                self._disarm()
                self._uncount()
            return
        self._ahead = data
        if not self._count(len(data)):
            self._end(503)
            return
        if is_of_cycle:
            self._head = None
        elif self._head is not None:
            self._head = (self._head + data)[1 - len(END_OF_HEAD) :]
        # A following request is parsed, and its time begins, after the response.
        if cycle is None or cycle.more_body or cycle.response_complete:
            self._arm()
        else:
            self._disarm()
            if self._counted >= Published.free_body_bytes:
                self.cycle.flow.pause_reading()  # until the response is complete

    def on_response_complete(self) -> None:
        """Called by uvicorn: check a pipelined request, or start its deadline."""
        before = self.cycle
        try:
            super().on_response_complete()  # type: ignore[misc]
            cycle = self.cycle
            if cycle is not before:
                self._look_closely(self._ahead)
        except Exception as error:
            self._refuse(error, before)
            return
        if self._ahead:
            if cycle.more_body or cycle.response_complete:
                self._arm()
            elif self._is_last(self._ahead):
                self._ahead = self._head = b""
                self._uncount()

    def eof_received(self) -> None:
        """Called by the event loop, which then closes the transport."""
        self._joined.flush()
        super().eof_received()  # type: ignore[misc]

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the event loop."""
        self._disarm()
        self._uncount()
        super().connection_lost(exc)  # type: ignore[misc]

    def _unsupported_upgrade_warning(self) -> None:
        """Called by uvicorn: an offer to upgrade may be ignored (RFC 9110 7.8)."""

    def send_400_response(self, msg: str) -> None:
        """Called by uvicorn for bytes that are not a request."""
        del msg
        self._end(400)

    def _count_chunks(self, data: bytes, *, in_body: bool) -> None:
        """Count chunks before they are parsed. Raises TooManyChunks."""
        if not in_body:
            head = data.partition(END_OF_HEAD)[0]
            self._is_chunked = b"chunked" in head.lower()
            if self._is_chunked:
                self._chunks.begin(data, self._head)
        elif self._is_chunked:
            self._chunks.add(data)

    def _look_closely(self, data: bytes, before: bytes | None = None) -> None:
        """Check a request whose head ends in `data`, the last bytes.

        Raises Ambiguous and TooManyChunks.
        """
        scope = self.cycle.scope
        self._is_chunked = is_chunked(scope)
        if self._is_chunked:
            self._chunks.begin(data, before)
        if scope["http_version"] == "1.0":
            # No 100 (RFC 9110 10.1.1), one response, then the connection ends.
            self.cycle.waiting_for_100_continue = False
            self.cycle.keep_alive = False

    def _is_last(self, data: bytes) -> bool:
        """Return True if the complete request of `cycle` ends where `data` ends.

        Compares the last bytes, as zttp does not report what it has not parsed yet.
        """
        end = END_OF_HEAD if self._is_chunked else self.cycle.body or END_OF_HEAD
        return data.endswith(end) or bool(end.endswith(data))

    def _arm(self) -> None:
        """Start the deadline, unless it runs already."""
        if self._deadline is None:
            seconds = self.limits.receipt_seconds
            self._deadline = self.loop.call_later(seconds, self._end, 408)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _count(self, size: int) -> bool:
        """Count received bytes; return False if all connections have too many."""
        more = min(size, 2 * Published.free_body_bytes - self._counted)
        self._counted += more
        return self.received.add(more)

    def _uncount(self) -> None:
        self.received.add(-self._counted)
        self._counted = 0

    def _refuse(self, error: Exception, before: Any) -> None:
        """End the connection; a request that came after `before` is not performed."""
        if not isinstance(error, (Ambiguous, TooManyChunks)):
            # Not its message, which may show the request.
            _LOGGER.warning("invalid HTTP request: %s", type(error).__name__)
        if self.cycle is not before:
            self.cycle.scope[_REFUSED] = True
            self.cycle.disconnected = True  # else uvicorn misses a response
        self._end(413 if isinstance(error, TooManyChunks) else 400)

    def _end(self, status: int) -> None:
        """Close the connection, with a last response unless one has begun."""
        cycle = self.cycle
        begun = cycle and cycle.response_started and not cycle.response_complete
        if not self.transport.is_closing():
            if not begun:
                self.transport.write(_last_response(status, self.limits))
            self.transport.close()


def _last_response(status: int, limits: Limits) -> bytes:
    """Return a response as bytes, for a connection that serves no more requests."""
    reason, status_text, message = {
        400: (
            "Bad Request",
            "badRequest",
            f"Expected an HTTP/1.1 request with lines of at most "
            f"{limits.head_line_bytes} bytes, {limits.headers} headers and "
            f"{limits.header_bytes} bytes of them, whose end is beyond doubt, "
            "got something else - at connection",
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
