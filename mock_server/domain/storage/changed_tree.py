"""A folder tree with some collections changed.

A change costs as much as what it changes. The sorted listings of the base tree stay as
they are; a `Part` shows one of them with the differences.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import compress, count
from sys import getsizeof
from typing import Any, get_args

from mock_server.domain.memory import Holding
from mock_server.domain.objects.dataset import FolderTree, Tree
from mock_server.domain.objects.index import ANYWHERE, SORT_KEYS, Listing, Order, Within
from mock_server.domain.objects.models import Collection
from mock_server.domain.objects.pending import Steps, made, pieces
from mock_server.domain.storage.merged import Differences, Key
from mock_server.domain.storage.part import FoldedTexts, Part
from mock_server.domain.storage.spans import Spans

ORDERS: tuple[Order, ...] = get_args(Order)
_ByPart = dict[Within, dict[str, Collection]]
_FEW = 32
"""With at least this many items per lookup, bisection beats a scan."""
_PLACED = 512
"""Indexes in a base listing that are looked up in a step."""
_Placed = tuple[Collection, int | None]
"""A collection, and its number if it comes after the whole base."""


class ChangedTree(FolderTree):
    """A base tree with later changes, charged to `holding`.

    To put a collection is to add it, or to replace the one with its id. A replaced one
    keeps its place in fixture order; a created or moved one comes last. If a large
    folder is removed, its content in the base is hidden as a whole.
    """

    at_once = 256
    """Collections in one removal up to which parts are updated, and not rebuilt."""

    def __init__(self, base: Tree, holding: Holding) -> None:
        self.size = 0
        """Charged bytes."""
        self._base = base
        self._holding = holding
        # `_put`: new and replaced collections. `_out`: base collections removed or
        # replaced. Both by folder (and ANYWHERE), then by id.
        self._put: _ByPart = {ANYWHERE: {}}
        self._out: _ByPart = {ANYWHERE: {}}
        # Hidden collections of the base, as ranges of numbers in depth-first order.
        self._hidden = Spans()
        # Numbers in fixture order of collections that come after the whole base.
        self._last: dict[str, int] = {}
        self._next_number = len(base)
        self._folded = FoldedTexts()
        self._parts: dict[tuple[Order, Within], Part] = {}

    def copy(self, holding: Holding) -> ChangedTree:
        """Return an independent copy; its changes are not charged again."""
        copy = type(self)(self._base, holding)
        copy.size, copy.created = self.size, self.created
        copy._put = {within: it.copy() for within, it in self._put.items()}
        copy._out = {within: it.copy() for within, it in self._out.items()}
        copy._hidden = Spans(self._hidden.bounds)
        copy._last, copy._next_number = self._last.copy(), self._next_number
        copy._parts = {at: it.copy(copy._folded) for at, it in self._parts.items()}
        return copy

    @property
    def collections(self) -> Sequence[Collection]:
        return self.listing(ANYWHERE, "fixture").items

    def __len__(self) -> int:
        less = len(self._out[ANYWHERE]) + len(self._hidden)
        return len(self._base) - less + len(self._put[ANYWHERE])

    def __iter__(self) -> Iterator[Collection]:
        put, out = self._put[ANYWHERE], self._out[ANYWHERE]
        shown = self._hidden_in("fixture").translate(_INVERTED)
        for item in compress(self._base, shown):
            if item.id not in out:
                yield item
            elif item.id in put and item.id not in self._last:
                yield put[item.id]
        yield from map(put.__getitem__, self._last)

    def get(self, collection_id: str) -> Collection | None:
        put = self._put[ANYWHERE].get(collection_id)
        if put is not None or collection_id in self._out[ANYWHERE]:
            return put
        found = self._base.by_id.get(collection_id)
        return None if found and self._is_hidden(found.parent_id) else found

    def listing(self, within: Within, order: Order) -> Listing | Part:
        part = self._parts.get((order, within))
        if part is None:
            is_changed = self._put.get(within) or self._out.get(within)
            if not is_changed and not self._is_hidden(within):
                return self._base.listing(within, order)
            part = self._parts[order, within] = self._part(order, within)
        return part

    def large(self, order: Order) -> Mapping[Within, Listing]:
        return self._base.large(order)

    def children(self, folder: str | None) -> Sequence[Collection]:
        out = self._out.get(folder)
        kept = () if self._is_hidden(folder) else self._base.children(folder)
        if out:
            kept = [item for item in kept if item.id not in out]
        return [*kept, *self._put.get(folder, _NONE).values()]

    def parents(self) -> Set[Within]:
        return self._base.parents() | self._put.keys()

    def folders_in(self, folder: str | None) -> Iterable[str]:
        put, out = self._put.get(folder, _NONE), self._out.get(folder, _NONE)
        if not self._is_hidden(folder):
            yield from (
                each for each in self._base.folders_in(folder) if each not in out
            )
        loaded = self._base.parents()
        yield from (each for each in put if each in loaded or each in self._put)

    def number(self, item: Collection) -> int:
        is_put = self._put[ANYWHERE].get(item.id) is item
        return self._number(item) if is_put else self._base.number(item)

    def put(self, collection: Collection) -> None:
        """Insert a collection, or replace the one with its id. Raises LimitReached."""
        old = self.get(collection.id)
        more = _size_of(collection)
        if old is not None:
            is_put = old.id in self._put[ANYWHERE]
            more += -_size_of(old) if is_put else _OUT_BYTES
        self._charge(more)
        if old is not None:
            self._delete(old)
        if old is None or old.parent_id != collection.parent_id:
            self._last.pop(collection.id, None)
            self._last[collection.id] = self._next_number
            self._next_number += 1
        self._insert(collection)

    def put_all(self, collections: Sequence[Collection]) -> None:
        """Put several collections, or none. Raises LimitReached."""
        room = sum(_size_of(each) + _OUT_BYTES for each in collections)
        self._holding.charge(room)
        self._holding.charge(-room)
        for each in collections:
            self.put(each)

    def remove(self, ids: Iterable[str]) -> Set[str]:
        """Remove these collections and their descendants; ignore unknown ids.

        Returns the ids that were removed one by one. Raises LimitReached.
        """
        items = {each.id: each for each in map(self.get, ids) if each is not None}
        roots, loaded, hidden = {*items}, self._base.parents(), self._hidden
        if any(each in loaded or each in self._put for each in roots):
            parts = [each for each in self._put if each is not ANYWHERE]
            for part in parts:
                if not roots.isdisjoint(self.above(part)):
                    items |= self._put[part]
            hidden = self._hidden_without(items)
            if len(hidden) - len(self._hidden) <= self.at_once:
                hidden = self._hidden
                for root in roots:
                    items.update((each.id, each) for each in self.below(root))
        more = len(hidden) - len(self._hidden)
        put = self._put[ANYWHERE]
        freed = [_size_of(each) for each in items.values() if each.id in put]
        taken = _OUT_BYTES * (len(items) - len(freed)) + _HIDDEN_BYTES * more
        self._charge(taken - sum(freed))
        if more or len(items) > self.at_once:
            self._parts.clear()
        for item in items.values():
            self._delete(item)
            self._last.pop(item.id, None)
        if more:
            self._hide(hidden)
        return items.keys()

    def _hidden_without(self, ids: Iterable[str]) -> Spans:
        """Return the hidden spans after removing `ids`, except folders put since."""
        spans, hidden = self._base.spans, Spans(self._hidden.bounds)
        # A folder that was put may have moved, and keeps its content.
        put = [spans[each] for each in self._put[ANYWHERE] if each in spans]
        for first, end in (spans[each] for each in ids if each in spans):
            own = Spans((first, end))
            for span in put:
                if first <= span[0] and span[1] <= end and span != (first, end):
                    own.remove(*span)
            for span in own:
                hidden.add(*span)
        return hidden

    def _hide(self, hidden: Spans) -> None:
        """Hide spans, and drop single removals within them."""
        self._hidden = hidden
        for within in [each for each in self._out if each is not ANYWHERE]:
            if self._is_hidden(within):
                gone = self._out.pop(within)
                for own_id in gone:
                    del self._out[ANYWHERE][own_id]
                self._charge(-_OUT_BYTES * len(gone))

    def _is_hidden(self, within: Within) -> bool:
        """Return True if a folder's content in the base is hidden (ANYWHERE: any)."""
        if not self._hidden or within is ANYWHERE:
            return bool(self._hidden)
        span = self._base.spans.get(within)
        return span is not None and span[0] in self._hidden

    def _hidden_in(self, order: Order) -> bytearray:
        """Return one byte per base collection, in `order`: 1 if hidden."""
        size, spans = len(self._base), self._hidden
        is_most = 2 * len(spans) > size
        if is_most:
            spans = Spans((0, size))
            for span in self._hidden:
                spans.remove(*span)
        marks = bytearray([is_most]) * size
        for place in self._base.places(order, spans) if spans else ():
            marks[place] = not is_most
        return marks

    def _charge(self, more: int) -> None:
        self._holding.charge(more)
        self.size += more

    def _delete(self, item: Collection) -> None:
        """Remove a collection from the tree."""
        folder, is_put = item.parent_id, item.id in self._put[ANYWHERE]
        # Removing a large folder drops all parts, which saves this look-up.
        for order, part in self._parts_with(folder) if self._parts else ():
            if is_put:
                part.drop(item, self._key(order))
            else:
                part.take_out(self._place(order, part.base, item, None))
        if is_put:
            del self._put[ANYWHERE][item.id], self._put[folder][item.id]
            self._folded.pop(item, None)
            self.created -= item.id not in self._base.by_id
        else:
            self._out[ANYWHERE][item.id] = item
            self._out.setdefault(folder, {})[item.id] = item

    def _insert(self, item: Collection) -> None:
        """Insert a collection whose id is not in the tree."""
        folder = item.parent_id
        self._put[ANYWHERE][item.id] = item
        self._put.setdefault(folder, {})[item.id] = item
        self.created += item.id not in self._base.by_id
        for order, part in self._parts_with(folder):
            place = self._place(order, part.base, item, self._last.get(item.id))
            part.put_in(item, place, self._key(order))

    def _parts_with(self, folder: str | None) -> Iterator[tuple[Order, Part]]:
        """Yield the existing parts that contain a folder's collections."""
        for within in (ANYWHERE, folder):
            for order in ORDERS:
                part = self._parts.get((order, within))
                if part is not None:
                    yield order, part

    def _part(self, order: Order, within: Within) -> Part:
        base = self._base.listing(within, order)
        if within is not ANYWHERE and self._is_hidden(within):
            base = _EMPTY
        gone = [(item, None) for item in self._out.get(within, _NONE).values()]
        put = self._put.get(within, _NONE).values()
        added = [(item, self._last.get(item.id)) for item in put]
        placing = self._placing(order, base, [*gone, *added])
        known = made(self, (order, base), placing)

        def place(each: _Placed) -> int:
            # Collections that changed meanwhile are placed now.
            return known[each] if each in known else self._place(order, base, *each)

        def rank(each: _Placed) -> Any:
            # A number in fixture order takes as long to look up as a place.
            is_sorted = order != "fixture"
            return self._key(order)(each[0]) if is_sorted else (place(each), each[1])

        marks = bytearray()
        if within is ANYWHERE and self._hidden:
            marks = self._hidden_in(order)
        elif len(gone) * _FEW > len(base.items):
            marks = bytearray(len(base.items))
        if marks:
            for each in gone:
                marks[place(each)] = 1
            out = array("I", compress(count(), marks))
        else:
            out = array("I", sorted(map(place, gone)))
        added.sort(key=rank)
        part = Part(base, self._folded, marks)
        items, places = [item for item, _ in added], array("I", map(place, added))
        part.differences = Differences(out, items, places)
        return part

    def _placing(
        self, order: Order, base: Listing, items: Sequence[_Placed]
    ) -> Steps[dict[_Placed, int]]:
        places: dict[_Placed, int] = {}
        for _, some in pieces(items, _PLACED):
            places |= {each: self._place(order, base, *each) for each in some}
            yield
        return places

    def _key(self, order: Order) -> Key:
        return self._number if order == "fixture" else SORT_KEYS[order]

    def _number(self, put: Collection) -> int:
        """Return the number in fixture order of a collection in `_put`."""
        number = self._last.get(put.id)
        return self._base.number(self._base.by_id[put.id]) if number is None else number

    def _place(
        self, order: Order, base: Listing, item: Collection, last: int | None
    ) -> int:
        """Return the index in a base listing where a collection is or would be.

        `last` is its number if it comes after the whole base.
        """
        items = base.items
        if order != "fixture":
            key = SORT_KEYS[order]
            return bisect_left(items, key(item), key=key)
        # Last items and the whole base need no search: numbering takes a while.
        if last is not None:
            return len(items)
        number = self._base.number(self._base.by_id[item.id])
        if len(items) == len(self._base):
            return number
        return bisect_left(items, number, key=self._base.number)


_NONE: Mapping[str, Collection] = {}
_EMPTY = Listing(())

# Estimated bytes: of a put collection without its texts; of a removed one.
_PUT_BYTES, _OUT_BYTES = 400, 150
_HIDDEN_BYTES = 40  # a hidden collection: its places in lists and results
_INVERTED = bytes((1, 0)) * 128


def _size_of(each: Collection) -> int:
    # A search folds and keeps names and tags.
    folded = (each.name, *each.tags)
    texts = (each.type, each.tmb_id, each.training_type, each.external_file_id)
    more = (each.file_id or "", each.raw_link or "")
    return _PUT_BYTES + sum(map(getsizeof, (*folded, *folded, *texts, *more)))
