"""Search folded texts: literally, ignoring case, within single texts."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, compress, islice
from unicodedata import combining, is_normalized, normalize

from msgspec import Struct

from mock_server.domain.objects.pending import Steps


def fold(text: str) -> str:
    """Return a text for comparisons: case folded, NFC. Idempotent."""
    if text.isascii():
        return text.lower()
    # Folding may undo a composition, and composing first may change the folding.
    if not is_normalized("NFC", text):
        text = normalize("NFC", _with_ordered_marks(text))
    return normalize("NFC", text.casefold())


_PART_CHARS = 1_024
_SLOW = 32
"""Cost of folding a character, at most, relative to changing its case."""


def folded_beginning(text: str, room: int) -> tuple[str, int]:
    """Return the folded beginning of a text, and the room left.

    Each character takes 1 of the room, or 32 near others that are composed.
    """
    if text.isascii():
        return text[:room].lower(), room - len(text)
    parts: list[str] = []
    is_all_quick = True
    for start in range(0, len(text), _PART_CHARS):
        if room <= 0:
            text, room = text[:start], 0
            break
        part = text[start : start + _PART_CHARS]
        folded = part.casefold()
        is_quick = len(folded) == len(part) and is_normalized("NFC", folded)
        room -= len(part) if is_quick else _SLOW * len(part)
        is_all_quick = is_all_quick and is_quick
        parts.append(folded)
    if is_all_quick and is_normalized("NFC", text):  # what `fold` would do again
        return normalize("NFC", "".join(parts)), room
    return fold(text), room


# Marks with combining class 0 in Unicode that decompose into two.
_PAIRS = {"\u0f73": "\u0f71\u0f72", "\u0f75": "\u0f71\u0f74", "\u0f81": "\u0f71\u0f80"}
_LONG_RUN = re.compile(rb"[^\0]{31,}")
"""Combining classes of a run of more marks than any language uses (UAX #15)."""


def _with_ordered_marks(text: str) -> str:
    """Return the text with long runs of marks in canonical order, an equivalent text.

    `normalize` orders a run by insertion, in quadratic time.
    """
    for pair, marks in _PAIRS.items():
        text = text.replace(pair, marks)
    parts: list[str] = []
    end = 0
    for run in _LONG_RUN.finditer(bytes(map(combining, text))):
        parts.append(text[end : run.start()])
        parts += sorted(text[slice(*run.span())], key=combining)
        end = run.end()
    return "".join((*parts, text[end:]))


# Ends of a text, and of an item's texts. These lone surrogates occur in no valid text
# and do not fold; as bytes (PEP 383) they occur in no UTF-8.
_TEXT_END, _ITEM_END = "\udcff", "\udcfe"
_TEXT_END_BYTE, _ITEM_END_BYTE = b"\xff", b"\xfe"
_ITEMS, _CHARS = 4_096, 65_536
"""Maximum of items and characters in a block: folding single items takes longer,
folding all at once needs much memory, and a short block is cheap to send or join."""


class Block(Struct, frozen=True):
    """The folded texts of some items, joined; the start of each item, and the end."""

    folded: bytes
    starts: array[int]


class Haystack:
    """The folded texts of a sequence of items, in blocks to search in.

    The first text of an item is its name.
    """

    def __init__(self, blocks: Iterable[Block]) -> None:
        self.blocks = list(blocks)

    @staticmethod
    def of(items: Iterable[Iterable[str]]) -> Steps[Haystack]:
        """Return a haystack of the texts of items."""
        haystack = Haystack(())
        for block in _blocks(items):
            haystack.blocks.append(block)
            yield
        return haystack

    def find(self, term: str, *, names_only: bool = False) -> Steps[array[int]]:
        """Return the indices of items with `term` in a text, ascending.

        `term` must not be empty.
        """
        # `find` over a whole block skips quickly what does not match. Where hits are
        # dense, ever more items are searched one by one: that is faster than another
        # `find`.
        needle = fold(term).encode()
        hits = array("Q")
        number, width = 0, 1
        for block in self.blocks:
            text, starts = block.folded, block.starts
            last = len(starts) - 1
            at = text.find(needle)
            while at >= 0:
                first = bisect_right(starts, at) - 1
                end = min(first + width, last)
                items = text[starts[first] : starts[end]].split(_ITEM_END_BYTE)
                # `needle in item` takes twice as long for bytes.
                matched = [item.find(needle) >= 0 for item in items]
                width = 2 * width if 4 * sum(matched) > width else 1
                if names_only:
                    names = (item.partition(_TEXT_END_BYTE)[0] for item in items)
                    matched = [name.find(needle) >= 0 for name in names]
                hits.extend(compress(range(number + first, number + end), matched))
                at = text.find(needle, starts[end])
            width = min(width, _ITEMS)
            number += last
            yield
        return hits


def _blocks(items: Iterable[Iterable[str]]) -> Iterator[Block]:
    texts = (_TEXT_END.join(item) + _ITEM_END for item in items)
    while some := list(islice(texts, _ITEMS)):
        yield from _block(some)


def _block(texts: Sequence[str]) -> Iterator[Block]:
    if sum(map(len, texts)) > _CHARS and len(texts) > 1:
        middle = len(texts) // 2
        yield from _block(texts[:middle])
        yield from _block(texts[middle:])
        return
    # Folding may change lengths, so starts are computed afterwards.
    folded = _folded_bytes("".join(texts))
    lengths = map(len, folded.split(_ITEM_END_BYTE)[:-1])
    starts = accumulate((length + 1 for length in lengths), initial=0)
    yield Block(folded, array("I", starts))


def _folded_bytes(text: str) -> bytes:
    """Return the folded text in UTF-8, with its ends as single bytes."""
    data = text.encode("utf-8", "surrogateescape")
    if len(data) == len(text):  # ASCII, except the ends
        return data.lower()
    return fold(text).encode("utf-8", "surrogateescape")
