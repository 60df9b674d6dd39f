"""The journal: what clients sent and what they were answered, bounded, and counted.

Entries are taken as they come: secrets have been redacted and bodies cut before.
"""

from __future__ import annotations

import hashlib
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from mock_server.domain.choices.reading import served_with
from mock_server.domain.choices.table import Choices
from mock_server.domain.faults.firing import Told
from mock_server.domain.limits import Limits
from mock_server.domain.memory import Holding, Memory

# Memory is charged in steps: charging each entry would cost 1 % of a request. Steps
# begin small, for there may be a thousand journals, and grow with what is kept.
_FIRST_STEP_BYTES, _STEP_BYTES = 16 * 1024, 64 * 1024


class Journal(Struct, eq=False):
    """The latest entries, in order; `dropped` counts those that had to go.

    `listeners` are called after each new entry. Where all journals together take too
    much of the `memory`, the one that grows drops its own oldest entries.
    `has_told_of_keys` says that an entry has the hint that any key counts.
    """

    next_seq: int = 1
    listeners: Sequence[Callable[[], object]] = ()
    memory: Memory = field(default_factory=Memory)
    limits: Limits = Limits()
    dropped: int = 0
    is_closed: bool = False
    has_told_of_keys: bool = False
    _entries: deque[Entry] = field(default_factory=deque)
    _bytes: int = 0
    _charged: int = 0
    _holding: Holding | None = None

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def total(self) -> int:
        """How many entries there have been since the journal was empty."""
        return self.dropped + len(self._entries)

    def append(self, entry: Entry) -> None:
        """Number an entry and keep it; the oldest go if that is too many or too much.

        A closed journal takes none.
        """
        if self.is_closed:
            return
        entry.seq = seq = self.next_seq
        self.next_seq = seq + 1
        size = _FIXED_BYTES + entry.sent.size + len(entry.answer)
        if entry.violations:
            # Their names and places are shared; a message may take 4 bytes a character.
            size += 4 * sum(len(each.message) for each in entry.violations)
        if entry.answering is not None:  # of all others headers are few, and shared
            pairs = entry.answer_headers
            size += sum(_PAIR_BYTES + len(name) + len(value) for name, value in pairs)
        entry.size = size
        entries = self._entries
        entries.append(entry)
        self._bytes += size
        if len(entries) > self.limits.journal_entries:
            self._drop_oldest()
        if self._bytes > self._charged:
            self._make_room()
        for listener in self.listeners:
            listener()

    def since(self, seq: int) -> Iterator[Entry]:
        """The entries from that number on that are still kept, in order."""
        # A copy: the reader may take its time, and the journal may grow meanwhile. It
        # is taken from the end, for who follows lacks the last only: a copy of 10,000
        # would take 60 µs, for each stream and request.
        count = max(0, self.next_seq - seq)
        latest = list(islice(reversed(self._entries), count))
        latest.reverse()
        return iter(latest)

    def emptied(self) -> Journal:
        """An empty journal that goes on counting; this one is closed."""
        self.close()
        return Journal(self.next_seq, self.listeners, self.memory, self.limits)

    def close(self) -> None:
        """Forget all, give the memory back and take nothing more.

        A request on its way may still hold this journal: what it appends is nobody's.
        """
        self.is_closed = True
        self._bytes, self._charged, self._holding = 0, 0, None
        self._entries.clear()

    def _drop_oldest(self) -> None:
        self._bytes -= self._entries.popleft().size
        self.dropped += 1

    def _make_room(self) -> None:
        """Have more memory charged, or drop entries until what is charged suffices."""
        while self._bytes > self.limits.journal_bytes:
            self._drop_oldest()
        while self._bytes > self._charged and not self._charge():
            self._drop_oldest()

    def _charge(self) -> bool:
        """Charge a step, or just what is missing; says whether there was room."""
        missing = self._bytes - self._charged
        step = min(max(self._bytes, _FIRST_STEP_BYTES), _STEP_BYTES)
        for size in (max(missing, step), missing):
            if self.memory.has_room_for("journals", size):
                self._holding = self._holding or self.memory.hold("journals")
                self._holding.grow(size)
                self._charged += size
                return True
        return False


Outside = Literal["related_route", "legacy_path"]
"""What the spec does not show of a call: its operation, or its path."""

UNKNOWN_ROUTE = "unknown_route"
"""The violation of a request at a path that nothing serves."""
REFUSED, IGNORED, HONOURED, STORED = "refused", "ignored", "honoured", "stored"


