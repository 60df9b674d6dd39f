"""Datasets and their folder trees of collections (spec 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Final, Literal

from mock_server.domain.access import Permissions
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


@dataclass(frozen=True, slots=True, eq=False)
class Collection:
    """A collection, all fields of spec 2.2 but `permission`, which is the caller's.

    Times are in milliseconds. The last four fields are the deployed service's
    (choice item_fields=extended). Two collections are equal when they are the same.
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


class Listing:
    """Collections in one order, with what a search in them needs."""

    def __init__(self, items: Sequence[Collection]) -> None:
        self.items = items

    def search(self, term: str, fields: SearchFields) -> Sequence[Collection]:
        """The collections of which the name (or a tag) contains `term`, in order."""
        haystack = self._names if fields == "name" else self._names_and_tags
        return [self.items[hit] for hit in haystack.find(term)]

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
        return collection_id in self._ids

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(collection.id for collection in self.collections)

    def listing(self, within: Within, order: Order) -> Listing:
        """The collections within a part, in an order; ties always go by `_id`."""
        if order not in self._listings:
            self._listings[order] = _listings(_sorted(self.collections, order))
        return self._listings[order].get(within, _EMPTY)


_EMPTY = Listing(())


def _sorted(collections: Sequence[Collection], order: Order) -> Sequence[Collection]:
    if order == "update_time_desc":
        return sorted(collections, key=lambda item: (-item.update_time, item.id))
    if order == "name":
        return sorted(collections, key=lambda item: (item.name, item.id))
    return collections


def _listings(ordered: Sequence[Collection]) -> dict[Within, Listing]:
    folders: dict[str | None, list[Collection]] = {}
    for item in ordered:
        folders.setdefault(item.parent_id, []).append(item)
    listings: dict[Within, Listing] = {ANYWHERE: Listing(ordered)}
    listings.update((parent, Listing(items)) for parent, items in folders.items())
    return listings
