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
from typing import get_args

from mock_server.domain.memory import MemoryCharge
from mock_server.domain.objects.dataset import Tree
from mock_server.domain.objects.folder_tree import FolderTree
from mock_server.domain.objects.index import ANYWHERE, SORT_KEYS, Listing, Order, Scope
from mock_server.domain.objects.models import Collection
from mock_server.domain.objects.pending import Steps, complete, compute, pieces
from mock_server.domain.storage.changed_listing import ChangedListing, FoldedTexts
from mock_server.domain.storage.merged import Differences, Key
from mock_server.domain.storage.spans import Spans

ORDERS: tuple[Order, ...] = get_args(Order)
_ByFolder = dict[Scope, dict[str, Collection]]
_ITEMS_PER_LOOKUP = 32
"""Bisection is faster than a scan if there are at least this many items per lookup."""
_LOOKUPS_PER_STEP = 512
"""Maximum number of indexes in a base listing that are looked up in one step."""
_NumberedCollection = tuple[Collection, int | None]
"""A collection, and its number in fixture order if it comes after all of the base."""


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
        self._folded = FoldedTexts()
        self._listings: dict[tuple[Order, Scope], ChangedListing] = {}

    def copy(self, charge: MemoryCharge) -> ChangedTree:
        """Return an independent copy; its changes are not charged again."""
        copy = type(self)(self._base, charge)
        copy.size, copy.created = self.size, self.created
        copy._put = {folder: items.copy() for folder, items in self._put.items()}
        copy._removed = {
            folder: items.copy() for folder, items in self._removed.items()
        }
        copy._hidden = Spans(self._hidden.bounds)
        copy._appended_numbers = self._appended_numbers.copy()
        copy._next_number = self._next_number
        copy._listings = {
            key: listing.copy(copy._folded) for key, listing in self._listings.items()
        }
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
            listing = self._changed_listing(order, scope)
            self._listings[order, scope] = listing
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
        return self._number(item) if is_put else self._base.number(item)

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
            self._listings.clear()
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
            self._listings.clear()
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
        # After the removal of a large folder there are no listings to update.
        for order, listing in self._listings_with(folder) if self._listings else ():
            if is_put:
                listing.remove_inserted(item, self._key(order))
            else:
                listing.remove(self._place(order, listing.base, item, None))
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
        for order, listing in self._listings_with(folder) if self._listings else ():
            number = self._appended_numbers.get(item.id)
            place = self._place(order, listing.base, item, number)
            listing.insert(item, place, self._key(order))

    def _listings_with(
        self, folder: str | None
    ) -> Iterator[tuple[Order, ChangedListing]]:
        """Yield the existing changed listings that have a folder's collections."""
        for scope in (ANYWHERE, folder):
            for order in ORDERS:
                listing = self._listings.get((order, scope))
                if listing is not None:
                    yield order, listing

    def _changed_listing(self, order: Order, scope: Scope) -> ChangedListing:
        """Build the listing of a folder or the whole dataset. Raises NotReady."""
        base = self._base.listing(scope, order)
        if scope is not ANYWHERE and self._is_hidden(scope):
            base = _EMPTY
        removed = [
            (item, None) for item in self._removed.get(scope, _NO_COLLECTIONS).values()
        ]
        put = self._put.get(scope, _NO_COLLECTIONS).values()
        inserted = [(item, self._appended_numbers.get(item.id)) for item in put]
        steps = self._places_in_steps(order, base, [*removed, *inserted])
        known_places, key = compute(self, (order, base), steps), self._key(order)

        def place(each: _NumberedCollection) -> int:
            known_place = known_places.get(each)
            # Collections that changed during the steps are looked up now.
            return (
                self._place(order, base, *each) if known_place is None else known_place
            )

        marks = bytearray()
        if scope is ANYWHERE and self._hidden:
            marks += compute(self, (order, self._hidden), self._hidden_in(order))
        elif len(removed) * _ITEMS_PER_LOOKUP > len(base.items):
            marks = bytearray(len(base.items))
        if marks:
            for each in removed:
                marks[place(each)] = 1
            removed_places = array("I", compress(count(), marks))
        else:
            removed_places = array("I", sorted(map(place, removed)))
        if order == "fixture":  # the key would need a look-up as slow as the place
            inserted.sort(key=lambda each: (place(each), each[1]))
        else:
            inserted.sort(key=lambda each: key(each[0]))
        items, places = [item for item, _ in inserted], map(place, inserted)
        listing = ChangedListing(base, self._folded, marks)
        listing.differences = Differences(removed_places, items, array("I", places))
        return listing

    def _places_in_steps(
        self, order: Order, base: Listing, items: Sequence[_NumberedCollection]
    ) -> Steps[dict[_NumberedCollection, int]]:
        places: dict[_NumberedCollection, int] = {}
        for _, chunk in pieces(items, _LOOKUPS_PER_STEP):
            places |= {each: self._place(order, base, *each) for each in chunk}
            yield
        return places

    def _key(self, order: Order) -> Key:
        return self._number if order == "fixture" else SORT_KEYS[order]

    def _number(self, put: Collection) -> int:
        """Return the number in fixture order of a collection in `_put`."""
        number = self._appended_numbers.get(put.id)
        return self._base.number(self._base.by_id[put.id]) if number is None else number

    def _place(
        self, order: Order, base: Listing, item: Collection, last_number: int | None
    ) -> int:
        """Return the index in a base listing where a collection is or would be.

        `last_number` is its number in fixture order if it comes after all of the base,
        else None.
        """
        items = base.items
        if order != "fixture":
            key = SORT_KEYS[order]
            return bisect_left(items, key(item), key=key)
        # Avoid numbering the base, which is slow, for two simple cases: an item after
        # all of the base, and a listing of the whole base.
        if last_number is not None:
            return len(items)
        number = self._base.number(self._base.by_id[item.id])
        if len(items) == len(self._base):
            return number
        return bisect_left(items, number, key=self._base.number)


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
