"""Decide which fault fires at a request; its kind then handles the request.

A fault is matched, then counted, then drawn: the first `skip` matches pass, then each
match fires with `probability`, at most `times` times, for at most `ttl` seconds. Draws
come from a stream of the fault, keyed (seed, id, match index). Other requests do not
change them, so a run can be replayed or predicted.
"""

from __future__ import annotations  # ActiveFault names later types

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial
from math import ceil
from urllib.parse import unquote

from msgspec import Struct, field

from mock_server.domain.faults.definition import Definition, Match
from mock_server.domain.limits import Published
from mock_server.domain.memory import Holding
from mock_server.domain.validation.json_match import contains, holds


class ActiveFault(Struct, eq=False):
    """A fault in a sandbox: its counts, and when it ends (monotonic seconds).

    Its memory is charged to `holding`. `resends` holds requests at which it fired and
    will fire again, uncounted; `warnings` were returned when it was added.
    """

    id: str
    definition: Definition
    ends: float
    holding: Holding
    rate_limit: RateLimit | None = None
    preset: str | None = None
    matches: int = 0
    fired: int = 0
    warnings: Sequence[str] = ()
    is_over: bool = False
    resends: dict[bytes, Resend] = field(default_factory=dict)

    def is_spent(self, now: float) -> bool:
        """Return True if the fault cannot fire again at `now` (monotonic seconds)."""
        return self.ends <= now or (self.remaining == 0 and not self.resends)

    @property
    def next_end(self) -> float:
        """End of the fault or of its next resend (monotonic seconds), if earlier."""
        return min([self.ends, *(each.ends for each in self.resends.values())])

    def forget_resends(self, now: float) -> None:
        """Forget the resends whose time is over; `now` is in monotonic seconds."""
        late = [sent for sent, each in self.resends.items() if each.ends <= now]
        for sent in late:
            del self.resends[sent]

    @property
    def remaining(self) -> int | None:
        """Firings that are left; None if only the ttl ends the fault."""
        times: int | None = self.definition.times
        if self.is_over:
            return 0
        return None if times is None else times - self.fired

    def match(self, request: Request, now: int) -> Firing | RateLimitStatus | None:
        """Count a request; return a firing, or the rate limit's status if it passes.

        Returns None if the request does not match, or matches and passes. The caller
        checks the operation. `now` is in milliseconds.
        """
        wanted = self.definition
        # It may be active only because of `resends`.
        if self.remaining == 0:
            return None
        if not request.is_as(wanted.match, wanted.operation):
            return None
        # Count before drawing: the index alone decides the draw.
        index = self.matches
        self.matches += 1
        if index < wanted.skip:
            return None
        status = None
        if self.rate_limit is not None:
            status = self.rate_limit.count(request.keys[0], now)
            if status.is_allowed:
                return status
        if not wanted.probability:
            return None  # a draw takes 1 µs
        drawn = draw(wanted.seed, self.id, index)
        if drawn >= wanted.probability:
            return None
        self.fired += 1
        return Firing(self, index, drawn, status, self.fired)

    def plan(self, length: int) -> Iterator[tuple[int, float, bool]]:
        """Yield match index, draw and True if it fires, for the next matches.

        With a rate limit, these are the requests over the limit; others pass.
        """
        wanted, left = self.definition, self.remaining
        for index in range(self.matches, self.matches + length):
            drawn = draw(wanted.seed, self.id, index)
            fires = index >= wanted.skip and drawn < wanted.probability and left != 0
            if fires and left is not None:
                left -= 1
            yield index, drawn, fires


class Firing(Struct, frozen=True):
    """One firing: the index of the match, and the draw that decided it.

    `limit` is the rate limit's status; `count` is the number of firings so far.
    """

    fault: ActiveFault
    index: int
    draw: float
    limit: RateLimitStatus | None = None
    count: int = 1

    def draw_for(self, purpose: str) -> float:
        """Return another number of the fault's stream, from 0 up to 1."""
        return draw(self.fault.definition.seed, self.fault.id, self.index, purpose)

    @property
    def told(self) -> FiringRecord:
        """The journal's record of this firing."""
        kind, probability = (
            self.fault.definition.kind,
            self.fault.definition.probability,
        )
        return FiringRecord(self.fault.id, kind, self.draw, probability)


class FiringRecord(Struct, frozen=True, gc=False):
    """A firing in a journal entry; does not keep the fault, which may be large."""

    id: str
    kind: str
    draw: float
    probability: float


class Resend(Struct, frozen=True):
    """A firing to repeat if its request is resent before `ends` (monotonic seconds)."""

    firing: Firing
    ends: float


class Decision(Struct, eq=False):
    """The decision on a request: the firing, and the statuses of rate limits."""

    firing: Firing | None = None
    limits: list[RateLimitStatus] = field(default_factory=list)


class Head(Struct, frozen=True):
    """The head of a request: the last value of each name.

    The names of `headers` are in lower case; `path` is as it was sent.
    """

    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]


