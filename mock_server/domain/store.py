"""What a sandbox holds: an immutable generation, and an overlay of what changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mock_server.domain.access import Caller
from mock_server.domain.chats import App, Chat
from mock_server.domain.datasets import Dataset


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
        self._created_chats = 0

    @property
    def created_chats(self) -> int:
        """How many chat sessions there are that the generation does not have."""
        return self._created_chats

    def app(self, app_id: str) -> App | None:
        """The application of that id."""
        return self.generation.apps.get(app_id)

    def dataset(self, dataset_id: str) -> Dataset | None:
        """The dataset of that id."""
        return self.generation.datasets.get(dataset_id)

    def chat(self, app: App, chat_id: str) -> Chat | None:
        """The chat session of an application as it is now."""
        return self._chats.get((app.id, chat_id)) or app.chats.get(chat_id)

    def chats(self, app: App) -> list[Chat]:
        """All chat sessions of an application as they are now, created ones last."""
        mine = {key[1]: chat for key, chat in self._chats.items() if key[0] == app.id}
        return list({**app.chats, **mine}.values())

    def put_chat(self, app: App, chat: Chat) -> None:
        """Keep a chat session of an application in place of the one with its id."""
        if self.chat(app, chat.chat_id) is None:
            self._created_chats += 1
        self._chats[app.id, chat.chat_id] = chat