class Violation(Struct, frozen=True):
    """One departure of a request from the spec.

    `name` is that of the choice that may tolerate it; where none can it is
    `invalid_field`, `missing_authorization` or `unknown_route`. `section` is the
    spec's, or `related_route`, `path` the place in the request. `effect` is what
    became of it: one of the four above, or `counted as 30 (30 of 63 served)`. It is
    `refused` if the choices in force do not tolerate it, and if the request was refused
    for another reason, unless it was ignored anyway.
    """

    name: str
    section: str
    path: str
    message: str
    effect: str = REFUSED

    def refused(self, *served_by: str) -> Violation:
        """The violation as a refused one, which any of these choices would serve."""
        hint = served_with(*served_by)
        message = f"{self.message} ({hint})" if hint else self.message
        return replace(self, message=message, effect=REFUSED)


Hint = str | Callable[[], str]
"""Why a request has changed or found nothing: a text, or what makes it when asked.

That holds no more than a text does, and always gives the same.
"""


class Note(Struct, frozen=True):
    """What an operation tells the journal of a request, beside its answer.

    `hint` says why a success has changed or found nothing. `served` are the items of a
    page and how many there are, where it holds fewer than were asked for. `facts` are
    the names of what differs between versions of the service and was looked up.
    """

    hint: Hint | None = None
    served: tuple[int, int] | None = None
    facts: tuple[str, ...] = ()


Headers = Sequence[tuple[bytes, bytes]]


def _no_violations(_: Entry) -> Iterator[Violation]:
    return iter(())


def redacted_key(key: str) -> str:
    """A key as journals show it: its beginning, then 8 hex digits of its SHA-256."""
    shown = min(4, len(key) // 2)  # of a short key four characters would be too much
    return key[:shown] + hashlib.sha256(key.encode()).hexdigest()[:8]


_REDACTED = re.compile(".{0,4}[0-9a-f]{8}", re.DOTALL)


def as_redacted(key: str) -> str:
    """A key as journals show it, be it given so or in full."""
    return key if _REDACTED.fullmatch(key) else redacted_key(key)


class Sent(Struct, eq=False, gc=False):
    """What a client has sent, as bytes; requests that repeat it share one.

    `key` is the redacted form, `headers` a block of `name:value` lines, `body` None if
    none came, and only the beginning of it with `is_cut`; `is_unread` says that the
    request was refused before anything looked at it. `is_suspect` says that secrets may
    be in it which are not those of a fixture. `harmless` is the last response that was
    looked through for secrets and has none. `size` are the bytes of its texts.
    """

    key: str | None
    method: str
    path: str
    query: bytes
    headers: bytes
    body: bytes | None
    is_cut: bool = False
    is_unread: bool = False
    is_suspect: bool = False
    harmless: bytes | None = None
    size: int = 0

    def __post_init__(self) -> None:
        texts = self.path, self.query, self.headers, self.body or b""
        self.size = sum(map(len, texts))

    def header_pairs(self) -> list[tuple[bytes, bytes]]:
        """The headers, by lower-case names."""
        lines = self.headers.split(b"\n") if self.headers else []
        parts = (line.partition(b":") for line in lines)
        return [(name, value) for name, _, value in parts]


class Entry(Struct, eq=False, gc=False):
    """One request and its answer, secrets redacted.

    `time` is the sandbox's in milliseconds; `choices` were in force; `has_login` says
    that the token of somebody who had logged in came with it. `answer_is_cut`
    says that an answer is only the beginning. `journal.append` sets `seq`, and `size`:
    about how many bytes of memory the entry takes.
    """

    # Departures from the spec are found by `find_violations` when somebody asks: that
    # takes longer than the request did. `violations` are those that had to be found
    # before a body was cut. Without `gc`: entries may be many, and are in no cycles.
    # Few fields: a journal that is full takes an entry's memory for the next one, cold.

    time: int
    generation: int
    operation: str | None
    member: str | None
    sent: Sent
    status: int
    answer_headers: Headers
    answer: bytes
    duration_ms: float
    firing: Told | None = None
    find_violations: Callable[[Entry], Iterator[Violation]] = _no_violations
    choices: Choices = Choices()
    answer_is_cut: bool = False
    hint: Hint | None = None
    note: Note | None = None
    violations: Sequence[Violation] | None = None
    outside: Outside | None = None
    has_login: bool = False
    answering: Told | None = None
    seq: int = 0
    size: int = 0

    @property
    def key(self) -> str | None:
        """The redacted key of who has sent it."""
        return self.sent.key

    @property
    def was_refused(self) -> bool:
        """Whether the answer is an error, or there is none."""
        # With choice error_http_status=always_200 only the envelope tells.
        is_error = self.answer.startswith(b'{"code":')
        return self.status != 200 or (
            is_error and not self.answer.startswith(b'{"code":200,')
        )

    @property
    def hint_text(self) -> str | None:
        return (self.hint() if callable(self.hint) else self.hint) or None


_FIXED_BYTES, _PAIR_BYTES = 1_024, 128
"""About what an entry takes without its texts, and what a header of its own does."""
