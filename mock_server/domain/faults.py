"""Faults: which one fires at a request. What it then does is its kind's business.

A fault is matched, then counted, then drawn for: the first `skip` matches pass, then
each fires with its `probability`, at most `times` times, for at most `ttl` seconds.
Draws come from a stream of the fault's own, keyed (seed, id, match index), so what
other requests do in between changes nothing: a run can be replayed, or be told
beforehand.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import inf
from typing import Protocol

from msgspec import Struct, field

from mock_server.domain.errors import InvalidField
from mock_server.domain.limits import Limits
from mock_server.domain.memory import Holding, Memory
from mock_server.domain.rate_limit import RateLimit, RateLimitStatus
from mock_server.domain.subset import holds


class Faults:
    """The faults of a sandbox, in the order in which they were added.

    `active` are those that can still fire: requests pass by while it is empty.
    """

    def __init__(
        self,
        seconds: Callable[[], float],
        memory: Memory,
        limits: Limits,
        starting: Sequence[Definition] = (),
    ) -> None:
        """`seconds` is a monotonic clock; faults are charged to `memory`.

        Those `starting` are added at once; their definitions are charged elsewhere.
        """
        self.active: list[ActiveFault] = []
        # Of those, by operation, the ones that may concern it; and when to look next
        # for some that have ended. Both are found again after each change.
        self._concerned: dict[str, list[ActiveFault]] = {}
        self._next_end = -inf
        self._seconds = seconds
        self._memory = memory
        self._limits = limits
        self._spent: deque[ActiveFault] = deque(maxlen=limits.faults)
        self._added = 0
        for definition in starting:
            holding = memory.hold("faults")
            # Whatever the budget says: for want of memory, no reset may fail.
            holding.grow(_FIXED_BYTES)
            self.active.append(self._activated(definition, holding))

    def add(self, definition: Definition) -> ActiveFault:
        """Add a fault behind the others. Raises InvalidField or LimitReached."""
        return self.add_all([definition])[0]

    def add_all(
        self, definitions: Sequence[Definition], preset: str | None = None
    ) -> list[ActiveFault]:
        """Add several, or none of them. Raises InvalidField or LimitReached.

        `preset` is the name of the list that they are.
        """
        self._check_room(len(definitions))
        # All are charged before the first is added: any of them may not fit.
        holdings = [
            self._memory.hold("faults", definition.size + _FIXED_BYTES, "body")
            for definition in definitions
        ]
        added = list(map(self._activated, definitions, holdings))
        for fault in added:
            fault.preset = preset
        self._have_active([*self.active, *added])
        return added

    def decide(self, request: Request, now: int) -> Decision:
        """Match and count; the first that fires wins. `now` is in milliseconds.

        Those behind the one that fires do not count the request.
        """
        self._end_old()
        decision = Decision()
        for fault in self._concerning(request):
            again = self._again(fault, request) if fault.resends else None
            found = again or fault.match(request, now)
            if isinstance(found, Firing):
                decision.firing = found
                self._expect_again(fault, request, found)
                if fault.remaining == 0 and not fault.resends:
                    self._spend([fault])
                break
            if found is not None:
                decision.limits.append(found)
        return decision

    def all(self) -> list[ActiveFault]:
        """Those that can still fire, and the latest spent ones, by age."""
        self._end_old()
        known = [*self.active, *self._spent]
        return sorted(known, key=lambda fault: int(fault.id[1:]))

    def get(self, fault_id: str) -> ActiveFault | None:
        """The fault of that id, active or among the latest spent ones."""
        return next((fault for fault in self.all() if fault.id == fault_id), None)

    def remove(self, fault: ActiveFault) -> None:
        """Take a fault away."""
        self._have_active([other for other in self.active if other is not fault])
        if fault in self._spent:
            self._spent.remove(fault)

    def clear(self) -> None:
        """Take all faults away."""
        self._have_active([])
        self._spent.clear()

    def seconds_left(self, fault: ActiveFault) -> float:
        """How long a fault can still fire."""
        return max(0.0, fault.ends - self._seconds())

    def _concerning(self, request: Request) -> list[ActiveFault]:
        """The active faults that are for the operation of a request."""
        found = self._concerned.get(request.operation)
        if found is None:
            found = [each for each in self.active if request.is_for(each.definition)]
            self._concerned[request.operation] = found
        return found

    def _have_active(self, faults: list[ActiveFault]) -> None:
        """Have these be active, in a list that is new.

        Somebody may be walking along the old one.
        """
        self.active, self._concerned, self._next_end = faults, {}, -inf

    def _again(self, fault: ActiveFault, request: Request) -> Firing | None:
        """The firing at a request that the client's HTTP layer is sending again."""
        self._next_end = -inf
        resend = fault.resends.pop(request.fingerprint, None)
        if resend is None or resend.ends <= self._seconds():
            return None
        return resend.firing

    def _expect_again(
        self, fault: ActiveFault, request: Request, firing: Firing
    ) -> None:
        """Have a fault meet the request again, unless its client will not resend it.

        On a connection that was made for it a client shows the failure instead.
        """
        self._next_end = -inf
        is_wanted = fault.definition.meets_resends and not request.is_on_new_connection
        if is_wanted and len(fault.resends) < self._limits.resends:
            ends = self._seconds() + self._limits.resend_seconds
            fault.resends[request.fingerprint] = Resend(firing, ends)

    def _check_room(self, count: int) -> None:
        """Raises InvalidField unless so many can be added."""
        self._end_old()
        wanted, most = len(self.active) + count, self._limits.faults
        if wanted > most:
            message = f"Expected at most {most} faults, got {wanted} - at $"
            raise InvalidField(f"{message} (delete some first)")

    def _activated(self, definition: Definition, holding: Holding) -> ActiveFault:
        self._added += 1
        limit, rate_limit = definition.limit, None
        if limit is not None:
            rate_limit = RateLimit(*limit, holding, self._limits.limited_keys)
        ends = self._seconds() + definition.ttl
        return ActiveFault(
            f"f{self._added}",
            definition,
            ends,
            holding,
            definition.key,
            definition.body,
            rate_limit,
        )

    def _end_old(self) -> None:
        now = self._seconds()
        if now < self._next_end:
            return
        for fault in self.active:
            if fault.resends:
                fault.forget_resends(now)
        self._spend([fault for fault in self.active if fault.is_spent(now)])
        self._next_end = min((each.next_end for each in self.active), default=inf)

    def _spend(self, spent: Sequence[ActiveFault]) -> None:
        if spent:
            self._have_active([fault for fault in self.active if fault not in spent])
            self._spent.extend(spent)
            for fault in spent:
                fault.is_over = True


