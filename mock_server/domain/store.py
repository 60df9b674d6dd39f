"""What a sandbox holds: an immutable generation, and an overlay of what changed.

A generation is shared by any number of stores, so that making and resetting a sandbox
costs the same whatever the size of the fixture.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from sys import getsizeof
from typing import Self

from msgspec import Struct, field
from msgspec.structs import force_setattr, replace

from mock_server.domain.access import MIN_REDACTABLE_LENGTH, Caller
from mock_server.domain.dataset import Dataset
from mock_server.domain.index import Order
from mock_server.domain.memory import Kind, Memory
from mock_server.domain.records import App, Chat, Collection, User
from mock_server.domain.training import Job


class Generation(Struct, frozen=True, eq=False, weakref=True):
    """The loaded content of fixtures, by id. Shared by stores and never changed.

    `users` may log in, `replies` are what completions answer in turn; `jobs` is the
    training under way.
    `frozen_at` is the time in milliseconds at which the clock stands, if it does;
    `files` and `sha256` say where all of it comes from; `size` is about how many bytes
    of memory it takes; `secrets`, which follow from `keys`, are the keys that must not
    come out again, sorted.
    """

    apps: Mapping[str, App] = field(default_factory=dict)
    datasets: Mapping[str, Dataset] = field(default_factory=dict)
    keys: Mapping[str, Caller] = field(default_factory=dict)
    users: tuple[User, ...] = ()
    replies: tuple[str, ...] = ()
    jobs: tuple[Job, ...] = ()
    frozen_at: int | None = None
    files: tuple[str, ...] = ()
    sha256: str = ""
    size: int = 0
    secrets: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        long = [key for key in self.keys if len(key) >= MIN_REDACTABLE_LENGTH]
        # The way of msgspec for what a frozen struct derives from its fields.
        force_setattr(self, "secrets", tuple(sorted(key.encode() for key in long)))

    def sort(self, order: Order) -> None:
        """Put all collections in order, so that no request has to wait for that."""
        for dataset in self.datasets.values():
            dataset.tree.listing(None, order)

    def records(self, at_once: int) -> Iterator[list[Chat | Collection]]:
        """All chats and collections, in lists of `at_once`."""
        holders: list[Iterable[Chat | Collection]] = [
            *(app.chats.values() for app in self.apps.values()),
            *(dataset.tree for dataset in self.datasets.values()),
        ]
        records = chain.from_iterable(holders)
        while some := list(islice(records, at_once)):
            yield some

    def counts(self) -> dict[str, int]:
        """How many datasets, collections and chats there are."""
        datasets, apps = self.datasets.values(), self.apps.values()
        return {
            "datasets": len(datasets),
            "collections": sum(len(dataset.tree) for dataset in datasets),
            "chats": sum(len(app.chats) for app in apps),
        }


class Store:
    """The chats and collections of one sandbox as they are now.

    A new store over the same generation is a reset. What it holds beside the generation
    is charged to `memory`, as `kind`.
    """

    def __init__(
        self,
        generation: Generation,
        memory: Memory | None = None,
        kind: Kind = "changes",
    ) -> None:
        self.generation = generation
        self.created_chats = 0
        """How many chat sessions there are that the generation does not have."""
        self._memory = Memory() if memory is None else memory
        self._holding = self._memory.hold(kind)
        # By app, then by chat id, what has been put; None for what has been removed.
        self._chats: dict[str, dict[str, Chat | None]] = {}
        # By app, how many chats there are more than the generation has.
        self._more_chats: dict[str, int] = {}
        # By id, the datasets that have been changed.
        self._datasets: dict[str, Dataset] = {}
        # By dataset, then by id, the bytes of each collection that has been put.
        self._put: dict[str, dict[str, int]] = {}

    @property
    def size(self) -> int:
        """About how many bytes it takes beside the generation."""
        return self._holding.size

    def copy(self, kind: Kind = "changes") -> Self:
        """A store that holds the same and changes on its own. Raises LimitReached."""
        copy = type(self)(self.generation, self._memory, kind)
        copy._holding.reserve(_STORE_BYTES + self.size)
        copy.created_chats = self.created_chats
        copy._chats = {app_id: dict(chats) for app_id, chats in self._chats.items()}
        copy._more_chats = dict(self._more_chats)
        copy._datasets = dict(self._datasets)
        copy._put = {dataset: dict(sizes) for dataset, sizes in self._put.items()}
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
        changed = self._chats.get(app.id) or _NO_CHANGES
        old = changed.get(chat_id)
        # A pin that is repeated keeps the texts of the chat: its size is known.
        if (
            old is None
            or chat.title is not old.title
            or chat.custom_title is not old.custom_title
        ):
            changed = self._charged(app, chat, old)
        changed[chat_id] = chat

    def remove_chat(self, app: App, chat_id: str) -> None:
        """Remove a chat session that there is."""
        changed = self._chats.setdefault(app.id, {})
        old = changed.get(chat_id)
        self._count(app, chat_id, -1)
        self._holding.grow(0 if old is None else -_chat_size(old))
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
        count = len(dataset.tree) + (collection.id not in dataset.tree)
        self._charge(size - old + self._more_listed(dataset, count))
        sizes[collection.id] = size
        tree = dataset.tree.with_collection(collection)
        self._datasets[dataset.id] = replace(dataset, tree=tree)

    def remove_collections(self, dataset: Dataset, ids: Iterable[str]) -> None:
        """Remove collections of a dataset. Raises LimitReached."""
        sizes, ids = self._put.setdefault(dataset.id, {}), set(ids)
        left = dataset.tree.without(ids)
        freed = sum(sizes.get(collection_id, 0) for collection_id in ids)
        self._charge(self._more_listed(dataset, len(left)) - freed)
        for collection_id in ids:
            sizes.pop(collection_id, None)
        self._datasets[dataset.id] = replace(dataset, tree=left)

    def _charged(
        self, app: App, chat: Chat, old: Chat | None
    ) -> dict[str, Chat | None]:
        """Charge and count a chat that is to be put in place of `old`.

        Gives the changed chats of the app. Raises LimitReached.
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

    def _more_listed(self, dataset: Dataset, count: int) -> int:
        """The bytes that listings of a changed dataset take more, of `count` items.

        A dataset is listed anew once it is changed; those of the generation are charged
        with the generation.
        """
        listed = len(dataset.tree) if dataset.id in self._datasets else 0
        return _LISTED_BYTES * (count - listed)

    def _charge(self, size: int) -> None:
        """Charge so many bytes more, or fewer. Raises LimitReached."""
        if size > 0:
            self._holding.reserve(size)
        else:
            self._holding.grow(size)


_NO_CHANGES: dict[str, Chat | None] = {}

# About what these take: a store that is a copy; an item in the listings of a dataset; a
# collection and a chat without their texts.
_STORE_BYTES, _LISTED_BYTES, _COLLECTION_BYTES, _CHAT_BYTES = 1_024, 150, 700, 400


def _chat_size(chat: Chat) -> int:
    return _CHAT_BYTES + getsizeof(chat.title) + getsizeof(chat.custom_title)


def _collection_size(each: Collection) -> int:
    texts = (each.name, each.type, each.tmb_id, each.training_type, *each.tags)
    more = (each.external_file_id, each.file_id or "", each.raw_link or "")
    return _COLLECTION_BYTES + sum(map(getsizeof, (*texts, *more)))
