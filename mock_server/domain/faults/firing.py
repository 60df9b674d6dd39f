"""Decide whether a fault fires on a request; the kind of the fault then handles it.

If the request matches, the fault counts the match. The first `skip` matches pass; then
each match fires with `probability`, at most `times` times, for at most `ttl` seconds.
A random draw depends only on the fault's seed and id, and on the index of the match, so
a run can be repeated and predicted.
"""

from __future__ import annotations  # ActiveFault refers to classes below it

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial
from math import ceil
from urllib.parse import unquote

from msgspec import Struct, field

from mock_server.domain.faults.definition import Definition, Match
from mock_server.domain.limits import Published
from mock_server.domain.memory import MemoryCharge
from mock_server.domain.validation.json_match import contains, is_match


class ActiveFault(Struct, eq=False):
    """A fault or an answer in a sandbox, with its counts.

    `ends_at` is in monotonic seconds; `charge` is for its memory. `preset`
    is the name of the preset that added it. `resends` has the firings that will be
    repeated, uncounted, by the fingerprint of the request. `warnings` are those that
    the adding client got. `is_over`: the fault cannot fire any more.
    """

    id: str
    definition: Definition
    ends_at: float
    charge: MemoryCharge
    rate_limit: RateLimit | None = None
    preset: str | None = None
    matches: int = 0
    fired: int = 0
    warnings: Sequence[str] = ()
    is_over: bool = False
    resends: dict[bytes, Resend] = field(default_factory=dict)

    def is_spent(self, now: float) -> bool:
        """Return True if the fault cannot fire again at `now` (monotonic seconds)."""
        return self.ends_at <= now or (self.remaining == 0 and not self.resends)

    @property
    def next_end(self) -> float:
        """The end of the fault, or of its next resend (monotonic seconds)."""
        return min([self.ends_at, *(each.ends_at for each in self.resends.values())])

    def forget_resends(self, now: float) -> None:
        """Forget the resends that have expired at `now` (monotonic seconds)."""
        resends = self.resends.items()
        expired = [fingerprint for fingerprint, each in resends if each.ends_at <= now]
        for fingerprint in expired:
            del self.resends[fingerprint]

    @property
    def remaining(self) -> int | None:
        """The number of firings that are left; None if `times` is not limited."""
        times: int | None = self.definition.times
        if self.is_over:
            return 0
        return None if times is None else times - self.fired

    def match(self, request: Request, now: int) -> Firing | RateLimitStatus | None:
        """Count a matching request at `now` (ms), and return a firing if it fires.

        If a rate limit lets the request pass, return the limit's status. Return None if
        the request does not match or passes otherwise. The caller checks the operation.
        """
        rule = self.definition
        # The fault may be active only because of `resends`.
        if self.remaining == 0:
            return None
        if not request.matches_conditions(rule.match, rule.operation):
            return None
        # Count every match before the draw, because the draw depends on the index only.
        index = self.matches
        self.matches += 1
        if index < rule.skip:
            return None
        status = None
        if self.rate_limit is not None:
            status = self.rate_limit.count(request.keys[0], now)
            if status.is_allowed:
                return status
        if not rule.probability:
            return None  # saves the draw
        value = draw(rule.seed, self.id, index)
        if value >= rule.probability:
            return None
        self.fired += 1
        return Firing(self, index, value, status, self.fired)

    def plan(self, length: int) -> Iterator[tuple[int, float, bool]]:
        """Yield index, draw and True if the fault fires, for the next `length` matches.

        With a rate limit, only requests over the limit fire.
        """
        rule, rest = self.definition, self.remaining
        for index in range(self.matches, self.matches + length):
            value = draw(rule.seed, self.id, index)
            fires = index >= rule.skip and value < rule.probability and rest != 0
            if fires and rest is not None:
                rest -= 1
            yield index, value, fires


class Firing(Struct, frozen=True):
    """One firing of a fault: the `index` of the match, and the `draw` that decided it.

    `limit` is the status of the fault's rate limit; `count` is the number of firings so
    far, including this one.
    """

    fault: ActiveFault
    index: int
    draw: float
    limit: RateLimitStatus | None = None
    count: int = 1

    def draw_for(self, purpose: str) -> float:
        """Return a random number from 0 up to 1; `purpose` names the use of it."""
        return draw(self.fault.definition.seed, self.fault.id, self.index, purpose)

    @property
    def record(self) -> FiringRecord:
        """The record of this firing for the journal."""
        definition = self.fault.definition
        return FiringRecord(
            self.fault.id, definition.kind, self.draw, definition.probability
        )


class FiringRecord(Struct, frozen=True, gc=False):
    """A firing in a journal entry, without the fault, which may be large."""

    id: str
    kind: str
    draw: float
    probability: float


class Resend(Struct, frozen=True):
    """A firing that is repeated if the client resends the request before `ends_at`.

    `ends_at` is in monotonic seconds.
    """

    firing: Firing
    ends_at: float


class Decision(Struct, eq=False):
    """The decision on a request: a firing or None, and the statuses of rate limits."""

    firing: Firing | None = None
    limits: list[RateLimitStatus] = field(default_factory=list)


