"""Receives the body of a request on demand, and reads JSON within limits."""

import re
from asyncio import timeout
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import suppress
from itertools import accumulate
from typing import Any, Self

import msgspec
from msgspec import Struct
from starlette.types import Message, Receive, Scope

from mock_server.api.errors import BadJson, BodyTooLarge
from mock_server.api.headers import FIELDS_IN_BODY, ParsedHeaders, parse_headers
from mock_server.domain.errors import InvalidField, Refusal
from mock_server.domain.limits import Published
from mock_server.domain.memory import Memory, MemoryCharge
from mock_server.domain.messages import describe_value
from mock_server.domain.validation.json_match import (
    DIGIT_RUN,
    DIGITS_AS_ZEROS,
    count_long_digits,
)
from mock_server.domain.validation.walk import Path, dotted


class WaitInterrupted(Exception):
    """A reset has ended the wait of a request, which gets no response."""


class ClientGone(Exception):
    """The client has closed the connection, so it can receive no response."""


_COPIES = 4
"""Copies of a body while it is read: bytes received, bytes, a text, its chunks."""


class RequestBody(Struct, eq=False):
    """The body of one request, received on demand.

    `length` is the announced length in bytes, 0 if none is announced. `has_arrived` is
    True once the whole body was received, or if it is empty. `received` is the part
    that is kept: all, or at least the first `Published.free_body_bytes`. `is_unread` is
    True if the request was refused before its body was read. `charge` is for the
    memory of a large body.
    """

    scope: Scope
    receive: Receive
    length: int
    has_arrived: bool
    is_unread: bool = False
    received: bytes | bytearray = b""
    charge: MemoryCharge | None = None

    @classmethod
    def of(
        cls, scope: Scope, receive: Receive, head: ParsedHeaders | None = None
    ) -> Self:
        """Return the body of a request; `head` are its parsed headers, if known."""
        head = head or parse_headers(scope["headers"])
        # In HTTP/2 a request may have a body without a header that announces it.
        has_arrived = not head.has_body and scope["http_version"][0] == "1"
        return cls(scope, receive, head.length, has_arrived)

    async def read(self, max_bytes: int, memory: Memory) -> bytes:
        """Return the whole body; charge a large one to the memory budget.

        Raises BodyTooLarge and LimitReached as early as possible, and ClientGone.
        """
        if self.length > max_bytes:
            raise _too_large(max_bytes, f"{self.length} bytes")
        if self.has_arrived:
            return b""
        # Only the wire layer's `receive` can return a whole body at once.
        receive_whole = getattr(self.receive, "whole_body", None)
        piece = None if receive_whole is None else receive_whole()
        if piece is None:
            piece = self._piece(await self.receive())
        else:
            self.has_arrived = True
        if self.has_arrived and len(piece) <= Published.free_body_bytes:
            self.received = piece
            return piece  # nearly all bodies
        body = self.received = bytearray(piece)
        # Do not trust an announced length: chunked bodies have none, and servers that
        # embed the application may pass on a wrong one.
        while True:
            if len(body) > max_bytes:
                raise _too_large(max_bytes, f"at least {len(body)} bytes")
            # A body that is incomplete may stay in memory for seconds.
            if not self.has_arrived or len(body) > Published.free_body_bytes:
                self.charge_bytes(_COPIES * len(body), memory)
            if self.has_arrived:
                self.received = content = bytes(body)
                return content
            body += self._piece(await self.receive())

    async def pieces(self, max_bytes: int) -> AsyncIterator[bytes]:
        """Yield the body piece by piece, as it arrives; keep only its beginning.

        Raises BodyTooLarge as early as possible, and ClientGone.
        """
        if self.length > max_bytes:
            raise _too_large(max_bytes, f"{self.length} bytes")
        size = 0
        while not self.has_arrived:
            piece = self._piece(await self.receive())
            if size <= Published.free_body_bytes:
                self.received += piece
            size += len(piece)
            if size > max_bytes:
                raise _too_large(max_bytes, f"at least {size} bytes")
            yield piece

    async def discard(self) -> None:
        """Receive and drop the rest of the body. Raises ClientGone."""
        while not self.has_arrived:
            self._piece(await self.receive())

    async def read_beginning(self, limit: int) -> tuple[bytes, bool] | None:
        """Return the beginning of an unread body, and whether that is all of it.

        Wait only a moment for it, and read about `limit` bytes. Return None if no byte
        has arrived.
        """
        content = bytes(self.received[: min(limit, Published.free_body_bytes)])
        if self.has_arrived:
            return (content, len(content) == len(self.received)) if content else None
        self.is_unread = True
        # A client that sends `Expect` holds its body back; receiving would request it
        # (RFC 9110 10.1.1).
        is_held_back = any(name == b"expect" for name, _ in self.scope["headers"])
        # Many clients send the headers first, and a short body a moment later.
        is_short = 0 < self.length <= limit
        with suppress(TimeoutError, ClientGone):
            async with timeout(Published.refused_body_seconds if is_short else 0):
                while not (is_held_back or self.has_arrived) and len(content) < limit:
                    content += self._piece(await self.receive())
        return (content, self.has_arrived) if content else None

    async def wait_for_disconnect(self) -> None:
        """Wait until the client disconnects; drop the rest of the body."""
        while (await self.receive())["type"] != "http.disconnect":
            pass

    def charge_bytes(self, size: int, memory: Memory) -> None:
        """Charge `size` bytes in all for the body. Raises LimitReached."""
        if self.charge is None:
            self.charge = memory.charge("requests")
        self.charge.add(size - self.charge.size, "body")

    def _piece(self, message: Message) -> bytes:
        """Return the part of the body in a message. Raises ClientGone."""
        if message["type"] == "http.disconnect":
            raise ClientGone
        self.has_arrived = not message.get("more_body", False)
        body: bytes = message.get("body", b"")
        return body


