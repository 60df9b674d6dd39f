"""The sorted collections of a folder or a whole dataset after changes.

They are stored as differences from the listing of the base, which is never modified.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, get_args
from weakref import WeakKeyDictionary, ref

from mock_server.domain.objects.haystack import fold
from mock_server.domain.objects.index import (
    ANYWHERE,
    Hits,
    Listing,
    Order,
    Scope,
    Search,
)
from mock_server.domain.objects.models import Collection
from mock_server.domain.objects.pending import STEP, Steps, compute, in_steps, pieces
from mock_server.domain.storage.merged import ChangeLog, Differences, MergedSequence

ORDERS: tuple[Order, ...] = get_args(Order)
_STEP_CHARS = 8_192
"""Maximum number of characters to search in one step, so that each step stays short."""
CHARS_BESIDES = 16
"""Two texts that are longer by so many take their time, and that of one comparison."""
_PLACES_PER_LOOKUP = 16
"""Bisection is faster than a set if there are more places per lookup."""


class FoldedTexts(dict[Collection, tuple[str, ...]]):
    """Folded names and tags of collections, computed on access.

    They are stored for as long as the collection is in `put`, by its id.
    """

    def __init__(self, put: Mapping[str, Collection]) -> None:
        super().__init__()
        self.put = put

    def __missing__(self, item: Collection) -> tuple[str, ...]:
        texts = tuple(map(fold, (item.name, *item.tags)))
        if self.put.get(item.id) is item:
            self[item] = texts
        return texts


class ChangedListing:
    """Collections in one order: the listing `base`, changed by `differences`."""

    def __init__(
        self, base: Listing, folded: FoldedTexts, differences: Differences
    ) -> None:
        self.base = base
        self.differences = differences
        self._folded = folded
        # The latest results, oldest first. Only the base keeps the hits themselves:
        # they may be as large as a dataset, and many stores share a base.
        self._cached: dict[Search, tuple[ref[Hits], Differences]] = {}
        # All results that somebody holds, and those that are being computed.
        self._results = WeakKeyDictionary[
            Differences | ChangeLog, tuple[Search, ref[Hits]]
        ]()

    @property
    def items(self) -> MergedSequence:
        return MergedSequence(self.base.items, self.differences)

    def find(self, search: Search, max_cached: int) -> MergedSequence:
        """Return the matches in order; cache the results of `max_cached` searches.

        Raises NotReady.
        """
        hits, result = self.base.cached(search), self._cached.pop(search, None)
        if hits is not None and result is not None and result[0]() is hits:
            differences = result[1]
        else:
            # Computed together: a caller that waits for several searches finds each
            # result, even if the base has let its hits go.
            steps = self._find_in_steps(search, max_cached)
            hits, differences = compute(self, search, steps)
        if len(self._cached) >= max_cached:
            del self._cached[next(iter(self._cached))]
        self._cached[search] = ref(hits), differences
        return MergedSequence(hits, differences)

    def _find_in_steps(
        self, search: Search, max_cached: int
    ) -> Steps[tuple[Hits, Differences]]:
        """Return the hits in the base, and the differences of the matches here."""
        hits = yield from in_steps(partial(self.base.find, search, max_cached))
        return hits, (yield from self._differences_in_steps(hits, search))

    def remove(self, place: int) -> None:
        """Remove the collection at index `place` of the base."""
        self.differences.remove(place)
        for _, hits, differences in self._live_results():
            index = bisect_left(hits.indexes, place)
            if index < len(hits) and hits.indexes[index] == place:
                differences.remove(index)

    def insert(self, item: Collection, place: int, key: Any) -> None:
        """Insert a collection before the collection at index `place` of the base."""
        self.differences.insert(item, place, key)
        for search, hits, differences in self._live_results():
            folded = self._folded[item] if search.term else ()
            if search.matches(item, folded):
                differences.insert(item, bisect_left(hits.indexes, place), key)

    def remove_inserted(self, item: Collection, key: Any) -> None:
        """Remove a collection that was inserted before."""
        self.differences.remove_inserted(item, key)
        for _, _, differences in self._live_results():
            differences.remove_inserted(item, key)

    def _live_results(self) -> Iterator[tuple[Search, Hits, Differences | ChangeLog]]:
        """Yield the results whose hits the base still keeps."""
        for differences, (search, hits_ref) in self._results.items():
            hits = hits_ref()
            if hits is not None:
                yield search, hits, differences

    def _differences_in_steps(self, hits: Hits, search: Search) -> Steps[Differences]:
        """Return the differences between `hits` in the base and the matches here."""
        indexes = hits.indexes
        while True:
            log, own = ChangeLog(), self.differences.copy()
            self._results[log] = search, ref(hits)
            found = Differences((yield from _positions(indexes, own.removed)))
            inserted = zip(own.items, own.places, own.keys, strict=True)
            room = _STEP_CHARS
            for start, chunk in pieces(inserted):
                if start:
                    yield
                for item, place, key in chunk:
                    folded = self._folded[item] if search.term else ()
                    if search.matches(item, folded):
                        found.append(item, bisect_left(indexes, place), key)
                    room -= sum(map(len, folded))
                    # An item with long texts counts as several steps.
                    while room < 0:
                        yield
                        room += _STEP_CHARS
            if (yield from log.apply_in_steps(found, len(found.removed))):
                self._results[found] = search, ref(hits)
                return found


class ChangedListings(dict[tuple[Order, Scope], ChangedListing]):
    """The changed listings since the last large change, which drops them all."""

    is_used = False
    """True as soon as a listing is being built."""

    def __init__(self, tree: Any) -> None:
        super().__init__()
        self.tree: ref[Any] = ref(tree)
        """The ChangedTree whose listings these are."""
        # The changes since the start of each listing that is being built.
        self.logs = WeakKeyDictionary[ChangeLog, tuple[Order, Scope, Listing]]()

    def with_folder(
        self, folder: str | None
    ) -> Sequence[tuple[Order, Listing, ChangedListing | ChangeLog]]:
        """Return what a change in a folder changes: the order, the base, and itself."""
        if not self.is_used:  # a large change comes here very often
            return ()
        scopes = ANYWHERE, folder
        keys = [(order, scope) for scope in scopes for order in ORDERS]
        listings = [(key[0], self[key].base, self[key]) for key in keys if key in self]
        logs = [
            (order, base, log)
            for log, (order, scope, base) in self.logs.items()
            if scope in scopes
        ]
        return [*listings, *logs]

    def count_with(self, folder: str | None) -> int:
        """Return how many listings and results a change in a folder changes."""
        changed = self.with_folder(folder)
        listings = [each for *_, each in changed if isinstance(each, ChangedListing)]
        return len(changed) + sum(len(each._results) for each in listings)

    def term_chars(self, folder: str | None) -> int:
        """Return the length of all terms with which a change in a folder is compared.

        A character of a text may be compared with each character of these terms.
        `CHARS_BESIDES` are added to each, and have to be added to each text.
        """
        changed = (each for *_, each in self.with_folder(folder))
        listings = [each for each in changed if isinstance(each, ChangedListing)]
        terms = (
            search.term for each in listings for search, *_ in each._live_results()
        )
        return sum(len(term) + CHARS_BESIDES for term in terms)

    def drop_folder(self, folder: str) -> None:
        """Drop the listings of a folder that has no content any more."""
        for order in ORDERS:
            self.pop((order, folder), None)

    def containers(self) -> list[Any]:
        """Return all lists that the listings and their cached results hold."""
        lists: list[list[Any]] = []
        for listing in self.values():
            results = (each for _, each in listing._cached.values())
            for each in (listing.differences, *results):
                lists += each.items, each.keys
        return lists


def _positions(indexes: Sequence[int], places: array[int]) -> Steps[array[int]]:
    """Return the positions of those `indexes` that are `places` too; both ascend."""
    positions, is_first = array("I"), True
    for start in range(0, len(indexes), STEP):
        chunk = indexes[start : start + STEP]
        near = places[bisect_left(places, chunk[0]) : bisect_right(places, chunk[-1])]
        if not near:
            continue
        if not is_first:
            yield
        is_first = False
        if len(near) <= _PLACES_PER_LOOKUP * len(chunk):
            found = set(near)
        else:
            found = {at for at in chunk if near[bisect_right(near, at) - 1] == at}
        positions.extend(
            position for position, index in enumerate(chunk, start) if index in found
        )
    return positions
