"""A sandbox: an isolated copy of everything that a client can see or change."""

from collections.abc import Callable, Mapping
from math import inf
from threading import Lock

from msgspec.structs import replace

from mock_server.domain.access import Caller, KeyRing, Share, owner_key
from mock_server.domain.choices.profiles import Profile
from mock_server.domain.choices.table import Choices
from mock_server.domain.clock import Clock, Environment
from mock_server.domain.faults.faults import Faults
from mock_server.domain.journal import Journal
from mock_server.domain.memory import Memory
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.objects.models import Chat
from mock_server.domain.sandboxes.state import Snapshot, Snapshots, State
from mock_server.domain.storage.store import Store

_KEY_BYTES, _TOKEN_BYTES = 400, 100
"""Estimated bytes of an issued key, and of an issued share link or login token."""


class Sandbox:
    """A sandbox: its name, the baseline for resets, and the current state.

    With a `key_ring`, callers use the API keys that the ring issues, instead of the
    declared ones. All data is charged to `memory`; creation may raise LimitReached.

    To read several values of the same moment, take `state` once and read its fields: a
    reset replaces the whole state.
    """

    def __init__(
        self,
        baseline: FixtureData,
        profile: Profile,
        choices: Choices,
        environment: Environment,
        *,
        name: str = "default",
        key_ring: KeyRing | None = None,
        memory: Memory | None = None,
    ) -> None:
        self.name = name
        self._memory = memory or Memory(environment.limits)
        self._issued_charge = self._memory.charge("states")
        self.key_ring = key_ring
        self._charge(baseline)
        self.baseline = baseline
        # The default sandbox issues no API keys, but it does issue login tokens.
        self.tokens = key_ring or KeyRing(environment.secret())
        self.snapshots = Snapshots()
        self.listeners: list[Callable[[], object]] = []
        """Functions to call after a journal entry, or a change by the admin API."""
        self.changes = 0
        """Number of changes by the admin API."""
        self.last_wait = -inf
        """Time (monotonic seconds) when a delay or a hang of a request ended."""
        # Profile and choices after a reset.
        self._start_settings = profile, choices
        self._environment = environment
        # A test may replace the state while the server runs in another thread.
        self._lock = Lock()
        self.state = self._new_state(1, self._new_journal())

    @property
    def store(self) -> Store:
        """The current data, after training the rows that are due. Raises NotReady."""
        state = self.state
        state.train_due_rows()
        return state.store

    @property
    def clock(self) -> Clock:
        """The current clock."""
        return self.state.clock

    @property
    def choices(self) -> Choices:
        """The choices in force."""
        return self.state.choices

    @property
    def journal(self) -> Journal:
        """The journal of the requests since the last reset."""
        return self.state.journal

    @property
    def faults(self) -> Faults:
        """The current faults and answers."""
        return self.state.faults

    @property
    def start_profile(self) -> Profile:
        """The profile that a reset restores."""
        return self._start_settings[0]

    @property
    def start_choices(self) -> Choices:
        """The choices that a reset restores."""
        return self._start_settings[1]

    def end_wait(self, state: State, cancel: Callable[[], object]) -> None:
        """Remove a delay or a hang from the state in which it began; it was a use."""
        state.waits.discard(cancel)
        self.last_wait = self._environment.seconds()

    @property
    def size(self) -> int:
        """Estimated bytes of all that is not loaded, snapshots included."""
        state, snapshots = self.state, self.snapshots.values()
        kept = sum(each.store.size for each in snapshots)
        return state.store.size + state.journal.size + state.faults.size + kept

    @property
    def key(self) -> str | None:
        """An API key with all permissions, or None if no such key is accepted."""
        if self.key_ring is not None:
            return self.key_ring.owner
        declared = self.state.store.fixture.keys
        is_any_accepted = not declared and self.choices.unknown_key == "accept"
        return owner_key(declared, is_any_accepted)

    @property
    def keys(self) -> dict[str, str]:
        """The API key to send for each declared key, by declared key."""
        declared = self.state.store.fixture.keys
        return {
            key: self.key_ring.issued_key(key) if self.key_ring else key
            for key in declared
        }

    @property
    def shares(self) -> dict[str, str]:
        """The id to send for each declared share link, by declared id."""
        return {each.id: sent for sent, each in self.state.shares.items()}

    def chat(self, app_id: str, chat_id: str) -> Chat | None:
        """Return the current chat with this id, or None. Raises NotReady."""
        store = self.store
        app = store.app(app_id)
        return None if app is None else store.chat(app, chat_id)

    def count_change(self) -> None:
        """Count a change that has no journal entry, and call the listeners."""
        self.changes += 1
        for listener in tuple(self.listeners):
            listener()

    def reset(self) -> None:
        """Restore the baseline, its faults, clock and choices, and empty the journal.

        Snapshots stay. Pending delays and hangs are cancelled.
        """
        with self._lock:
            self._replace(self.state.journal.successor())

    def put_baseline(self, baseline: FixtureData) -> None:
        """Replace the baseline, then reset. Raises LimitReached."""
        self._charge(baseline)
        with self._lock:
            self.baseline = baseline
            self._replace(self.state.journal.successor())

    def begin(self, baseline: FixtureData, profile: Profile, choices: Choices) -> None:
        """Make this sandbox like a new one, except for the generation number.

        The number continues. Raises LimitReached.
        """
        self._charge(baseline)
        with self._lock:
            self.baseline, self._start_settings = baseline, (profile, choices)
            self.snapshots.clear()
            # A new sandbox numbers its journal entries from 1, so use a new journal.
            self.state.journal.close()
            self._replace(self._new_journal())

    def choose(self, profile: Profile, choices: Choices) -> None:
        """Replace the choices until the next reset."""
        with self._lock:
            texts = self._memory.cache_of(self.state.store.fixture, choices)
            self.state = replace(
                self.state, profile=profile, choices=choices, texts=texts
            )

    def empty_journal(self) -> None:
        """Empty the journal; the numbers of later entries continue."""
        with self._lock:
            self.state = replace(self.state, journal=self.state.journal.successor())

    def take_snapshot(self, name: str) -> Snapshot:
        """Store and return a snapshot of data, clock and choices.

        Raises LimitReached, NotReady.
        """
        return self.snapshots.take(name, self.state)

    def restore(self, name: str) -> None:
        """Restore data, clock and choices of a snapshot.

        Baseline, faults and journal stay. Pending delays and hangs are cancelled.
        Raises SnapshotNotFound, LimitReached.
        """
        snapshot = self.snapshots[name]
        # Copy, because changes after a restore must not change the snapshot.
        store, clock = snapshot.store.copy(), snapshot.clock.copy()
        with self._lock:
            old = self.state
            self.state = replace(
                old,
                generation=old.generation + 1,
                store=store,
                clock=clock,
                profile=snapshot.profile,
                choices=snapshot.choices,
                callers=self._callers(store.fixture),
                logins=self._logins(store.fixture),
                shares=self._shares(store.fixture),
                texts=self._memory.cache_of(store.fixture, snapshot.choices),
                waits=set(),
            )
            old.faults.replace_declared(store.fixture.answers)
        old.end_waits()

    def _charge(self, baseline: FixtureData) -> None:
        """Charge a baseline, and the keys and tokens for it. Raises LimitReached."""
        self._memory.charge_shared(baseline)
        size = _TOKEN_BYTES * len(baseline.users)
        if self.key_ring is not None:
            size += _KEY_BYTES * len(baseline.keys) + _TOKEN_BYTES * len(
                baseline.shares
            )
        self._issued_charge.add(size - self._issued_charge.size)

    def _replace(self, journal: Journal) -> None:
        """Replace the state; cancel pending delays and hangs of the old one."""
        old = self.state
        # Replace the state first, so that a delay that begins later sees the new state.
        self.state = self._new_state(old.generation + 1, journal)
        old.end_waits()

    def _new_state(self, generation: int, journal: Journal) -> State:
        profile, choices = self._start_settings
        environment, memory = self._environment, self._memory
        return State(
            generation=generation,
            store=Store(self.baseline, memory),
            clock=Clock(environment.time_ns, self.baseline.frozen_at),
            profile=profile,
            choices=choices,
            callers=self._callers(self.baseline),
            logins=self._logins(self.baseline),
            shares=self._shares(self.baseline),
            tokens=self.tokens,
            journal=journal,
            faults=Faults(
                environment.seconds,
                memory,
                environment.limits,
                self.baseline.faults,
                self.baseline.answers,
            ),
            texts=memory.cache_of(self.baseline, choices),
            limits=environment.limits,
            pace=environment.pace,
        )

    def _new_journal(self) -> Journal:
        memory, limits = self._memory, self._environment.limits
        return Journal(listeners=self.listeners, memory=memory, limits=limits)

    def _callers(self, fixture: FixtureData) -> Mapping[str, Caller]:
        declared = fixture.keys
        return declared if self.key_ring is None else self.key_ring.callers(declared)

    def _shares(self, fixture: FixtureData) -> Mapping[str, Share]:
        shares, key_ring = fixture.shares, self.key_ring
        if key_ring is None:
            return shares
        return {key_ring.issued_share_id(each): share for each, share in shares.items()}

    def _logins(self, fixture: FixtureData) -> Mapping[str, Caller]:
        # A user has the permissions of their member's key, else all permissions.
        logins: dict[str, Caller] = {}
        for user in fixture.users:
            caller = replace(fixture.caller_of(user.member), username=user.username)
            logins[self.tokens.login_token(user.username)] = caller
        return logins
