"""The body of a request, received on demand, and read as JSON within limits."""

import re
from asyncio import timeout
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from typing import Any, Self

import msgspec
from msgspec import Struct
from starlette.types import Message, Receive, Scope

from mock_server.api.errors import BadJson, BodyTooLarge
from mock_server.api.headers import FIELDS_IN_BODY, ParsedHeaders, parse_headers
from mock_server.domain.errors import InvalidField, Refusal
from mock_server.domain.limits import Published
from mock_server.domain.memory import Holding, Memory
from mock_server.domain.messages import describe_value
from mock_server.domain.validation.walk import dotted


class Interrupted(Exception):
    """A reset has ended a wait: the request gets no response."""


class ClientGone(Exception):
    """The client has closed the connection; nobody can receive a response."""


_COPIES = 4
"""Copies of a body while it is read: bytes received, bytes, a text, its chunks."""


class RequestBody(Struct, eq=False):
    """The body of one request, received on demand.

    `length` is the announced length in bytes, 0 without one; `arrived` is True when the
    whole body has come, or is empty. `begun` is the received part: all, or more than
    `Published.free_body_bytes` of it. `is_unread` is True if the request was refused
    before its body was read. `holding` charges a large body.
    """

    scope: Scope
    receive: Receive
    length: int
    arrived: bool
    is_unread: bool = False
    begun: bytes | bytearray = b""
    holding: Holding | None = None

    @classmethod
    def of(
        cls, scope: Scope, receive: Receive, head: ParsedHeaders | None = None
    ) -> Self:
        """Return the body of a request; `head` are its parsed headers, if known."""
        head = head or parse_headers(scope["headers"])
        # Only HTTP/1 announces the absence of a body.
        arrived = not head.has_body and scope["http_version"][0] == "1"
        return cls(scope, receive, head.length, arrived)

    async def read(self, max_bytes: int, memory: Memory) -> bytes:
        """Return the whole body; charge a large one to the budget.

        Raises BodyTooLarge and LimitReached as early as possible, and ClientGone.
        """
        if self.length > max_bytes:
            raise _too_large(max_bytes, f"{self.length} bytes")
        if self.arrived:
            return b""
        # The wire layer's `receive` can return a whole body at once; others cannot.
        whole = getattr(self.receive, "whole", None)
        piece = None if whole is None else whole()
        if piece is None:
            piece = self._piece(await self.receive())
        else:
            self.arrived = True
        if self.arrived and len(piece) <= Published.free_body_bytes:
            self.begun = piece
            return piece  # nearly all bodies
        body = self.begun = bytearray(piece)
        # An announced length is not trusted: chunked bodies have none, and servers that
        # embed the application may pass on any.
        while True:
            if len(body) > max_bytes:
                raise _too_large(max_bytes, f"at least {len(body)} bytes")
            # What waits for its rest does so for seconds.
            if not self.arrived or len(body) > Published.free_body_bytes:
                self.charge(_COPIES * len(body), memory)
            if self.arrived:
                self.begun = content = bytes(body)
                return content
            body += self._piece(await self.receive())

    async def pieces(self, max_bytes: int) -> AsyncIterator[bytes]:
        """Yield the body piece by piece, as it arrives, and keep none of it.

        Raises BodyTooLarge as early as possible, and ClientGone.
        """
        if self.length > max_bytes:
            raise _too_large(max_bytes, f"{self.length} bytes")
        size = 0
        while not self.arrived:
            piece = self._piece(await self.receive())
            if size <= Published.free_body_bytes:
                self.begun += piece
            size += len(piece)
            if size > max_bytes:
                raise _too_large(max_bytes, f"at least {size} bytes")
            yield piece

    async def discard(self) -> None:
        """Receive and drop the rest of the body. Raises ClientGone."""
        while not self.arrived:
            self._piece(await self.receive())

    async def beginning(self, most: int) -> tuple[bytes, bool] | None:
        """Return what arrives soon of an unread body, and whether that is all of it.

        About `most` bytes at most; None if nothing has arrived.
        """
        content = bytes(self.begun[: min(most, Published.free_body_bytes)])
        if self.arrived:
            return (content, len(content) == len(self.begun)) if content else None
        self.is_unread = True
        # Receiving would request a body that the client holds back (RFC 9110 10.1.1).
        waits = any(name == b"expect" for name, _ in self.scope["headers"])
        # Many clients send headers first: a short body arrives a moment later.
        is_short = 0 < self.length <= most
        with suppress(TimeoutError, ClientGone):
            async with timeout(Published.refused_body_seconds if is_short else 0):
                while not (waits or self.arrived) and len(content) < most:
                    content += self._piece(await self.receive())
        return (content, self.arrived) if content else None

    async def gone(self) -> None:
        """Wait until the connection is gone; drop the rest of the body."""
        while (await self.receive())["type"] != "http.disconnect":
            pass

    def charge(self, size: int, memory: Memory) -> None:
        """Charge `size` bytes for the kept part of the body. Raises LimitReached."""
        if self.holding is None:
            self.holding = memory.hold("requests")
        self.holding.charge(size - self.holding.size, "body")

    def _piece(self, message: Message) -> bytes:
        """Return the part of the body in a message. Raises ClientGone."""
        if message["type"] == "http.disconnect":
            raise ClientGone
        self.arrived = not message.get("more_body", False)
        body: bytes = message.get("body", b"")
        return body


