"""A folder tree with some collections changed.

A change costs what it changes: listings, sorted orders and search results of the tree
below stay as they are, and each is shown with the differences that concern it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from sys import getsizeof
from typing import Any, get_args
from weakref import ref

from mock_server.domain.memory import Holding
from mock_server.domain.objects.dataset import FolderTree, Tree
from mock_server.domain.objects.haystack import fold
from mock_server.domain.objects.index import (
    ANYWHERE,
    SORT_KEYS,
    Hits,
    Listing,
    Order,
    Search,
    Within,
)
from mock_server.domain.objects.models import Collection
from mock_server.domain.storage.merged import Differences, Key, Merged

ORDERS: tuple[Order, ...] = get_args(Order)
_ByPart = dict[Within, dict[str, Collection]]
_AT_ONCE = 256
"""Changes: for more of them, parts are made anew rather than changed one by one."""
_FEW = 32
"""To look one of so many up by bisection takes as long as to look through all."""


class ChangedTree(FolderTree):
    """A tree and what has been changed in it since, charged to `holding`.

    What is replaced keeps its place in document order; what is created or goes to
    another folder comes last.
    """

    def __init__(self, base: Tree, holding: Holding) -> None:
        self.size = 0
        """The bytes that are charged for it."""
        self._base = base
        self._holding = holding
        # What has been put; what is no longer there, or as it was, of those below. By
        # id, of each folder and of them all.
        self._put: _ByPart = {ANYWHERE: {}}
        self._out: _ByPart = {ANYWHERE: {}}
        # The numbers in document order of those that come after all below.
        self._last: dict[str, int] = {}
        self._next_number = len(base)
        self._folded = FoldedTexts()
        self._parts: dict[tuple[Order, Within], Part] = {}

    def copy(self, holding: Holding) -> ChangedTree:
        """One that changes on its own; what it holds is not charged again."""
        copy = ChangedTree(self._base, holding)
        copy.size, copy.created = self.size, self.created
        copy._put = {within: it.copy() for within, it in self._put.items()}
        copy._out = {within: it.copy() for within, it in self._out.items()}
        copy._last, copy._next_number = self._last.copy(), self._next_number
        copy._parts = {at: it.copy(copy._folded) for at, it in self._parts.items()}
        return copy

    @property
    def collections(self) -> Sequence[Collection]:
        return self.listing(ANYWHERE, "fixture").items

    def __len__(self) -> int:
        return len(self._base) - len(self._out[ANYWHERE]) + len(self._put[ANYWHERE])

    def __iter__(self) -> Iterator[Collection]:
        put, out = self._put[ANYWHERE], self._out[ANYWHERE]
        for item in self._base:
            if item.id not in out:
                yield item
            elif item.id in put and item.id not in self._last:
                yield put[item.id]
        yield from map(put.__getitem__, self._last)

    def get(self, collection_id: str) -> Collection | None:
        put = self._put[ANYWHERE].get(collection_id)
        if put is not None or collection_id in self._out[ANYWHERE]:
            return put
        return self._base.by_id.get(collection_id)

    def listing(self, within: Within, order: Order) -> Listing | Part:
        part = self._parts.get((order, within))
        if part is None:
            if not self._put.get(within) and not self._out.get(within):
                return self._base.listing(within, order)
            part = self._parts[order, within] = self._part(order, within)
        return part

    def large(self, order: Order) -> Mapping[Within, Listing]:
        return self._base.large(order)

    def children(self, folder: str | None) -> Sequence[Collection]:
        out = self._out.get(folder)
        kept = self._base.children(folder)
        if out:
            kept = [item for item in kept if item.id not in out]
        return [*kept, *self._put.get(folder, _NONE).values()]

    def parents(self) -> Set[Within]:
        return self._base.parents() | self._put.keys()

    def put(self, collection: Collection) -> None:
        """Have a collection in place of the one of its id. Raises LimitReached."""
        old = self.get(collection.id)
        more = _size_of(collection)
        if old is not None:
            is_put = old.id in self._put[ANYWHERE]
            more += -_size_of(old) if is_put else _OUT_BYTES
        self._charge(more)
        if old is not None:
            self._take(old)
        if old is None or old.parent_id != collection.parent_id:
            self._last.pop(collection.id, None)
            self._last[collection.id] = self._next_number
            self._next_number += 1
        self._bring(collection)

    def put_all(self, collections: Sequence[Collection]) -> None:
        """Put several collections, or none. Raises LimitReached."""
        room = sum(_size_of(each) + _OUT_BYTES for each in collections)
        self._holding.charge(room)
        self._holding.charge(-room)
        for each in collections:
            self.put(each)

    def remove(self, ids: Iterable[str]) -> None:
        """Remove collections, those that there are. Raises LimitReached."""
        found = map(self.get, dict.fromkeys(ids))
        items = [item for item in found if item is not None]
        put = self._put[ANYWHERE]
        freed = [_size_of(item) for item in items if item.id in put]
        self._charge(_OUT_BYTES * (len(items) - len(freed)) - sum(freed))
        if len(items) > _AT_ONCE:
            self._parts.clear()
        for item in items:
            self._take(item)
            self._last.pop(item.id, None)

    def _charge(self, more: int) -> None:
        self._holding.charge(more)
        self.size += more

    def _take(self, item: Collection) -> None:
        """Have a collection that there is no longer there."""
        folder, is_put = item.parent_id, item.id in self._put[ANYWHERE]
        # Of a large folder, all parts have been dropped: to look for them takes long.
        for order, part in self._parts_with(folder) if self._parts else ():
            if is_put:
                part.drop(item, self._key(order))
            else:
                part.take_out(self._place(order, part, item, is_put=False))
        if is_put:
            del self._put[ANYWHERE][item.id], self._put[folder][item.id]
            self._folded.pop(item, None)
            self.created -= item.id not in self._base.by_id
        else:
            self._out[ANYWHERE][item.id] = item
            self._out.setdefault(folder, {})[item.id] = item

    def _bring(self, item: Collection) -> None:
        """Have a collection there of whose id there is none."""
        folder = item.parent_id
        self._put[ANYWHERE][item.id] = item
        self._put.setdefault(folder, {})[item.id] = item
        self.created += item.id not in self._base.by_id
        for order, part in self._parts_with(folder):
            place = self._place(order, part, item, is_put=True)
            part.put_in(item, place, self._key(order))

    def _parts_with(self, folder: str | None) -> Iterator[tuple[Order, Part]]:
        """The parts that have been made and that hold what is in a folder."""
        for within in (ANYWHERE, folder):
            for order in ORDERS:
                part = self._parts.get((order, within))
                if part is not None:
                    yield order, part

    def _part(self, order: Order, within: Within) -> Part:
        part = Part(self._base.listing(within, order), self._folded)
        gone, items = self._out.get(within, _NONE), part.base.items
        if len(gone) * _FEW > len(items):
            out = [at for at, item in enumerate(items) if item.id in gone]
        else:
            out = sorted(
                self._place(order, part, item, is_put=False) for item in gone.values()
            )
        added = sorted(self._put.get(within, _NONE).values(), key=self._key(order))
        before = (self._place(order, part, item, is_put=True) for item in added)
        part.differences = Differences(array("I", out), added, array("I", before))
        return part

    def _key(self, order: Order) -> Key:
        return self._number if order == "fixture" else SORT_KEYS[order]

    def _number(self, put: Collection) -> int:
        """The number in document order of a collection that has been put."""
        number = self._last.get(put.id)
        return (
            self._base.number(self._out[ANYWHERE][put.id]) if number is None else number
        )

    def _place(
        self, order: Order, part: Part, item: Collection, *, is_put: bool
    ) -> int:
        """The index in the part below at which a collection stands, or would."""
        items = part.base.items
        if order != "fixture":
            key = SORT_KEYS[order]
            return bisect_left(items, key(item), key=key)
        base = self._base
        number = self._number(item) if is_put else base.number(item)
        # What comes last and what stands in the whole need no search: numbering all
        # collections takes a while.
        if number >= len(base):
            return len(items)
        if len(items) == len(base):
            return number
        return bisect_left(items, number, key=base.number)


class FoldedTexts(dict[Collection, tuple[str, ...]]):
    """The names and tags of collections as searches compare them, once needed."""

    def __missing__(self, item: Collection) -> tuple[str, ...]:
        texts = self[item] = tuple(map(fold, (item.name, *item.tags)))
        return texts


class Part:
    """A part of a dataset in an order (`base`), with the differences to it."""

    def __init__(self, base: Listing, folded: FoldedTexts) -> None:
        self.base = base
        self.differences = Differences(array("I"), [], array("I"))
        self._folded = folded
        # The latest results, by age. The base keeps what they are differences to: many
        # stores may not hold on to many results, each as large as a dataset.
        self._found: dict[Search, tuple[ref[Hits], Differences]] = {}

    def copy(self, folded: FoldedTexts) -> Part:
        """A part that changes on its own; results are found anew."""
        copy = Part(self.base, folded)
        copy.differences = self.differences.copy()
        return copy

    @property
    def items(self) -> Merged:
        return Merged(self.base.items, self.differences)

    def find(self, search: Search, kept: int) -> Merged:
        """The collections that a search matches, in order; `kept` results are kept."""
        hits = self.base.find(search, kept)
        found = self._found.pop(search, None)
        if found is None or found[0]() is not hits:
            found = ref(hits), self._differences_to(hits, search)
            if len(self._found) >= kept:
                del self._found[next(iter(self._found))]
        self._found[search] = found
        return Merged(hits, found[1])

    def take_out(self, place: int) -> None:
        """Take out the collection at a place of the base."""
        self.differences.take_out(place)
        for _, hits, differences in self._results():
            at = bisect_left(hits.indices, place)
            if at < len(hits) and hits.indices[at] == place:
                differences.take_out(at)

    def put_in(self, item: Collection, place: int, key: Key) -> None:
        """Have a collection before the one at a place of the base."""
        self.differences.put_in(item, place, key)
        for search, hits, differences in self._results():
            if self._matches(search, item):
                differences.put_in(item, bisect_left(hits.indices, place), key)

    def drop(self, item: Collection, key: Key) -> None:
        """No longer have a collection that has been put in."""
        self.differences.drop(item, key)
        for _, _, differences in self._results():
            differences.drop(item, key)

    def _results(self) -> list[tuple[Search, Hits, Differences]]:
        """The results that are still kept below."""
        found = ((search, it[0](), it[1]) for search, it in self._found.items())
        results = [(search, hits, it) for search, hits, it in found if hits is not None]
        if len(results) < len(self._found):
            self._found = {search: self._found[search] for search, _, _ in results}
        return results

    def _differences_to(self, hits: Hits, search: Search) -> Differences:
        """What becomes of a search's result below."""
        indices, whole = hits.indices, self.differences
        at_out = ((bisect_left(indices, place), place) for place in whole.out)
        out = (at for at, place in at_out if at < len(hits) and indices[at] == place)
        both = zip(whole.items, whole.places, strict=True)
        added = [(item, it) for item, it in both if self._matches(search, item)]
        before = (bisect_left(indices, place) for _, place in added)
        return Differences(
            array("I", out), [item for item, _ in added], array("I", before)
        )

    def _matches(self, search: Search, item: Collection) -> bool:
        folded: Any = self._folded[item] if search.term else ()
        return search.matches(item, folded)


_NONE: Mapping[str, Collection] = {}

# About what these take: a collection that has been put, without its texts; one that is
# taken out.
_PUT_BYTES, _OUT_BYTES = 400, 150


def _size_of(each: Collection) -> int:
    # A search folds names and tags, and keeps that.
    folded = (each.name, *each.tags)
    texts = (each.type, each.tmb_id, each.training_type, each.external_file_id)
    more = (each.file_id or "", each.raw_link or "")
    return _PUT_BYTES + sum(map(getsizeof, (*folded, *folded, *texts, *more)))
