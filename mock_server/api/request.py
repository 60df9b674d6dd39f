"""The body of a request, received on demand."""

import re
from asyncio import timeout
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from typing import Any, Self

import msgspec
from msgspec import Struct
from starlette.types import Message, Receive, Scope

from mock_server.api.errors import BadJson, BodyTooLarge
from mock_server.api.headers import ParsedHeaders, parse_headers
from mock_server.domain.errors import InvalidField, Refusal
from mock_server.domain.limits import Published
from mock_server.domain.memory import Holding, Memory
from mock_server.domain.messages import describe_value
from mock_server.domain.validation.walk import dotted


class Interrupted(Exception):
    """A reset has ended a wait: nothing that was pending is answered."""


class ClientGone(Exception):
    """The client has closed the connection; there is nobody to answer."""


class RequestBody(Struct, eq=False):
    """The body of one request, received on demand.

    `length` is the announced one in bytes, 0 without one; `arrived` says that all of it
    has been received, or that there is none. `begun` is what has been received: all,
    or more than `Published.free_body_bytes` of it. `is_unread` says that the request
    has been refused before its body was read, whatever has been received of it.
    `holding` is what a body that is not small is charged to.
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
        """The body of a request; `head` is what its headers say, if that is known."""
        head = head or parse_headers(scope["headers"])
        # Only HTTP/1 says beforehand that there is no body.
        arrived = not head.has_body and scope["http_version"][0] == "1"
        return cls(scope, receive, head.length, arrived)

    async def read(self, max_bytes: int, memory: Memory) -> bytes:
        """The whole body; one that is not small is charged to the budget.

        Raises BodyTooLarge and LimitReached as soon as that is clear, and ClientGone.
        """
        if self.length > max_bytes:
            raise _too_large(max_bytes, f"{self.length} bytes")
        if self.arrived:
            return b""
        # The wire floor's `receive` has a way for what is whole; others have none.
        whole = getattr(self.receive, "whole", None)
        piece = None if whole is None else whole()
        if piece is None:
            piece = self._piece(await self.receive())
        else:
            self.arrived = True
        if self.arrived and len(piece) <= Published.free_body_bytes:
            self.begun = piece
            return piece  # nearly always
        body = self.begun = bytearray(piece)
        # An announced length is not trusted: chunked bodies have none, and servers
        # that embed the application may pass on what they like.
        while True:
            if len(body) > Published.free_body_bytes:
                if len(body) > max_bytes:
                    raise _too_large(max_bytes, f"at least {len(body)} bytes")
                self.charge(2 * len(body), memory)  # it is copied below
            if self.arrived:
                self.begun = content = bytes(body)
                return content
            body += self._piece(await self.receive())

    async def pieces(self, max_bytes: int) -> AsyncIterator[bytes]:
        """The body piece by piece, as it comes, none of it kept.

        Raises BodyTooLarge as soon as that is clear, and ClientGone.
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
        """Receive what is left of the body and drop it. Raises ClientGone."""
        while not self.arrived:
            self._piece(await self.receive())

    async def beginning(self, most: int) -> tuple[bytes, bool] | None:
        """What comes at once of a body that is not read, and whether that is all of it.

        It ends soon after so many bytes; None if nothing has come.
        """
        content = bytes(self.begun[: min(most, Published.free_body_bytes)])
        if self.arrived:
            return (content, len(content) == len(self.begun)) if content else None
        self.is_unread = True
        # To receive would ask for a body that the client holds back (RFC 9110 10.1.1).
        waits = any(name == b"expect" for name, _ in self.scope["headers"])
        # Many clients send headers first: a short body is there a moment later.
        is_short = 0 < self.length <= most
        with suppress(TimeoutError, ClientGone):
            async with timeout(Published.refused_body_seconds if is_short else 0):
                while not (waits or self.arrived) and len(content) < most:
                    content += self._piece(await self.receive())
        return (content, self.arrived) if content else None

    async def gone(self) -> None:
        """Wait until the connection is gone; what is left of the body is dropped."""
        while (await self.receive())["type"] != "http.disconnect":
            pass

    def charge(self, size: int, memory: Memory) -> None:
        """Have so many bytes charged for what is kept of it. Raises LimitReached."""
        if self.holding is None:
            self.holding = memory.hold("requests")
        self.holding.charge(size - self.holding.size, "body")

    def _piece(self, message: Message) -> bytes:
        """The part of the body in a message. Raises ClientGone."""
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
# Digits, as zeros, and what says that they are no integer. Digits are never given back:
# to try a long run of them from each on would be quadratic.
_MANY_DIGITS = re.compile(rb"0{16,}+[.eE]?")
_ROW_OF_DIGITS = b"0" * 64
_DIGITS_AS_ZEROS = bytes.maketrans(b"123456789", b"0" * 9)


