"""Collections in order, by the part of a dataset they are in, and the search there."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import cached_property
from operator import attrgetter
from typing import Final, Literal, overload

from mock_server.domain.collection import Collection
from mock_server.domain.limits import LIMITS
from mock_server.domain.search import Haystack

Order = Literal["update_time_desc", "name", "fixture"]
SearchFields = Literal["name_and_tags", "name"]


class Anywhere(Enum):
    """The type of ANYWHERE: every collection of a dataset, at any depth."""

    ANYWHERE = "anywhere"


ANYWHERE: Final = Anywhere.ANYWHERE
Within = str | None | Anywhere
"""A folder by its id, the top level (None), or ANYWHERE."""


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

    def __init__(self, items: Sequence[Collection]) -> None:
        self.items = items
        # The latest results, for pages of them follow.
        self._found: dict[tuple[str, SearchFields], Hits] = {}

    def search(self, term: str, fields: SearchFields) -> Sequence[Collection]:
        """The collections of which the name (or a tag) contains `term`, in order."""
        asked = term, fields
        found = self._found.pop(asked, None)
        if found is None:
            haystack = self._names if fields == "name" else self._names_and_tags
            found = Hits(self.items, haystack.find(term))
            if len(self._found) >= LIMITS.cached_searches:
                del self._found[next(iter(self._found))]
        self._found[asked] = found  # as the latest
        return found

    @cached_property
    def _names(self) -> Haystack:
        return Haystack((item.name,) for item in self.items)

    @cached_property
    def _names_and_tags(self) -> Haystack:
        return Haystack((item.name, *item.tags) for item in self.items)


def listings(collections: Sequence[Collection], order: Order) -> dict[Within, Listing]:
    """Each part of a dataset that holds any collections, in an order."""
    ordered = in_order(collections, order)
    folders: dict[str | None, list[Collection]] = {}
    for item in ordered:
        folders.setdefault(item.parent_id, []).append(item)
    found: dict[Within, Listing] = {ANYWHERE: Listing(ordered)}
    found.update((parent, Listing(items)) for parent, items in folders.items())
    return found


def in_order(collections: Sequence[Collection], order: Order) -> Sequence[Collection]:
    """Collections in document order, put in an order; ties always go by `_id`."""
    if order == "fixture":
        return collections
    # Sorts are stable, and two by one field each are faster than one by both.
    ordered = sorted(collections, key=attrgetter("id"))
    if order == "name":
        ordered.sort(key=attrgetter("name"))
    else:
        ordered.sort(key=attrgetter("update_time"), reverse=True)
    return ordered
