"""Datasets and their folder trees of collections (spec 2.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Collection as AnyOf
from enum import Enum
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Final, Literal, overload

from msgspec import Struct

from mock_server.domain.access import Permissions
from mock_server.domain.limits import LIMITS
from mock_server.domain.search import Haystack
from mock_server.domain.times import DEFAULT_TIME

DEFAULT_TMB_ID = "65422be6aa44b7da77729ec9"

Order = Literal["update_time_desc", "name", "fixture"]
SearchFields = Literal["name_and_tags", "name"]


class Anywhere(Enum):
    """The type of ANYWHERE: every collection of a dataset, at any depth."""

    ANYWHERE = "anywhere"


ANYWHERE: Final = Anywhere.ANYWHERE
Within = str | None | Anywhere
"""A folder by its id, the top level (None), or ANYWHERE."""


class Collection(Struct, frozen=True, eq=False, gc=False):
    """A collection, all fields of spec 2.2 but `permission`, which is the caller's.

    Times are in milliseconds. The last four fields are the deployed service's
    (choice item_fields=extended). Two collections are equal when they are the same.
    There may be millions, and no cycles: the garbage collector need not look at them.
    """

    id: str
    name: str
    parent_id: str | None = None
    tmb_id: str = DEFAULT_TMB_ID
    type: str = "virtual"
    update_time: int = DEFAULT_TIME
    data_amount: int = 0
    training_amount: int = 0
    external_file_id: str = ""
    tags: tuple[str, ...] = ()
    forbid: bool = False
    training_type: str = "chunk"
    create_time: int | None = None
    has_error: bool = False
    file_id: str | None = None
    raw_link: str | None = None


class Hits(Sequence[Collection]):
    """What a search has found; collections are picked when they are asked for."""

    def __init__(self, items: Sequence[Collection], indices: Sequence[int]) -> None:
        self._items = items
        self._indices = indices

    def __len__(self) -> int:
        return len(self._indices)

    @overload
    def __getitem__(self, at: int) -> Collection: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Collection]: ...
    def __getitem__(self, at: int | slice) -> Collection | Sequence[Collection]:
        if isinstance(at, slice):
            return tuple(self._items[index] for index in self._indices[at])
        return self._items[self._indices[at]]


class Listing:
    """Collections in one order, with what a search in them needs."""

    def __init__(self, items: Iterable[Collection]) -> None:
        self.items = tuple(items)

    def search(self, term: str, fields: SearchFields) -> Sequence[Collection]:
        """The collections of which the name (or a tag) contains `term`, in order."""
        return self._found(term, fields)

    @cached_property
    def _found(self) -> Callable[[str, SearchFields], Sequence[Collection]]:
        """The search; it keeps the latest results, for pages of them follow."""
        return lru_cache(LIMITS.cached_searches)(self._find)

    def _find(self, term: str, fields: SearchFields) -> Sequence[Collection]:
        haystack = self._names if fields == "name" else self._names_and_tags
        return Hits(self.items, haystack.find(term))

    @cached_property
    def _names(self) -> Haystack:
        return Haystack((item.name,) for item in self.items)

    @cached_property
    def _names_and_tags(self) -> Haystack:
        return Haystack((item.name, *item.tags) for item in self.items)


class Dataset:
    """A dataset: its collections in document order, and lazily each listing of them.

    Observably immutable: what is computed on first use depends on nothing else.
    """

    def __init__(
        self,
        id: str,  # noqa: A002 - the spec's word
        collections: Sequence[Collection] = (),
        *,
        name: str = "",
        permissions: Permissions | None = None,
    ) -> None:
        self.id = id
        self.name = name
        self.permissions: Permissions = permissions or {}
        self.collections = collections
        self._listings: dict[Order, dict[Within, Listing]] = {}

    def __contains__(self, collection_id: str) -> bool:
        return collection_id in self._by_id

    def get(self, collection_id: str) -> Collection | None:
        """The collection of that id."""
        return self._by_id.get(collection_id)

    @cached_property
    def _by_id(self) -> Mapping[str, Collection]:
        return {collection.id: collection for collection in self.collections}

    def below(self, collection_id: str) -> list[Collection]:
        """A collection's descendants, nearest first."""
        found: list[Collection] = []
        folders = [collection_id]
        for folder in folders:
            inside = self.listing(folder, "fixture").items
            found.extend(inside)
            folders.extend(item.id for item in inside)
        return found

    def depth(self, collection_id: str | None) -> int:
        """How many folders lead to what is in this one: 0 at the top level."""
        folders = 0
        while collection_id is not None:
            folders += 1
            collection_id = self._by_id[collection_id].parent_id
        return folders

    def with_collection(self, new: Collection) -> Dataset:
        """The dataset with a collection in place of the one of its id, or at the end.

        One that moves to another folder goes to the end too.
        """
        old = self.get(new.id)
        if old is not None and old.parent_id == new.parent_id:
            return self._holding([new if it is old else it for it in self.collections])
        return self._holding([*self.without((new.id,)).collections, new])

    def without(self, ids: AnyOf[str]) -> Dataset:
        """The dataset without some of its collections."""
        return self._holding([item for item in self.collections if item.id not in ids])

    def _holding(self, collections: Sequence[Collection]) -> Dataset:
        name, permissions = self.name, self.permissions
        return Dataset(self.id, collections, name=name, permissions=permissions)

    def listing(self, within: Within, order: Order) -> Listing:
        """The collections within a part, in an order; ties always go by `_id`."""
        if order not in self._listings:
            self._listings[order] = _listings(_sorted(self.collections, order))
        return self._listings[order].get(within, _EMPTY)


_EMPTY = Listing(())


def _sorted(collections: Sequence[Collection], order: Order) -> Sequence[Collection]:
    if order == "fixture":
        return collections
    # Sorts are stable, and two by one field each are faster than one by both.
    ordered = sorted(collections, key=attrgetter("id"))
    if order == "name":
        ordered.sort(key=attrgetter("name"))
    else:
        ordered.sort(key=attrgetter("update_time"), reverse=True)
    return ordered


def _listings(ordered: Sequence[Collection]) -> dict[Within, Listing]:
    folders: dict[str | None, list[Collection]] = {}
    for item in ordered:
        folders.setdefault(item.parent_id, []).append(item)
    listings: dict[Within, Listing] = {ANYWHERE: Listing(ordered)}
    listings.update((parent, Listing(items)) for parent, items in folders.items())
    return listings
