"""What a sandbox holds: an immutable generation, and an overlay of what changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mock_server.domain.access import Caller
from mock_server.domain.chats import App, Chat
from mock_server.domain.datasets import Dataset
from mock_server.domain.errors import AppNotFound, DatasetNotFound, show


@dataclass(frozen=True, slots=True)
class Generation:
    """The loaded content of fixtures, by id. Shared by stores and never changed.

    `frozen_at` is the time in milliseconds at which the clock stands, if it does.
    """

    apps: Mapping[str, App] = field(default_factory=dict)
    datasets: Mapping[str, Dataset] = field(default_factory=dict)
    keys: Mapping[str, Caller] = field(default_factory=dict)
    frozen_at: int | None = None


class Store:
    """The records of one sandbox. A new store over the same generation is a reset."""

    def __init__(self, generation: Generation) -> None:
        self.generation = generation
        self._chats: dict[tuple[str, str], Chat] = {}
        self.created_chats = 0

    def app(self, app_id: str) -> App:
        """The application of that id. Raises AppNotFound."""
        app = self.generation.apps.get(app_id)
        if app is None:
            raise AppNotFound("the id of an app", show(app_id), "$.appId")
        return app

    def dataset(self, dataset_id: str) -> Dataset:
        """The dataset of that id. Raises DatasetNotFound."""
        dataset = self.generation.datasets.get(dataset_id)
        if dataset is None:
            expected = "the id of a dataset"
            raise DatasetNotFound(expected, show(dataset_id), "$.datasetId")
        return dataset

    def chat(self, app: App, chat_id: str) -> Chat | None:
        """The chat session of an application as it is now."""
        return self._chats.get((app.id, chat_id)) or app.chats.get(chat_id)

    def chats(self, app: App) -> list[Chat]:
        """All chat sessions of an application as they are now, created ones last."""
        mine = {key[1]: chat for key, chat in self._chats.items() if key[0] == app.id}
        return list({**app.chats, **mine}.values())

    def put_chat(self, chat: Chat) -> None:
        """Keep a chat session in place of the one with its ids."""
        if self.chat(self.app(chat.app_id), chat.chat_id) is None:
            self.created_chats += 1
        self._chats[chat.app_id, chat.chat_id] = chat
