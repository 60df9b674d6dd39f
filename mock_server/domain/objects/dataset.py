"""Datasets, and the folder trees of their collections as loaded."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import chain
from typing import Any

from msgspec import Struct, field

from mock_server.domain.access import Caller, Level, Permissions
from mock_server.domain.clock import DEFAULT_TIME
from mock_server.domain.objects.index import (
    ANYWHERE,
    SORT_KEYS,
    Listed,
    Listing,
    Order,
    Renumbered,
    Search,
    SortedOrder,
    Within,
    in_order,
    listings,
)
from mock_server.domain.objects.models import DEFAULT_TMB_ID, Collection, Row
from mock_server.domain.objects.pending import Steps, complete, made, sorting


class FolderTree(ABC):
    """Collections of a dataset in folders, and listings of them."""

    created = 0
    """Number of collections that were not loaded."""

    @property
    @abstractmethod
    def collections(self) -> Sequence[Collection]:
        """All collections in fixture order."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __iter__(self) -> Iterator[Collection]: ...

    def __contains__(self, collection_id: str) -> bool:
        return self.get(collection_id) is not None

    @abstractmethod
    def get(self, collection_id: str) -> Collection | None:
        """Return the collection with this id, or None."""

    @abstractmethod
    def listing(self, within: Within, order: Order) -> Listed:
        """Return the collections within a part, in an order; `_id` decides ties."""

    def found(
        self, within: Within, order: Order, search: Search | None, kept: int
    ) -> tuple[int, Sequence[Collection]]:
        """Return a part's size and its matches; cache results of `kept` searches."""
        listing = self.listing(within, order)
        items = listing.items
        return len(items), items if search is None else listing.find(search, kept)

    def prepare(self, order: Order) -> None:
        """Prepare listings, look-ups and searches, so that requests need not wait."""
        for part in self.large(order).values():
            part.fold()
        if len(self) >= LARGE:
            self.get("")  # makes the look-up by id

    @abstractmethod
    def large(self, order: Order) -> Mapping[Within, Listing]:
        """Return the loaded parts that take long to be folded for searches."""

    @abstractmethod
    def number(self, item: Collection) -> int:
        """Return the sort key of a collection in fixture order."""

    def key(self, order: Order) -> Callable[[Collection], Any]:
        """Return the function that gives sort keys for an order."""
        return self.number if order == "fixture" else SORT_KEYS[order]

    @abstractmethod
    def children(self, folder: str | None) -> Sequence[Collection]:
        """Return the collections in a folder, in any order."""

    @abstractmethod
    def parents(self) -> Set[Within]:
        """Return all parts that may hold collections; others are empty."""

    def below(self, collection_id: str) -> list[Collection]:
        """Return a collection's descendants, nearest first."""
        descendants: list[Collection] = []
        folders, parents = [collection_id], self.parents()
        for folder in folders:  # the list grows here, level by level
            inside = self.children(folder)
            descendants.extend(inside)
            folders.extend(item.id for item in inside if item.id in parents)
        return descendants

    @abstractmethod
    def folders_in(self, folder: str | None) -> Iterable[str]:
        """Return the ids of subfolders, which may hold collections."""

    def levels(self, folder: str) -> Iterator[int]:
        """Yield the number of collections on each level below a folder."""
        folders = [folder]
        while count := sum(len(self.children(each)) for each in folders):
            yield count
            folders = [*chain.from_iterable(map(self.folders_in, folders))]

    def above(self, folder: str | None) -> Iterator[str]:
        """Yield the ids of a folder and those above it, outermost last."""
        while folder is not None:
            yield folder
            found = self.get(folder)
            folder = None if found is None else found.parent_id

    def depth(self, folder: str | None) -> int:
        """Return the number of folders above the content of a folder: 0 at the top."""
        return sum(1 for _ in self.above(folder))