class ActiveFault(Struct, eq=False):
    """A fault that has been added: its counts, and when it ends (monotonic seconds).

    What it takes is charged to `holding`. `key` and `body` are what the definition
    matches, taken from it once: they are looked at in each request. `resends` are
    requests at which it has fired and will fire again without counting them.
    """

    id: str
    definition: Definition
    ends: float
    holding: Holding
    key: str | None = None
    body: Mapping[str, object] | None = None
    rate_limit: RateLimit | None = None
    preset: str | None = None
    matches: int = 0
    fired: int = 0
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
        times = self.definition.times
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
        if self.key is not None and self.key not in request.keys:
            return None
        if self.body is not None and not holds(self.body, request.body):
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
        return Firing(self, index, drawn, status)

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

    `limit` is where a rate limit stands.
    """

    fault: ActiveFault
    index: int
    draw: float
    limit: RateLimitStatus | None = None

    def draw_for(self, purpose: str) -> float:
        """Another number of the same stream, from 0 up to 1."""
        return draw(self.fault.definition.seed, self.fault.id, self.index, purpose)


class Resend(Struct, frozen=True):
    """A firing that comes again if its request does before the time `ends`."""

    firing: Firing
    ends: float


class Decision(Struct, eq=False):
    """What faults say to a request: one that fires, and where rate limits stand."""

    firing: Firing | None = None
    limits: list[RateLimitStatus] = field(default_factory=list)


class Request(Struct, frozen=True):
    """What faults are matched by: an operation, the keys it is known by, its body.

    `keys` are the one sent, by which rate limits count, and the declared one; `traits`
    are those of the operation. `content` is the body as it came;
    `is_on_new_connection` says whether its connection was made for it.
    """

    operation: str
    keys: Sequence[str]
    body: Mapping[str, object]
    traits: Collection[str] = ()
    content: bytes = b""
    is_on_new_connection: bool = True

    @property
    def fingerprint(self) -> bytes:
        """What a request has in common with the same one that is sent again."""
        head = f"{self.operation} {self.keys[0]} ".encode("utf-8", "replace")
        return hashlib.sha256(head + self.content).digest()

    def is_for(self, definition: Definition) -> bool:
        """Whether its operation is named by a fault, and one that its kind suits."""
        is_named = definition.operation in ("*", self.operation)
        return is_named and (not definition.needs or definition.needs in self.traits)


class Definition(Protocol):
    """When a fault of any kind fires.

    `operation` is the name of one, or `*` for all; `needs` the trait without which an
    operation gives the kind no meaning, "" if there is none. `key` and `body` are None
    where anything matches, `times` where only the `ttl` (seconds) ends it; `limit` is a
    rate limit's number of requests and window (seconds); `size` is in bytes of memory.
    `meets_resends` says whether it fires again, uncounted, at a request that the
    client's HTTP layer sends again because the connection has ended.
    """

    @property
    def kind(self) -> str: ...
    @property
    def operation(self) -> str: ...
    @property
    def needs(self) -> str: ...
    @property
    def key(self) -> str | None: ...
    @property
    def body(self) -> Mapping[str, object] | None: ...
    @property
    def skip(self) -> int: ...
    @property
    def times(self) -> int | None: ...
    @property
    def probability(self) -> float: ...
    @property
    def seed(self) -> int: ...
    @property
    def ttl(self) -> float: ...
    @property
    def limit(self) -> tuple[int, int] | None: ...
    @property
    def size(self) -> int: ...
    @property
    def meets_resends(self) -> bool: ...


_FIXED_BYTES = 1_024
"""About what a fault takes beside its fields."""


def draw(seed: int, fault_id: str, index: int, purpose: str = "fire") -> float:
    """A number from 0 up to 1 that depends on nothing but these."""
    digest = hashlib.sha256(f"{seed} {fault_id} {index} {purpose}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