def _too_large(max_bytes: int, got: str) -> Refusal:
    return BodyTooLarge(f"at most {max_bytes} bytes", got, "body")


_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BRACES_AS_BRACKETS = bytes.maketrans(b"{}", b"[]")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_TOO_DEEP = f"JSON nested deeper than {Published.json_depth} levels"
# Long digits as zeros, and what shows that they are not an integer. Possessive:
# retrying a long run from each digit would take quadratic time.
_MANY_DIGITS = re.compile(rb"0{16,}+[.eE]?")
_ROW_OF_DIGITS = b"0" * 64
_DIGITS_AS_ZEROS = bytes.maketrans(b"123456789", b"0" * 9)
# An exponent with a sign and two digits is as long as one of three digits.
_EXPONENTS = bytes.maketrans(b"123456789+-E", b"0" * 11 + b"e")
_LONG_EXPONENT = b"0e000"


def read_json(content: bytes) -> dict[str, object]:
    """Return the body as a JSON object in valid UTF-8. Raises BadJson.

    The last of duplicate keys wins.
    """
    try:
        check_counts(content)
        value = msgspec.json.decode(content)
    except UnicodeDecodeError:
        raise _not_json("text that is not UTF-8") from None
    except RecursionError:
        raise _not_json(_TOO_DEEP) from None
    except msgspec.DecodeError as error:
        raise _not_json(_reason(content, error)) from None
    if isinstance(value, str):  # it may hold a password
        raise _not_json("a string", _TWICE if value.startswith("{") else "")
    if not isinstance(value, dict):
        raise _not_json(describe_value(value))
    return value


def check_counts(content: bytes) -> None:
    """Raise BadJson for too many values or depth, DecodeError if a large one is wrong.

    No value is built.
    """
    _check_commas(content)
    _check_digits(content)
    _check_exponents(content)
    if content.count(b"[") + content.count(b"{") > Published.json_depth:
        msgspec.json.decode(content, type=msgspec.Raw)  # checks without building values
        _check_brackets(content)


def read_raw(content: bytes) -> dict[str, Any]:
    """Return the fields of a JSON object as undecoded JSON. Raises BadJson.

    That is fast; a large body is decoded again by its contract, which reports mistakes
    in values.
    """
    _check_commas(content)
    _check_digits(content)
    _check_exponents(content)
    try:
        return msgspec.json.decode(content, type=dict[str, msgspec.Raw])
    except (UnicodeDecodeError, RecursionError, msgspec.DecodeError):
        return read_json(content)


def check_integers(content: bytes, fields: dict[str, object]) -> None:
    """Refuse integers that not all JSON readers keep exact (RFC 7493 2.2).

    `fields` is `content` decoded. Raises InvalidField, which names the place unless the
    body is large.
    """
    long = long_integer(content)
    if long is not None:
        is_large = len(content) > Published.free_body_bytes
        at = "$" if is_large else dotted(tuple(reversed(_path_to_long(fields))))
        expected = f"integers of at most {Published.integer}"
        raise InvalidField.of(long, expected, at)


_TWICE = "the body was made JSON twice: pass the object itself to your client"


def _not_json(got: str, hint: str = "") -> Refusal:
    if got == "nothing":
        hint = FIELDS_IN_BODY
    return BadJson("a JSON object", got, "$", hint)


def _check_commas(content: bytes) -> None:
    """Raise BadJson for too many items and fields.

    They are counted in the text: decoding a million of them would take long.
    """
    if content.count(b",") <= Published.json_values:
        return
    # An item or a field has at most two strings. Removing millions is slow, too.
    most = 2 * (Published.json_values + Published.json_containers)
    if (
        _without_escapes(content).count(b'"') // 2 > most
        or _outside_strings(content).count(b",") > Published.json_values
    ):
        raise _not_json(f"more than {Published.json_values} items and fields")


