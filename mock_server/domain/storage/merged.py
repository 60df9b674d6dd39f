"""A view of a shared sequence, with some items removed and others inserted."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator, Sequence
from operator import methodcaller
from typing import Any

from mock_server.domain.objects.blocks import ComputedSequence
from mock_server.domain.objects.models import Collection
from mock_server.domain.objects.pending import Steps

MAX_MOVED_PLACES = 5_000_000
"""How many removed places, in all, may move in an array before others are served."""
_REMOVED_PER_SEARCH = 50
"""Number of removed items that can be skipped in the time of one binary search."""


class Differences:
    """Items to remove from a sorted sequence, and items to insert.

    `removed` has the indices of the removed items, ascending. `items` are inserted, in
    the order of their sort `keys`, each before the index with the same position in
    `places`.
    """

    def __init__(self, removed: array[int] | None = None) -> None:
        self.removed = array("I") if removed is None else removed
        self.items: list[Collection] = []
        self.keys: list[Any] = []
        self.places = array("I")

    def copy(self) -> Differences:
        """Return an independent copy."""
        copy = Differences(self.removed[:])
        copy.items, copy.keys = self.items[:], self.keys[:]
        copy.places = self.places[:]
        return copy

    def append(self, item: Collection, place: int, key: Any) -> None:
        """Insert an item whose key is greater than all keys so far."""
        self.items.append(item)
        self.keys.append(key)
        self.places.append(place)

    def remove(self, place: int) -> None:
        """Remove the item at index `place` of the sequence."""
        insort(self.removed, place)

    def insert(self, item: Collection, place: int, key: Any) -> None:
        """Insert an item with this sort key before index `place` of the sequence."""
        index = bisect_left(self.keys, key)
        self.items.insert(index, item)
        self.keys.insert(index, key)
        self.places.insert(index, place)

    def remove_inserted(self, item: Collection, key: Any) -> None:
        """Remove an inserted item; do nothing for any other item."""
        index = bisect_left(self.keys, key)
        if index < len(self.items) and self.items[index] is item:
            del self.items[index], self.keys[index], self.places[index]


class ChangeLog:
    """The changes since the start of steps that compute a sorted sequence."""

    max_length = 2_000
    """Maximum number of changes that are applied: more would hold up others."""

    def __init__(self) -> None:
        self._changes: list[Callable[[Any], None]] = []

    def remove(self, place: int) -> None:
        self._add("remove", place)

    def insert(self, item: Collection, place: int, key: Any) -> None:
        self._add("insert", item, place, key)

    def remove_inserted(self, item: Collection, key: Any) -> None:
        self._add("remove_inserted", item, key)

    def _add(self, method: str, *arguments: Any) -> None:
        if len(self._changes) <= self.max_length:
            self._changes.append(methodcaller(method, *arguments))

    def apply_in_steps(self, computed: Any, removed_count: int) -> Steps[bool]:
        """Apply the changes to what was computed; return False if there are too many.

        `removed_count` is the number of removed items in what was computed. Changes
        during the steps are applied, too.
        """
        count = max(1, MAX_MOVED_PLACES // (removed_count + 1))
        applied = 0
        while len(self._changes) <= self.max_length:
            for change in self._changes[applied : applied + count]:
                change(computed)
                applied += 1
            if applied == len(self._changes):
                return True
            yield
        return False


class MergedSequence(ComputedSequence[Collection]):
    """A sequence with differences, as a view that copies nothing."""

    __slots__ = ("_base", "_differences")

    def __init__(self, base: Sequence[Collection], differences: Differences) -> None:
        self._base = base
        self._differences = differences

    def __len__(self) -> int:
        changes = self._differences
        return len(self._base) - len(changes.removed) + len(changes.items)

    def __iter__(self) -> Iterator[Collection]:
        return iter(self._slice(0, len(self)))

    def _item(self, index: int) -> Collection:
        return self._slice(index, index + 1)[0]

    def _slice(self, start: int, stop: int) -> list[Collection]:
        if start >= stop:
            return []
        items = self._differences.items
        first, last = self._inserted_before(start), self._inserted_before(stop)
        result: list[Collection] = []
        position = start - first
        for number in range(first, last):
            end = self._index_of(number) - number
            result += self._remaining(position, end)
            result.append(items[number])
            position = end
        return result + self._remaining(position, stop - last)

    def _index_of(self, number: int) -> int:
        """Return the index of the inserted item `number`."""
        changes = self._differences
        place = changes.places[number]
        return number + place - bisect_left(changes.removed, place)

    def _inserted_before(self, index: int) -> int:
        """Return the number of inserted items before an index."""
        # There are at most `index` such items: a short range makes first pages fast.
        numbers = range(min(len(self._differences.items), index))
        return bisect_left(numbers, index, key=self._index_of)

    def _remaining(self, start: int, stop: int) -> list[Collection]:
        """Return items `start` to `stop` of those in the base that were not removed."""
        if start >= stop:
            return []
        removed, base = self._differences.removed, self._base
        first, last = self._removed_before(start), self._removed_before(stop - 1)
        begin, end = start + first, stop + last
        if first == last:
            return list(base[begin:end])
        # If nearly all items were removed, search for each one that remains.
        if last - first > _REMOVED_PER_SEARCH * (stop - start):
            return [
                base[number + self._removed_before(number)]
                for number in range(start, stop)
            ]
        result: list[Collection] = []
        for index in removed[first:last]:
            result += base[begin:index]
            begin = index + 1
        return [*result, *base[begin:end]]

    def _removed_before(self, number: int) -> int:
        """Return how many items were removed before the remaining item `number`."""
        removed = self._differences.removed
        # In most lists nothing was removed before the first pages, so skip the search.
        if not removed or removed[0] > number:
            return 0
        return bisect_right(range(len(removed)), number, key=lambda n: removed[n] - n)
