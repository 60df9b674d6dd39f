"""Parts of a changed dataset in an order, as differences to the base."""

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
from mock_server.domain.objects.pending import Steps, made
from mock_server.domain.storage.merged import Differences, Key, Merged

_STEP_CHARS = 8_192
"""Characters to fold in a step; unordered marks take a millisecond."""


class FoldedTexts(dict[Collection, tuple[str, ...]]):
    """Folded names and tags of collections, computed on access."""

    def __missing__(self, item: Collection) -> tuple[str, ...]:
        texts = self[item] = tuple(map(fold, (item.name, *item.tags)))
        return texts


class Part:
    """A part of a dataset in an order: `base`, with `differences` to it."""

    def __init__(
        self, base: Listing, folded: FoldedTexts, marks: bytearray | None = None
    ) -> None:
        self.base = base
        self.differences = Differences(array("I"), [], array("I"))
        # 1 for each removed item of the base, if there are many.
        self._marks = marks
        self._folded = folded
        # The latest results, by age. Only the base keeps its hits: many stores must not
        # keep many results as large as a dataset.
        self._found: dict[Search, tuple[ref[Hits], Differences]] = {}

    def copy(self, folded: FoldedTexts) -> Part:
        """Return an independent copy; its searches run again."""
        copy = Part(self.base, folded, self._marks and self._marks[:])
        copy.differences = self.differences.copy()
        return copy

    @property
    def items(self) -> Merged:
        return Merged(self.base.items, self.differences)

    def find(self, search: Search, kept: int) -> Merged:
        """Return the matches in order; the results of `kept` searches are cached.

        Raises NotReady.
        """
        hits = self.base.find(search, kept)
        found = self._found.get(search)
        if found is None or found[0]() is not hits:
            if search.term:
                self._fold()
            found = ref(hits), self._differences_to(hits, search)
        self._found.pop(search, None)
        if len(self._found) >= kept:
            del self._found[next(iter(self._found))]
        self._found[search] = found
        return Merged(hits, found[1])

    def _fold(self) -> None:
        """Fold the texts of all inserted items. Raises NotReady."""
        new = [it for it in self.differences.items if it not in self._folded]
        known = made(self, "folded", self._folding(new))
        self._folded.update((it, known[it]) for it in new if it in known)

    @staticmethod
    def _folding(items: Sequence[Collection]) -> Steps[FoldedTexts]:
        folded, room = FoldedTexts(), _STEP_CHARS
        for item in items:
            room -= sum(map(len, folded[item]))
            if room < 0:
                room = _STEP_CHARS
                yield
        return folded

    def take_out(self, place: int) -> None:
        """Remove the collection at a place of the base."""
        self.differences.take_out(place)
        if self._marks:
            self._marks[place] = 1
        for _, hits, differences in self._results():
            at = bisect_left(hits.indices, place)
            if at < len(hits) and hits.indices[at] == place:
                differences.take_out(at)

    def put_in(self, item: Collection, place: int, key: Key) -> None:
        """Insert a collection before the one at a place of the base."""
        self.differences.put_in(item, place, key)
        for search, hits, differences in self._results():
            if self._matches(search, item):
                differences.put_in(item, bisect_left(hits.indices, place), key)

    def drop(self, item: Collection, key: Key) -> None:
        """Remove a collection that was inserted."""
        self.differences.drop(item, key)
        for _, _, differences in self._results():
            differences.drop(item, key)

    def _results(self) -> list[tuple[Search, Hits, Differences]]:
        """Return the results whose hits the base still keeps."""
        found = ((search, it[0](), it[1]) for search, it in self._found.items())
        results = [(search, hits, it) for search, hits, it in found if hits is not None]
        if len(results) < len(self._found):
            self._found = {search: self._found[search] for search, _, _ in results}
        return results

    def _differences_to(self, hits: Hits, search: Search) -> Differences:
        """Return the differences of this part to the hits in the base."""
        indices, whole = hits.indices, self.differences
        out: Iterable[int]
        if self._marks:
            out = compress(count(), map(self._marks.__getitem__, indices))
        else:
            at_out = ((bisect_left(indices, place), place) for place in whole.out)
            out = (at for at, it in at_out if at < len(hits) and indices[at] == it)
        both = zip(whole.items, whole.places, strict=True)
        added = [(item, it) for item, it in both if self._matches(search, item)]
        before = (bisect_left(indices, place) for _, place in added)
        return Differences(
            array("I", out), [item for item, _ in added], array("I", before)
        )

    def _matches(self, search: Search, item: Collection) -> bool:
        folded: Any = self._folded[item] if search.term else ()
        return search.matches(item, folded)
