"""Datasets and their folder trees of collections (spec 2.2)."""

from __future__ import annotations

from collections.abc import Collection as AnyOf
from collections.abc import Mapping, Sequence
from functools import cached_property

from mock_server.domain.access import Permissions
from mock_server.domain.index import Listing, Order, Within, listings
from mock_server.domain.records import Collection


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
        by_id: Mapping[str, Collection] | None = None,
        listings: Mapping[Order, Mapping[Within, Listing]] | None = None,
    ) -> None:
        """`by_id` and `listings` are what has been computed already."""
        self.id = id
        self.name = name
        self.permissions: Permissions = permissions or {}
        self.collections = collections
        self._listings = {**(listings or {})}
        if by_id is not None:
            self._by_id = by_id

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
            self._listings[order] = listings(self.collections, order)
        return self._listings[order].get(within, _EMPTY)


_EMPTY = Listing(())
