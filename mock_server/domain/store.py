"""What a sandbox holds: an immutable generation, and an overlay of what changed."""

from __future__ import annotations

from collections.abc import Collection as AnyOf
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from sys import getsizeof
from typing import Self

from msgspec import Struct, field
from msgspec.structs import force_setattr

from mock_server.domain.access import MIN_REDACTABLE_LENGTH, Caller
from mock_server.domain.datasets import Dataset
from mock_server.domain.index import Order
from mock_server.domain.memory import Kind, Memory
from mock_server.domain.records import App, Chat, Collection


class Generation(Struct, frozen=True, eq=False, weakref=True):
    """The loaded content of fixtures, by id. Shared by stores and never changed.

    `frozen_at` is the time in milliseconds at which the clock stands, if it does;
    `files` and `sha256` say where all of it comes from; `secrets` are the keys that
    must not come out again, sorted; `size` is about how many bytes of memory all of it
    takes.
    """

    apps: Mapping[str, App] = field(default_factory=dict)
    datasets: Mapping[str, Dataset] = field(default_factory=dict)
    keys: Mapping[str, Caller] = field(default_factory=dict)
    frozen_at: int | None = None
    files: tuple[str, ...] = ()
    sha256: str = ""
    size: int = 0
    secrets: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        long = [key for key in self.keys if len(key) >= MIN_REDACTABLE_LENGTH]
        force_setattr(self, "secrets", tuple(sorted(key.encode() for key in long)))

    def sort(self, order: Order) -> None:
        """Put all collections in order, so that no request has to wait for that."""
        for dataset in self.datasets.values():
            dataset.listing(None, order)

    def records(self, at_once: int) -> Iterator[list[Chat | Collection]]:
        """All chats and collections, so many at a time."""
        holders: list[Iterable[Chat | Collection]] = [
            *(app.chats.values() for app in self.apps.values()),
            *(dataset.collections for dataset in self.datasets.values()),
        ]
        every = chain.from_iterable(holders)
        while some := list(islice(every, at_once)):
            yield some

    def counts(self) -> dict[str, int]:
        """How many datasets, collections and chats there are."""
        return {
            "datasets": len(self.datasets),
            "collections": sum(
                len(each.collections) for each in self.datasets.values()
            ),
            "chats": sum(len(app.chats) for app in self.apps.values()),
        }


