"""A sandbox: one isolated copy of everything that a client can see or change."""

from __future__ import annotations

from collections.abc import Callable

from mock_server.domain.chats import Chat
from mock_server.domain.choices import Choices
from mock_server.domain.clock import Clock
from mock_server.domain.store import Generation, Store


class Sandbox:
    """A store, a clock and the choices in force, under a name.

    `generation_number` is 1 at start and grows whenever the whole state is replaced.
    """

    def __init__(
        self,
        generation: Generation,
        choices: Choices,
        real_time: Callable[[], int],
        *,
        name: str = "default",
    ) -> None:
        self.name = name
        self.choices = choices
        self.store = Store(generation)
        self.clock = Clock(real_time, generation.frozen_at)
        self.generation_number = 1

    def chat(self, app_id: str, chat_id: str) -> Chat | None:
        """A chat session as it is now; None if there is none."""
        app = self.store.app(app_id)
        return None if app is None else self.store.chat(app, chat_id)
