"""A sandbox: one isolated copy of everything that a client can see or change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock

from msgspec.structs import replace

from mock_server.domain.access import Caller, KeyRing, Level
from mock_server.domain.choices import Choices, Profile
from mock_server.domain.clock import Clock, Environment
from mock_server.domain.faults import Faults
from mock_server.domain.journal import Journal
from mock_server.domain.memory import Memory
from mock_server.domain.records import Chat
from mock_server.domain.state import Snapshot, Snapshots, State
from mock_server.domain.store import Generation, Store


class Sandbox:
    """A name, a baseline to which resets lead back, and the state as it is now.

    With a `ring`, callers use the keys that it issues instead of the declared ones.
    """

    def __init__(
        self,
        baseline: Generation,
        profile: Profile,
        choices: Choices,
        environment: Environment,
        *,
        name: str = "default",
        ring: KeyRing | None = None,
        memory: Memory | None = None,
    ) -> None:
        self.name = name
        self._memory = memory or Memory()
        self._memory.keep(baseline)
        self.baseline = baseline
        self.ring = ring
        self.snapshots = Snapshots()
        self.listeners: list[Callable[[], object]] = []
        """Called after each journal entry, and each change by the admin API."""
        self.changes = 0
        """How often the admin API has changed it."""
        self._start = profile, choices
        self._environment = environment
        self._lock = Lock()  # states are replaced from other threads too
        self.state = self._fresh(1, self._new_journal())

    @property
    def store(self) -> Store:
        """The records as they are now."""
        return self.state.store

    @property
    def clock(self) -> Clock:
        """The clock by which chats are updated and entries dated."""
        return self.state.clock

    @property
    def choices(self) -> Choices:
        """The choices in force."""
        return self.state.choices

    @property
    def journal(self) -> Journal:
        """What clients have sent since the last reset."""
        return self.state.journal

    @property
    def faults(self) -> Faults:
        """What is to go wrong."""
        return self.state.faults

    @property
    def start_choices(self) -> Choices:
        """The choices that are in force after a reset."""
        return self._start[1]

    @property
    def key(self) -> str | None:
        """A key that may do everything; None if there is none."""
        if self.ring is not None:
            return self.ring.owner
        declared = self.store.generation.keys
        owners = [each.key for each in declared.values() if each.level is Level.OWNER]
        if not declared and self.choices.unknown_key == "accept":
            owners = ["fastgpt-owner"]
        return owners[0] if owners else None

    @property
    def keys(self) -> dict[str, str]:
        """The declared keys, and for each the one to send."""
        declared = self.store.generation.keys
        return {key: self.ring.issued(key) if self.ring else key for key in declared}

    def chat(self, app_id: str, chat_id: str) -> Chat | None:
        """A chat session as it is now; None if there is none."""
        store = self.store
        app = store.app(app_id)
        return None if app is None else store.chat(app, chat_id)

    def changed(self) -> None:
        """Tell the listeners of a change that no entry of the journal tells of."""
        self.changes += 1
        for listener in tuple(self.listeners):
            listener()

    def reset(self) -> None:
        """Back to the baseline, without journal and faults; snapshots stay.

        What faults hold up is ended.
        """
        with self._lock:
            self._replace(self.state.journal.emptied())

    def begin(self, baseline: Generation, profile: Profile, choices: Choices) -> None:
        """Begin anew, with nothing left of what was before but the number.

        Raises LimitReached.
        """
        self._memory.keep(baseline)
        with self._lock:
            self.baseline, self._start = baseline, (profile, choices)
            self.snapshots.clear()
            self.state.journal.close()
            self._replace(self._new_journal())

    def put_baseline(self, baseline: Generation) -> None:
        """Replace what resets lead back to, then reset. Raises LimitReached."""
        self._memory.keep(baseline)
        with self._lock:
            self.baseline = baseline
            self._replace(self.state.journal.emptied())

    def choose(self, profile: Profile, choices: Choices) -> None:
        """Have other choices in force until the next reset."""
        with self._lock:
            self.state = replace(self.state, profile=profile, choices=choices)

    def empty_journal(self) -> None:
        """Forget what clients have sent."""
        with self._lock:
            self.state = replace(self.state, journal=self.state.journal.emptied())

    def take_snapshot(self, name: str) -> Snapshot:
        """Keep store, clock and choices under a name. Raises LimitReached."""
        return self.snapshots.take(name, self.state)

    def restore(self, name: str) -> None:
        """Back to a snapshot; baseline, faults and journal stay.

        What faults hold up is ended. Raises SnapshotNotFound, or LimitReached.
        """
        snapshot = self.snapshots.get(name)
        store = snapshot.store.copy()
        with self._lock:
            old = self.state
            self.state = replace(
                old,
                generation=old.generation + 1,
                store=store,
                clock=snapshot.clock.copy(),
                profile=snapshot.profile,
                choices=snapshot.choices,
                callers=self._callers(store.generation),
                texts=self._memory.cache_of(store.generation),
                waits=set(),
            )
        old.end_waits()

    def _replace(self, journal: Journal) -> None:
        """Have a fresh state; what the old one holds up is ended."""
        old = self.state
        self.state = self._fresh(old.generation + 1, journal)
        old.end_waits()

    def _new_journal(self) -> Journal:
        return Journal(listeners=self.listeners, memory=self._memory)

    def _fresh(self, generation: int, journal: Journal) -> State:
        profile, choices = self._start
        return State(
            generation=generation,
            store=Store(self.baseline, self._memory),
            clock=Clock(self._environment.time, self.baseline.frozen_at),
            profile=profile,
            choices=choices,
            callers=self._callers(self.baseline),
            journal=journal,
            faults=Faults(self._environment.seconds, self._memory),
            texts=self._memory.cache_of(self.baseline),
        )

    def _callers(self, generation: Generation) -> Mapping[str, Caller]:
        if self.ring is None:
            return generation.keys
        issued = {
            self.ring.issued(key): caller for key, caller in generation.keys.items()
        }
        return issued | {self.ring.owner: Caller(self.ring.owner)}