class Store:
    """The records of one sandbox. A new store over the same generation is a reset.

    What it holds beside the generation is charged to `memory`.
    """

    def __init__(
        self,
        generation: Generation,
        memory: Memory | None = None,
        kind: Kind = "changes",
    ) -> None:
        self.generation = generation
        self._memory = Memory() if memory is None else memory
        self._held = self._memory.hold(kind)
        self._chats: dict[str, dict[str, Chat | None]] = {}  # None: removed
        self._datasets: dict[str, Dataset] = {}
        self._put: dict[str, dict[str, int]] = {}
        """By dataset: the bytes of each collection that has been put."""
        self._more_chats: dict[str, int] = {}
        """By app: how many chats there are more than the generation has."""
        self.created_chats = 0
        """How many chat sessions there are that the generation does not have."""

    @property
    def size(self) -> int:
        """About how many bytes it takes beside the generation."""
        return self._held.size

    def copy(self, kind: Kind = "changes") -> Self:
        """A store that holds the same and changes on its own. Raises LimitReached."""
        copy = type(self)(self.generation, self._memory, kind)
        copy._held.reserve(_STORE + self.size)
        copy._chats = {app_id: dict(chats) for app_id, chats in self._chats.items()}
        copy._datasets = dict(self._datasets)
        copy._put = {dataset: dict(sizes) for dataset, sizes in self._put.items()}
        copy._more_chats = dict(self._more_chats)
        copy.created_chats = self.created_chats
        return copy

    def app(self, app_id: str) -> App | None:
        """The application of that id."""
        return self.generation.apps.get(app_id)

    def chat(self, app: App, chat_id: str) -> Chat | None:
        """The chat session of an application as it is now."""
        changed = self._chats.get(app.id)
        if changed is not None and chat_id in changed:
            return changed[chat_id]
        return app.chats.get(chat_id)

    def chats(self, app: App) -> Iterator[Chat]:
        """All chat sessions of an application as they are now, created ones last."""
        changed = self._chats.get(app.id, {})
        for chat_id, loaded in app.chats.items():
            chat = changed.get(chat_id, loaded)
            if chat is not None:
                yield chat
        for chat_id, chat in changed.items():
            if chat is not None and chat_id not in app.chats:
                yield chat

    def count_chats(self, app: App) -> int:
        """How many chat sessions an application has now."""
        return len(app.chats) + self._more_chats.get(app.id, 0)

    def put_chat(self, app: App, chat: Chat) -> None:
        """Keep a chat session of an application in place of the one with its id.

        Raises LimitReached.
        """
        chat_id = chat.chat_id
        changed = self._chats.get(app.id) or _NONE
        old = changed.get(chat_id)
        if (
            old is None
            or chat.title is not old.title
            or chat.custom_title is not old.custom_title
        ):
            changed = self._charged(app, chat, old)
        changed[chat_id] = chat

    def _charged(
        self, app: App, chat: Chat, old: Chat | None
    ) -> dict[str, Chat | None]:
        """Charge and count a chat that is not yet, or not like this, in the overlay.

        Gives the overlay.
        """
        self._charge(_chat_size(chat) - (0 if old is None else _chat_size(old)))
        chat_id = chat.chat_id
        if old is None and self.chat(app, chat_id) is None:
            self._count(app, chat_id, 1)
        return self._chats.setdefault(app.id, {})

    def _count(self, app: App, chat_id: str, more: int) -> None:
        self._more_chats[app.id] = self._more_chats.get(app.id, 0) + more
        if chat_id not in app.chats:
            self.created_chats += more

    def remove_chat(self, app: App, chat_id: str) -> None:
        """Remove a chat session that there is."""
        changed = self._chats.setdefault(app.id, {})
        old = changed.get(chat_id)
        self._count(app, chat_id, -1)
        self._held.grow(0 if old is None else -_chat_size(old))
        if chat_id in app.chats:
            changed[chat_id] = None
        else:
            del changed[chat_id]

    def dataset(self, dataset_id: str) -> Dataset | None:
        """The dataset of that id as it is now."""
        changed = self._datasets.get(dataset_id)
        return changed or self.generation.datasets.get(dataset_id)

    def datasets(self) -> list[Dataset]:
        """All datasets as they are now."""
        return list({**self.generation.datasets, **self._datasets}.values())

    def put_collection(self, dataset: Dataset, collection: Collection) -> None:
        """Keep a collection of a dataset in place of the one with its id.

        Raises LimitReached.
        """
        sizes = self._put.setdefault(dataset.id, {})
        size, old = _collection_size(collection), sizes.get(collection.id, 0)
        is_new = collection.id not in dataset
        listed = _LISTED * (len(dataset.collections) + is_new) - self._listed(dataset)
        self._charge(size - old + listed)
        sizes[collection.id] = size
        self._datasets[dataset.id] = dataset.with_collection(collection)

    def remove_collections(self, dataset: Dataset, ids: AnyOf[str]) -> None:
        """Remove collections of a dataset. Raises LimitReached."""
        sizes = self._put.setdefault(dataset.id, {})
        left = dataset.without(ids)
        freed = sum(sizes.get(each, 0) for each in ids)
        listed = _LISTED * len(left.collections) - self._listed(dataset)
        self._charge(listed - freed)
        for each in ids:
            sizes.pop(each, None)
        self._datasets[dataset.id] = left

    def _charge(self, size: int) -> None:
        """Charge so many bytes more, or fewer. Raises LimitReached."""
        if size > 0:
            self._held.reserve(size)
        else:
            self._held.grow(size)

    def _listed(self, dataset: Dataset) -> int:
        """The bytes that a dataset takes already, apart from collections put."""
        if dataset.id not in self._datasets:
            return 0
        return _LISTED * len(dataset.collections)


_NONE: dict[str, Chat | None] = {}
_STORE = 1_024
_LISTED = 150
_COLLECTION = 700
_CHAT = 400


def _chat_size(chat: Chat) -> int:
    return _CHAT + getsizeof(chat.title) + getsizeof(chat.custom_title)


def _collection_size(each: Collection) -> int:
    texts = (each.name, each.type, each.tmb_id, each.training_type, *each.tags)
    more = (each.external_file_id, each.file_id or "", each.raw_link or "")
    return _COLLECTION + sum(map(getsizeof, (*texts, *more)))
