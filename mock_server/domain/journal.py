"""The journal of a sandbox: requests with their responses, limited in number and size.

Callers redact secrets and cut bodies before they add an entry.
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

from mock_server.domain.choices.reading import choices_hint
from mock_server.domain.choices.table import Choices
from mock_server.domain.faults.firing import FiringRecord
from mock_server.domain.limits import Limits
from mock_server.domain.memory import Memory, MemoryCharge

# Memory is charged in steps, because charging each entry would slow down requests. The
# steps start small, as there may be a thousand journals, and grow with the journal.
_FIRST_STEP_BYTES, _STEP_BYTES = 16 * 1024, 64 * 1024


class Journal(Struct, eq=False):
    """The latest entries in order. `dropped` counts entries removed to make room.

    `listeners` are called after each new entry. If all journals together exceed their
    share of `memory`, a journal that grows drops its own oldest entries.
    `has_any_key_hint`: an entry already has the hint that any API key is accepted.
    """

    next_seq: int = 1
    listeners: Sequence[Callable[[], object]] = ()
    memory: Memory = field(default_factory=Memory)
    limits: Limits = Limits()
    dropped: int = 0
    is_closed: bool = False
    has_any_key_hint: bool = False
    _entries: deque[Entry] = field(default_factory=deque)
    _bytes: int = 0
    _charged: int = 0
    _charge: MemoryCharge | None = None

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def size(self) -> int:
        """Estimated bytes of all entries."""
        return self._bytes

    @property
    def total(self) -> int:
        """Number of entries since the journal was empty, including dropped ones."""
        return self.dropped + len(self._entries)

    def append(self, entry: Entry) -> None:
        """Number and store an entry; drop the oldest entries if a limit is exceeded.

        A closed journal ignores the entry.
        """
        if self.is_closed:
            return
        entry.seq = seq = self.next_seq
        self.next_seq = seq + 1
        size = _FIXED_BYTES + entry.request.size + len(entry.response_body)
        if entry.violations:
            # Only messages count: names and paths are shared. A character may take 4
            # bytes.
            size += 4 * sum(len(each.message) for each in entry.violations)
        if entry.answer_firing is not None:  # other responses have few, shared headers
            pairs = entry.response_headers
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

    def since(self, seq: int, limit: int | None = None) -> Iterator[Entry]:
        """Yield the stored entries from number `seq` on, in order, at most `limit`."""
        # Iterate over a copy, because the journal may grow. Copy from the end only, as
        # followers of the journal lack only the last entries.
        count = min(len(self._entries), max(0, self.next_seq - seq))
        skipped = 0 if limit is None else max(0, count - limit)
        latest = list(islice(reversed(self._entries), skipped, count))
        latest.reverse()
        return iter(latest)

    def successor(self) -> Journal:
        """Close this journal; return an empty one that continues its numbers."""
        self.close()
        return Journal(self.next_seq, self.listeners, self.memory, self.limits)

    def close(self) -> None:
        """Remove all entries, release their memory, and ignore further entries.

        A pending request may still append to this journal later.
        """
        self.is_closed = True
        self._bytes, self._charged, self._charge = 0, 0, None
        self._entries.clear()

    def _drop_oldest(self) -> None:
        self._bytes -= self._entries.popleft().size
        self.dropped += 1

    def _make_room(self) -> None:
        """Charge more memory, or drop entries until the charged memory suffices."""
        while self._bytes > self.limits.journal_bytes:
            self._drop_oldest()
        while self._bytes > self._charged and not self._charge_more():
            self._drop_oldest()

    def _charge_more(self) -> bool:
        """Charge a step, or only the missing bytes; return False without room."""
        missing = self._bytes - self._charged
        room = self.limits.journal_bytes - self._charged
        step = min(max(self._bytes, _FIRST_STEP_BYTES), _STEP_BYTES, room)
        for size in (max(missing, step), missing):
            if self.memory.has_room_for("journals", size):
                self._charge = self._charge or self.memory.charge("journals")
                self._charge.add_unchecked(size)
                self._charged += size
                return True
        return False


Outside = Literal["related_route", "legacy_path"]
"""Why the spec does not show a request: because of its operation, or of its path."""

UNKNOWN_ROUTE = "unknown_route"
"""Name of the violation of a request to an unknown path."""
REFUSED, IGNORED, HONOURED, STORED = "refused", "ignored", "honoured", "stored"
"""Effects of violations."""


class Violation(Struct, frozen=True):
    """One way in which a request breaks the spec.

    `name` is the choice that may tolerate the violation, else `invalid_field`,
    `missing_authorization` or `unknown_route`. `section` is a section of the spec, or
    `related_route`; `path` is the place in the request. `effect` is `refused`,
    `ignored`, `honoured`, `stored`, or such as `counted as 30 (30 of 63 served)`. It is
    `refused` if the choices in force do not tolerate the violation, or if the request
    failed for another reason and the value was not ignored.
    """

    name: str
    section: str
    path: str
    message: str
    effect: str = REFUSED

    def refused(self, *served_by: str) -> Violation:
        """Return this violation with the effect `refused`.

        A hint names the choices of `served_by` that would tolerate it.
        """
        hint = choices_hint(*served_by)
        message = f"{self.message} ({hint})" if hint else self.message
        return replace(self, message=message, effect=REFUSED)


Hint = str | Callable[[], str]
"""Why a request changed or found nothing: a text, or a function that returns the text.

