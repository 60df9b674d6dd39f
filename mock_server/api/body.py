"""Request bodies: how they are received, and read as one JSON object."""

from __future__ import annotations

import re

import msgspec
from starlette.types import Receive, Scope

from mock_server.api.headers import values
from mock_server.domain.limits import LIMITS

_BOM = b"\xef\xbb\xbf"
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_BRACKETS = bytes.maketrans(b"{}", b"[]")
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")


class ClientGone(Exception):
    """The client has closed the connection; there is nobody to answer."""


class NotJson(ValueError):
    """A body that is not one JSON object in UTF-8; the text says what it is."""


class TooLarge(ValueError):
    """A body over the limit; the text says how large."""


class RequestBody:
    """The body of one request, received on demand."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self._receive = receive
        self._length = _content_length(values(scope, b"content-length"))
        self.arrived = not self._length and not values(scope, b"transfer-encoding")

    async def read(self, limit: int) -> bytes:
        """The whole body. Raises TooLarge as soon as it is clear, and ClientGone."""
        if self._length > limit:
            raise TooLarge(f"{self._length} bytes")
        body = b""
        while not self.arrived:
            body += await self._next()
            if len(body) > limit:
                raise TooLarge(f"{len(body)} bytes and maybe more")
        return body

    async def discard(self) -> None:
        """Receive what is left of the body and drop it. Raises ClientGone."""
        while not self.arrived:
            await self._next()

    async def _next(self) -> bytes:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        self.arrived = not message.get("more_body", False)
        body: bytes = message.get("body", b"")
        return body


def _content_length(lengths: list[bytes]) -> int:
    """The announced length in bytes; 0 without one."""
    digits = lengths[0].lstrip(b"0") if lengths else b""
    return int(digits[:18]) if digits.isdigit() else 0


def read_object(body: bytes) -> dict[str, object]:
    """The body as a JSON object, all of it in valid UTF-8. Raises NotJson."""
    if body.startswith(_BOM):
        raise NotJson("a byte order mark")
    try:
        value = msgspec.json.decode(body)
    except UnicodeDecodeError:
        raise NotJson("text that is not UTF-8") from None
    except RecursionError:
        raise NotJson(f"JSON nested deeper than {LIMITS.json_depth} levels") from None
    except msgspec.DecodeError as error:
        raise NotJson("nothing" if not body.strip() else _readable(error)) from None
    if not isinstance(value, dict):
        raise NotJson("JSON that is not an object")
    if _deeper_than(body, LIMITS.json_depth):
        raise NotJson(f"JSON nested deeper than {LIMITS.json_depth} levels")
    return value


def _readable(error: msgspec.DecodeError) -> str:
    text = str(error).removeprefix("JSON is malformed: ")
    return f"malformed JSON, {text[0].lower()}{text[1:]}"


def _deeper_than(body: bytes, depth: int) -> bool:
    """Whether valid JSON nests deeper; each round takes the innermost level away."""
    if body.count(b"[") + body.count(b"{") <= depth:
        return False
    levels = _STRING.sub(b"", body).translate(_BRACKETS, _NO_BRACKETS)
    for _ in range(depth):
        levels = levels.replace(b"[]", b"")
    return bool(levels)
