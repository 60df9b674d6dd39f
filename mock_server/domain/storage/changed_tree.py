"""A folder tree with some collections changed.

The cost of a change depends on the number of changed collections, not on the size of
the tree. The sorted listings of the base tree are never modified: a `ChangedListing`
combines one of them with the changes.

A large removed folder is *hidden*: its content is skipped by number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, islice, pairwise
from sys import getsizeof
from typing import NamedTuple, TypeVar
from weakref import ref

from mock_server.domain.errors import LimitReached
from mock_server.domain.limits import Published
from mock_server.domain.memory import MemoryCharge
from mock_server.domain.objects.dataset import Tree
from mock_server.domain.objects.folder_tree import FolderTree
from mock_server.domain.objects.haystack import costly_chars
from mock_server.domain.objects.index import ANYWHERE, Listing, Order, Scope
from mock_server.domain.objects.models import Collection
from mock_server.domain.objects.pending import (
    Steps,
    compute,
    pieces,
    sorted_indexes,
)
from mock_server.domain.storage.changed_listing import (
    CHARS_BESIDES,
    ChangedListing,
    ChangedListings,
    FoldedTexts,
)
from mock_server.domain.storage.merged import ChangeLog, Differences
from mock_server.domain.storage.places import Places, sorted_places
from mock_server.domain.storage.spans import Spans

V = TypeVar("V")


class _ByFolder(dict[Scope, dict[str, V]]):
    """Values by folder (and ANYWHERE), then by id.

    Copies share the dictionaries of folders until they are changed.
    """

    # A set from the first change on: most of thousands of copies have none.
    _own_folders: set[Scope] | None = None

    def changeable(self, folder: Scope) -> dict[str, V]:
        """Return the values of a folder, which the caller may change."""
        if self._own_folders is None:
            self._own_folders = set()
        if folder not in self._own_folders:
            self[folder] = self.get(folder, {}).copy()
            self._own_folders.add(folder)
        return self[folder]

    def remove(self, folder: Scope, own_id: str) -> bool:
        """Remove a value; return True if the folder has none any more."""
        values = self.changeable(folder)
        del values[own_id]
        if values:
            return False
        del self[folder]
        if self._own_folders is not None:
            self._own_folders.discard(folder)
        return True

    def copy(self) -> _ByFolder[V]:
        self._own_folders = None
        return _ByFolder(self)


class Removal(NamedTuple):
    """Collections to remove, spans of the base to hide, and the bytes that both take.

    `growth` is negative if more memory is freed than taken. `changes` is the number of
    new and replacing collections in removed folders. `is_large`: to update listings
    would take too long.
    """

    items: Mapping[str, Collection]
    hidden: Spans
    growth: int
    changes: int
    is_large: bool


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
        # that were removed or replaced.
        self._put: _ByFolder[Collection] = _ByFolder({ANYWHERE: {}})
        self._removed: _ByFolder[Collection] = _ByFolder({ANYWHERE: {}})
        # The folders that had no content in the base, and got some.
        self._new_folders: dict[str, None] = {}
        # Those of them that are in the base, by their folders.
        self._filled: _ByFolder[None] = _ByFolder()
        # Hidden collections of the base, as spans of numbers in depth-first order.
        self._hidden = Spans()
        # By id: numbers in fixture order of collections that come after the base.
        self._appended_numbers: dict[str, int] = {}
        self._next_number = len(base)
        self._places = Places(base)
        self._folded = FoldedTexts(self._put[ANYWHERE])
        self._listings = ChangedListings(self)

    def __del__(self) -> None:
        everything = [self._put.pop(ANYWHERE), self._removed.pop(ANYWHERE)]
        by_folder = [self._put, self._removed, self._appended_numbers]
        listed = self._listings.containers()
        containers = [*everything, self._folded, *by_folder, *listed]
        self._charge.memory.free_soon(containers)

    def copy(self, charge: MemoryCharge) -> ChangedTree:
        """Return an independent copy; its changes are not charged again.

        The computed listings go with the copy if it has the charge of this tree, which
        it replaces in a store. Without them, each computes its listings when needed.
        """
        copy = type(self)(self._base, charge)
        copy.size, copy.created = self.size, self.created
        copy._put, copy._removed = self._put.copy(), self._removed.copy()
        for by_folder in (copy._put, copy._removed):
            by_folder[ANYWHERE] = by_folder[ANYWHERE].copy()
        copy._new_folders, copy._filled = self._new_folders.copy(), self._filled.copy()
        if charge is self._charge:
            copy._listings, self._listings = self._listings, copy._listings
            copy._listings.tree, self._listings.tree = ref(copy), ref(self)
            copy._folded, self._folded = self._folded, copy._folded
            self._folded.put = self._put[ANYWHERE]
        copy._folded.put = copy._put[ANYWHERE]
        copy._hidden = Spans(self._hidden.bounds)
        copy._appended_numbers = self._appended_numbers.copy()
        copy._next_number = self._next_number
        return copy

    @property
    def collections(self) -> Sequence[Collection]:
        return self.listing(ANYWHERE, "fixture").items

    def __len__(self) -> int:
        gone_count = len(self._removed[ANYWHERE]) + len(self._hidden)
        return len(self._base) - gone_count + len(self._put[ANYWHERE])

    def items_and_gaps(self) -> Iterator[Collection | None]:
        put, removed = self._put[ANYWHERE], self._removed[ANYWHERE]
        for item in self._base:
            if item.id not in removed:
                yield None if self._is_hidden(item.parent_id) else item
            else:
                yield None if item.id in self._appended_numbers else put.get(item.id)
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
    def put_ids(self) -> Set[str]:
        return self._put[ANYWHERE].keys()

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
        loaded = () if self._is_hidden(folder) else self._base.children(folder)
        removed, put = self._removed.get(folder), self._put.get(folder)
        if removed:
            loaded = [item for item in loaded if item.id not in removed]
        return [*loaded, *put.values()] if put else loaded

    def child_count(self, folder: str | None) -> int:
        loaded = 0 if self._is_hidden(folder) else self._base.child_count(folder)
        removed, put = self._removed.get(folder, ()), self._put.get(folder, ())
        return loaded - len(removed) + len(put)

    def folders_in(self, folder: str | None) -> Iterable[str]:
        loaded: Iterable[str] = ()
        if not self._is_hidden(folder):
            loaded, filled = self._base.folders_in(folder), self._filled.get(folder)
            loaded = [*loaded, *filled] if filled else loaded
        removed, put = self._removed.get(folder), self._put.get(folder)
        if removed:
            loaded = [each for each in loaded if each not in removed]
        if not put:
            return loaded
        base_folders = self._base.parents()
        new = [each for each in put if each in base_folders or each in self._put]
        return [*loaded, *new]

    def has_level(self, folder: str, level: int) -> bool:
        if level < 1 or not self.child_count(folder):
            return level < 1
        base, changed = self._base, self._changed_by_folder()

        # Depth first, without recursion, as the limit of the depth may be raised.
        path: list[Iterator[str]] = [iter((folder,))]
        while path:
            parent, left = next(path[-1], None), level - len(path) + 1
            if parent is None:
                path.pop()
            # The levels of the base count, also without their content: looking for
            # what is left of it would take long.
            elif base.has_level(parent, left):
                return True
            elif left > 1:
                path.append(iter(changed.get(parent, ())))
            elif self.child_count(parent):
                return True
        return False

    def _changed_by_folder(self) -> Mapping[str, Set[str]]:
        """Return, by folder, its subfolders that were changed, or contain such ones."""
        by_folder: dict[str, set[str]] = {}
        for each in chain(self._new_folders, self._moved_folders):
            for folder, parent in pairwise(self.folder_path(each)):
                inner = by_folder.setdefault(parent, set())
                if folder in inner:
                    break
                inner.add(folder)
        return by_folder

    @property
    def _moved_folders(self) -> Set[str]:
        """The folders of the base that moved to another folder."""
        return self._appended_numbers.keys() & self._base.parents()

    def number(self, item: Collection) -> int:
        is_put = self._put[ANYWHERE].get(item.id) is item
        numbers = self._appended_numbers if is_put else {}
        number: int = self._places.key("fixture", item, numbers)
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
        is_large = self.update_cost(collections) > _MAX_UPDATE_COST
        self._drop_listings_before(collections, is_large=is_large)
        for collection, old in zip(collections, olds, strict=True):
            if old is not None:
                self._delete(old)
            if old is None or old.parent_id != collection.parent_id:
                self._appended_numbers.pop(collection.id, None)
                self._appended_numbers[collection.id] = self._next_number
                self._next_number += 1
            self._insert(collection)

    def update_cost(self, collections: Sequence[Collection]) -> int:
        """Return how long the texts of these collections hold up a `put_all`.

        The unit is the time of folding a character that is not ASCII.
        """
        if not self._listings.is_used or len(collections) > self.max_single_removals:
            return 0  # more drop the listings anyway
        folded, chars = 0, Counter[str | None]()
        for each in collections:
            texts = each.name, *each.tags
            folded += costly_chars(texts)
            compared = sum(map(len, texts)) + CHARS_BESIDES * len(texts)
            chars[each.parent_id] += compared
        comparisons = sum(
            count * self._listings.term_chars(folder) for folder, count in chars.items()
        )
        return folded + comparisons // _COMPARISONS_PER_FOLD

    def growth_of(self, collections: Iterable[Collection]) -> int:
        """Return how many more bytes the tree takes if these are put."""
        return sum(self._growth(each, self.get(each.id)) for each in collections)

    def _growth(self, collection: Collection, old: Collection | None) -> int:
        """Return how many more bytes the tree takes if `collection` replaces `old`."""
        if old is None:
            return _size_of(collection)
        if old.id not in self._put[ANYWHERE]:
            return _size_of(collection) + _REMOVED_BYTES
        if _has_same_texts(old, collection):  # as in a folder that is disabled
            return 0
        return _size_of(collection) - _size_of(old)

    def remove(self, ids: Iterable[str]) -> Set[str]:
        """Remove these collections and their descendants; ignore unknown ids.

        Returns the ids of the removed collections, except those in folders that are
        hidden. Raises LimitReached.
        """
        removal = self.plan_removal(ids)
        self._charge.add(removal.growth)
        return self.apply(removal)

    def plan_removal(
        self,
        ids: Iterable[str],
        max_changes: int = Published.deleted_changes,
        *,
        is_large: bool = False,
    ) -> Removal:
        """Return what `remove` would remove, and change nothing.

        `is_large`: it is a part of a removal that is large as a whole. Raises
        LimitReached for more changes than `max_changes`.
        """
        items = {each.id: each for each in map(self.get, ids) if each is not None}
        roots, base_folders = {*items}, self._base.parents()
        below, newly_hidden, changes = Spans(), 0, 0
        if any(each in base_folders or each in self._put for each in roots):
            is_inside = self._inside(roots)
            below = self._below(roots, is_inside)
            folders = self._folders_in(below, self._put.keys())
            folders += filter(is_inside, self._new_folders)
            changes = sum(len(self._put[folder]) for folder in folders)
            if changes > max_changes:
                expected = f"at most {Published.deleted_changes} changed collections"
                got, hint = "more", "delete the content of the folder first"
                raise LimitReached(f"{expected} in a deletion", got, "request", hint)
            for folder in folders:
                items |= self._put[folder]
            newly_hidden = len(self._hidden | below) - len(self._hidden)
            is_large |= newly_hidden > self.max_single_removals
            if not is_large:
                newly_hidden = 0
                for root in roots:
                    items.update((each.id, each) for each in self.descendants(root))
        put = self._put[ANYWHERE]
        freed = [_size_of(each) for each in items.values() if each.id in put]
        taken = _REMOVED_BYTES * (len(items) - len(freed))
        growth = taken + _HIDDEN_BYTES * newly_hidden - sum(freed)
        hidden = below if newly_hidden else Spans()
        return Removal(items, hidden, growth, changes, is_large)

    def apply(self, removal: Removal) -> Set[str]:
        """Remove what was planned, and charged; return the ids as `remove` does."""
        items, self.size = removal.items, self.size + removal.growth
        self._drop_listings_before(items.values(), is_large=removal.is_large)
        for item in items.values():
            self._delete(item)
            self._appended_numbers.pop(item.id, None)
        if removal.hidden:
            self._hide(removal.hidden)
        return items.keys()

    def _drop_listings_before(
        self, items: Iterable[Collection], *, is_large: bool = False
    ) -> None:
        """Drop all changed listings if updating them would take too long.

        `items` are the collections that change singly.
        """
        if self._listings.is_used and (is_large or self._updates_are_many(items)):
            self._charge.memory.free_soon(self._listings.containers())
            self._listings = ChangedListings(self)

    def _updates_are_many(self, items: Iterable[Collection]) -> bool:
        """Return whether updating the listings for these items would take too long."""
        counts = Counter(each.parent_id for each in items)
        if counts.total() > self.max_single_removals:
            return True
        removed = len(self._removed[ANYWHERE]) + len(self._hidden)
        updates = sum(
            count * self._listings.count_with(folder)
            for folder, count in counts.items()
        )
        moved = updates * (removed + len(self._put[ANYWHERE]) + _PLACES_PER_UPDATE)
        return moved > _MAX_MOVED_PLACES

    def _below(self, roots: Set[str], is_inside: Callable[[str], bool]) -> Spans:
        """Return the spans of the base's content that is now below the `roots`."""
        spans, below, moved = self._base.spans, Spans(), self._moved_folders
        inside = {*filter(is_inside, moved), *(roots & spans.keys())}
        for folder in inside:
            below.add(*spans[folder])
        # Each folder comes before its subfolders, which overrule it if they were moved.
        relevant = inside.union(self._folders_in(below, moved))
        for folder in sorted(relevant, key=spans.__getitem__):
            if folder in inside:
                below.add(*spans[folder])
            else:
                below.remove(*spans[folder])
        return below

    def _inside(self, roots: Set[str]) -> Callable[[str], bool]:
        """Return the test of whether a folder is one of the `roots`, or inside of one.

        It remembers each folder: many folders may be in the same deep one.
        """

        known: dict[str | None, bool] = {None: False} | dict.fromkeys(roots, True)

        def is_inside(folder: str) -> bool:
            path: list[str] = []
            each: str | None = folder
            while each is not None and each not in known:
                path.append(each)
                collection = self.get(each)
                each = None if collection is None else collection.parent_id
            for inner in path:
                known[inner] = known[each]
            return known[each]

        return is_inside

    def _folders_in(self, below: Spans, folders: Set[Scope]) -> list[str]:
        """Return those `folders` whose content in the base is in `below`."""
        if folders <= {ANYWHERE}:
            return []
        inside = [*islice(self._base.folders_within(below), len(folders) + 1)]
        if len(inside) > len(folders):
            spans = self._base.spans
            starts = ((each, spans[each][0]) for each in folders if each in spans)
            inside = [each for each, start in starts if start in below]
        return [each for each in inside if each in folders and isinstance(each, str)]

    def _hide(self, below: Spans) -> None:
        """Hide more spans, and forget single removals within them."""
        self._hidden |= below
        emptied = self._folders_in(below, self._removed.keys())
        freed = [self._removed.pop(each) for each in emptied]
        for items in freed:
            for own_id in items:
                del self._removed[ANYWHERE][own_id]
        self._add_size(-_REMOVED_BYTES * sum(map(len, freed)))

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
            key = self._places.key(order, item, self._appended_numbers)
            if is_put:
                listing.remove_inserted(item, key)
            else:
                listing.remove(self._places.place(order, base, key))
        if is_put:
            del self._put[ANYWHERE][item.id]
            if self._put.remove(folder, item.id) and folder in self._new_folders:
                self._forget_folder(folder)
            self._folded.pop(item, None)
            self.created -= item.id not in self._base.by_id
        else:
            self._removed[ANYWHERE][item.id] = item
            self._removed.changeable(folder)[item.id] = item

    def _insert(self, item: Collection) -> None:
        """Insert a collection whose id is not in the tree."""
        folder = item.parent_id
        self._put[ANYWHERE][item.id] = item
        self.created += item.id not in self._base.by_id
        is_new = folder not in self._put and folder not in self._base.parents()
        if is_new and folder is not None:
            self._add_folder(folder)
        self._put.changeable(folder)[item.id] = item
        for order, base, listing in self._listings.with_folder(folder):
            key = self._places.key(order, item, self._appended_numbers)
            listing.insert(item, self._places.place(order, base, key), key)

    def _add_folder(self, folder: str) -> None:
        """Note that a folder which had no content in the base gets some."""
        self._new_folders[folder] = None
        loaded = self._base.by_id.get(folder)
        if loaded is not None:
            self._filled.changeable(loaded.parent_id)[folder] = None

    def _forget_folder(self, folder: str) -> None:
        """Forget that a folder without content in the base got some."""
        del self._new_folders[folder]
        loaded = self._base.by_id.get(folder)
        if loaded is not None:
            self._filled.remove(loaded.parent_id, folder)
        self._listings.drop_folder(folder)

    def _build_in_steps(
        self, order: Order, scope: Scope, base: Listing
    ) -> Steps[ChangedListing]:
        """Build the listing of a folder or the whole dataset, and store it.

        It is that of a copy if one takes the listings over during the steps.
        """
        listings = self._listings
        while True:
            log = ChangeLog()
            listings.is_used, listings.logs[log] = True, (order, scope, base)
            tree = listings.tree() or self
            gone = [*tree._removed.get(scope, _NO_COLLECTIONS).values()]
            put = [*tree._put.get(scope, _NO_COLLECTIONS).values()]
            numbers = tree._appended_numbers.copy()
            marks = bytearray()
            if scope is ANYWHERE and tree._hidden:
                marks = yield from tree._hidden_in(order)
            _, places = yield from self._places.all_in_steps(order, base, gone, {})
            removed = yield from sorted_places(places, marks, len(base.items))
            keys, places = yield from self._places.all_in_steps(
                order, base, put, numbers
            )
            differences = Differences(removed)
            in_order = yield from sorted_indexes(keys, lambda key: key)
            for start, chunk in pieces(in_order):
                if start:
                    yield
                for index in chunk:
                    differences.append(put[index], places[index], keys[index])
            tree = listings.tree() or self
            listing = ChangedListing(base, tree._folded, differences)
            if (yield from log.apply_in_steps(listing, len(removed))):
                listings[order, scope] = listing
                return listing