def _check_digits(content: bytes) -> None:
    """Raise BadJson for too many digits of long numbers."""
    if len(content) <= Published.json_digits:
        return
    rows = Published.json_digits // len(_ROW_OF_DIGITS)
    # Each row has two of the sampled bytes: reading all of 10 MiB would take long.
    some = content[:: len(_ROW_OF_DIGITS) // 2].translate(_DIGITS_AS_ZEROS)
    if some.count(b"0") <= 2 * rows:
        return
    numbers = _outside_strings(content).translate(_DIGITS_AS_ZEROS)
    if numbers.count(_ROW_OF_DIGITS) > rows:
        most = f"{Published.json_digits} digits of long numbers"
        raise _not_json(f"more than {most}")


def _check_exponents(content: bytes) -> None:
    """Raise BadJson for too many numbers near the ends of what a double holds.

    The decoder takes up to 18 us for such a number, 50 times as long as for others.
    """
    most = Published.json_exponents
    if content.translate(_EXPONENTS).count(_LONG_EXPONENT) > most:
        numbers = _outside_strings(content).translate(_EXPONENTS)
        if numbers.count(_LONG_EXPONENT) > most:
            raise _not_json(f"more than {most} numbers with long exponents")


def _check_brackets(content: bytes) -> None:
    """Raise BadJson for too many arrays and objects, or too deeply nested ones.

    They are counted in the text: building those of 1 MiB would take long.
    """
    brackets = _outside_strings(content).translate(_BRACES_AS_BRACKETS, _NO_BRACKETS)
    if brackets.count(b"[") > Published.json_containers:
        raise _not_json(f"more than {Published.json_containers} arrays and objects")
    for _ in range(Published.json_depth):
        brackets = brackets.replace(b"[]", b"")  # the innermost ones
    if brackets:
        raise _not_json(_TOO_DEEP)


def _outside_strings(content: bytes) -> bytes:
    """Return a valid JSON text without its strings."""
    return b"".join(_without_escapes(content).split(b'"')[::2])


def _without_escapes(content: bytes) -> bytes:
    """Return a valid JSON text without escaped quotes and backslashes."""
    if b"\\" not in content:
        return content
    return content.replace(b"\\\\", b"").replace(b'\\"', b"")


def _reason(content: bytes, error: msgspec.DecodeError) -> str:
    """Return in words what a body is that is not JSON."""
    if not content.strip():
        return "only blanks" if content else "nothing"
    if content.startswith(_BYTE_ORDER_MARK):
        return "a byte order mark"
    text = str(error).removeprefix("JSON is malformed: ")
    return f"malformed JSON, {text[0].lower()}{text[1:]}{_fix(content, text)}"


_AT_BYTE = re.compile(r"\(byte (\d+)\)")


def _fix(content: bytes, reason: str) -> str:
    """Return what to write in place of the character that is not JSON."""
    if content.startswith(b"[object "):
        return ": an object of JavaScript, send JSON.stringify(body)"
    place = _AT_BYTE.search(reason)
    char = content[int(place[1]) : int(place[1]) + 1] if place else b""
    if char == b"'":
        return ": write texts in double quotes, not in single ones"
    if char.isalpha() and "keys" in reason:
        return ": write names in double quotes"
    # Python's True, False and None.
    return ": write true, false or null" if char in (b"T", b"F", b"N") else ""


def long_integer(content: bytes) -> int | None:
    """Return the first integer over the limit in a JSON text."""
    # Much faster than the expression if there is none.
    if b"0" * 16 not in content.translate(_DIGITS_AS_ZEROS):
        return None
    outside = _outside_strings(content)
    for run in _MANY_DIGITS.finditer(outside.translate(_DIGITS_AS_ZEROS)):
        start, end = run.span()
        before = outside[max(start - 2, 0) : start]
        is_part = before.removesuffix(b"-").endswith((b".", b"e", b"E", b"+"))
        if not is_part and run[0].endswith(b"0"):
            number = int(outside[start - before.endswith(b"-") : end])
            if abs(number) > Published.integer:
                return number
    return None


def _path_to_long(value: dict[str, object] | list[object]) -> list[str | int]:
    """Return the path to the first integer over the limit, from the inside out."""
    items: Iterable[tuple[str | int, object]]
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for part, item in items:
        if isinstance(item, int) and abs(item) > Published.integer:
            return [part]
        if isinstance(item, dict | list):
            path = _path_to_long(item)
            if path:
                return [*path, part]
    return []
