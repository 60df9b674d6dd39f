"""What a sandbox is in at one moment, and snapshots of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct, field

from mock_server.domain.access import Caller
from mock_server.domain.choices import Choices, Profile
from mock_server.domain.clock import Clock
from mock_server.domain.errors import LimitReached, SnapshotNotFound, describe_value
from mock_server.domain.faults import Faults
from mock_server.domain.journal import Journal
from mock_server.domain.limits import LIMITS
from mock_server.domain.memory import TextCache
from mock_server.domain.store import Store


class State(Struct, frozen=True, eq=False):
    """What a reset replaces, all at once: requests see one state from end to end.

    `generation` is its number, 1 at start; `callers` are who may call, by the key that
    they send; `texts` are answers that are kept ready; `waits` end what a
    reset must not leave pending.
    """

    generation: int
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


class Snapshot(Struct, frozen=True, eq=False):
    """What a restore brings back, and the generation number that it was taken at."""

    generation: int
    store: Store
    clock: Clock
    profile: Profile
    choices: Choices


class Snapshots:
    """The snapshots of one sandbox, by age."""

    def __init__(self) -> None:
        self._by_name: dict[str, Snapshot] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def take(self, name: str, state: State) -> Snapshot:
        """Keep what a state holds now, in place of what has that name.

        Raises LimitReached.
        """
        if name not in self and len(self._by_name) >= LIMITS.snapshots:
            expected = f"at most {LIMITS.snapshots} snapshots"
            raise LimitReached(expected, "one more", "path")
        store, clock = state.store.copy("snapshots"), state.clock.copy()
        snapshot = Snapshot(
            state.generation, store, clock, state.profile, state.choices
        )
        self._by_name[name] = snapshot
        return snapshot

    def get(self, name: str) -> Snapshot:
        """The snapshot of that name. Raises SnapshotNotFound."""
        if name not in self:
            raise SnapshotNotFound(
                "the name of a snapshot", describe_value(name), "path"
            )
        return self._by_name[name]

    def drop(self, name: str) -> None:
        """Forget the snapshot of that name. Raises SnapshotNotFound."""
        self.get(name)
        del self._by_name[name]

    def clear(self) -> None:
        """Forget all."""
        self._by_name.clear()