_NO_COLLECTIONS: Mapping[str, Collection] = {}
_EMPTY = Listing(())

# Estimated bytes of a put collection without its texts, and of a removed one.
_PUT_BYTES, _REMOVED_BYTES = 400, 150
# Bytes of an empty text.
_TEXT_BYTES = 49
# Estimated bytes of a hidden collection: its places in listings and results.
_HIDDEN_BYTES = 40
_MAX_MOVED_PLACES = 50_000_000
"""How many places may move in lists and arrays while other requests wait."""
_MAX_UPDATE_COST = 16_384
"""How many characters are folded, at most, while other requests wait."""
_COMPARISONS_PER_FOLD = 4_096
"""Comparisons of characters in the time of folding one."""
_PLACES_PER_UPDATE = 6_000
"""Number of places that move in the time that an update of a listing takes besides."""
_INVERTED = bytes((1, 0)) * 128
"""Translation table that replaces 0 by 1, and 1 by 0."""


def _has_same_texts(one: Collection, other: Collection) -> bool:
    return _texts_of(one) == _texts_of(other) and one.tags == other.tags


def _texts_of(each: Collection) -> tuple[str, ...]:
    """Return the texts of a collection, without its tags."""
    texts = (each.type, each.tmb_id, each.training_type, each.external_file_id)
    return each.name, *texts, each.file_id or "", each.raw_link or ""


def _size_of(each: Collection) -> int:
    # A search stores names and tags folded, so these count twice. The size of each text
    # would take long to get: a collection may have many tags.
    name, *others = _texts_of(each)
    texts = len(others) * _TEXT_BYTES + getsizeof("".join(others))
    tags = len(each.tags) * _TEXT_BYTES + getsizeof("".join(each.tags))
    return _PUT_BYTES + texts + 2 * getsizeof(name) + 2 * tags
