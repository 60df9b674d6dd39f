"""The body of a request, received on demand."""

from __future__ import annotations

from starlette.types import Message, Receive, Scope

from mock_server.api.errors import BodyTooLarge
from mock_server.api.headers import ParsedHeaders, parse_headers
from mock_server.domain.limits import Limits
from mock_server.domain.memory import Holding, Memory


class ClientGone(Exception):
    """The client has closed the connection; there is nobody to answer."""


class RequestBody:
    """The body of one request, received on demand."""

    __slots__ = ("_holding", "_length", "_receive", "arrived")

    def __init__(
        self, scope: Scope, receive: Receive, head: ParsedHeaders | None = None
    ) -> None:
        """`head` is what the headers say, if they have been read."""
        head = parse_headers(scope["headers"]) if head is None else head
        self._receive = receive
        self._length = head.length
        self._holding: Holding | None = None
        # Only HTTP/1 says beforehand that there is no body.
        self.arrived = not (
            head.length or head.is_chunked or scope["http_version"][0] != "1"
        )

    async def read(self, max_bytes: int, memory: Memory) -> bytes:
        """The whole body; one that is not small is charged to the budget.

        Raises BodyTooLarge and LimitReached as soon as that is clear, and ClientGone.
        """
        if self._length > max_bytes:
            raise _too_large(max_bytes, f"{self._length} bytes")
        body = bytearray()
        while not self.arrived:
            body += self._piece(await self._receive())
            if len(body) > Limits.free_body_bytes:
                if len(body) > max_bytes:
                    raise _too_large(max_bytes, f"at least {len(body)} bytes")
                self._charge(2 * len(body), memory)  # it is copied below
        return bytes(body)

    async def discard(self) -> None:
        """Receive what is left of the body and drop it. Raises ClientGone."""
        while not self.arrived:
            self._piece(await self._receive())

    async def gone(self) -> None:
        """Wait until the connection is gone; what is left of the body is dropped."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    def _charge(self, size: int, memory: Memory) -> None:
        if self._holding is None:
            self._holding = memory.hold("requests")
        self._holding.reserve(size - self._holding.size, "body")

    def _piece(self, message: Message) -> bytes:
        """The part of the body in a message. Raises ClientGone."""
        if message["type"] == "http.disconnect":
            raise ClientGone
        self.arrived = not message.get("more_body", False)
        body: bytes = message.get("body", b"")
        return body


def _too_large(max_bytes: int, got: str) -> BodyTooLarge:
    return BodyTooLarge(f"at most {max_bytes} bytes", got, "body")
