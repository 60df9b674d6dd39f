"""What a sandbox is in at one moment."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct, field

from mock_server.domain.access import Caller
from mock_server.domain.choices import Choices, Profile
from mock_server.domain.clock import Clock
from mock_server.domain.faults import Faults
from mock_server.domain.journal import Journal
from mock_server.domain.memory import TextCache
from mock_server.domain.store import Store


class State(Struct, frozen=True, eq=False):
    """What a reset replaces, all at once: requests see one state from end to end.

    `number` is the generation number, 1 at start; `callers` are who may call, by the
    key that they send; `texts` are answers that are kept ready; `waits` end what a
    reset must not leave pending.
    """

    number: int
    store: Store
    clock: Clock
    profile: Profile
    choices: Choices
    callers: Mapping[str, Caller]
    journal: Journal
    faults: Faults
    texts: TextCache
    waits: set[Callable[[], object]] = field(default_factory=set)

    def end_waits(self) -> None:
        """End what faults hold up, without an answer."""
        for end in tuple(self.waits):
            end()
