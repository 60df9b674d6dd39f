"""What a sandbox holds: an immutable generation, and an overlay of what changed."""

from __future__ import annotations

from collections.abc import Collection as AnyOf
from collections.abc import Mapping
from typing import Self

from msgspec import Struct, field
from msgspec.structs import force_setattr

from mock_server.domain.access import MIN_REDACTABLE_LENGTH, Caller
from mock_server.domain.chats import App, Chat
from mock_server.domain.collection import Collection
from mock_server.domain.datasets import Dataset
from mock_server.domain.listings import Order


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
    """The records of one sandbox. A new store over the same generation is a reset."""

    def __init__(self, generation: Generation) -> None:
        self.generation = generation
        self._chats: dict[str, dict[str, Chat | None]] = {}  # None: removed
        self._datasets: dict[str, Dataset] = {}
        self.created_chats = 0
        """How many chat sessions there are that the generation does not have."""

    def copy(self) -> Self:
        """A store that holds the same and changes on its own."""
        copy = type(self)(self.generation)
        copy._chats = {app_id: dict(chats) for app_id, chats in self._chats.items()}
        copy._datasets = dict(self._datasets)
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

    def chats(self, app: App) -> list[Chat]:
        """All chat sessions of an application as they are now, created ones last."""
        now = {**app.chats, **self._chats.get(app.id, {})}
        return [chat for chat in now.values() if chat is not None]

    def put_chat(self, app: App, chat: Chat) -> None:
        """Keep a chat session of an application in place of the one with its id."""
        changed = self._chats.setdefault(app.id, {})
        chat_id = chat.chat_id
        if chat_id not in app.chats and chat_id not in changed:
            self.created_chats += 1
        changed[chat_id] = chat

    def remove_chat(self, app: App, chat_id: str) -> None:
        """Remove a chat session that there is."""
        changed = self._chats.setdefault(app.id, {})
        if chat_id in app.chats:
            changed[chat_id] = None
        else:
            del changed[chat_id]
            self.created_chats -= 1

    def dataset(self, dataset_id: str) -> Dataset | None:
        """The dataset of that id as it is now."""
        changed = self._datasets.get(dataset_id)
        return changed or self.generation.datasets.get(dataset_id)

    def datasets(self) -> list[Dataset]:
        """All datasets as they are now."""
        return list({**self.generation.datasets, **self._datasets}.values())

    def put_collection(self, dataset: Dataset, collection: Collection) -> None:
        """Keep a collection of a dataset in place of the one with its id."""
        self._datasets[dataset.id] = dataset.with_collection(collection)

    def remove_collections(self, dataset: Dataset, ids: AnyOf[str]) -> None:
        """Remove collections of a dataset."""
        self._datasets[dataset.id] = dataset.without(ids)
