"""The faults and answers of a sandbox: they are added, matched, expired and removed."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from math import inf

from mock_server.domain.errors import InvalidField
from mock_server.domain.faults.candidates import (
    Candidates,
    DeclaredAnswers,
    warnings_if_shadowed,
)
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
from mock_server.domain.memory import Memory, MemoryCharge
from mock_server.domain.wrong_calls import explained

_FIXED_BYTES = 1_024
"""Estimated bytes of a fault without its fields."""


class Faults:
    """The faults and answers of a sandbox, in the order in which they were added.

    `active` has those that can still fire. The answers that the fixture declares come
    after them.
    """

    def __init__(
        self,
        seconds: Callable[[], float],
        memory: Memory,
        limits: Limits,
        starting: Sequence[Definition] = (),
        declared: Sequence[Definition] = (),
    ) -> None:
        """Add the `starting` faults, and store the `declared` answers.

        `seconds` is a monotonic clock. Faults are charged to `memory`, but without the
        definitions of `starting` and `declared`, which the fixture holds.
        """
        self.active: list[ActiveFault] = []
        # `_candidates` are cached by the names of operations. At `_next_end` (monotonic
        # seconds) a fault may expire. Both are computed again after each change.
        self._candidates: dict[tuple[str, ...], Candidates] = {}
        self._answered_names: Mapping[str, None] | None = None
        self._routes: Routes | None = None
        self._next_end = -inf
        self._seconds = seconds
        self._memory = memory
        self._limits = limits
        self._spent: deque[ActiveFault] = deque(maxlen=limits.faults)
        self._last_number = 0
        self._declared = DeclaredAnswers(declared, memory)
        for definition in starting:
            charge = memory.charge("faults")
            # Charge even beyond the budget: a reset must not fail if memory is full.
            charge.add_unchecked(_FIXED_BYTES)
            self.active.append(self._activate(definition, charge))

    @explained
    def add(
        self,
        definition: Definition,
        preset: str | None = None,
        warnings: Sequence[str] = (),
    ) -> ActiveFault:
        """Add a fault after all others; return it with `warnings` and further ones.

        Raises InvalidField or LimitReached.
        """
        (added,) = self.add_all([definition], preset)
        added.warnings = [*warnings, *warnings_if_shadowed(added, self.active)]
        return added

    def add_all(
        self, definitions: Sequence[Definition], preset: str | None = None
    ) -> list[ActiveFault]:
        """Add all these faults; `preset` is the name of the list.

        If InvalidField or LimitReached is raised, no fault has been added.
        """
        for each in definitions:
            if not isinstance(each, Definition):
                raise TypeError(f"Expected a Fault, got a {type(each).__name__}")
        self._check_room(definitions)
        # Charge all faults before the first is added, because any of them may not fit.
        charges = [
            self._memory.charge("faults", definition.size + _FIXED_BYTES, "body")
            for definition in definitions
        ]
        added = list(map(self._activate, definitions, charges))
        for fault in added:
            fault.preset = preset
        self._set_active([*self.active, *added])
        return added

    def decide(self, request: Request, now: int) -> Decision:
        """Match a request at `now` (ms) with the faults until the first one fires.

        Each matching fault counts the request; faults after the firing one do not.
        """
        self._expire()
        decision = Decision()
        for fault in self._candidates_for(request).faults:
            repeated = self._resent_firing(fault, request) if fault.resends else None
            result = repeated or fault.match(request, now)
            if isinstance(result, Firing):
                decision.firing = result
                self._expect_resend(fault, request, result)
                if fault.remaining == 0 and not fault.resends:
                    self._retire([fault])
                break
            if result is not None:
                decision.limits.append(result)
        return decision

    def answer(self, request: Request, now: int) -> Firing | None:
        """Match a request at `now` (ms) with the answers; return the first firing."""
        self._expire()
        for answer in self._candidates_for(request).answers(request.body):
            firing = answer.match(request, now)
            if isinstance(firing, Firing):
                if answer.remaining == 0 and answer in self.active:
                    self._retire([answer])
                return firing
        return None

    def replace_declared(self, answers: Sequence[Definition]) -> None:
        """Replace the declared answers, unless these are in force already."""
        if self._declared.definitions is answers:
            return
        self._declared = DeclaredAnswers(answers, self._memory)
        self._set_active(self.active)

    @property
    def count(self) -> int:
        """The number of faults and answers that a request may be compared with."""
        return len(self.active) + len(self._declared.answers)

    @property
    def size(self) -> int:
        """Charged bytes of all active faults and answers."""
        return sum(each.charge.size for each in self.active)

    @property
    def answered_names(self) -> Mapping[str, None]:
        """The names of operations and routes that have answers in force, in order."""
        self._expire()
        if self._answered_names is None:
            faults = [*self.active, *self._declared.answers]
            definitions = (each.definition for each in faults)
            names = (each.operation for each in definitions if each.is_answer)
            self._answered_names = dict.fromkeys(names)
        return self._answered_names

    @property
    def routes(self) -> Routes:
        """The routes of the answers in force, without those for an operation."""
        names = self.answered_names
        if self._routes is None:
            self._routes = Routes(name for name in names if is_route(name))
        return self._routes

    def all(self) -> list[ActiveFault]:
        """Return the active faults and the latest spent ones, oldest first."""
        self._expire()
        faults = [*self.active, *self._spent]
        return sorted(faults, key=lambda fault: int(fault.id[1:]))

    def get(self, fault_id: str) -> ActiveFault | None:
        """Return the fault with this id among `all`, or None."""
        return next((fault for fault in self.all() if fault.id == fault_id), None)

    def remove(self, fault: ActiveFault) -> None:
        """Remove a fault, active or spent."""
        self._set_active([other for other in self.active if other is not fault])
        if fault in self._spent:
            self._spent.remove(fault)

    def clear(self) -> None:
        """Remove all faults and answers, except the declared answers."""
        self._set_active([])
        self._spent.clear()

    def seconds_left(self, fault: ActiveFault) -> float | None:
        """Return the seconds until the fault expires; None without a ttl."""
        return (
            None if fault.ends_at == inf else max(0.0, fault.ends_at - self._seconds())
        )

    def _candidates_for(self, request: Request) -> Candidates:
        candidates = self._candidates.get(request.names)
        if candidates is None:
            active = [each for each in self.active if request.is_for(each.definition)]
            answers = [each for each in active if each.definition.is_answer]
            for name in request.names:  # the names of literal paths come first
                answers += self._declared.by_name.get(name, ())
            faults = [each for each in active if not each.definition.is_answer]
            candidates = self._candidates[request.names] = Candidates(faults, answers)
        return candidates

    def _set_active(self, faults: list[ActiveFault]) -> None:
        """Set `active` to a new list: a caller may be iterating over the old list."""
        self.active, self._candidates, self._next_end = faults, {}, -inf
        self._answered_names = self._routes = None

    def _resent_firing(self, fault: ActiveFault, request: Request) -> Firing | None:
        """Return the earlier firing if the client resends a request, else None."""
        self._next_end = -inf
        resend = fault.resends.pop(request.fingerprint, None)
        if resend is None or resend.ends_at <= self._seconds():
            return None
        return resend.firing

    def _expect_resend(
        self, fault: ActiveFault, request: Request, firing: Firing
    ) -> None:
        """Note the firing for a resent request, if the definition says so.

        After a failure on a new connection, clients report it and do not resend.
        """
        self._next_end = -inf
        is_wanted = (
            fault.definition.fires_on_resends and not request.is_on_new_connection
        )
        if is_wanted and len(fault.resends) < self._limits.resends:
            ends_at = self._seconds() + self._limits.resend_seconds
            fault.resends[request.fingerprint] = Resend(firing, ends_at)

    def _check_room(self, added: Sequence[Definition]) -> None:
        """Raise InvalidField if there would be too many faults or answers."""
        self._expire()
        definitions = [*(each.definition for each in self.active), *added]
        answers = sum(each.is_answer for each in definitions)
        limits = self._limits
        for count, limit, noun in (
            (len(definitions) - answers, limits.faults, "faults"),
            (answers, limits.answers, "answers"),
        ):
            if count > limit:
                hint = "delete some first"
                raise InvalidField(f"at most {limit} {noun}", str(count), "$", hint)

    def _activate(self, definition: Definition, charge: MemoryCharge) -> ActiveFault:
        self._last_number += 1
        limit, rate_limit = definition.limit, None
        if limit is not None:
            rate_limit = RateLimit(*limit, charge, self._limits.limited_keys)
        ttl: float | None = definition.ttl
        ends_at = inf if ttl is None else self._seconds() + ttl
        return ActiveFault(
            f"f{self._last_number}", definition, ends_at, charge, rate_limit
        )

    def _expire(self) -> None:
        """Retire the faults that have expired."""
        now = self._seconds()
        if now < self._next_end:
            return
        for fault in self.active:
            if fault.resends:
                fault.forget_resends(now)
        self._retire([fault for fault in self.active if fault.is_spent(now)])
        self._next_end = min((each.next_end for each in self.active), default=inf)

    def _retire(self, spent: Sequence[ActiveFault]) -> None:
        if spent:
            self._set_active([fault for fault in self.active if fault not in spent])
            self._spent.extend(spent)
            for fault in spent:
                fault.is_over = True
