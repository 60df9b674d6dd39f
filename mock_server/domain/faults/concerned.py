"""The faults and answers for the requests of one operation; a fixture's come last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import inf

from mock_server.domain.faults.definition import Definition, Match
from mock_server.domain.faults.firing import ActiveFault
from mock_server.domain.memory import Memory
from mock_server.domain.validation.json_match import holds, is_test


class Concerned:
    """The faults and the answers for one operation, both in order.

    A test may add an answer for each dataset, chat or question. So answers that match a
    text in a field of the body are found by that text; all others are tried.
    """

    def __init__(
        self, faults: Sequence[ActiveFault], answers: Sequence[ActiveFault]
    ) -> None:
        self.faults = faults
        self._answers = answers
        # Places in `_answers`: of answers to try each time, and of others by field and
        # text.
        self._tried: list[int] = []
        self._by_text: dict[str, dict[str, list[int]]] = {}
        for place, answer in enumerate(answers):
            name, text = wanted_text(answer.definition.match)
            by_text = self._by_text.setdefault(name, {}) if name else {}
            found = by_text.setdefault(text, []) if name else self._tried
            found.append(place)

    def answers(self, body: Mapping[str, object]) -> list[ActiveFault]:
        """Return the answers that may match a body, in order."""
        places = [*self._tried]
        for name, by_text in self._by_text.items():
            text = body.get(name)
            if isinstance(text, str):
                places += by_text.get(text, ())
        return [self._answers[place] for place in sorted(places)]


class Declared:
    """The answers of a fixture, created when first needed."""

    def __init__(self, definitions: Sequence[Definition], memory: Memory) -> None:
        self._definitions, self._memory = definitions, memory

    @cached_property
    def answers(self) -> list[ActiveFault]:
        """All of them, in order."""
        holding = self._memory.hold("faults")
        return [
            ActiveFault(f"fixture-{number}", definition, inf, holding)
            for number, definition in enumerate(self._definitions, start=1)
        ]

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[ActiveFault]]:
        """By the operation or the route that they are for."""
        found: dict[str, list[ActiveFault]] = {}
        for answer in self.answers:
            found.setdefault(answer.definition.operation, []).append(answer)
        return found


def unreachable(added: ActiveFault, active: Iterable[ActiveFault]) -> list[str]:
    """Return a warning if an earlier answer takes all requests of this one."""
    mine, definition = added.definition.match.given(), added.definition
    for each in active if definition.is_answer else ():
        other = each.definition
        if not other.is_answer or other.operation != definition.operation:
            continue
        if each is added:
            break
        is_sure = each.remaining is None and each.ends == inf and not other.skip
        if is_sure and other.probability == 1 and holds(other.match.given(), mine):
            return [
                f"This answer can never fire: {each.id}, added before, answers all "
                "these requests. Remove that one, or give it times or a match"
            ]
    return []


def wanted_text(match: Match) -> tuple[str, str]:
    """Return the first body field that must equal a text, and the text, or "", ""."""
    wanted = match.body or {}
    if is_test(wanted):  # `{"contains": ...}` in the place of the body
        return "", ""
    texts = ((name, text) for name, text in wanted.items() if isinstance(text, str))
    return next(texts, ("", ""))
