"""The faults and answers that may apply to a request; declared answers come last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import inf

from mock_server.domain.faults.definition import Definition, Match
from mock_server.domain.faults.firing import ActiveFault
from mock_server.domain.memory import Memory
from mock_server.domain.validation.json_match import is_match, is_test


class Candidates:
    """The faults and the answers for one operation, both in order.

    A test may add many answers, one for each dataset or chat. So answers that match a
    text in a field of the body are found by this text; all others are always tried.
    """

    def __init__(
        self, faults: Sequence[ActiveFault], answers: Sequence[ActiveFault]
    ) -> None:
        self.faults = faults
        self._answers = answers
        # Indexes in `_answers`: of answers that are always tried, and of all others by
        # field and text.
        self._always_tried: list[int] = []
        self._by_text: dict[str, dict[str, list[int]]] = {}
        for index, answer in enumerate(answers):
            name, text = required_text(answer.definition.match)
            by_text = self._by_text.setdefault(name, {}) if name else {}
            indexes = by_text.setdefault(text, []) if name else self._always_tried
            indexes.append(index)

    def answers(self, body: Mapping[str, object]) -> list[ActiveFault]:
        """Return the answers that may match a body, in order."""
        indexes = [*self._always_tried]
        for name, by_text in self._by_text.items():
            text = body.get(name)
            if isinstance(text, str):
                indexes += by_text.get(text, ())
        return [self._answers[index] for index in sorted(indexes)]


class DeclaredAnswers:
    """The answers that a fixture declares, created at their first use."""

    def __init__(self, definitions: Sequence[Definition], memory: Memory) -> None:
        self.definitions, self._memory = definitions, memory

    @cached_property
    def answers(self) -> list[ActiveFault]:
        """All declared answers, in fixture order."""
        charge = self._memory.charge("faults")
        return [
            ActiveFault(f"fixture-{number}", definition, inf, charge)
            for number, definition in enumerate(self.definitions, start=1)
        ]

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[ActiveFault]]:
        """The declared answers by the name of their operation or route."""
        answers: dict[str, list[ActiveFault]] = {}
        for answer in self.answers:
            answers.setdefault(answer.definition.operation, []).append(answer)
        return answers


def warnings_if_shadowed(
    added: ActiveFault, active: Iterable[ActiveFault]
) -> list[str]:
    """Return a warning if an earlier active answer takes all requests of `added`.

    Return an empty list otherwise, and for a fault.
    """
    conditions, definition = added.definition.match.conditions(), added.definition
    for each in active if definition.is_answer else ():
        prior = each.definition
        if not prior.is_answer or prior.operation != definition.operation:
            continue
        if each is added:
            break
        is_permanent = each.remaining is None and each.ends_at == inf and not prior.skip
        takes_all = prior.probability == 1 and _include(
            prior.match.conditions(), conditions
        )
        if is_permanent and takes_all:
            return [
                f"This answer can never fire: {each.id}, added before, answers all "
                "these requests. Remove that one, or give it times or a match"
            ]
    return []


def _include(conditions: object, others: object) -> bool:
    """Return True if all values that match `others` match `conditions` too."""
    if is_test(conditions) or is_test(others):
        # A test such as `{"absent": true}` is no object with that field.
        return is_test(conditions) and is_test(others) and conditions == others
    if isinstance(conditions, dict) and isinstance(others, dict):
        return all(
            name in others and _include(each, others[name])
            for name, each in conditions.items()
        )
    if isinstance(conditions, list) and isinstance(others, list):
        is_as_long = len(conditions) == len(others)
        return is_as_long and all(map(_include, conditions, others))
    return is_match(conditions, others)


def required_text(match: Match) -> tuple[str, str]:
    """Return the first body field that must equal a text, and this text; or "", ""."""
    body = match.body or {}
    if is_test(body):  # `{"contains": ...}` instead of a body
        return "", ""
    texts = ((name, text) for name, text in body.items() if isinstance(text, str))
    return next(texts, ("", ""))
