"""Answers of one operation are found by a text, as if each had been tried."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mock_server.api.faults.answer import Answer
from mock_server.domain.faults.definition import Match
from mock_server.domain.faults.faults import Faults
from mock_server.domain.faults.firing import Request
from mock_server.domain.limits import Limits
from mock_server.domain.memory import Memory

NAMES = st.sampled_from(["datasetId", "searchText", ""])
VALUES: st.SearchStrategy[Any] = st.sampled_from(
    ["a", "", 1, None, ["a"], {}, [{}], {"contains": "a"}, {"absent": True}]
)
BODIES = st.dictionaries(NAMES, VALUES, max_size=3)
MATCHES = st.builds(
    Match,
    body=st.none() | BODIES | st.sampled_from([{"contains": "a"}, {"absent": True}]),
)


@given(st.lists(MATCHES, max_size=8), BODIES)
def test_the_first_answer_that_matches_is_found(
    matches: list[Match], body: dict[str, Any]
) -> None:
    faults = Faults(lambda: 0.0, Memory(), Limits())
    for match in matches:
        faults.add(Answer(operation="listV2", match=match, data=None))
    request = Request(("listV2",), ("key",), body)
    fits = request.matches_conditions
    wanted = (i for i, each in enumerate(matches) if fits(each, "listV2"))
    firing = faults.answer(request, 0)
    assert (firing and firing.fault.id) == next((f"f{i + 1}" for i in wanted), None)


@given(MATCHES, MATCHES, BODIES)
def test_only_an_answer_that_cannot_fire_is_called_so(
    earlier: Match, later: Match, body: dict[str, Any]
) -> None:
    faults = Faults(lambda: 0.0, Memory(), Limits())
    for match in (earlier, later):
        added = faults.add(Answer(operation="listV2", match=match, data=None))
    request = Request(("listV2",), ("key",), body)
    if earlier == later or earlier.body is None:
        assert added.warnings
    if added.warnings and request.matches_conditions(later, "listV2"):
        assert request.matches_conditions(earlier, "listV2")
