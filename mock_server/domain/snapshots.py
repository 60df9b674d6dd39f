"""Snapshots of a sandbox: what it can be brought back to, by name."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from mock_server.domain.choices import Choices, Profile
from mock_server.domain.clock import Clock
from mock_server.domain.errors import LimitReached, SnapshotNotFound, show
from mock_server.domain.limits import LIMITS
from mock_server.domain.state import State
from mock_server.domain.store import Store


class Snapshot(Struct, frozen=True, eq=False):
    """What a restore brings back, and the generation number that it was taken at."""

    number: int
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
        snapshot = Snapshot(state.number, store, clock, state.profile, state.choices)
        self._by_name[name] = snapshot
        return snapshot

    def get(self, name: str) -> Snapshot:
        """The snapshot of that name. Raises SnapshotNotFound."""
        if name not in self:
            raise SnapshotNotFound("the name of a snapshot", show(name), "path")
        return self._by_name[name]

    def drop(self, name: str) -> None:
        """Forget the snapshot of that name. Raises SnapshotNotFound."""
        self.get(name)
        del self._by_name[name]

    def clear(self) -> None:
        """Forget all."""
        self._by_name.clear()
