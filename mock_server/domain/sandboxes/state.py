"""The state of a sandbox, and snapshots of its state."""

from collections.abc import Callable, Mapping
from typing import NoReturn, cast

from msgspec import Struct, field
from msgspec.structs import replace

from mock_server.domain.access import Caller, KeyRing, Level, Share, Visitor
from mock_server.domain.choices.profiles import Profile
from mock_server.domain.choices.reading import ReadRecorder
from mock_server.domain.choices.table import Choices
from mock_server.domain.clock import Clock
from mock_server.domain.errors import LimitReached, refusal
from mock_server.domain.faults.faults import Faults
from mock_server.domain.journal import Hint, Journal, Note
from mock_server.domain.limits import Limits
from mock_server.domain.memory import TextCache
from mock_server.domain.messages import known_names_hint
from mock_server.domain.replies import NO_PACE, Pace
from mock_server.domain.storage import training
from mock_server.domain.storage.store import Store
from mock_server.domain.versions import Facts, facts_of

SnapshotNotFound = refusal("SnapshotNotFound", "404 snapshotNotFound")


class State(Struct, frozen=True, eq=False):
    """Everything that a reset replaces at once. A request uses a single state.

    `generation` is the number of the state in its sandbox, from 1. `callers` has the
    callers by the API key that they send, `logins` by login token, and `shares` the
    share links by the id that visitors send. `tokens` makes and checks tokens. `texts`
    caches JSON texts. `waits` are functions that cancel pending delays and hangs.
    `notes` and `ignored` (hints on fields without effect) belong to the current
    operation; the code that runs the operation takes them directly afterwards.
    """

    generation: int
    store: Store
    clock: Clock
    profile: Profile
    choices: Choices
    callers: Mapping[str, Caller]
    logins: Mapping[str, Caller]
    shares: Mapping[str, Share]
    tokens: KeyRing
    journal: Journal
    faults: Faults
    texts: TextCache
    limits: Limits
    pace: Pace = NO_PACE
    waits: set[Callable[[], object]] = field(default_factory=set)
    notes: list[Note] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

    def login_of(self, token: str) -> Caller | None:
        """Return the caller of a login token; None if unknown, or after a logout."""
        login = self.logins.get(token)
        return None if login and login.username in self.store.logged_out else login

    def visitor(self, uid: str, share_id: str, is_bound: bool) -> Caller:
        """Return the caller for a visitor `uid` of a share link, as `share` finds it.

        The caller has no `share` if the link or its app is unknown.
        """
        share = self.share(share_id, is_bound)
        return Caller("", level=Level.NONE, visitor=Visitor(uid, share))

    def share(self, share_id: str, is_bound: bool) -> Share | None:
        """Return a share link, None if the link or its app is unknown.

        `is_bound`: the request came to the address of this sandbox, which accepts
        declared ids too.
        """
        share = self.shares.get(share_id)
        if share is None and is_bound:
            share = self.store.fixture.shares.get(share_id)
        if share is not None and self.store.app(share.app_id) is None:
            share = None
        return share

    def created_key_caller(self, key: str) -> Caller | None:
        """Return the caller of an API key that a login created here, or None."""
        key_id = self.tokens.created_key_id(key)
        created = None if key_id is None else self.store.api_keys.get(key_id)
        if created is None:
            return None
        holder = self.store.fixture.caller_of(created.member)
        return replace(holder, app_id=created.app_id) if created.app_id else holder

    def hint(self, hint: Hint) -> None:
        """Add a hint to the journal entry: why a success changes or finds nothing."""
        self.notes.append(Note(hint=hint))

    @property
    def has_hint(self) -> bool:
        """True if the current operation has a hint already."""
        return any(each.hint for each in self.notes)

    @property
    def facts(self) -> Facts:
        """The facts of the version in force. Each fact that is read is noted."""
        facts = facts_of(self.choices.version)
        return cast(Facts, ReadRecorder(facts, self._note_fact))

    def _note_fact(self, name: str) -> None:
        self.notes.append(Note(facts=(name,)))

    def take_note(self) -> Note:
        """Return all notes, combined in one, and remove them.

        All hints and facts are taken, and the first counts.
        """
        hints = [each.hint for each in self.notes if each.hint]
        text = "; ".join(each for each in hints if isinstance(each, str))
        counts = (each.lowered_page for each in self.notes if each.lowered_page)
        facts = dict.fromkeys(name for each in self.notes for name in each.facts)
        hint = text or next(iter(hints), None)
        note = Note(hint, next(counts, None), tuple(facts))
        self.notes.clear()
        return note

    def forget_notes(self) -> None:
        """Remove the notes of an operation that is refused, or will be repeated."""
        self.notes.clear()
        self.ignored.clear()

    def train_due_rows(self) -> None:
        """Train the rows that are due. Raises NotReady.

        Call this method before you read data. It is fast if no row is due.
        """
        due_time, now = self.store.due_time, self.clock.now()
        if due_time is not None and now >= due_time:
            training.train_due_rows(self.store, now)

    def end_waits(self) -> None:
        """Cancel pending delays and hangs; their requests get no response."""
        # Iterate over a copy, because each function removes itself from the set.
        for cancel in tuple(self.waits):
            cancel()


class Snapshot(Struct, frozen=True, eq=False):
    """A copy of data, clock and choices, and the generation of the copied state."""

    generation: int
    store: Store
    clock: Clock
    profile: Profile
    choices: Choices


class Snapshots(dict[str, Snapshot]):
    """The snapshots of one sandbox by name, in the order in which they were created."""

    def take(self, name: str, state: State) -> Snapshot:
        """Store and return a snapshot of a state.

        A snapshot with the same name is replaced. Raises LimitReached, NotReady.
        """
        if name not in self and len(self) >= state.limits.snapshots:
            expected = f"at most {state.limits.snapshots} snapshots"
            raise LimitReached(expected, "one more", "path")
        state.train_due_rows()
        # Copy, because the state will change.
        store, clock = state.store.copy("snapshots"), state.clock.copy()
        snapshot = Snapshot(
            state.generation, store, clock, state.profile, state.choices
        )
        self[name] = snapshot
        return snapshot

    def __missing__(self, name: str) -> NoReturn:
        example = "`mock-server snapshot take NAME` takes one, or snapshot() in Python"
        how_to_take = "" if self else f": {example}"
        hint = known_names_hint(name, self, len(self)) + how_to_take
        raise SnapshotNotFound.of(name, "the name of a snapshot", "path", hint)
