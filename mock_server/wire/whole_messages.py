"""Receives whole requests and sends whole responses without waiting.

ASGI needs one message for a body and two for a response, each with a coroutine. The
functions here avoid this work, which is a large part of a request on zttp.
"""

from collections.abc import Awaitable, Sequence
from typing import Any

from msgspec import Struct
from starlette.types import Message, Receive, Send

_BODILESS = (204, 304)


class WholeReceive(Struct, eq=False):
    """An ASGI `receive` that can also return a whole body at once.

    `_cycle` is uvicorn's object for one request and its response; `_receive` is its
    method.
    """

    _receive: Receive
    _cycle: Any

    def __call__(self) -> Awaitable[Message]:
        return self._receive()

    def whole_body(self) -> bytes | None:
        """Return the body if all of it has arrived, else None."""
        cycle = self._cycle
        if cycle.more_body or cycle.disconnected or cycle.flow.read_paused:
            return None
        if cycle.response_complete or cycle.waiting_for_100_continue:
            return None
        cycle.message_event.clear()
        body, cycle.body = bytes(cycle.body), bytearray()
        return body


class WholeSend(Struct, eq=False):
    """An ASGI `send` that can also send a whole response at once."""

    _send: Send
    _cycle: Any

    def __call__(self, message: Message) -> Awaitable[None]:
        return self._send(message)

    def send_whole(
        self, status: int, headers: Sequence[tuple[bytes, bytes]], body: bytes
    ) -> bool:
        """Send a response; return False if the caller must send it by messages.

        `headers` include the length of `body`.
        """
        cycle = self._cycle
        is_bodiless = status in _BODILESS or cycle.scope["method"] == "HEAD"
        if is_bodiless or cycle.response_started or cycle.disconnected:
            return False
        if cycle.flow.write_paused:
            return False
        cycle.response_started = True
        cycle.waiting_for_100_continue = False
        connection = cycle.conn
        connection.send_response(status, [*cycle.default_headers, *headers])
        if body:
            connection.send_data(body)
        connection.end_message()
        cycle.response_complete = True
        cycle.message_event.set()
        cycle.transport.write(connection.data_to_send())
        if not cycle.keep_alive or connection.should_close():
            cycle.transport.close()
        cycle.on_response()
        return True


class Http10Send(WholeSend):
    """A `send` to an HTTP/1.0 client: the close ends a body without a length.

    uvicorn would send chunks, which HTTP/1.0 does not have (RFC 9112 6.1).
    """

    _is_unframed: bool = False

    async def __call__(self, message: Message) -> None:
        cycle = self._cycle
        if message["type"] == "http.response.start" and not cycle.response_started:
            status, headers = message["status"], [*message.get("headers", [])]
            is_bodiless = status in _BODILESS or cycle.scope["method"] == "HEAD"
            has_length = any(name.lower() == b"content-length" for name, _ in headers)
            self._is_unframed = not (is_bodiless or has_length)
        if not self._is_unframed:
            await self._send(message)
            return
        if cycle.flow.write_paused and not cycle.disconnected:
            await cycle.flow.drain()
        if cycle.disconnected:
            return
        if not cycle.response_started:
            cycle.response_started = True
            cycle.waiting_for_100_continue = False
            close = (b"connection", b"close")
            other_headers = [
                each for each in headers if each[0].lower() != b"connection"
            ]
            all_headers = [*cycle.default_headers, *other_headers, close]
            cycle.conn.send_response(status, all_headers)
            cycle.transport.write(cycle.conn.data_to_send())
            return
        cycle.transport.write(message.get("body", b""))
        if not message.get("more_body", False):
            cycle.response_complete = True
            cycle.message_event.set()
            cycle.transport.close()
            cycle.on_response()


def whole_receive_and_send(receive: Receive, send: Send) -> tuple[Receive, Send]:
    """Return a WholeReceive and a WholeSend for a request on zttp."""
    cycle = receive.__self__  # type: ignore[attr-defined]
    send_class = Http10Send if cycle.scope["http_version"] == "1.0" else WholeSend
    return WholeReceive(receive, cycle), send_class(send, cycle)