def _too_large(max_bytes: int, got: str) -> Refusal:
    return BodyTooLarge(f"at most {max_bytes} bytes", got, "body")


_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BRACKETS_AS_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
"""Brackets as signed bytes: how much each changes the depth."""
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_TOO_DEEP = f"JSON nested deeper than {Published.json_depth} levels"
_LONG_DIGITS = len(str(Published.integer))
_EXPONENTS = bytes.maketrans(b"123456789E", b"0" * 9 + b"e")
_EXPONENT = b"0e"


def read_json(content: bytes, *, is_checked: bool = False) -> dict[str, object]:
    """Return the JSON object in a body. Raises BadJson.

    If a key occurs twice, the last one counts. `is_checked`: the body has passed
    `check_counts`.
    """
    try:
        if not is_checked:
            check_counts(content)
        value = msgspec.json.decode(content)
    except UnicodeDecodeError:
        raise _not_json("text that is not UTF-8") from None
    except msgspec.DecodeError as error:
        raise _not_json(_describe(content, error)) from None
    if isinstance(value, str):  # it may hold a password
        raise _not_json("a string", _ENCODED_TWICE if value.startswith("{") else "")
    if not isinstance(value, dict):
        raise _not_json(describe_value(value))
    return value


def check_counts(content: bytes) -> None:
    """Raise BadJson if a JSON text has too many values or levels; decode nothing."""
    for _ in counting_steps(content):
        pass


def counting_steps(content: bytes) -> Iterator[None]:
    """Check as `check_counts` does; yield after each step, so that no step is long."""
    yield from _amount_steps(content)
    yield
    if content.count(b"[") + content.count(b"{") > Published.json_depth:
        _check_brackets(content)


def read_raw(content: bytes) -> dict[str, Any]:
    """Return the fields of a JSON object, each as JSON that is not decoded.

    This is fast; the contract of the operation decodes the values. Raises BadJson.
    """
    for _ in _amount_steps(content):
        pass
    try:
        return msgspec.json.decode(content, type=dict[str, msgspec.Raw])
    except (UnicodeDecodeError, RecursionError, msgspec.DecodeError):
        return read_json(content)


def check_integers(content: bytes, fields: dict[str, object]) -> None:
    """Raise InvalidField for an integer that some JSON readers round (RFC 7493 2.2).

    `fields` is `content` decoded.
    """
    found = long_integer(content, fields)
    if found is not None:
        integer, path = found
        expected = f"integers of at most {Published.integer}"
        raise InvalidField.of(integer, expected, dotted(path))


def long_integer(content: bytes, value: object) -> tuple[int, Path] | None:
    """Return the first integer over the limit and its path, None without one.

    `value` is `content` decoded.
    """
    # Check the text first: this is much faster than looking at each value.
    if b"0" * _LONG_DIGITS not in content.translate(DIGITS_AS_ZEROS):
        return None
    return _long_integer_in(value)


def _long_integer_in(value: object) -> tuple[int, Path] | None:
    items: Iterable[tuple[str | int, object]] = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for part, item in items:
        if isinstance(item, int):
            if abs(item) > Published.integer:
                return item, (part,)
        elif isinstance(item, dict | list) and (found := _long_integer_in(item)):
            integer, path = found
            return integer, (part, *path)
    return None


_ENCODED_TWICE = "the body was made JSON twice: pass the object itself to your client"