class Tree(FolderTree):
    """A folder tree as it was loaded.

    Listings and the look-up by id are made at the first use. They depend only on the
    collections, so callers never see a tree change.
    """

    def __init__(
        self,
        collections: Sequence[Collection] = (),
        *,
        by_id: Mapping[str, Collection] | None = None,
        listings: Mapping[Order, Mapping[Within, Listing]] | None = None,
    ) -> None:
        """Use `by_id` and `listings` if a loader has made them already."""
        self._collections = collections
        self._listings = {**(listings or {})}
        self._lines: dict[Order, array[int]] = {}
        if by_id is not None:
            self.by_id = by_id

    @property
    def collections(self) -> Sequence[Collection]:
        return self._collections

    def __len__(self) -> int:
        return len(self._collections)

    def __iter__(self) -> Iterator[Collection]:
        return iter(self._collections)

    def get(self, collection_id: str) -> Collection | None:
        return self.by_id.get(collection_id)

    def listing(self, within: Within, order: Order) -> Listing:
        parts = self._listings.get(order)
        if parts is None:
            if order == "fixture" and within is ANYWHERE:
                return self._everything
            parts = made(self, order, self._arranging(order))
        return parts.get(within, _EMPTY)

    def large(self, order: Order) -> Mapping[Within, Listing]:
        parts = self._parts(order).items()
        return {at: part for at, part in parts if len(part.items) >= LARGE}

    def children(self, folder: str | None) -> Sequence[Collection]:
        return self.listing(folder, self._any_order).items

    def parents(self) -> Set[Within]:
        return self._parts(self._any_order).keys()

    @property
    def _any_order(self) -> Order:
        # Sorting a million takes seconds, so take an order that exists.
        return next(iter(self._listings), "fixture")

    def number(self, item: Collection) -> int:
        order, numbers = self._numbers
        key = SORT_KEYS[order]
        items = self.listing(ANYWHERE, order).items
        return numbers[bisect_left(items, key(item), key=key)]

    def _parts(self, order: Order) -> Mapping[Within, Listing]:
        """Return all parts in an order; sort them now if needed."""
        if order not in self._listings:
            ordered = Listing(in_order(self._collections, order))
            is_sorted = order != "fixture"
            parts = listings(ordered if is_sorted else self._everything)
            self._listings[order] = complete(parts)
        return self._listings[order]

    def _arranging(self, order: Order) -> Steps[Mapping[Within, Listing]]:
        """Return the same as `_parts`, in steps: sorting may take over a second."""
        if order == "fixture":
            everything = self._everything
        else:
            key = SORT_KEYS[order]
            everything = Listing((yield from sorting(self._collections, key)))
        self._listings[order] = yield from listings(everything)
        return self._listings[order]

    @cached_property
    def _everything(self) -> Listing:
        """All collections in fixture order; searches use another order's listing."""
        if {*self._listings} <= {"fixture"}:
            return Listing(self._collections)
        order, numbers = self._numbers
        return Renumbered(self._collections, self.listing(ANYWHERE, order), numbers)

    def folders_in(self, folder: str | None) -> Iterable[str]:
        return self._inner.get(folder, ())

    @cached_property
    def _inner(self) -> Mapping[str | None, Sequence[str]]:
        inner: dict[str | None, list[str]] = {}
        for each in self.parents():
            if isinstance(each, str):
                found = self.get(each)
                above = None if found is None else found.parent_id
                inner.setdefault(above, []).append(each)
        return inner

    @cached_property
    def spans(self) -> Mapping[Within, tuple[int, int]]:
        """Start and end of each folder's descendants in a line of all collections.

        In the line folders follow depth first, each with its own collections, so that
        everything within a folder is contiguous.
        """
        parts = self._parts(self._any_order)
        above = {each: at for at, some in self._inner.items() for each in some}
        spans: dict[Within, tuple[int, int]] = {}
        ahead: list[str | None] = [None]
        end = 0
        while ahead:
            folder = ahead.pop()
            first, end = end, end + len(parts.get(folder, _EMPTY).items)
            spans[folder] = first, end
            ahead += self.folders_in(folder)
        # From the last folder on: the ends of subfolders are known by then.
        for each in reversed(spans):
            if isinstance(each, str):
                first, end = spans[above[each]]
                spans[above[each]] = first, max(end, spans[each][1])
        return spans

    def places(self, order: Order, spans: Iterable[tuple[int, int]]) -> Iterator[int]:
        """Yield the indices in an order of the collections in these spans."""
        is_numbered = order == "fixture" and order not in self._listings
        by, numbers = self._numbers if is_numbered else (order, None)
        if by not in self._lines:
            parts, line = self._parts(by), array("I")
            for folder in self.spans:
                line.extend(parts.get(folder, _EMPTY).places)
            self._lines[by] = line
        line = self._lines[by]
        places = chain.from_iterable(line[first:end] for first, end in spans)
        return map(numbers.__getitem__, places) if numbers else places

    @cached_property
    def by_id(self) -> Mapping[str, Collection]:
        return {item.id: item for item in self._collections}

    @cached_property
    def _numbers(self) -> tuple[SortedOrder, Sequence[int]]:
        """A sorted order, and the place of each of its items in fixture order.

        Takes more than a second for a million, unless the places came with the order.
        """
        # Four bytes for each collection; a look-up by id would take a hundred.
        is_by_name = {"name"} == {*self._listings} - {"fixture"}
        order: SortedOrder = "name" if is_by_name else "update_time_desc"
        listed = self._parts(order)[ANYWHERE]
        if not listed.places:
            numbers = {id(item): at for at, item in enumerate(self._collections)}
            listed.places = array("I", (numbers[id(each)] for each in listed.items))
        return order, listed.places


_EMPTY = Listing(())
LARGE = 500
"""Collections whose scan or folding takes up to a millisecond."""


class Dataset(Struct, frozen=True, eq=False):
    """A dataset: its fields, its collections and their rows.

    `type` is `dataset`, or `folder` for a folder of datasets; `parent_id` is the id of
    such a folder. `update_time` is in milliseconds; `rows` are by collection id.
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
        """Return a caller's level: the key's own here, else the caller's."""
        return self.permissions.get(caller.key, caller.level)
