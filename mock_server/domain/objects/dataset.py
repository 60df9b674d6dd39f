"""Datasets, and the folder trees of their loaded collections."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property, partial
from itertools import chain

from msgspec import Struct, field

from mock_server.domain.access import Caller, Level, Permissions
from mock_server.domain.clock import DEFAULT_TIME
from mock_server.domain.objects.folder_tree import LARGE_SIZE, FolderTree
from mock_server.domain.objects.index import (
    ANYWHERE,
    SORT_KEYS,
    Listing,
    Order,
    RenumberedListing,
    Scope,
    SortedOrder,
    listings_by_folder,
    sorted_listing,
    sorted_order,
)
from mock_server.domain.objects.models import DEFAULT_TMB_ID, Collection, Row
from mock_server.domain.objects.pending import (
    Steps,
    complete,
    complete_all,
    compute,
    items_at,
    lists_of,
    numbers_at,
    pieces,
    sorted_indexes,
)


class Tree(FolderTree):
    """A folder tree as it was loaded.

    Listings and the look-up by id are built at the first use. They depend only on the
    collections, so callers never see a change.
    """

    def __init__(
        self,
        collections: Sequence[Collection] = (),
        *,
        by_id: Mapping[str, Collection] | None = None,
        listings: Mapping[SortedOrder, dict[Scope, Listing]] | None = None,
    ) -> None:
        """Store the collections; `by_id` and `listings` may have been built before."""
        self._collections = collections
        # The first order, which is a sorted one, has the listings of all folders. Those
        # of other orders are made from them at the first use, because there may be a
        # million folders.
        self._listings: dict[Order, dict[Scope, Listing]] = {}
        for order, by_folder in (listings or {}).items():
            self._listings[order] = by_folder
        if by_id is not None:
            self.by_id = by_id

    @property
    def collections(self) -> Sequence[Collection]:
        return self._collections

    def __len__(self) -> int:
        return len(self._collections)

    def items_and_gaps(self) -> Iterator[Collection | None]:
        return iter(self._collections)

    def get(self, collection_id: str) -> Collection | None:
        return self.by_id.get(collection_id)

    @property
    def loaded(self) -> Tree:
        return self

    @property
    def put_ids(self) -> Set[str]:
        return frozenset()

    def listing(self, scope: Scope, order: Order) -> Listing:
        listing = self._listings.get(order, _NO_LISTINGS).get(scope)
        return self._new_listing(scope, order) if listing is None else listing

    def large(self, order: Order) -> Mapping[Scope, Listing]:
        order = sorted_order(order)
        items = self._sorted(order).items()
        scopes = [key for key, each in items if len(each.items) >= LARGE_SIZE]
        return {key: complete_all(partial(self.listing, key, order)) for key in scopes}

    def children(self, folder: str | None) -> Sequence[Collection]:
        return self.listing(folder, self._first_order).items

    def parents(self) -> Set[Scope]:
        return self._sorted(self._first_order).keys()

    @property
    def _first_order(self) -> SortedOrder:
        return sorted_order(next(iter(self._listings), "fixture"))

    def number(self, item: Collection) -> int:
        key = SORT_KEYS[self._first_order]
        listing = self._sorted(self._first_order)[ANYWHERE]
        return listing.places[bisect_left(listing.items, key(item), key=key)]

    def _sorted(self, order: SortedOrder) -> Mapping[Scope, Listing]:
        """Return the listings of the first order, by folder.

        If there is none, sort in `order` now.
        """
        if not self._listings:
            everything = sorted_listing(self._collections, order)
            self._listings[order] = complete(listings_by_folder(everything))
        return self._listings[self._first_order]

    def _new_listing(self, scope: Scope, order: Order) -> Listing:
        """Return a listing at its first use. Raises NotReady."""
        if order == "fixture" and scope is ANYWHERE:
            return self._everything
        if not self._listings:
            first_order = sorted_order(order)
            compute(self, first_order, self._sort_in_steps(first_order))
        first_order = self._first_order
        listing = self._listings[first_order].get(scope, _EMPTY)
        if order == first_order or not listing.items:
            return listing
        if scope is not ANYWHERE and len(listing.items) == len(self):  # the only folder
            return self.listing(ANYWHERE, order)
        steps = self._reorder_in_steps(scope, order, listing)
        listing = compute(self, (order, scope), steps)
        return self._listings.setdefault(order, {}).setdefault(scope, listing)

    def _sort_in_steps(self, order: SortedOrder) -> Steps[None]:
        """Do the same as `_sorted`, in steps, because sorting may take seconds."""
        everything = yield from self._reorder_in_steps(ANYWHERE, order, _EMPTY)
        self._listings[order] = yield from listings_by_folder(everything)

    def _reorder_in_steps(
        self, scope: Scope, order: Order, listing: Listing
    ) -> Steps[Listing]:
        """Return the collections of a listing of the first order, in `order`."""
        items, indexes, places = listing.items, array("I"), array("I")
        if order == "fixture":
            numbers = yield from numbers_at(self._sorted_numbers, listing.places)
            indexes = yield from sorted_indexes(numbers, int)
            places = yield from numbers_at(numbers, indexes)
        elif scope is ANYWHERE:
            items = self._collections  # so that the indexes are numbers
            indexes = places = yield from sorted_indexes(items, SORT_KEYS[order])
        else:
            indexes = yield from sorted_indexes(items, SORT_KEYS[order])
        return Listing((yield from items_at(items, indexes)), places)

    @cached_property
    def _everything(self) -> Listing:
        """All collections in fixture order.

        If they were sorted before, the sorted listing is searched for this one.
        """
        if not self._listings:
            return Listing(self._collections)
        listing = self._sorted(self._first_order)[ANYWHERE]
        return RenumberedListing(self._collections, listing, listing.places)

    @property
    def _sorted_numbers(self) -> Sequence[int]:
        """The number of each collection, in the first order."""
        return self._sorted(self._first_order)[ANYWHERE].places

    def parts(self) -> Iterator[object]:
        """Yield all that is held, in lists and containers that are quick to free."""
        yield from lists_of(self._collections)
        for each in (*self._listings.values(), *vars(self).values()):
            if isinstance(each, dict):
                yield from lists_of(each.values())
            yield each

    def folders_in(self, folder: str | None) -> Iterable[str]:
        return self._subfolders.get(folder, ())

    @cached_property
    def _subfolders(self) -> Mapping[str | None, Sequence[str]]:
        """The ids of the subfolders of each folder."""
        subfolders: dict[str | None, list[str]] = {}
        for folder in self.parents():
            if isinstance(folder, str):
                collection = self.get(folder)
                parent = None if collection is None else collection.parent_id
                subfolders.setdefault(parent, []).append(folder)
        return subfolders

    def has_level(self, folder: str, level: int) -> bool:
        has_content = folder in self.parents()
        return level <= self.heights.get(folder, int(has_content))

    @cached_property
    def heights(self) -> Mapping[str, int]:
        """The number of levels below each folder that has subfolders."""
        heights: dict[str, int] = {}
        # Go backwards, so that the heights of subfolders are known.
        for each in reversed([*self.spans]):
            if isinstance(each, str) and each in self._subfolders:
                inner = (heights.get(sub, 1) for sub in self.folders_in(each))
                heights[each] = 1 + max(inner)
        return heights

    @cached_property
    def spans(self) -> Mapping[Scope, tuple[int, int]]:
        """Start and end of each folder's descendants in depth-first order.

        In this order each folder's own collections come first, then its subfolders, so
        all descendants of a folder are contiguous.
        """
        by_folder = self._sorted(self._first_order)
        parent_of = {
            each: parent for parent, ids in self._subfolders.items() for each in ids
        }
        spans: dict[Scope, tuple[int, int]] = {}
        ahead: list[str | None] = [None]
        end = 0
        while ahead:
            folder = ahead.pop()
            first, end = end, end + len(by_folder.get(folder, _EMPTY).items)
            spans[folder] = first, end
            ahead += self.folders_in(folder)
        # Go backwards, so that the ends of subfolders are known before their parent's.
        for each in reversed(spans):
            if isinstance(each, str):
                first, end = spans[parent_of[each]]
                spans[parent_of[each]] = first, max(end, spans[each][1])
        return spans

    def folders_within(self, spans: Iterable[tuple[int, int]]) -> Iterator[Scope]:
        """Yield the folders whose own collections are in `spans`."""
        folders, starts = self._folders_by_start
        for span in spans:
            indexes = range(*(bisect_left(starts, each) for each in span))
            yield from map(folders.__getitem__, indexes)

    @cached_property
    def _folders_by_start(self) -> tuple[Sequence[Scope], array[int]]:
        """All folders with the starts of their spans, ascending."""
        return [*self.spans], array("I", (first for first, _ in self.spans.values()))

    def marks_in_steps(
        self, order: Order, spans: Iterable[tuple[int, int]]
    ) -> Steps[bytearray]:
        """Return one byte for each collection, in `order`: 1 if it is in `spans`."""
        if order not in ("fixture", self._first_order):
            marks = yield from self.marks_in_steps("fixture", spans)
            reordered = bytearray()
            for _, chunk in pieces(self.listing(ANYWHERE, order).places):
                reordered.extend(map(marks.__getitem__, chunk))
                yield
            return reordered
        marks = bytearray(len(self))
        for _, chunk in pieces(self.places(order, spans)):
            for place in chunk:
                marks[place] = 1
            yield
        return marks

    def places(self, order: Order, spans: Iterable[tuple[int, int]]) -> Iterator[int]:
        """Yield the indexes, in `order`, of the collections in these `spans`.

        `order` is fixture order or the first order.
        """
        indexes = self._depth_first
        places = chain.from_iterable(indexes[first:end] for first, end in spans)
        if order == self._first_order:
            return places
        return map(self._sorted_numbers.__getitem__, places)

    @cached_property
    def _depth_first(self) -> array[int]:
        """The index in the first order of each collection, in depth-first order."""
        by_folder, indexes = self._sorted(self._first_order), array("I")
        for folder in self.spans:
            indexes.extend(by_folder.get(folder, _EMPTY).places)
        return indexes

    @cached_property
    def by_id(self) -> Mapping[str, Collection]:
        """The collections by their ids."""
        return {item.id: item for item in self._collections}


_EMPTY = Listing(())
_NO_LISTINGS: Mapping[Scope, Listing] = {}


class Dataset(Struct, frozen=True, eq=False):
    """A dataset: its fields, its collections and their rows.

    `type` is `folder` for a folder of datasets, else the type of the dataset;
    `parent_id` is the id of such a folder. `update_time` is in milliseconds; `rows` has
    the loaded rows by collection id.
    """

    id: str
    name: str = ""
    permissions: Permissions = field(default_factory=dict)
    parent_id: str | None = None
    type: str = "dataset"
    intro: str = ""
    avatar: str = ""
    tmb_id: str = DEFAULT_TMB_ID
    update_time: int = DEFAULT_TIME
    tree: FolderTree = field(default_factory=Tree)
    rows: Mapping[str, Sequence[Row]] = field(default_factory=dict)

    def level_of(self, caller: Caller) -> Level:
        """Return the level declared here for the caller's key, else `caller.level`."""
        return self.permissions.get(caller.key, caller.level)