def _not_json(got: str, hint: str = "") -> Refusal:
    if got == "nothing":
        hint = FIELDS_IN_BODY
    return BadJson("a JSON object", got, "$", hint)


def _amount_steps(content: bytes) -> Iterator[None]:
    """Raise BadJson for too many values, long numbers, exponents or escapes.

    Yield after each step that may take long.

    They are counted in the text: decoding a million items would take long, and of the
    numbers that are hard to round, each takes up to 18 us, an escape about 10 ns.
    """
    if len(content) > Published.json_escapes:
        if _escapes(content) > Published.json_escapes:
            raise _not_json(f"more than {Published.json_escapes} escapes")
        yield
    digit_runs = Published.json_digits // len(DIGIT_RUN)
    # Take a sample with two bytes of each run: reading all of 10 MiB would take long.
    sample = content[:: len(DIGIT_RUN) // 2].translate(DIGITS_AS_ZEROS)
    if (
        content.count(b",") <= Published.json_values
        and sample.count(b"0") <= 2 * digit_runs
        and _exponents(content) <= Published.json_exponents
    ):
        return
    yield
    unescaped = _without_escapes(content)
    yield
    # An item or a field has at most two strings. Check their number first, because
    # removing millions of strings is slow, too.
    limit = 2 * (Published.json_values + Published.json_containers)
    outside = b""
    if unescaped.count(b'"') // 2 <= limit:
        outside = b"".join(unescaped.split(b'"')[::2])
    if not outside or outside.count(b",") > Published.json_values:
        raise _not_json(f"more than {Published.json_values} items and fields")
    yield
    if count_long_digits(outside) > Published.json_digits:
        raise _not_json(f"more than {Published.json_digits} digits of long numbers")
    yield
    if _exponents(outside) > Published.json_exponents:
        limit = Published.json_exponents
        raise _not_json(f"more than {limit} numbers with exponents")


def _escapes(content: bytes) -> int:
    """Return the number of escapes, at most that of the backslashes."""
    backslashes = content.count(b"\\")
    if backslashes <= Published.json_escapes:
        return backslashes
    return backslashes - content.count(b"\\\\")  # each pair is one escape


def _exponents(content: bytes) -> int:
    """Return the number of exponents, at most that of the letters e and E."""
    letters = content.count(b"e") + content.count(b"E")
    if letters <= Published.json_exponents:
        return letters
    return content.translate(_EXPONENTS).count(_EXPONENT)


def _check_brackets(content: bytes) -> None:
    """Raise BadJson for too many arrays and objects, or too deeply nested ones.

    Count the brackets in the text: building the values of 1 MiB would take long, and
    near the limit of recursion Python cannot free objects.
    """
    steps = _outside_strings(content).translate(_BRACKETS_AS_STEPS, _NO_BRACKETS)
    # Without the limit of the steps, a large body of brackets would take long.
    first_steps = steps[: 2 * Published.json_containers]
    depths = accumulate(memoryview(first_steps).cast("b"))
    if max(depths, default=0) > Published.json_depth:
        raise _not_json(_TOO_DEEP)
    if steps.count(1) > Published.json_containers:
        raise _not_json(f"more than {Published.json_containers} arrays and objects")


def _outside_strings(content: bytes) -> bytes:
    """Return a JSON text without its strings, at least as far as it is valid."""
    return b"".join(_without_escapes(content).split(b'"')[::2])


def _without_escapes(content: bytes) -> bytes:
    """Return a valid JSON text without escaped quotes and backslashes."""
    if b"\\" not in content:
        return content
    return content.replace(b"\\\\", b"").replace(b'\\"', b"")


def _describe(content: bytes, error: msgspec.DecodeError) -> str:
    """Return a description of a body that is not JSON."""
    if not content.strip():
        return "only blanks" if content else "nothing"
    if content.startswith(_BYTE_ORDER_MARK):
        return "a byte order mark"
    text = str(error).removeprefix("JSON is malformed: ")
    return f"malformed JSON, {text[0].lower()}{text[1:]}{_fix_hint(content, text)}"


_AT_BYTE = re.compile(r"\(byte (\d+)\)")


def _fix_hint(content: bytes, reason: str) -> str:
    """Return a hint at the correct JSON for the wrong character; "" if unknown."""
    if content.startswith(b"[object "):
        return ": an object of JavaScript, send JSON.stringify(body)"
    place = _AT_BYTE.search(reason)
    char = content[int(place[1]) : int(place[1]) + 1] if place else b""
    if char == b"'":
        return ": write texts in double quotes, not in single ones"
    if char.isalpha() and "keys" in reason:
        return ": write names in double quotes"
    # Python writes True, False and None.
    return ": write true, false or null" if char in (b"T", b"F", b"N") else ""
