"""A folder tree with some collections changed.

The cost of a change depends on the number of changed collections, not on the size of
the tree. The sorted listings of the base tree are never modified: a `ChangedListing`
combines one of them with the changes.

The *number* of a collection is its index in fixture order, its *place* the index in a
sorted listing. A large removed folder is *hidden*: its content is skipped by number.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import compress, count
from sys import getsizeof
from typing import Any, get_args
from weakref import WeakKeyDictionary

from mock_server.domain.memory import MemoryCharge
from mock_server.domain.objects.dataset import Tree
from mock_server.domain.objects.folder_tree import FolderTree
from mock_server.domain.objects.index import ANYWHERE, SORT_KEYS, Listing, Order, Scope
from mock_server.domain.objects.models import Collection
from mock_server.domain.objects.pending import (
    STEP,
    Steps,
    complete,
    compute,
    pieces,
    sorted_indexes,
)
from mock_server.domain.storage.changed_listing import ChangedListing, FoldedTexts
from mock_server.domain.storage.merged import ChangeLog, Differences
from mock_server.domain.storage.spans import Spans

ORDERS: tuple[Order, ...] = get_args(Order)
_ByFolder = dict[Scope, dict[str, Collection]]
_LOOKUPS_PER_STEP = 512
"""Maximum number of indexes in a base listing that are looked up in one step."""


class _Listings(dict[tuple[Order, Scope], ChangedListing]):
    """The changed listings since the last large change, which drops them all."""

    is_used = False
    """True as soon as a listing is being built."""

    def __init__(self) -> None:
        super().__init__()
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


class ChangedTree(FolderTree):
    """A base tree with later changes, charged to `charge`.

    `put` adds a collection, or replaces the collection with the same id. A replaced
    collection keeps its number; a new one, or one that moves to another
    folder, comes last. Removing a large folder hides its content in the base at once.
    """

    max_single_removals = 256
    """Maximum number of collections in one removal for which listings are updated.

    A larger removal drops all changed listings, which are then built when needed.
    """

    def __init__(self, base: Tree, charge: MemoryCharge) -> None:
        self.size = 0
        """Charged bytes."""
        self._base = base
        self._charge = charge
        # `_put`: new and replacing collections. `_removed`: collections of the base
        # that were removed or replaced. Both by folder (and ANYWHERE), then by id.
        self._put: _ByFolder = {ANYWHERE: {}}
        self._removed: _ByFolder = {ANYWHERE: {}}
        # Hidden collections of the base, as spans of numbers in depth-first order.
        self._hidden = Spans()
        # By id: numbers in fixture order of collections that come after the base.
        self._appended_numbers: dict[str, int] = {}
        self._next_number = len(base)
        self._folded = FoldedTexts(self._put[ANYWHERE])
        self._listings = _Listings()

    def copy(self, charge: MemoryCharge) -> ChangedTree:
        """Return an independent copy; its changes are not charged again."""
        copy = type(self)(self._base, charge)
        copy.size, copy.created = self.size, self.created
        copy._put = {folder: items.copy() for folder, items in self._put.items()}
        copy._removed = {
            folder: items.copy() for folder, items in self._removed.items()
        }
        copy._folded = FoldedTexts(copy._put[ANYWHERE])
        copy._hidden = Spans(self._hidden.bounds)
        copy._appended_numbers = self._appended_numbers.copy()
        copy._next_number = self._next_number
        for key, listing in self._listings.items():
            copy._listings[key] = listing.copy(copy._folded)
        return copy

    @property
    def collections(self) -> Sequence[Collection]:
        return self.listing(ANYWHERE, "fixture").items

    def __len__(self) -> int:
        gone_count = len(self._removed[ANYWHERE]) + len(self._hidden)
        return len(self._base) - gone_count + len(self._put[ANYWHERE])

    def __iter__(self) -> Iterator[Collection]:
        put, removed = self._put[ANYWHERE], self._removed[ANYWHERE]
        is_shown = complete(self._hidden_in("fixture")).translate(_INVERTED)
        for item in compress(self._base, is_shown):
            if item.id not in removed:
                yield item
            elif item.id in put and item.id not in self._appended_numbers:
                yield put[item.id]
        yield from map(put.__getitem__, self._appended_numbers)

    def get(self, collection_id: str) -> Collection | None:
        put = self._put[ANYWHERE].get(collection_id)
        if put is not None or collection_id in self._removed[ANYWHERE]:
            return put
        item = self._base.by_id.get(collection_id)
        return None if item and self._is_hidden(item.parent_id) else item

    @property
    def loaded(self) -> Tree:
        return self._base

    @property
    def put_collections(self) -> Iterable[Collection]:
        return self._put[ANYWHERE].values()

    def listing(self, scope: Scope, order: Order) -> Listing | ChangedListing:
        listing = self._listings.get((order, scope))
        if listing is None:
            is_changed = self._put.get(scope) or self._removed.get(scope)
            if not is_changed and not self._is_hidden(scope):
                return self._base.listing(scope, order)
            base = self._base.listing(scope, order)
            if scope is not ANYWHERE and self._is_hidden(scope):
                base = _EMPTY
            steps = self._build_in_steps(order, scope, base)
            listing = compute(self._listings, (order, scope), steps)
        return listing

    def large(self, order: Order) -> Mapping[Scope, Listing]:
        return self._base.large(order)

    def children(self, folder: str | None) -> Sequence[Collection]:
        removed = self._removed.get(folder)
        loaded = () if self._is_hidden(folder) else self._base.children(folder)
        if removed:
            loaded = [item for item in loaded if item.id not in removed]
        return [*loaded, *self._put.get(folder, _NO_COLLECTIONS).values()]

    def parents(self) -> Set[Scope]:
        return self._base.parents() | self._put.keys()

    def folders_in(self, folder: str | None) -> Iterable[str]:
        put, removed = (
            self._put.get(folder, _NO_COLLECTIONS),
            self._removed.get(folder, _NO_COLLECTIONS),
        )
        if not self._is_hidden(folder):
            yield from (
                each for each in self._base.folders_in(folder) if each not in removed
            )
        base_folders = self._base.parents()
        yield from (each for each in put if each in base_folders or each in self._put)

    def number(self, item: Collection) -> int:
        is_put = self._put[ANYWHERE].get(item.id) is item
        numbers = self._appended_numbers if is_put else {}
        number: int = self._key("fixture", item, numbers)
        return number

    def put(self, collection: Collection) -> None:
        """Add a collection, or replace the collection with this id.

        Raises LimitReached.
        """
        self.put_all([collection])

    def put_all(self, collections: Sequence[Collection]) -> None:
        """Put all these collections, which have different ids.

        If memory is short, put none of them and raise LimitReached.
        """
        olds = [self.get(each.id) for each in collections]
        self._add_size(sum(map(self._growth, collections, olds)))
        if len(collections) > self.max_single_removals:
            self._listings = _Listings()
        for collection, old in zip(collections, olds, strict=True):
            if old is not None:
                self._delete(old)
            if old is None or old.parent_id != collection.parent_id:
                self._appended_numbers.pop(collection.id, None)
                self._appended_numbers[collection.id] = self._next_number
                self._next_number += 1
            self._insert(collection)

    def _growth(self, collection: Collection, old: Collection | None) -> int:
        """Return how many more bytes the tree takes if `collection` replaces `old`."""
        if old is None:
            return _size_of(collection)
        is_put = old.id in self._put[ANYWHERE]
        return _size_of(collection) + (-_size_of(old) if is_put else _REMOVED_BYTES)

    def remove(self, ids: Iterable[str]) -> Set[str]:
        """Remove these collections and their descendants; ignore unknown ids.

        Returns the ids of the removed collections, except those in folders that are
        hidden. Raises LimitReached.
        """
        items = {each.id: each for each in map(self.get, ids) if each is not None}
        roots, base_folders = {*items}, self._base.parents()
        hidden = self._hidden
        if any(each in base_folders or each in self._put for each in roots):
            folders = [each for each in self._put if each is not ANYWHERE]
            for folder in folders:
                if not roots.isdisjoint(self.folder_path(folder)):
                    items |= self._put[folder]
            hidden = self._hidden_after_removal(items.keys())
            if len(hidden) - len(self._hidden) <= self.max_single_removals:
                hidden = self._hidden
                for root in roots:
                    items.update((each.id, each) for each in self.descendants(root))
        newly_hidden = len(hidden) - len(self._hidden)
        put = self._put[ANYWHERE]
        freed = [_size_of(each) for each in items.values() if each.id in put]
        taken = _REMOVED_BYTES * (len(items) - len(freed))
        self._add_size(taken + _HIDDEN_BYTES * newly_hidden - sum(freed))
        if newly_hidden or len(items) > self.max_single_removals:
            self._listings = _Listings()
        for item in items.values():
            self._delete(item)
            self._appended_numbers.pop(item.id, None)
        if newly_hidden:
            self._hide(hidden)
        return items.keys()

    def _hidden_after_removal(self, ids: Set[str]) -> Spans:
        """Return the hidden spans as they would be after a removal of `ids`.

        A folder that was moved out of a removed one keeps its content.
        """
        spans, newly_hidden, hidden = self._base.spans, Spans(), Spans()
        folders = [each for each in self._put[ANYWHERE].keys() | ids if each in spans]
        # Each folder comes before its subfolders, which overrule it.
        for each in sorted(folders, key=spans.__getitem__):
            first, end = spans[each]
            if each in ids:
                newly_hidden.add(first, end)
            elif first in newly_hidden:
                newly_hidden.remove(first, end)
        for span in sorted([*self._hidden, *newly_hidden]):
            hidden.add(*span)
        return hidden

    def _hide(self, hidden: Spans) -> None:
        """Replace the hidden spans, and forget single removals within them."""
        self._hidden, count_before = hidden, len(self._removed[ANYWHERE])
        for folder in [each for each in self._removed if each is not ANYWHERE]:
            if self._is_hidden(folder):
                for own_id in self._removed.pop(folder):
                    del self._removed[ANYWHERE][own_id]
        freed_count = count_before - len(self._removed[ANYWHERE])
        self._add_size(-_REMOVED_BYTES * freed_count)

    def _is_hidden(self, scope: Scope) -> bool:
        """Return True if the base's content of a folder is hidden.

        For ANYWHERE, return True if any collection is hidden.
        """
        if not self._hidden or scope is ANYWHERE:
            return bool(self._hidden)
        span = self._base.spans.get(scope)
        return span is not None and span[0] in self._hidden

    def _hidden_in(self, order: Order) -> Steps[bytearray]:
        """Return one byte for each collection of the base, in `order`: 1 if hidden."""
        size, spans = len(self._base), self._hidden
        is_mostly_hidden = 2 * len(spans) > size
        if is_mostly_hidden:
            spans = Spans((0, size))
            for span in self._hidden:
                spans.remove(*span)
        marks = yield from self._base.marks_in_steps(order, spans)
        return marks.translate(_INVERTED) if is_mostly_hidden else marks

    def _add_size(self, size: int) -> None:
        self._charge.add(size)
        self.size += size

    def _delete(self, item: Collection) -> None:
        """Remove a collection from the tree."""
        folder, is_put = item.parent_id, item.id in self._put[ANYWHERE]
        for order, base, listing in self._listings.with_folder(folder):
            key = self._key(order, item, self._appended_numbers)
            if is_put:
                listing.remove_inserted(item, key)
            else:
                listing.remove(self._place(order, base, key))
        if is_put:
            del self._put[ANYWHERE][item.id], self._put[folder][item.id]
            self._folded.pop(item, None)
            self.created -= item.id not in self._base.by_id
        else:
            self._removed[ANYWHERE][item.id] = item
            self._removed.setdefault(folder, {})[item.id] = item

    def _insert(self, item: Collection) -> None:
        """Insert a collection whose id is not in the tree."""
        folder = item.parent_id
        self._put[ANYWHERE][item.id] = item
        self._put.setdefault(folder, {})[item.id] = item
        self.created += item.id not in self._base.by_id
        for order, base, listing in self._listings.with_folder(folder):
            key = self._key(order, item, self._appended_numbers)
            listing.insert(item, self._place(order, base, key), key)

    def _build_in_steps(
        self, order: Order, scope: Scope, base: Listing
    ) -> Steps[ChangedListing]:
        """Build the listing of a folder or the whole dataset, and store it."""
        listings = self._listings
        while True:
            log = ChangeLog()
            listings.is_used, listings.logs[log] = True, (order, scope, base)
            gone = [*self._removed.get(scope, _NO_COLLECTIONS).values()]
            put = [*self._put.get(scope, _NO_COLLECTIONS).values()]
            numbers = self._appended_numbers.copy()
            marks = bytearray()
            if scope is ANYWHERE and self._hidden:
                marks = yield from self._hidden_in(order)
            _, places = yield from self._places_in_steps(order, base, gone, {})
            removed = yield from _sorted_places(places, marks, len(base.items))
            keys, places = yield from self._places_in_steps(order, base, put, numbers)
            differences = Differences(removed)
            in_order = yield from sorted_indexes(keys, lambda key: key)
            for start, chunk in pieces(in_order):
                if start:
                    yield
                for index in chunk:
                    differences.append(put[index], places[index], keys[index])
            listing = ChangedListing(base, self._folded, differences)
            if log.is_applied(listing):
                listings[order, scope] = listing
                return listing

    def _places_in_steps(
        self,
        order: Order,
        base: Listing,
        items: Sequence[Collection],
        numbers: Mapping[str, int],
    ) -> Steps[tuple[list[Any], array[int]]]:
        """Return the sort key of each item, and its place in a base listing."""
        keys: list[Any] = []
        places = array("I")
        for start, chunk in pieces(items, _LOOKUPS_PER_STEP):
            if start:
                yield
            keys += [self._key(order, each, numbers) for each in chunk]
            places.extend(self._place(order, base, key) for key in keys[start:])
        return keys, places

    def _key(self, order: Order, item: Collection, numbers: Mapping[str, int]) -> Any:
        """Return the sort key of a collection.

        `numbers` has its number by id if it comes after all of the base.
        """
        if order != "fixture":
            return SORT_KEYS[order](item)
        number = numbers.get(item.id)
        return (
            self._base.number(self._base.by_id[item.id]) if number is None else number
        )

    def _place(self, order: Order, base: Listing, key: Any) -> int:
        """Return the index in a base listing of the collection with this sort key."""
        items = base.items
        if order != "fixture":
            return bisect_left(items, key, key=SORT_KEYS[order])
        # Avoid numbering the base, which is slow, for two simple cases: an item after
        # all of the base, and a listing of the whole base.
        if key >= len(self._base):
            return len(items)
        if len(items) == len(self._base):
            number: int = key
            return number
        return bisect_left(items, key, key=self._base.number)


def _sorted_places(
    places: array[int], marks: bytearray, size: int
) -> Steps[array[int]]:
    """Return the places in ascending order, together with those that have marks.

    `marks` has one byte for each of `size` places, or is empty.
    """
    if not marks and len(places) <= STEP:
        return array("I", sorted(places))
    marks = marks or bytearray(size)
    for start, chunk in pieces(places):
        if start:
            yield
        for place in chunk:
            marks[place] = 1
    in_order = array("I")
    for start, chunk in pieces(marks):
        if start:
            yield
        in_order.extend(compress(count(start), chunk))
    return in_order


_NO_COLLECTIONS: Mapping[str, Collection] = {}
_EMPTY = Listing(())

# Estimated bytes of a put collection without its texts, and of a removed one.
_PUT_BYTES, _REMOVED_BYTES = 400, 150
# Estimated bytes of a hidden collection: its places in listings and results.
_HIDDEN_BYTES = 40
_INVERTED = bytes((1, 0)) * 128
"""Translation table that replaces 0 by 1, and 1 by 0."""


def _size_of(each: Collection) -> int:
    # Names and tags count twice, because a search stores them folded too.
    searched = (each.name, *each.tags)
    texts = (each.type, each.tmb_id, each.training_type, each.external_file_id)
    sources = (each.file_id or "", each.raw_link or "")
    return _PUT_BYTES + sum(map(getsizeof, (*searched, *searched, *texts, *sources)))
