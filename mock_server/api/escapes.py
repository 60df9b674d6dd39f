"""Removes the escapes of URLs and of JSON from texts, to find secrets in them.

Each character of a secret can be written in many ways: `%6b`, `\\u006b`, or one escape
within the other. This module turns all of them into the same text. It drops
backslashes, as they only show how often a text was escaped, and NUL, which every second
byte of a text in UTF-16 is.
"""

from __future__ import annotations

import re
from binascii import unhexlify
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Self

# Matches escapes of NUL and of visible ASCII, of which keys consist. `%2541` is `%41`
# escaped again. Both forms begin with a fixed character, which is much faster to find.
_ESCAPE = re.compile(
    rb"(%(?:25)*(?:00|[2-7][0-9a-fA-F])"
    rb"|\\(?<!\\\\)\\*+u00(?:00|[2-7][0-9a-fA-F]))"
)
# Matches escapes of other characters too: two to four bytes of UTF-8 in URLs, or one or
# two code units of UTF-16 (surrogates) in JSON. Texts with many of them take longer.
_WIDE_ESCAPE = re.compile(
    rb"(%(?:25)*(?:00|[2-7]H|[c-fC-F]H(?:%(?:25)*[89abAB]H){1,3})"
    rb"|\\(?<!\\\\)\\*+u(?:(?!00(?:0[1-9a-fA-F]|1)|[dD][89a-fA-F])HHHH"
    rb"|[dD][89abAB]HH\\++u[dD][c-fC-F]HH))".replace(b"H", b"[0-9a-fA-F]")
)
_NULS, _BACKSLASHES = re.compile(rb"(\0++)"), re.compile(rb"(\\++)")
_CHARS = {
    form % code: b"%c" % code
    for code in (0, *range(32, 128))
    for end in (b"%02x", b"%02X")
    for form in (b"%%" + end, b"%%25" + end, b"525" + end, b"u00" + end)
}
"""The ASCII character of each end of an escape, which has at most five bytes."""
_ROUNDS = 4
"""Maximum number of times that a text is unescaped; two JSONs around a URL take 3."""
_CUT_ESCAPE = re.compile(rb"(?:%0?|u0{0,3}|(?:%|u0{0,2})[2-7])\Z")
_WIDE_CUT_ESCAPE = re.compile(
    rb"(?:(?:%[c-f]H)?(?:%[02-9a-f]?)?|(?:ud[89ab]HH)?(?:uH{0,3})?)\Z".replace(
        b"H", b"[0-9a-f]"
    ),
    re.IGNORECASE,
)


class Unescaped:
    """A text with fewer escapes, `plain`, and the places of its bytes.

    Only the bounds of escapes are kept, as keeping the place of each byte takes long.
    """

    def __init__(self, text: bytes) -> None:
        self.plain = text
        self._rounds: list[tuple[list[int], list[int]]] = []
        """The bounds of the pieces before and after each round, in reverse order."""

    def stages(self, *, is_wide: bool = False) -> Iterator[Self]:
        """Yield this text as it is, after each round, and without NUL and backslashes.

        `is_wide` is True to decode escapes outside ASCII too.
        """
        yield self
        pattern = _WIDE_ESCAPE if is_wide else _ESCAPE
        yield from self._unescape(pattern)
        if b"\0" in self.plain:
            self._replace(_NULS, _remove)
            yield self
            yield from self._unescape(pattern)
        if b"\\" in self.plain:
            self._replace(_BACKSLASHES, _remove)
            yield self

    def _unescape(self, pattern: re.Pattern[bytes]) -> Iterator[Self]:
        for _ in range(_ROUNDS):
            if not self._replace(pattern, _decode):
                break
            yield self

    def start_of(self, place: int) -> int:
        """Return where the byte at a place of `plain` starts in the text."""
        for bounds, plain_bounds in self._rounds:
            piece = bisect_right(plain_bounds, place) - 1
            place += bounds[piece] - plain_bounds[piece]
        return place

    def end_of(self, place: int) -> int:
        """Return where the byte before a place of `plain` ends in the text."""
        for bounds, plain_bounds in self._rounds:
            piece = bisect_left(plain_bounds, place)
            place += bounds[piece] - plain_bounds[piece]
        return place

    def _replace(
        self, pattern: re.Pattern[bytes], change: Callable[[list[bytes]], bytes]
    ) -> bool:
        """Change what matches the pattern; return whether anything does."""
        pieces = pattern.split(self.plain)
        if len(pieces) == 1:
            return False
        bounds = _bounds(pieces)
        self.plain = change(pieces)
        self._rounds.insert(0, (bounds, _bounds(pieces)))
        return True


def unescaped(text: bytes, *, is_wide: bool = False) -> bytes:
    """Return the text without escapes, backslashes and NUL."""
    pattern = _WIDE_ESCAPE if is_wide else _ESCAPE
    for _ in range(_ROUNDS):
        pieces = pattern.split(text)
        if len(pieces) == 1:
            break
        text = _decode(pieces)
    return text.translate(None, b"\\\0")


def without_cut_escape(text: bytes, *, is_wide: bool = False) -> bytes:
    """Return an unescaped text without the start of an escape that was cut off.

    The escape may consist of escapes, of which one was cut off.
    """
    pattern = _WIDE_CUT_ESCAPE if is_wide else _CUT_ESCAPE
    for _ in range(_ROUNDS):
        text = pattern.sub(b"", text)
    return text


def _decode(pieces: list[bytes]) -> bytes:
    """Decode, in place, every second piece, an escape; return the whole text."""
    get = _CHARS.get
    pieces[1::2] = [get(each[-5:]) or _char(each) for each in pieces[1::2]]
    return b"".join(pieces)


def _char(escape: bytes) -> bytes:
    """Return the UTF-8 of an escape that is not in the table."""
    if escape[:1] == b"%":
        return unhexlify(escape.replace(b"25", b"").replace(b"%", b""))
    code = int(escape[-4:], 16)
    if 0xDC00 <= code < 0xE000:  # the second of a surrogate pair
        first = int(escape.split(b"u")[1][:4], 16)
        code += 0x10000 - 0xDC00 + (first - 0xD800) * 0x400
    return chr(code).encode()


def _remove(pieces: list[bytes]) -> bytes:
    """Remove, in place, every second piece; return the whole text."""
    pieces[1::2] = [b""] * (len(pieces) // 2)
    return b"".join(pieces)


def _bounds(pieces: list[bytes]) -> list[int]:
    """Return where each piece starts in the whole text, and where the last ends."""
    return list(accumulate(map(len, pieces), initial=0))
