"""A sequence that is shared, with some items taken out and others put in between."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from mock_server.domain.objects.blocks import Sliced
from mock_server.domain.objects.models import Collection

Key = Callable[[Collection], Any]
"""What collections are sorted by."""


_FAR = 50
"""To look for the next that is kept takes as long as to pass so many that are not."""


class Differences(Struct, eq=False):
    """What is taken out of a sorted sequence, and what comes in.

    `out` are the positions of what is taken out, ascending; `items` come in, each
    before the item at its position of `places`. Both are in the sequence's order.
    """

    out: array[int]
    items: list[Collection]
    places: array[int]

    def copy(self) -> Differences:
        return Differences(self.out[:], self.items[:], self.places[:])

    def take_out(self, position: int) -> None:
        insort(self.out, position)

    def put_in(self, item: Collection, place: int, key: Key) -> None:
        at = bisect_left(self.items, key(item), key=key)
        self.items.insert(at, item)
        self.places.insert(at, place)

    def drop(self, item: Collection, key: Key) -> None:
        """No longer have an item come in, if it does."""
        at = bisect_left(self.items, key(item), key=key)
        if at < len(self.items) and self.items[at] is item:
            del self.items[at], self.places[at]


class Merged(Sliced[Collection]):
    """A sequence as it is with differences; nothing of it is copied."""

    __slots__ = ("_base", "_differences")

    def __init__(self, base: Sequence[Collection], differences: Differences) -> None:
        self._base = base
        self._differences = differences

    def __len__(self) -> int:
        differences = self._differences
        return len(self._base) - len(differences.out) + len(differences.items)

    def __iter__(self) -> Iterator[Collection]:
        return iter(self._part(0, len(self)))

    def _item(self, at: int) -> Collection:
        return self._part(at, at + 1)[0]

    def _part(self, start: int, stop: int) -> list[Collection]:
        if start >= stop:
            return []
        items = self._differences.items
        first, last = self._count_in(start), self._count_in(stop)
        found: list[Collection] = []
        done = start - first
        for number in range(first, last):
            upto = self._index_of(number) - number
            found += self._kept(done, upto)
            found.append(items[number])
            done = upto
        return found + self._kept(done, stop - last)

    def _index_of(self, number: int) -> int:
        """The index of what comes in as the number-th."""
        differences = self._differences
        place = differences.places[number]
        return number + place - bisect_left(differences.out, place)

    def _count_in(self, index: int) -> int:
        """How many of those that come in stand before an index."""
        # As many as the index at most, which makes it quick for the first pages.
        numbers = range(min(len(self._differences.items), index))
        return bisect_left(numbers, index, key=self._index_of)

    def _kept(self, start: int, stop: int) -> list[Collection]:
        """Of what is not taken out, the start-th up to the stop-th."""
        if start >= stop:
            return []
        out, base = self._differences.out, self._base
        first, last = self._count_out(start), self._count_out(stop - 1)
        at, end = start + first, stop + last
        if first == last:
            return list(base[at:end])
        # A few that stay, among many that do not.
        if last - first > _FAR * (stop - start):
            return [base[at + self._count_out(at)] for at in range(start, stop)]
        found: list[Collection] = []
        for gone in out[first:last]:
            found += base[at:gone]
            at = gone + 1
        return [*found, *base[at:end]]

    def _count_out(self, kept: int) -> int:
        """How many positions are taken out before the kept-th that is not."""
        out = self._differences.out
        # Nothing is taken out before the first pages of most lists: looking for it
        # would take 2 % of one.
        if not out or out[0] > kept:
            return 0
        return bisect_right(range(len(out)), kept, key=lambda n: out[n] - n)
