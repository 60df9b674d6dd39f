"""A shared sequence with some items removed and others inserted."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from mock_server.domain.objects.blocks import Sliced
from mock_server.domain.objects.models import Collection

Key = Callable[[Collection], Any]
"""Sort key of collections."""


_FAR = 50
"""Removed items that are passed in the time of one search for a kept item."""


class Differences(Struct, eq=False):
    """Items to remove from a sorted sequence, and items to insert.

    `out` are the removed positions, ascending; each of `items` is inserted before the
    item at its position in `places`. Both are in the sequence's order.
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
        """Undo the insertion of an item, if any."""
        at = bisect_left(self.items, key(item), key=key)
        if at < len(self.items) and self.items[at] is item:
            del self.items[at], self.places[at]


class Merged(Sliced[Collection]):
    """A view of a sequence with differences, without a copy."""

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
        first, last = self._inserted_before(start), self._inserted_before(stop)
        found: list[Collection] = []
        done = start - first
        for number in range(first, last):
            upto = self._index_of(number) - number
            found += self._kept(done, upto)
            found.append(items[number])
            done = upto
        return found + self._kept(done, stop - last)

    def _index_of(self, number: int) -> int:
        """Return the index of the inserted item `number`."""
        differences = self._differences
        place = differences.places[number]
        return number + place - bisect_left(differences.out, place)

    def _inserted_before(self, index: int) -> int:
        """Return the number of inserted items before an index."""
        # At most `index` items, which makes the first pages fast.
        numbers = range(min(len(self._differences.items), index))
        return bisect_left(numbers, index, key=self._index_of)

    def _kept(self, start: int, stop: int) -> list[Collection]:
        """Return the kept items from number `start` to `stop`."""
        if start >= stop:
            return []
        out, base = self._differences.out, self._base
        first, last = self._removed_before(start), self._removed_before(stop - 1)
        at, end = start + first, stop + last
        if first == last:
            return list(base[at:end])
        # Few kept items among many removed ones.
        if last - first > _FAR * (stop - start):
            return [base[at + self._removed_before(at)] for at in range(start, stop)]
        found: list[Collection] = []
        for gone in out[first:last]:
            found += base[at:gone]
            at = gone + 1
        return [*found, *base[at:end]]

    def _removed_before(self, kept: int) -> int:
        """Return the number of removed positions before the kept item `kept`."""
        out = self._differences.out
        # Most lists have no removals before the first pages: searching would take 2 %.
        if not out or out[0] > kept:
            return 0
        return bisect_right(range(len(out)), kept, key=lambda n: out[n] - n)
