"""Request bodies: how they are received, and read as one JSON object."""

from __future__ import annotations

import msgspec
from starlette.types import Message, Receive, Scope

from mock_server.api.headers import ParsedHeaders, parse_headers
from mock_server.domain.limits import LIMITS
from mock_server.domain.memory import Holding, Memory

_BOM = b"\xef\xbb\xbf"
_AS_ARRAYS = bytes.maketrans(b"{}", b"[]")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_TOO_DEEP = f"JSON nested deeper than {LIMITS.json_depth} levels"


class ClientGone(Exception):
    """The client has closed the connection; there is nobody to answer."""


class NotJson(ValueError):
    """A body that is not one JSON object in UTF-8; the text says what it is."""


class TooLarge(ValueError):
    """A body over the limit; the text says how large."""


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

        Raises TooLarge and LimitReached as soon as that is clear, and ClientGone.
        """
        if self._length > max_bytes:
            raise TooLarge(f"{self._length} bytes")
        body = bytearray()
        while not self.arrived:
            body += self._piece(await self._receive())
            if len(body) > LIMITS.free_body_bytes:
                if len(body) > max_bytes:
                    raise TooLarge(f"at least {len(body)} bytes")
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


def read_object(body: bytes) -> dict[str, object]:
    """The body as a JSON object, all of it in valid UTF-8. Raises NotJson."""
    try:
        if body.count(b"[") + body.count(b"{") > LIMITS.json_depth:
            msgspec.json.decode(body, type=msgspec.Raw)  # makes nothing of it
            _check_brackets(body)
        value = msgspec.json.decode(body)
    except UnicodeDecodeError:
        raise NotJson("text that is not UTF-8") from None
    except RecursionError:
        raise NotJson(_TOO_DEEP) from None
    except msgspec.DecodeError as error:
        raise NotJson(_reason(body, error)) from None
    if not isinstance(value, dict):
        raise NotJson("JSON that is not an object")
    return value


def _check_brackets(body: bytes) -> None:
    """Raises NotJson for too many arrays and objects in a JSON text, or too deep ones.

    They are counted in the text, for to make those of 1 MiB takes half a second.
    """
    brackets = outside_strings(body).translate(_AS_ARRAYS, _NO_BRACKETS)
    if brackets.count(b"[") > LIMITS.json_containers:
        raise NotJson(f"more than {LIMITS.json_containers} arrays and objects")
    for _ in range(LIMITS.json_depth):
        brackets = brackets.replace(b"[]", b"")  # the innermost ones
    if brackets:
        raise NotJson(_TOO_DEEP)


def outside_strings(content: bytes) -> bytes:
    """A valid JSON text without its strings."""
    unescaped = content.replace(b"\\\\", b"").replace(b'\\"', b"")
    return b"".join(unescaped.split(b'"')[::2])


def _reason(body: bytes, error: msgspec.DecodeError) -> str:
    if not body.strip():
        return "nothing"
    if body.startswith(_BOM):
        return "a byte order mark"
    text = str(error).removeprefix("JSON is malformed: ")
    return f"malformed JSON, {text[0].lower()}{text[1:]}"
