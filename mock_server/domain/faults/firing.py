"""Faults: which one fires at a request. What it then does is its kind's business.

A fault is matched, then counted, then drawn for: the first `skip` matches pass, then
each fires with its `probability`, at most `times` times, for at most `ttl` seconds.
Draws come from a stream of the fault's own, keyed (seed, id, match index), so what
other requests do in between changes nothing: a run can be replayed, or be told
beforehand.
"""

from __future__ import annotations  # the counter stands above what it says

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
    """A fault that has been added: its counts, and when it ends (monotonic seconds).

    What it takes is charged to `holding`. `resends` are requests at which it has fired
    and will fire again without counting them; `warnings` were given when it was added.
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
        """Whether it fires no more; `now` is in monotonic seconds."""
        return self.ends <= now or (self.remaining == 0 and not self.resends)

    @property
    def next_end(self) -> float:
        """When it ends, or stops expecting a request again (monotonic seconds)."""
        return min([self.ends, *(each.ends for each in self.resends.values())])

    def forget_resends(self, now: float) -> None:
        """Expect those no longer of which the time is over."""
        late = [sent for sent, each in self.resends.items() if each.ends <= now]
        for sent in late:
            del self.resends[sent]

    @property
    def remaining(self) -> int | None:
        """How often it can still fire; None if only its ttl ends it."""
        times: int | None = self.definition.times
        if self.is_over:
            return 0
        return None if times is None else times - self.fired

    def match(self, request: Request, now: int) -> Firing | RateLimitStatus | None:
        """A firing, or where a rate limit stands that lets the request pass.

        None if it does not match, or matches and passes. The request is one of those
        that it is for. `now` is in milliseconds.
        """
        wanted = self.definition
        # It may be there for the sake of `resends` alone.
        if self.remaining == 0:
            return None
        if not request.is_as(wanted.match, wanted.operation):
            return None
        # Counted before drawn: the index decides the draw, whatever came of others.
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
            return None  # whatever is drawn, which takes 1 µs
        drawn = draw(wanted.seed, self.id, index)
        if drawn >= wanted.probability:
            return None
        self.fired += 1
        return Firing(self, index, drawn, status, self.fired)

    def plan(self, length: int) -> Iterator[tuple[int, float, bool]]:
        """The next decisions: match index, draw, whether it fires.

        That of a rate limit is for requests over the limit; others pass.
        """
        wanted, left = self.definition, self.remaining
        for index in range(self.matches, self.matches + length):
            drawn = draw(wanted.seed, self.id, index)
            fires = index >= wanted.skip and drawn < wanted.probability and left != 0
            if fires and left is not None:
                left -= 1
            yield index, drawn, fires


class Firing(Struct, frozen=True):
    """A fault that fires: the index of the match, and the draw that decided it.

    `limit` is where a rate limit stands, `count` is how often it has fired by now.
    """

    fault: ActiveFault
    index: int
    draw: float
    limit: RateLimitStatus | None = None
    count: int = 1

    def draw_for(self, purpose: str) -> float:
        """Another number of the same stream, from 0 up to 1."""
        return draw(self.fault.definition.seed, self.fault.id, self.index, purpose)

    @property
    def told(self) -> Told:
        """What of it outlasts the fault."""
        kind, probability = (
            self.fault.definition.kind,
            self.fault.definition.probability,
        )
        return Told(self.fault.id, kind, self.draw, probability)


class Told(Struct, frozen=True, gc=False):
    """What a journal says of a firing; the fault itself may be large."""

    id: str
    kind: str
    draw: float
    probability: float


class Resend(Struct, frozen=True):
    """A firing that comes again if its request does before the time `ends`."""

    firing: Firing
    ends: float


class Decision(Struct, eq=False):
    """What faults say to a request: one that fires, and where rate limits stand."""

    firing: Firing | None = None
    limits: list[RateLimitStatus] = field(default_factory=list)


class Head(Struct, frozen=True):
    """What the head of a request says: the last value of each name.

    The names of `headers` are in lower case; `path` is as it was sent.
    """

    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]


class Request(Struct, frozen=True, dict=True):
    """What faults and answers are matched by.

    `names` are those by which they may call it: of its operation, or of the declared
    paths that it is at. `keys` are the one sent, by which rate limits count, and the
    declared one; `traits` are those of the operation. `content` is the body as it came;
    `is_on_new_connection` says whether its connection was made for it. `read_head` is
    called where one wants to know more.
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
        """What a request has in common with the same one that is sent again."""
        head = f"{self.names[0]} {self.keys[0]} ".encode("utf-8", "replace")
        return hashlib.sha256(head + self.content).digest()

    def is_for(self, definition: Definition) -> bool:
        """Whether its operation is named by a fault, and one that its kind suits."""
        is_named = definition.operation in self._named
        return is_named and (not definition.needs or definition.needs in self.traits)

    @cached_property
    def _named(self) -> Collection[str]:
        return frozenset(("*", *self.names))  # of a path there may be thousands

    def is_as(self, match: Match, operation: str) -> bool:
        """Whether it is as a fault of this operation wants it."""
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
        """The parameters of its path, as the declared path of an operation has them."""
        _, _, pattern = operation.partition(" ")
        both = zip(pattern.split("/"), self._segments, strict=False)
        return {name[1:-1]: own for name, own in both if name.startswith("{")}

    @cached_property
    def _segments(self) -> Sequence[str]:
        return list(map(unquote, self.head.path.split("/")))

    @cached_property
    def question(self) -> str:
        """The last message of a user, case folded; "" if there is none."""
        messages = self.body.get("messages")
        asked = messages if isinstance(messages, list) else ()
        last: Mapping[str, object] = next(filter(is_of_user, reversed(asked)), {})
        found = asked_in(last)
        return found[: Published.searched_chars].casefold()


def is_of_user(message: object) -> bool:
    return isinstance(message, dict) and message.get("role") == "user"


def asked_in(message: Mapping[str, object]) -> str:
    """The text of a user's message."""
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = (each.get("text") for each in parts if isinstance(each, dict))
    return "\n".join(each for each in texts if isinstance(each, str))


def draw(seed: int, fault_id: str, index: int, purpose: str = "fire") -> float:
    """A number from 0 up to 1 that depends on nothing but these."""
    digest = hashlib.sha256(f"{seed} {fault_id} {index} {purpose}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


_WINDOW_BYTES = 256
"""About what a window takes beside its key."""


class RateLimit(Struct):
    """At most `limit` requests in `window` seconds from the first of them, per key.

    The windows of at most `max_keys` keys are kept, and charged to `holding`; where
    there is no room for another, the oldest goes.
    """

    limit: int
    window: int
    holding: Holding
    max_keys: int
    _windows: dict[str, tuple[int, int]] = field(default_factory=dict)

    def count(self, key: str, now: int) -> RateLimitStatus:
        """Count a request at that time in milliseconds, unless it is over the limit."""
        length = self.window * 1000
        start, count = self._windows.get(key, (now, 0))
        # A sandbox's clock can be set back: before its start, a window is over too.
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
    """Where a limit stands after a request; `reset_ms` is what is left of the window.

    `remaining` is how many requests it will still let pass.
    """

    is_allowed: bool
    limit: int
    remaining: int
    reset_ms: int

    @property
    def reset_seconds(self) -> int:
        """What is left of the window in whole seconds, rounded up."""
        return ceil(self.reset_ms / 1000)
