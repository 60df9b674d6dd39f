"""The sorted collections of a folder or a whole dataset after changes.

They are stored as differences from the listing of the base, which is never modified.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import compress, count
from typing import Any
from weakref import ref

from mock_server.domain.objects.haystack import fold
from mock_server.domain.objects.index import Hits, Listing, Search
from mock_server.domain.objects.models import Collection
from mock_server.domain.objects.pending import Steps, compute
from mock_server.domain.storage.merged import Differences, Key, MergedSequence

_STEP_CHARS = 8_192
"""Maximum number of characters to fold in one step, so that each step stays short."""


class FoldedTexts(dict[Collection, tuple[str, ...]]):
    """Folded names and tags of collections, computed on access."""

    def __missing__(self, item: Collection) -> tuple[str, ...]:
        texts = self[item] = tuple(map(fold, (item.name, *item.tags)))
        return texts


class ChangedListing:
    """Collections in one order: the listing `base`, changed by `differences`."""

    def __init__(
        self, base: Listing, folded: FoldedTexts, marks: bytearray | None = None
    ) -> None:
        self.base = base
        self.differences = Differences(array("I"), [], array("I"))
        # One byte for each item of the base: 1 if the item was removed. None or empty
        # unless many items were removed.
        self._marks = marks
        self._folded = folded
        # The latest results, oldest first. Only the base keeps the hits themselves:
        # they may be as large as a dataset, and many stores share a base.
        self._cached: dict[Search, tuple[ref[Hits], Differences]] = {}

    def copy(self, folded: FoldedTexts) -> ChangedListing:
        """Return an independent copy, without the cached results of searches."""
        copy = ChangedListing(self.base, folded, self._marks and self._marks[:])
        copy.differences = self.differences.copy()
        return copy

    @property
    def items(self) -> MergedSequence:
        return MergedSequence(self.base.items, self.differences)

    def find(self, search: Search, max_cached: int) -> MergedSequence:
        """Return the matches in order; cache the results of `max_cached` searches.

        Raises NotReady.
        """
        hits = self.base.find(search, max_cached)
        result = self._cached.get(search)
        if result is None or result[0]() is not hits:
            if search.term:
                self._fold_inserted()
            result = ref(hits), self._differences_to(hits, search)
        self._cached.pop(search, None)
        if len(self._cached) >= max_cached:
            del self._cached[next(iter(self._cached))]
        self._cached[search] = result
        return MergedSequence(hits, result[1])

    def _fold_inserted(self) -> None:
        """Fold the texts of all inserted items. Raises NotReady."""
        new = [item for item in self.differences.items if item not in self._folded]
        folded = compute(self, "folded", self._fold_in_steps(new))
        self._folded.update((item, folded[item]) for item in new if item in folded)

    @staticmethod
    def _fold_in_steps(items: Sequence[Collection]) -> Steps[FoldedTexts]:
        folded, room = FoldedTexts(), _STEP_CHARS
        for item in items:
            room -= sum(map(len, folded[item]))
            if room < 0:
                room = _STEP_CHARS
                yield
        return folded

    def remove(self, place: int) -> None:
        """Remove the collection at index `place` of the base."""
        self.differences.remove(place)
        if self._marks:
            self._marks[place] = 1
        for _, hits, differences in self._results():
            index = bisect_left(hits.indexes, place)
            if index < len(hits) and hits.indexes[index] == place:
                differences.remove(index)

    def insert(self, item: Collection, place: int, key: Key) -> None:
        """Insert a collection before the collection at index `place` of the base."""
        self.differences.insert(item, place, key)
        for search, hits, differences in self._results():
            if self._matches(search, item):
                differences.insert(item, bisect_left(hits.indexes, place), key)

    def remove_inserted(self, item: Collection, key: Key) -> None:
        """Remove a collection that was inserted before."""
        self.differences.remove_inserted(item, key)
        for _, _, differences in self._results():
            differences.remove_inserted(item, key)

    def _results(self) -> list[tuple[Search, Hits, Differences]]:
        """Return the results whose hits the base still keeps; drop all others."""
        cached = self._cached
        live = ((search, hits(), own) for search, (hits, own) in cached.items())
        results = [
            (search, hits, own) for search, hits, own in live if hits is not None
        ]
        if len(results) < len(cached):
            self._cached = {search: cached[search] for search, _, _ in results}
        return results

    def _differences_to(self, hits: Hits, search: Search) -> Differences:
        """Return the differences between `hits` in the base and the matches here."""
        indexes, changes = hits.indexes, self.differences
        removed: Iterable[int]
        if self._marks:
            removed = compress(count(), map(self._marks.__getitem__, indexes))
        else:
            places = changes.removed
            insertions = ((bisect_left(indexes, place), place) for place in places)
            removed = (
                index
                for index, place in insertions
                if index < len(hits) and indexes[index] == place
            )
        inserted = [
            (item, bisect_left(indexes, place))
            for item, place in zip(changes.items, changes.places, strict=True)
            if self._matches(search, item)
        ]
        items = [item for item, _ in inserted]
        return Differences(
            array("I", removed), items, array("I", (index for _, index in inserted))
        )

    def _matches(self, search: Search, item: Collection) -> bool:
        folded: Any = self._folded[item] if search.term else ()
        return search.matches(item, folded)
