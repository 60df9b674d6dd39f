"""The data: applications with chats (spec 2.1), datasets with collections (spec 2.2).

Records never change once they are made: a change makes a new one, and the store keeps
it in place of the old.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Self

from msgspec import Struct, field

from mock_server.domain.access import Caller, Level, Permissions
from mock_server.domain.clock import DEFAULT_TIME
from mock_server.domain.index import Listing, Order, Within, listings

DEFAULT_TMB_ID = "65422be6aa44b7da77729ec9"


class Chat(Struct, frozen=True, gc=False):
    """A chat session. `top` is its pin state; `update_time` is in milliseconds."""

    app_id: str
    chat_id: str
    title: str = ""
    custom_title: str = ""
    top: bool = False
    update_time: int = DEFAULT_TIME


class App(Struct, frozen=True):
    """An application and the chat sessions that the fixture gives it, by chat id."""

    id: str
    name: str = ""
    permissions: Permissions = field(default_factory=dict)
    chats: Mapping[str, Chat] = field(default_factory=dict)

    def level_of(self, caller: Caller) -> Level:
        """What a caller may do with it: its own permission, else the key's level."""
        return self.permissions.get(caller.key, caller.level)


class Collection(Struct, frozen=True, eq=False, gc=False):
    """A collection, all fields of spec 2.2 but `permission`, which is the caller's.

    Times are in milliseconds. The last four fields are the deployed service's
    (choice item_fields=extended).
    """

    # Without `eq`, a collection is equal to itself alone and hashed by identity: JSON
    # texts are cached by it, and comparing fields would take longer than encoding them.
    # Without `gc`: there may be millions, in no cycles, and the collector walks them.

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


class Dataset:
    """A dataset: a folder tree of collections in document order, and listings of it.

    Listings and the look-up by id are made when they are first needed. They follow from
    the collections alone, so that to others a dataset never changes.
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
        """`by_id` and `listings` are what has been made already, as by a loader."""
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

    def level_of(self, caller: Caller) -> Level:
        """What a caller may do with it: its own permission, else the key's level."""
        return self.permissions.get(caller.key, caller.level)

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
        """The dataset with a collection in place of the one of its id, or at the end.

        One that moves to another folder goes to the end too.
        """
        old = self.get(new.id)
        if old is not None and old.parent_id == new.parent_id:
            return self._with([new if it is old else it for it in self.collections])
        return self._with([*self.without([new.id]).collections, new])

    def without(self, ids: Iterable[str]) -> Self:
        """The dataset without some of its collections."""
        gone = frozenset(ids)
        return self._with([item for item in self.collections if item.id not in gone])

    def _with(self, collections: Sequence[Collection]) -> Self:
        name, permissions = self.name, self.permissions
        return type(self)(self.id, collections, name=name, permissions=permissions)

    @cached_property
    def _by_id(self) -> Mapping[str, Collection]:
        return {collection.id: collection for collection in self.collections}


_EMPTY = Listing(())
