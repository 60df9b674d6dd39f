"""The faults and answers for the requests of one operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mock_server.domain.faults.definition import Match
from mock_server.domain.faults.firing import ActiveFault
from mock_server.domain.validation.json_match import is_test


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


def wanted_text(match: Match) -> tuple[str, str]:
    """Return the first body field that must equal a text, and the text, or "", ""."""
    wanted = match.body or {}
    if is_test(wanted):  # `{"contains": ...}` in the place of the body
        return "", ""
    texts = ((name, text) for name, text in wanted.items() if isinstance(text, str))
    return next(texts, ("", ""))
