"""The literal, case-insensitive search (spec 4.2, `searchText`).

Texts lie in one byte string, separated by a byte that UTF-8 never uses. So no term can
match across two names or two tags, and one `bytes.find` skips everything that misses.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from unicodedata import normalize

_BETWEEN = b"\xff"


def fold(text: str) -> str:
    """The text as it is compared: case folded, NFC. Folding twice changes nothing."""
    if text.isascii():
        return text.lower()
    return normalize("NFC", normalize("NFC", text).casefold())


class Haystack:
    """The folded texts of a sequence of items."""

    def __init__(self, items: Iterable[Iterable[str]]) -> None:
        self._starts = array("Q", [0])
        parts: list[bytes] = []
        length = 0
        for texts in items:
            part = b"".join(fold(text).encode() + _BETWEEN for text in texts)
            parts.append(part)
            length += len(part)
            self._starts.append(length)
        self._bytes = b"".join(parts)

    def find(self, term: str) -> list[int]:
        """The indices of the items of which one text contains `term`, ascending.

        The term is not empty.
        """
        needle, find = fold(term).encode(), self._bytes.find
        hits: list[int] = []
        at = find(needle)
        while at >= 0:
            hit = bisect_right(self._starts, at) - 1
            hits.append(hit)
            at = find(needle, self._starts[hit + 1])
        return hits