def read_json(content: bytes) -> dict[str, object]:
    """The body as a JSON object, all of it in valid UTF-8. Raises BadJson.

    Of duplicate keys the last wins.
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
    if not isinstance(value, dict):
        raise _not_json(describe_value(value))
    return value


def check_counts(content: bytes) -> None:
    """Raises BadJson for too many values or depth, DecodeError if a large one is wrong.

    Nothing is made of it.
    """
    _check_commas(content)
    _check_digits(content)
    if content.count(b"[") + content.count(b"{") > Published.json_depth:
        msgspec.json.decode(content, type=msgspec.Raw)  # checks, makes nothing
        _check_brackets(content)


def read_raw(content: bytes) -> dict[str, Any]:
    """The fields of a JSON object as they are written, which no value is made of.

    That takes a fifth of the time, and a large body is read again by its contract,
    which says what is wrong in a value. Raises BadJson.
    """
    _check_commas(content)
    _check_digits(content)
    try:
        return msgspec.json.decode(content, type=dict[str, msgspec.Raw])
    except (UnicodeDecodeError, RecursionError, msgspec.DecodeError):
        return read_json(content)


def check_integers(content: bytes, fields: dict[str, object]) -> None:
    """No integer anywhere that JSON readers do not all keep exact (RFC 7493 2.2).

    `fields` is what `content` has been read as. Raises InvalidField, which names the
    place unless the body is large.
    """
    long = long_integer(content)
    if long is not None:
        is_large = len(content) > Published.free_body_bytes
        at = "$" if is_large else dotted(tuple(reversed(_path_to_long(fields))))
        expected = f"integers of at most {Published.integer}"
        raise InvalidField.of(long, expected, at)


def _not_json(got: str) -> Refusal:
    hint = "send the fields as a JSON body: the query is not read"
    hint = hint if got == "nothing" else ""
    if got.startswith('the string "{'):
        hint = "the body was made JSON twice: pass the object itself to your client"
    return BadJson("a JSON object", got, "$", hint)


def _check_commas(content: bytes) -> None:
    """Raises BadJson for too many items and fields.

    They are counted in the text: to make a million of them would take a second.
    """
    if content.count(b",") <= Published.json_values:
        return
    # Two strings at most are an item or a field. To take out millions is slow, too.
    most = 2 * (Published.json_values + Published.json_containers)
    if (
        _without_escapes(content).count(b'"') // 2 > most
        or _outside_strings(content).count(b",") > Published.json_values
    ):
        raise _not_json(f"more than {Published.json_values} items and fields")


def _check_digits(content: bytes) -> None:
    """Raises BadJson for too many digits of long numbers."""
    if len(content) <= Published.json_digits:
        return
    rows = Published.json_digits // len(_ROW_OF_DIGITS)
    # Each row has two of these bytes: to look at all of 10 MiB would take 10 ms.
    some = content[:: len(_ROW_OF_DIGITS) // 2].translate(_DIGITS_AS_ZEROS)
    if some.count(b"0") <= 2 * rows:
        return
    numbers = _outside_strings(content).translate(_DIGITS_AS_ZEROS)
    if numbers.count(_ROW_OF_DIGITS) > rows:
        most = f"{Published.json_digits} digits of long numbers"
        raise _not_json(f"more than {most}")


def _check_brackets(content: bytes) -> None:
    """Raises BadJson for too many arrays and objects, or too deeply nested ones.

    They are counted in the text: to build those of 1 MiB would take half a second.
    """
    brackets = _outside_strings(content).translate(_BRACES_AS_BRACKETS, _NO_BRACKETS)
    if brackets.count(b"[") > Published.json_containers:
        raise _not_json(f"more than {Published.json_containers} arrays and objects")
    for _ in range(Published.json_depth):
        brackets = brackets.replace(b"[]", b"")  # the innermost ones
    if brackets:
        raise _not_json(_TOO_DEEP)


def _outside_strings(content: bytes) -> bytes:
    """A valid JSON text without its strings."""
    return b"".join(_without_escapes(content).split(b'"')[::2])


def _without_escapes(content: bytes) -> bytes:
    """A valid JSON text without what could be taken for the end of a string."""
    if b"\\" not in content:
        return content
    return content.replace(b"\\\\", b"").replace(b'\\"', b"")


def _reason(content: bytes, error: msgspec.DecodeError) -> str:
    """What a body is that is not JSON, in the words of a message."""
    if not content.strip():
        return "nothing"
    if content.startswith(_BYTE_ORDER_MARK):
        return "a byte order mark"
    text = str(error).removeprefix("JSON is malformed: ")
    return f"malformed JSON, {text[0].lower()}{text[1:]}{_mended(content, text)}"


_AT_BYTE = re.compile(r"\(byte (\d+)\)")


def _mended(content: bytes, reason: str) -> str:
    """What to write in place of the character at which a text is not JSON."""
    if content.startswith(b"[object "):
        return ": an object of JavaScript, send JSON.stringify(body)"
    place = _AT_BYTE.search(reason)
    char = content[int(place[1]) : int(place[1]) + 1] if place else b""
    if char == b"'":
        return ": write texts in double quotes, not in single ones"
    if char.isalpha() and "keys" in reason:
        return ": write names in double quotes"
    # Python's words.
    return ": write true, false or null" if char in (b"T", b"F", b"N") else ""


def long_integer(content: bytes) -> int | None:
    """The first integer over the limit in a JSON text."""
    # Finds out that there is none in a tenth of the time of the expression.
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
    """The path to the first integer over the limit, from the inside out."""
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