class RequestHead(Struct, frozen=True):
    """The head of a request, with the last value of each parameter and header.

    The names of `headers` are in lower case; `path` is as the client sent it.
    """

    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]


class Request(Struct, frozen=True, dict=True):
    """The data of a request that faults and answers match.

    `names` are the names of the operation, or of the answered routes that match. `keys`
    are the API key, by which rate limits count, the same with the app id that was sent
    behind it, and the declared key.
    `traits` are those of the operation; `content` is the raw body.
    `is_on_new_connection` is True if the client opened the connection for this request.
    `read_head` returns the head; it is called only if a match needs the head.
    """

    names: tuple[str, ...]
    keys: Sequence[str]
    body: Mapping[str, object]
    traits: Collection[str] = ()
    content: bytes = b""
    is_on_new_connection: bool = True
    read_head: Callable[[], RequestHead] = partial(RequestHead, "", {}, {})

    @cached_property
    def head(self) -> RequestHead:
        """The head of the request."""
        return self.read_head()

    @property
    def fingerprint(self) -> bytes:
        """A digest by which a resent request is recognized."""
        head = f"{self.names[0]} {self.keys[0]} ".encode("utf-8", "replace")
        return hashlib.sha256(head + self.content).digest()

    def is_for(self, definition: Definition) -> bool:
        """Return True if a fault is for this operation and its kind can apply to it."""
        is_named = definition.operation in self._all_names
        return is_named and (not definition.trait or definition.trait in self.traits)

    @cached_property
    def _all_names(self) -> Collection[str]:
        return frozenset(("*", *self.names))  # a path may have thousands of names

    def matches_conditions(self, match: Match, operation: str) -> bool:
        """Return True if all conditions hold; `operation` is the fault's operation."""
        if match.key is not None and match.key not in self.keys:
            return False
        if match.body is not None and not is_match(match.body, self.body):
            return False
        if match.query is not None and not is_match(match.query, self.head.query):
            return False
        if match.headers is not None and not is_match(match.headers, self.head.headers):
            return False
        if match.path is not None and not is_match(
            match.path, self.parameters(operation)
        ):
            return False
        question = match.question
        return question is None or contains(self.question, question.casefold())

    def parameters(self, operation: str) -> Mapping[str, str]:
        """Return the parameters of the path, named as in the route `operation`."""
        _, _, pattern = operation.partition(" ")
        pairs = zip(pattern.split("/"), self._segments, strict=False)
        return {name[1:-1]: value for name, value in pairs if name.startswith("{")}

    @cached_property
    def _segments(self) -> Sequence[str]:
        return list(map(unquote, self.head.path.split("/")))

    @cached_property
    def question(self) -> str:
        """The last message of a user, case folded; "" without one."""
        messages = self.body.get("messages")
        items = messages if isinstance(messages, list) else ()
        last: Mapping[str, object] = next(filter(is_user_message, reversed(items)), {})
        text = text_of_message(last)
        return text[: Published.searched_chars].casefold()


def is_user_message(message: object) -> bool:
    """Return True for a message with the role `user`."""
    return isinstance(message, dict) and message.get("role") == "user"


def text_of_message(message: Mapping[str, object]) -> str:
    """Return the text of a message, or its text parts in lines."""
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = (each.get("text") for each in parts if isinstance(each, dict))
    return "\n".join(each for each in texts if isinstance(each, str))


def draw(seed: int, fault_id: str, index: int, purpose: str = "fire") -> float:
    """Return a random number from 0 up to 1, which depends only on the arguments."""
    digest = hashlib.sha256(f"{seed} {fault_id} {index} {purpose}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


_WINDOW_BYTES = 256
"""Estimated bytes of a window without its key."""


class RateLimit:
    """A limit of `limit` requests for each API key in `window` seconds.

    A window starts with its first request. At most `max_keys` windows are stored and
    charged to `charge`; a new window replaces the oldest if there is no room.
    """

    def __init__(
        self, limit: int, window: int, charge: MemoryCharge, max_keys: int
    ) -> None:
        self.limit = limit
        self.window = window
        self.charge = charge
        self.max_keys = max_keys
        self._windows: dict[str, tuple[int, int]] = {}

    def __del__(self) -> None:
        # A hundred limits with thousands of windows each may end together.
        self.charge.memory.free_soon([self._windows])

    def count(self, key: str, now: int) -> RateLimitStatus:
        """Return the status after a request at `now` (ms).

        Requests over the limit are not counted.
        """
        length = self.window * 1000
        start, count = self._windows.get(key, (now, 0))
        # A test can set the sandbox's clock back, before the start of the window.
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
            len(self._windows) >= self.max_keys or not self.charge.fits(size)
        ):
            oldest = next(iter(self._windows))
            del self._windows[oldest]
            self.charge.add_unchecked(-_WINDOW_BYTES - len(oldest))
        self.charge.add_unchecked(size)


class RateLimitStatus(Struct, frozen=True):
    """The status of a rate limit after a request.

    `remaining` is the number of requests that still pass in this window; `reset_ms` is
    the rest of the window in milliseconds.
    """

    is_allowed: bool
    limit: int
    remaining: int
    reset_ms: int

    @property
    def reset_seconds(self) -> int:
        """The rest of the window in whole seconds, rounded up."""
        return ceil(self.reset_ms / 1000)
