"""The literal, case-insensitive search (spec 4.2, `searchText`).

Texts lie in one byte string, each ended by a byte that UTF-8 never uses, and items by
another. So no term can match across two names or two tags, and one `bytes.find` skips
everything that misses.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from itertools import compress, islice
from unicodedata import normalize

# Lone surrogates stand for those bytes: no valid text has them, and folding leaves
# them as they are. So many items are folded at once.
_TEXT_END, _ITEM_END = "\udcff", "\udcfe"
_ITEM_END_BYTE = b"\xfe"
_AT_ONCE = 1_024
_WIDEST = 4_096


def fold(text: str) -> str:
    """The text as it is compared: case folded, NFC. Folding twice changes nothing."""
    if text.isascii():
        return text.lower()
    return normalize("NFC", normalize("NFC", text).casefold())


def _folded_bytes(text: str) -> bytes:
    """The folded text in UTF-8, with its ends as single bytes."""
    data = text.encode("utf-8", "surrogateescape")
    if len(data) == len(text):  # ASCII but for the ends
        return data.lower()
    return fold(text).encode("utf-8", "surrogateescape")


class Haystack:
    """The folded texts of a sequence of items."""

    def __init__(self, items: Iterable[Iterable[str]]) -> None:
        self._starts = array("Q", [0])
        parts: list[bytes] = []
        length = 0
        texts = (_TEXT_END.join(item) + _ITEM_END for item in items)
        while block := "".join(islice(texts, _AT_ONCE)):
            parts.append(_folded_bytes(block))
            for item in parts[-1].split(_ITEM_END_BYTE)[:-1]:
                length += len(item) + 1
                self._starts.append(length)
        self._bytes = b"".join(parts)

    def find(self, term: str) -> array[int]:
        """The indices of the items of which one text contains `term`, ascending.

        The term is not empty. Where hits lie close together, more and more items are
        looked through one by one: that takes less for each than another `find`.
        """
        needle, text, starts = fold(term).encode(), self._bytes, self._starts
        hits = array("Q")
        width, last = 1, len(starts) - 1
        at = text.find(needle)
        while at >= 0:
            first = bisect_right(starts, at) - 1
            end = min(first + width, last)
            items = text[starts[first] : starts[end]].split(_ITEM_END_BYTE)
            found = [item.find(needle) >= 0 for item in items]
            hits.extend(compress(range(first, end), found))
            width = min(2 * width, _WIDEST) if 4 * sum(found) > width else 1
            at = text.find(needle, starts[end])
        return hits