The function needs no more memory than the text, and always returns the same text.
"""


class Note(Struct, frozen=True):
    """Notes of an operation for its journal entry.

    `hint` says why a success changed or found nothing. `lowered_page` is set if a
    choice lowered `pageSize`: the number of items of the page, and their total. `facts`
    are the names of the facts (differences between versions) that were read.
    """

    hint: Hint | None = None
    lowered_page: tuple[int, int] | None = None
    facts: tuple[str, ...] = ()


Headers = Sequence[tuple[bytes, bytes]]
"""Names and values of headers."""


def _no_violations(_: Entry) -> Iterator[Violation]:
    return iter(())


def redacted_key(key: str) -> str:
    """Return a redacted key: up to 4 characters, then 8 hex digits of its SHA-256."""
    count = min(4, len(key) // 2)  # four characters would reveal most of a short key
    return key[:count] + hashlib.sha256(key.encode()).hexdigest()[:8]


_REDACTED = re.compile(".{0,4}[0-9a-f]{8}", re.DOTALL)


def as_redacted(key: str) -> str:
    """Return the redacted form of a key, which may be redacted already."""
    return key if _REDACTED.fullmatch(key) else redacted_key(key)


class SentRequest(Struct, eq=False, gc=False):
    """A request as bytes. Identical requests share one object.

    `key` is redacted; `headers` is a block of `name:value` lines; `body` is None if the
    request had none, and only its beginning if `is_cut`. `is_unread`: the request was
    refused before its body was read. `is_suspect`: it may contain secrets that the
    fixture does not declare. `clean_response` is the last response in which no secret
    was found. `size` is in bytes.
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
    clean_response: bytes | None = None
    size: int = 0

    def __post_init__(self) -> None:
        texts = self.method, self.path, self.query, self.headers, self.body or b""
        self.size = sum(map(len, texts))

    def header_pairs(self) -> list[tuple[bytes, bytes]]:
        """Return names, in lower case, and values of the headers."""
        lines = self.headers.split(b"\n") if self.headers else []
        parts = (line.partition(b":") for line in lines)
        return [(name, value) for name, _, value in parts]


class Entry(Struct, eq=False, gc=False):
    """One request and its response, with secrets redacted.

    `time` is the time of the sandbox's clock in milliseconds; `choices` were in force.
    `has_login`: the request had a login token. `response_body` is only the beginning of
    the body if `response_is_cut`. `firing` is that of a fault, `answer_firing` that of
    a scripted answer. `Journal.append` sets `seq`, the number, and `size`, the
    estimated bytes of memory.
    """

    # `find_violations` is called when the journal is read, because it takes longer than
    # the request. `violations` are those that were found before a body was cut.
    # `gc=False`: the garbage collector need not walk many entries without cycles.

    time: int
    generation: int
    operation: str | None
    member: str | None
    request: SentRequest
    status: int
    response_headers: Headers
    response_body: bytes
    duration_ms: float
    firing: FiringRecord | None = None
    find_violations: Callable[[Entry], Iterator[Violation]] = _no_violations
    choices: Choices = Choices()
    response_is_cut: bool = False
    hint: Hint | None = None
    note: Note | None = None
    violations: Sequence[Violation] | None = None
    outside: Outside | None = None
    has_login: bool = False
    answer_firing: FiringRecord | None = None
    seq: int = 0
    size: int = 0

    @property
    def key(self) -> str | None:
        """The redacted API key of the caller."""
        return self.request.key

    @property
    def is_refusal(self) -> bool:
        """True if the response is an error, or if there was no response."""
        # With choice error_http_status=always_200 only the envelope shows an error.
        is_error = self.response_body.startswith(b'{"code":')
        return self.status != 200 or (
            is_error and not self.response_body.startswith(b'{"code":200,')
        )

    @property
    def hint_text(self) -> str | None:
        """The text of the hint, or None."""
        return (self.hint() if callable(self.hint) else self.hint) or None


_FIXED_BYTES, _PAIR_BYTES = 1_024, 128
"""Estimated bytes of an entry without its texts, and of a response header."""
