"""Removes the escapes of URLs and of JSON from texts, to find secrets in them.

Each character of a secret can be written in many ways: `%6b`, `\\u006b`, or one escape
within the other. This module turns all of them into the same text. It drops
backslashes, as they only show how often a text was escaped.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate

# Matches escapes of visible ASCII, of which secrets consist. `%2541` is `%41` escaped
# again. Both forms begin with a fixed character, which is much faster to search for.
_ESCAPE = re.compile(rb"(%(?:25)*[2-7][0-9a-fA-F]|\\(?<!\\\\)\\*+u00[2-7][0-9a-fA-F])")
_BACKSLASHES = re.compile(rb"(\\++)")
_CHARS = {
    form % code: b"%c" % code for code in range(128) for form in (b"%02x", b"%02X")
}
"""The character of each two hexadecimal digits, with which an escape ends."""
_ROUNDS = 4
"""Maximum number of times that a text is unescaped; two JSONs around a URL take 3."""
_CUT_ESCAPE = re.compile(rb"(?:%|u0{0,2})[2-7]?\Z")


class Unescaped:
    """A text without escapes and backslashes, `plain`, and the places of its bytes.

    Only the bounds of escapes are kept, as keeping the place of each byte takes long.
    """

    def __init__(self, text: bytes) -> None:
        self.plain = text
        self._rounds: list[tuple[list[int], list[int]]] = []
        """The bounds of the pieces before and after each round, in reverse order."""
        for _ in range(_ROUNDS):
            if not self._replace(_ESCAPE):
                break
        self._replace(_BACKSLASHES)

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

    def _replace(self, pattern: re.Pattern[bytes]) -> bool:
        """Decode or remove what matches the pattern; return whether anything does."""
        pieces = pattern.split(self.plain)
        if len(pieces) == 1:
            return False
        bounds = _bounds(pieces)
        self.plain = _decode(pieces)
        self._rounds.insert(0, (bounds, _bounds(pieces)))
        return True


def unescaped(text: bytes) -> bytes:
    """Return the text without escapes and backslashes."""
    for _ in range(_ROUNDS):
        pieces = _ESCAPE.split(text)
        if len(pieces) == 1:
            break
        text = _decode(pieces)
    return text.replace(b"\\", b"")


def without_cut_escape(text: bytes) -> bytes:
    """Return an unescaped text without the start of an escape that was cut off."""
    return _CUT_ESCAPE.sub(b"", text)


def _decode(pieces: list[bytes]) -> bytes:
    """Decode, in place, the escapes among the pieces; return the whole text.

    Every second piece is an escape, or backslashes, which are removed.
    """
    pieces[1::2] = [_CHARS.get(each[-2:], b"") for each in pieces[1::2]]
    return b"".join(pieces)


def _bounds(pieces: list[bytes]) -> list[int]:
    """Return where each piece starts in the whole text, and where the last ends."""
    return list(accumulate(map(len, pieces), initial=0))
