"""An account of the service: its apps with their chats, its datasets, keys and users."""

import re
from collections import Counter
from collections.abc import Container, Mapping
from functools import cached_property
from itertools import chain
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, field, json
from msgspec.structs import replace

from mock_server.store.objects import (
    DEFAULT_MEMBER,
    DEFAULT_TIME,
    Collection,
    Dataset,
    Id,
    Level,
    LevelName,
    Resource,
    Time,
    omit,
)
from mock_server.store.replies import Record

MAX_FOLDERS = 64
A_FOLDER = f"a folder that is not in this one, with at most {MAX_FOLDERS} above each"
REPEATED_ID = "two collections or rows have the _id {!r}: what takes an id alone finds the first"
TreeObject = Resource | Collection
ChatId = Annotated[str, Meta(min_length=1, max_length=1024)]
"""FastGPT accepts longer ids of chats than the spec's operations, which take an `Id`."""
ChatKey = tuple[str, str]
"""The ids of the app and of the chat."""
MAX_NEW_OBJECTS = 200_000
"""The most objects that can be created until a reset."""
_NEW_ID = re.compile(rb'"68b000000000([0-9a-f]{12})"')
"""An id that was given to a new object; the group is its number."""


class Chat(Struct, rename="camel", frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A chat session of an app (spec 2.1)."""

    chat_id: ChatId
    tmb_id: str | None = None
    """The member who owns the chat; with None, every member does."""
    title: str = ""
    custom_title: str = ""
    top: bool = False
    create_time: Time = DEFAULT_TIME
    update_time: Time = DEFAULT_TIME
    custom_uid: str = ""
    """The `customUid` of a completion: the user for whom the client asks."""
    source: str = "api"
    """The way in which the chat began: `api` (with an API key), `online`, `share` (a link) ..."""
    variables: dict[str, Any] = {}
    has_been_read: bool = True
    """Whether the chat was opened, or marked as read, since the last reply."""
    records: tuple[Record, ...] = ()
    deleted: bool = False
    """Whether lists omit the chat. Its records stay, and a further question adds to them."""


class App(Resource, rename="camel", frozen=True, kw_only=True):
    """An application and its chat sessions."""

    type: str = "simple"
    question_guide: tuple[str, ...] = ()
    chat_config: dict[str, Any] = field(default_factory=dict)
    """The settings of its chats as FastGPT has them. Only the keys of its variables count here."""
    modules: tuple[dict[str, Any], ...] = ()
    """The nodes of its workflow, which never runs."""
    edges: tuple[dict[str, Any], ...] = ()
    chat_models: tuple[str, ...] | UnsetType = UNSET
    """The names of its models, if they are not those that its modules name."""
    variables: tuple[str, ...] | None = None
    """The names of the variables that its chats keep; None keeps all."""
    chats: dict[str, Chat] = field(default_factory=dict)

    @property
    def listed_chats(self) -> list[Chat]:
        return [it for it in self.chats.values() if not it.deleted]

    @cached_property
    def kept_variables(self) -> tuple[str, ...] | None:
        """The names of the variables that its chats keep: its own, else those of `chat_config`."""
        if self.variables or "variables" not in self.chat_config:
            return self.variables
        return tuple(str(it.get("key")) for it in objects_in(self.chat_config["variables"]))

    def with_chats(self, *chats: Chat) -> "App":
        return replace(self, chats=self.chats | {it.chat_id: it for it in chats})

    def without_chats(self, ids: Container[str]) -> "App":
        return replace(self, chats=omit(self.chats, ids))


class Key(Struct, rename="camel", frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An API key that a fixture declares. If it declares none, choice unknown_key applies."""

    key: Id
    member: str | None = None
    permission: LevelName = "owner"
    app: Id | None = None
    """The app of completions that name no app; with key_app=bound, the only one of all chats."""

    @property
    def level(self) -> Level:
        return Level[self.permission.upper()]


class User(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A person who logs in with a password."""

    username: Annotated[str, Meta(min_length=1, max_length=128)]
    password: str
    member: str = DEFAULT_MEMBER
    logouts: int = 0
    """How often the person logged out; each time, the login token becomes another one."""


def objects_in(value: object) -> list[dict[str, Any]]:
    """The objects of a list; of any other value none."""
    items = value if isinstance(value, list) else []
    return [it for it in items if isinstance(it, dict)]


class Store(Struct, frozen=True, kw_only=True):
    """An account. A `Store` never changes; an operation makes the next one."""

    apps: dict[str, App] = {}
    datasets: dict[str, Dataset] = {}
    keys: dict[str, Key] = {}
    users: dict[str, User] = {}
    last_number: int = 0
    """The number in the id that was last given to a new object."""

    def trained_at(self, now_ms: int) -> "Store":
        """The account after all steps of training that are due at this time."""
        store = self
        for dataset in self.datasets.values():
            if dataset.steps:
                store = store.with_resource(dataset.trained_at(now_ms))
        return store

    def next_id(self) -> tuple[str, "Store"]:
        """The id of a new object, and the account with its counter advanced."""
        number = self.last_number + 1
        return f"68b000000000{number:012x}", replace(self, last_number=number)

    def skip_ids_in(self, *values: object) -> "Store":
        """The account with its counter past every id that occurs in these values."""
        numbers = [int(digits, 16) for digits in _NEW_ID.findall(json.encode(values))]
        # No object gets an id with a higher number.
        used = [it for it in numbers if it <= MAX_NEW_OBJECTS]
        return replace(self, last_number=max([self.last_number, *used]))

    def repeated_ids(self) -> set[str]:
        """Each `_id` that collections of two datasets have, or rows of two collections."""
        datasets = self.datasets.values()
        of_collections = chain.from_iterable(it.collections for it in datasets)
        rows = chain.from_iterable(it.rows.values() for it in datasets)
        counts = [Counter(of_collections), Counter(chain.from_iterable(rows))]
        return {id for ids in counts for id, count in ids.items() if count > 1}

    def with_resource(self, resource: App | Dataset) -> "Store":
        if isinstance(resource, App):
            return replace(self, apps=self.apps | {resource.id: resource})
        return replace(self, datasets=self.datasets | {resource.id: resource})

    def without_resource(self, resource: App | Dataset) -> "Store":
        """The account without an app or a dataset and all that is below it."""
        if isinstance(resource, App):
            return replace(self, apps=omit(self.apps, subtree_ids(self.apps, resource.id)))
        return replace(self, datasets=omit(self.datasets, subtree_ids(self.datasets, resource.id)))


def subtree_ids(objects: Mapping[str, TreeObject], *roots: str) -> set[str]:
    """The ids of some objects, and of all objects below them."""
    ids = set(roots)
    known = 0
    # Each round adds the objects of one more level.
    while len(ids) > known:
        known = len(ids)
        ids |= {it.id for it in objects.values() if it.parent_id in ids}
    return ids


def folder_ids(objects: Mapping[str, TreeObject], id: str) -> list[str]:
    """The ids of the folders above an object, the lowest first; of a circle, MAX_FOLDERS + 1."""
    ids: list[str] = []
    parent_id = objects[id].parent_id
    while parent_id is not None and parent_id in objects and len(ids) <= MAX_FOLDERS:
        ids.append(parent_id)
        parent_id = objects[parent_id].parent_id
    return ids


def reaches_root(objects: Mapping[str, TreeObject], id: str) -> bool:
    """Whether an object is below at most MAX_FOLDERS folders, which exist and form no circle."""
    ids = folder_ids(objects, id)
    top = objects[[id, *ids][-1]]
    return top.parent_id is None and len(ids) <= MAX_FOLDERS


def all_reach_root(objects: Mapping[str, TreeObject], changed: TreeObject) -> bool:
    """Whether a new or moved object, and all objects below it, reach the top level."""
    after = {**objects, changed.id: changed}
    return all(reaches_root(after, id) for id in subtree_ids(after, changed.id))
