"""What a sandbox holds at one moment, and snapshots of it."""

from collections.abc import Callable, Mapping
from typing import NoReturn, cast

from msgspec import Struct, field
from msgspec.structs import replace

from mock_server.domain.access import Caller, KeyRing, Level, Share, Visitor
from mock_server.domain.choices.profiles import Profile
from mock_server.domain.choices.reading import Watched
from mock_server.domain.choices.table import Choices
from mock_server.domain.clock import Clock
from mock_server.domain.errors import LimitReached, refusal
from mock_server.domain.faults.faults import Faults
from mock_server.domain.journal import Hint, Journal, Note
from mock_server.domain.limits import Limits
from mock_server.domain.memory import TextCache
from mock_server.domain.messages import which_there_are
from mock_server.domain.replies import AT_ONCE, Pace
from mock_server.domain.storage import training
from mock_server.domain.storage.store import Store
from mock_server.domain.versions import Facts, facts_of

SnapshotNotFound = refusal("SnapshotNotFound", "404 snapshotNotFound")


class State(Struct, frozen=True, eq=False):
    """What a reset replaces, all at once: a request sees one state from end to end.

    `generation` counts the states of a sandbox that resets and restores have made, from
    1; `callers` are who may call, by the key that they send, `logins` who may log in,
    by the token that they get, which come of `tokens`, as those of addresses do;
    `shares` are the share links, by the id that visitors send;
    `texts` are JSON texts that are kept ready; `waits` are callbacks that cancel
    pending delays and hangs when the state is replaced. `notes` has what an operation
    tells of the request that it carries out; whoever called it takes that at once, and
    `ignored`, which says of fields that have no meaning which may have been meant.
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
    pace: Pace = AT_ONCE
    waits: set[Callable[[], object]] = field(default_factory=set)
    notes: list[Note] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

    def login_of(self, token: str) -> Caller | None:
        """Who has logged in with a token, and not out again."""
        known = self.logins.get(token)
        return None if known and known.username in self.store.logged_out else known

    def visitor(self, uid: str, share_id: str, is_bound: bool) -> Caller:
        """Who comes by a share link, if there is such a link, with its app.

        At an address that is bound to a sandbox, declared ids count as well.
        """
        share = self.shares.get(share_id)
        if share is None and is_bound:
            share = self.store.generation.shares.get(share_id)
        if share is not None and self.store.app(share.app_id) is None:
            share = None
        return Caller("", level=Level.NONE, visitor=Visitor(uid, share))

    def holder_of(self, key: str) -> Caller | None:
        """The holder of a key that a login has created here, None of any other."""
        key_id = self.tokens.id_of(key)
        created = None if key_id is None else self.store.api_keys.get(key_id)
        if created is None:
            return None
        holder = self.store.generation.caller_of(created.member)
        return replace(holder, app_id=created.app_id) if created.app_id else holder

    def hint(self, hint: Hint) -> None:
        """Say in the journal why a request that succeeds changes or finds nothing."""
        self.notes.append(Note(hint=hint))

    @property
    def has_hint(self) -> bool:
        """Whether the request that is carried out has a hint."""
        return any(each.hint for each in self.notes)

    @property
    def facts(self) -> Facts:
        """What the version in force does; the journal names each fact that is read."""
        facts = facts_of(self.choices.version)
        return cast(Facts, Watched(facts, self._note_fact))

    def _note_fact(self, name: str) -> None:
        self.notes.append(Note(facts=(name,)))

    def take_note(self) -> Note:
        """All notes as one, which are gone then."""
        hints = (each.hint for each in self.notes if each.hint)
        counts = (each.served for each in self.notes if each.served)
        facts = dict.fromkeys(name for each in self.notes for name in each.facts)
        note = Note(next(hints, None), next(counts, None), tuple(facts))
        self.notes.clear()
        return note

    def forget_notes(self) -> None:
        """Drop what a request has left that is refused, or carried out once more."""
        self.notes.clear()
        self.ignored.clear()

    def settle(self) -> None:
        """Have trained what is due by the clock. Raises NotReady.

        For before anything is read; with no training under way it costs a look.
        """
        due, now = self.store.due, self.clock.now()
        if due is not None and now >= due:
            training.settle(self.store, now)

    def end_waits(self) -> None:
        """Cancel pending delays and hangs; their requests get no answer."""
        # A copy: what ends takes itself off the set.
        for end in tuple(self.waits):
            end()


class Snapshot(Struct, frozen=True, eq=False):
    """What a restore brings back, and the generation that it was taken from."""

    generation: int
    store: Store
    clock: Clock
    profile: Profile
    choices: Choices


class Snapshots(dict[str, Snapshot]):
    """The snapshots of one sandbox by name, the oldest first."""

    def take(self, name: str, state: State) -> Snapshot:
        """Keep what a state holds now, in place of what has that name.

        Raises LimitReached.
        """
        if name not in self and len(self) >= state.limits.snapshots:
            expected = f"at most {state.limits.snapshots} snapshots"
            raise LimitReached(expected, "one more", "path")
        state.settle()
        # Copies: the state goes on changing.
        store, clock = state.store.copy("snapshots"), state.clock.copy()
        snapshot = Snapshot(
            state.generation, store, clock, state.profile, state.choices
        )
        self[name] = snapshot
        return snapshot

    def __missing__(self, name: str) -> NoReturn:
        takes = "`mock-server snapshot take NAME` takes one, or snapshot() in Python"
        how = "" if self else f": {takes}"
        hint = which_there_are(name, self, len(self)) + how
        raise SnapshotNotFound.of(name, "the name of a snapshot", "path", hint)
