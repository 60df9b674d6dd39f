"""A dataset, and the folder tree of its collections as it was loaded."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Self

from msgspec import Struct, field

from mock_server.domain.access import Caller, Level, Permissions
from mock_server.domain.clock import DEFAULT_TIME
from mock_server.domain.index import Listing, Order, Within, listings
from mock_server.domain.records import DEFAULT_TMB_ID, Collection, Row


class Tree:
    """A folder tree of collections in document order, and listings of it.

    Listings and the look-up by id are made when they are first needed. They follow from
    the collections alone, so that to others a tree never changes.
    """

    def __init__(
        self,
        collections: Sequence[Collection] = (),
        *,
        by_id: Mapping[str, Collection] | None = None,
        listings: Mapping[Order, Mapping[Within, Listing]] | None = None,
    ) -> None:
        """`by_id` and `listings` are what has been made already, as by a loader."""
        self.collections = collections
        self._listings = {**(listings or {})}
        if by_id is not None:
            self._by_id = by_id

    def __len__(self) -> int:
        return len(self.collections)

    def __iter__(self) -> Iterator[Collection]:
        return iter(self.collections)

    def __contains__(self, collection_id: str) -> bool:
        return collection_id in self._by_id

    def get(self, collection_id: str) -> Collection | None:
        """The collection of that id."""
        return self._by_id.get(collection_id)

    def listing(self, within: Within, order: Order) -> Listing:
        """The collections within a part, in an order; ties always go by `_id`."""
        if order not in self._listings:
            self._listings[order] = listings(self.collections, order)
        return self._listings[order].get(within, _EMPTY)

    def below(self, collection_id: str) -> list[Collection]:
        """A collection's descendants, nearest first."""
        descendants: list[Collection] = []
        folders = [collection_id]
        for folder in folders:  # grows meanwhile: level by level
            inside = self.listing(folder, "fixture").items
            descendants.extend(inside)
            folders.extend(item.id for item in inside)
        return descendants

    def depth(self, collection_id: str | None) -> int:
        """How many folders lead to what is in this one: 0 at the top level."""
        folders = 0
        while collection_id is not None:
            folders += 1
            collection_id = self._by_id[collection_id].parent_id
        return folders

    def with_collection(self, new: Collection) -> Self:
        """The tree with a collection in place of the one of its id, or at the end.

        One that moves to another folder goes to the end too.
        """
        old = self.get(new.id)
        if old is not None and old.parent_id == new.parent_id:
            return self._with([new if it is old else it for it in self.collections])
        return self._with([*self.without([new.id]).collections, new])

    def without(self, ids: Iterable[str]) -> Self:
        """The tree without some of its collections."""
        gone = frozenset(ids)
        return self._with([item for item in self.collections if item.id not in gone])

    def _with(self, collections: Sequence[Collection]) -> Self:
        return type(self)(collections)

    @cached_property
    def _by_id(self) -> Mapping[str, Collection]:
        return {collection.id: collection for collection in self.collections}


_EMPTY = Listing(())


class Dataset(Struct, frozen=True, eq=False):
    """A dataset: what is said of it, its collections, and the data rows of those.

    `type` is `dataset`, or `folder` for what holds datasets; `parent_id` is such a
    folder's id. `update_time` is in milliseconds; `rows` are by collection id.
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
    tree: Tree = field(default_factory=Tree)
    rows: Mapping[str, Sequence[Row]] = field(default_factory=dict)

    def level_of(self, caller: Caller) -> Level:
        """What a caller may do with it: its own permission, else the key's level."""
        return self.permissions.get(caller.key, caller.level)
