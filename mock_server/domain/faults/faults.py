"""The faults and answers of a sandbox: add, match, expire and remove faults."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from math import inf

from mock_server.domain.errors import InvalidField
from mock_server.domain.faults.concerned import Concerned, Declared, unreachable
from mock_server.domain.faults.definition import Definition
from mock_server.domain.faults.firing import (
    ActiveFault,
    Decision,
    Firing,
    RateLimit,
    Request,
    Resend,
)
from mock_server.domain.faults.routes import Routes, is_route
from mock_server.domain.limits import Limits
from mock_server.domain.memory import Holding, Memory
from mock_server.domain.wrong_calls import explained

_FIXED_BYTES = 1_024
"""Estimated bytes of a fault besides its fields."""


class Faults:
    """The faults and answers of a sandbox, in the order in which they were added.

    `active` are those that can still fire; requests skip this module while it is empty.
    Answers that the fixture declares come after `active`.
    """

    def __init__(
        self,
        seconds: Callable[[], float],
        memory: Memory,
        limits: Limits,
        starting: Sequence[Definition] = (),
        declared: Sequence[Definition] = (),
    ) -> None:
        """Add the `starting` faults, and put the `declared` answers behind all others.

        `seconds` is a monotonic clock; faults are charged to `memory`, but not the
        definitions of `starting` and `declared`.
        """
        self.active: list[ActiveFault] = []
        # By operation: the active faults that may concern it. `_next_end`: when to look
        # for expired ones. Both are computed again after each change.
        self._concerned: dict[tuple[str, ...], Concerned] = {}
        self._answered: Mapping[str, None] | None = None
        self._routes: Routes | None = None
        self._next_end = -inf
        self._seconds = seconds
        self._memory = memory
        self._limits = limits
        self._spent: deque[ActiveFault] = deque(maxlen=limits.faults)
        self._added = 0
        self._declared = Declared(declared, memory)
        for definition in starting:
            holding = memory.hold("faults")
            # Charge beyond the budget: a reset must not fail because memory is full.
            holding.grow(_FIXED_BYTES)
            self.active.append(self._activated(definition, holding))

    @explained
    def add(
        self,
        definition: Definition,
        preset: str | None = None,
        warnings: Sequence[str] = (),
    ) -> ActiveFault:
        """Add a fault behind the others, with its warnings.

        Raises InvalidField or LimitReached.
        """
        (added,) = self.add_all([definition], preset)
        added.warnings = [*warnings, *unreachable(added, self.active)]
        return added

    def add_all(
        self, definitions: Sequence[Definition], preset: str | None = None
    ) -> list[ActiveFault]:
        """Add several faults, or none of them. Raises InvalidField or LimitReached.

        `preset` is the name of the list.
        """
        for each in definitions:
            if not isinstance(each, Definition):
                raise TypeError(f"Expected a Fault, got a {type(each).__name__}")
        self._check_room(definitions)
        # Charge all faults before adding the first: any of them may not fit.
        holdings = [
            self._memory.hold("faults", definition.size + _FIXED_BYTES, "body")
            for definition in definitions
        ]
        added = list(map(self._activated, definitions, holdings))
        for fault in added:
            fault.preset = preset
        self._set_active([*self.active, *added])
        return added

    def decide(self, request: Request, now: int) -> Decision:
        """Match and count; the first fault that fires wins. `now` is in milliseconds.

        Faults behind the firing one do not count the request.
        """
        self._end_old()
        decision = Decision()
        for fault in self._concerning(request).faults:
            again = self._resent(fault, request) if fault.resends else None
            found = again or fault.match(request, now)
            if isinstance(found, Firing):
                decision.firing = found
                self._expect_resend(fault, request, found)
                if fault.remaining == 0 and not fault.resends:
                    self._spend([fault])
                break
            if found is not None:
                decision.limits.append(found)
        return decision

    def answer(self, request: Request, now: int) -> Firing | None:
        """Match and count as `decide` does, but answers only."""
        self._end_old()
        for answer in self._concerning(request).answers(request.body):
            found = answer.match(request, now)
            if isinstance(found, Firing):
                if answer.remaining == 0 and answer in self.active:
                    self._spend([answer])
                return found
        return None

    def declare(self, answers: Sequence[Definition]) -> None:
        """Replace the declared answers, as the fixture of another state is in force."""
        self._declared = Declared(answers, self._memory)
        self._set_active(self.active)

    @property
    def answered(self) -> Mapping[str, None]:
        """Names of operations and routes that have answers in force, in order."""
        self._end_old()
        if self._answered is None:
            in_force = [*self.active, *self._declared.answers]
            found = (each.definition for each in in_force)
            named = (each.operation for each in found if each.is_answer)
            self._answered = dict.fromkeys(named)
        return self._answered

    @property
    def routes(self) -> Routes:
        """Routes of the answers in force that are for no operation."""
        names = self.answered
        if self._routes is None:
            self._routes = Routes(name for name in names if is_route(name))
        return self._routes

    def all(self) -> list[ActiveFault]:
        """Return active faults and the latest spent ones, by age."""
        self._end_old()
        known = [*self.active, *self._spent]
        return sorted(known, key=lambda fault: int(fault.id[1:]))

    def get(self, fault_id: str) -> ActiveFault | None:
        """Return the fault with this id, active or a late spent one, or None."""
        return next((fault for fault in self.all() if fault.id == fault_id), None)

    def remove(self, fault: ActiveFault) -> None:
        self._set_active([other for other in self.active if other is not fault])
        if fault in self._spent:
            self._spent.remove(fault)

    def clear(self) -> None:
        self._set_active([])
        self._spent.clear()

    def seconds_left(self, fault: ActiveFault) -> float | None:
        """Return the seconds until the fault expires; None without a ttl."""
        return None if fault.ends == inf else max(0.0, fault.ends - self._seconds())

    def _concerning(self, request: Request) -> Concerned:
        found = self._concerned.get(request.names)
        if found is None:
            active = [each for each in self.active if request.is_for(each.definition)]
            answers = [each for each in active if each.definition.is_answer]
            for name in request.names:  # literals first, whatever was declared first
                answers += self._declared.by_name.get(name, ())
            faults = [each for each in active if not each.definition.is_answer]
            found = self._concerned[request.names] = Concerned(faults, answers)
        return found

    def _set_active(self, faults: list[ActiveFault]) -> None:
        """Set `active` to a new list: the old one may be iterated right now."""
        self.active, self._concerned, self._next_end = faults, {}, -inf
        self._answered = self._routes = None

    def _resent(self, fault: ActiveFault, request: Request) -> Firing | None:
        """Return the earlier firing if the client's HTTP layer resends a request."""
        self._next_end = -inf
        resend = fault.resends.pop(request.fingerprint, None)
        if resend is None or resend.ends <= self._seconds():
            return None
        return resend.firing

    def _expect_resend(
        self, fault: ActiveFault, request: Request, firing: Firing
    ) -> None:
        """Let a fault fire again when the client resends the request.

        On a new connection a client does not resend, but reports the failure.
        """
        self._next_end = -inf
        is_wanted = fault.definition.meets_resends and not request.is_on_new_connection
        if is_wanted and len(fault.resends) < self._limits.resends:
            ends = self._seconds() + self._limits.resend_seconds
            fault.resends[request.fingerprint] = Resend(firing, ends)

    def _check_room(self, more: Sequence[Definition]) -> None:
        self._end_old()
        wanted = [*(each.definition for each in self.active), *more]
        answers = sum(each.is_answer for each in wanted)
        limits = self._limits
        for count, most, what in (
            (len(wanted) - answers, limits.faults, "faults"),
            (answers, limits.answers, "answers"),
        ):
            if count > most:
                hint = "delete some first"
                raise InvalidField(f"at most {most} {what}", str(count), "$", hint)

    def _activated(self, definition: Definition, holding: Holding) -> ActiveFault:
        self._added += 1
        limit, rate_limit = definition.limit, None
        if limit is not None:
            rate_limit = RateLimit(*limit, holding, self._limits.limited_keys)
        ttl: float | None = definition.ttl
        ends = inf if ttl is None else self._seconds() + ttl
        return ActiveFault(f"f{self._added}", definition, ends, holding, rate_limit)

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
            self._set_active([fault for fault in self.active if fault not in spent])
            self._spent.extend(spent)
            for fault in spent:
                fault.is_over = True
