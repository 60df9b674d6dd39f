"""Search the folded texts of items for a term; case and composition do not matter."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import accumulate, compress, islice
from unicodedata import combining, is_normalized, normalize

from msgspec import Struct

from mock_server.domain.objects.pending import Steps


def fold(text: str) -> str:
    """Return a text for comparisons: case folded and composed (NFC).

    Folding a folded text changes nothing.
    """
    if text.isascii():
        return text.lower()
    # Case folding may decompose characters, and composing first may change its result.
    if not is_normalized("NFC", text):
        text = normalize("NFC", _with_ordered_marks(text))
    return normalize("NFC", text.casefold())


def costly_chars(texts: Iterable[str]) -> int:
    """Return how many characters of these texts take long to fold: those not ASCII."""
    return sum(len(each) for each in texts if not each.isascii())


_PART_CHARS = 1_024
_SLOW_COST = 32
"""Maximum cost of folding a character, relative to changing only its case."""


def folded_beginning(text: str, budget: int) -> tuple[str, int]:
    """Return the folded beginning of a text, as far as `budget` suffices, and the rest.

    Each character costs 1 of `budget`, but 32 in a part with characters that need
    composing. The rest of the room may be negative.
    """
    if text.isascii():
        return text[:budget].lower(), budget - len(text)
    parts: list[str] = []
    is_all_simple = True
    for start in range(0, len(text), _PART_CHARS):
        if budget <= 0:
            text, budget = text[:start], 0
            break
        part = text[start : start + _PART_CHARS]
        folded = part.casefold()
        is_simple = len(folded) == len(part) and is_normalized("NFC", folded)
        budget -= len(part) if is_simple else _SLOW_COST * len(part)
        is_all_simple = is_all_simple and is_simple
        parts.append(folded)
    if is_all_simple and is_normalized("NFC", text):  # do not fold all parts again
        return normalize("NFC", "".join(parts)), budget
    return fold(text), budget


def fold_in_steps(text: str, budget: int) -> Steps[tuple[str, int]]:
    """Return what `folded_beginning` does; fold a long text in parts."""
    if len(text) <= _STEP_CHARS or text.isascii():
        return folded_beginning(text, budget)
    parts: list[str] = []
    start = 0
    while start < len(text) and budget > 0:
        end = _cut(text, start + _STEP_CHARS)
        folded, budget = folded_beginning(text[start:end], budget)
        parts.append(folded)
        start = end
        yield
    return "".join(parts), budget


_STEP_CHARS = 8_192
"""Number of characters that are folded in one step, if the text can be cut there."""


def _cut(text: str, place: int) -> int:
    """Return the first place from there on where both parts can be folded apart.

    A run of marks that is far longer than in any language is cut.
    """
    for at in range(place, min(len(text), place + _MAX_MARKS)):
        before, after = text[at - _COMPOSED_CHARS : at], text[at : at + _COMPOSED_CHARS]
        is_mark = combining(normalize("NFD", text[at])[0])
        if not is_mark and fold(before + after) == fold(before) + fold(after):
            return at
    return place + _MAX_MARKS


_MAX_MARKS = 1_024
_COMPOSED_CHARS = 4
"""Maximum characters without a combining class that form one, as syllables do."""


# Marks with combining class 0 in Unicode that decompose into two marks.
_PAIRS = {"\u0f73": "\u0f71\u0f72", "\u0f75": "\u0f71\u0f74", "\u0f81": "\u0f71\u0f80"}
_LONG_RUN = re.compile(rb"[^\0]{31,}")
"""The combining classes of a run of marks that is longer than in any language.

UAX #15 allows 30 marks.
"""


def _with_ordered_marks(text: str) -> str:
    """Return an equivalent text, with long runs of marks in canonical order.

    `normalize` would sort such a run in quadratic time.
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


# Marks for the end of a text, and for the end of an item. These lone surrogates do not
# occur in valid text, and folding keeps them; their bytes (PEP 383) are no valid UTF-8.
_TEXT_END, _ITEM_END = "\udcff", "\udcfe"
_TEXT_END_BYTE, _ITEM_END_BYTE = b"\xff", b"\xfe"
_ITEMS, _CHARS = 4_096, 65_536
"""Maximum number of items and characters in a block.

Folding a whole block is faster than folding single items, and takes less memory than
folding all items at once.
"""


class Block(Struct, frozen=True):
    """The joined folded texts of some items.

    `starts` has the first byte of each item, and finally the length.
    """

    folded: bytes
    starts: array[int]


class Haystack:
    """The folded texts of a sequence of items, stored in blocks that are searched.

    The first text of each item is its name.
    """

    def __init__(self, blocks: Iterable[Block]) -> None:
        self.blocks = list(blocks)

    @staticmethod
    def from_items(items: Iterable[Iterable[str]]) -> Steps[Haystack]:
        """Return a haystack; `items` yields the texts of each item."""
        haystack = Haystack(())
        for block in _blocks(items):
            if block is not None:
                haystack.blocks.append(block)
            yield
        return haystack

    def find(self, term: str, *, names_only: bool = False) -> Steps[array[int]]:
        """Return the indexes of the items that have `term` in a text, ascending.

        `term` must not be empty. With `names_only`, it must be in the name.
        """
        # `find` over a whole block quickly skips items that do not match. Where matches
        # are dense, searching ever more items one by one is faster than another `find`.
        needle = fold(term).encode()
        hits = array("Q")
        number, width = 0, 1
        for block in self.blocks:
            text, starts = block.folded, block.starts
            last = len(starts) - 1
            position = text.find(needle)
            while position >= 0:
                first = bisect_right(starts, position) - 1
                end = min(first + width, last)
                items = text[starts[first] : starts[end]].split(_ITEM_END_BYTE)
                # For bytes, `find` is faster than `in`.
                matched = [item.find(needle) >= 0 for item in items]
                width = 2 * width if 4 * sum(matched) > width else 1
                if names_only:
                    names = (item.partition(_TEXT_END_BYTE)[0] for item in items)
                    matched = [name.find(needle) >= 0 for name in names]
                hits.extend(compress(range(number + first, number + end), matched))
                position = text.find(needle, starts[end])
            width = min(width, _ITEMS)
            number += last
            yield
        return hits


def _blocks(items: Iterable[Iterable[str]]) -> Iterator[Block | None]:
    """Yield the blocks of items, and None between the steps of a slow one."""
    texts = (_TEXT_END.join(item) + _ITEM_END for item in items)
    while chunk := list(islice(texts, _ITEMS)):
        yield from _block(chunk)


def _block(texts: Sequence[str]) -> Iterator[Block | None]:
    if sum(map(len, texts)) > _CHARS and len(texts) > 1:
        middle = len(texts) // 2
        yield from _block(texts[:middle])
        yield from _block(texts[middle:])
        return
    # Folding may change lengths, so starts are computed afterwards.
    folded = yield from _folded_bytes("".join(texts))
    lengths = map(len, folded.split(_ITEM_END_BYTE)[:-1])
    starts = accumulate((length + 1 for length in lengths), initial=0)
    yield Block(folded, array("I", starts))


def _folded_bytes(text: str) -> Generator[None, None, bytes]:
    """Return the folded text in UTF-8, with the end marks as single bytes."""
    data = text.encode("utf-8", "surrogateescape")
    if len(data) == len(text):  # ASCII, except for the end marks
        return data.lower()
    parts: list[str] = []
    start = 0
    while start < len(text):
        end = _cut(text, start + _STEP_CHARS)
        parts.append(fold(text[start:end]))
        start = end
        yield
    return "".join(parts).encode("utf-8", "surrogateescape")