class Request(Struct, frozen=True, dict=True):
    """A request as faults and answers match it.

    `names` are the operation's names, or the declared paths that match. `keys` are the
    sent key, by which rate limits count, and the declared one; `traits` are those of
    the operation. `content` is the raw body; `is_on_new_connection` is True if the
    connection was made for the request. `read_head` is called when a match needs the
    head.
    """

    names: tuple[str, ...]
    keys: Sequence[str]
    body: Mapping[str, object]
    traits: Collection[str] = ()
    content: bytes = b""
    is_on_new_connection: bool = True
    read_head: Callable[[], Head] = partial(Head, "", {}, {})

    @cached_property
    def head(self) -> Head:
        return self.read_head()

    @property
    def fingerprint(self) -> bytes:
        """Digest by which a resent request is recognized."""
        head = f"{self.names[0]} {self.keys[0]} ".encode("utf-8", "replace")
        return hashlib.sha256(head + self.content).digest()

    def is_for(self, definition: Definition) -> bool:
        """Return True if a fault is for this operation and its kind can apply."""
        is_named = definition.operation in self._named
        return is_named and (not definition.needs or definition.needs in self.traits)

    @cached_property
    def _named(self) -> Collection[str]:
        return frozenset(("*", *self.names))  # a path may have thousands of names

    def is_as(self, match: Match, operation: str) -> bool:
        """Return True if the request matches; `operation` is that of the fault."""
        if match.key is not None and match.key not in self.keys:
            return False
        if match.body is not None and not holds(match.body, self.body):
            return False
        if match.query is not None and not holds(match.query, self.head.query):
            return False
        if match.headers is not None and not holds(match.headers, self.head.headers):
            return False
        if match.path is not None and not holds(match.path, self.parameters(operation)):
            return False
        question = match.question
        return question is None or contains(self.question, question.casefold())

    def parameters(self, operation: str) -> Mapping[str, str]:
        """Return the parameters of the path, named as in the route `operation`."""
        _, _, pattern = operation.partition(" ")
        both = zip(pattern.split("/"), self._segments, strict=False)
        return {name[1:-1]: own for name, own in both if name.startswith("{")}

    @cached_property
    def _segments(self) -> Sequence[str]:
        return list(map(unquote, self.head.path.split("/")))

    @cached_property
    def question(self) -> str:
        """The last message of a user, case folded; "" without one."""
        messages = self.body.get("messages")
        asked = messages if isinstance(messages, list) else ()
        last: Mapping[str, object] = next(filter(is_of_user, reversed(asked)), {})
        found = asked_in(last)
        return found[: Published.searched_chars].casefold()


def is_of_user(message: object) -> bool:
    return isinstance(message, dict) and message.get("role") == "user"


def asked_in(message: Mapping[str, object]) -> str:
    """Return the text of a user's message."""
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = (each.get("text") for each in parts if isinstance(each, dict))
    return "\n".join(each for each in texts if isinstance(each, str))


def draw(seed: int, fault_id: str, index: int, purpose: str = "fire") -> float:
    """Return a number from 0 up to 1 that depends only on the arguments."""
    digest = hashlib.sha256(f"{seed} {fault_id} {index} {purpose}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


_WINDOW_BYTES = 256
"""Estimated bytes of a window besides its key."""


class RateLimit(Struct):
    """At most `limit` requests in `window` seconds from the first one, per key.

    At most `max_keys` windows are kept and charged to `holding`; the oldest is dropped
    when there is no room.
    """

    limit: int
    window: int
    holding: Holding
    max_keys: int
    _windows: dict[str, tuple[int, int]] = field(default_factory=dict)

    def count(self, key: str, now: int) -> RateLimitStatus:
        """Count a request at `now` (ms), unless it is over the limit."""
        length = self.window * 1000
        start, count = self._windows.get(key, (now, 0))
        # A sandbox's clock can be set back, before the start of the window.
        if not start <= now < start + length:
            start, count = now, 0
        is_allowed = count < self.limit
        if key not in self._windows:
            self._make_room(_WINDOW_BYTES + len(key))
        self._windows[key] = start, count + is_allowed
        left = self.limit - count - is_allowed
        return RateLimitStatus(is_allowed, self.limit, left, start + length - now)

    def _make_room(self, size: int) -> None:
        while self._windows and (
            len(self._windows) >= self.max_keys or not self.holding.fits(size)
        ):
            oldest = next(iter(self._windows))
            del self._windows[oldest]
            self.holding.grow(-_WINDOW_BYTES - len(oldest))
        self.holding.grow(size)


class RateLimitStatus(Struct, frozen=True):
    """Status of a rate limit after a request.

    `remaining` is how many more requests pass; `reset_ms` is the rest of the window.
    """

    is_allowed: bool
    limit: int
    remaining: int
    reset_ms: int

    @property
    def reset_seconds(self) -> int:
        """The rest of the window in whole seconds, rounded up."""
        return ceil(self.reset_ms / 1000)
