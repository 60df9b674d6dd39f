"""Verification: how often, in which order, and what came near when it is not so."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.domain.limits import DEFAULT_LIMITS
from tests.support import APP, CHAT, Api


@pytest.fixture
def seen(api: Api) -> Api:
    """Two lists, a pin, a refused list."""
    api.list_v2()
    api.list_v2(pageSize=5, parentId=None)
    api.pin()
    api.list_v2(offset=-1)
    return api


def verify(api: Api, body: Any) -> tuple[int, dict[str, Any]]:
    answer = api.admin("POST", "/journal/verify", body)
    return answer.status_code, answer.json()


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ({}, 4),
        ({"operation": "listV2"}, 3),
        ({"operation": "listV2", "exactly": 3}, 3),
        ({"operation": "listV2", "atLeast": 2}, 3),
        ({"operation": "listV2", "atLeast": 1, "atMost": 3}, 3),
        ({"status": 500, "atMost": 0}, 0),
        ({"key": "any-key", "exactly": 4}, 4),
        ({"body": {"top": True}, "exactly": 1}, 1),
        ({"body": {"parentId": None}}, 1),
        ({"violations": True, "exactly": 1}, 1),
        ({"inOrder": [{"operation": "listV2"}, {"body": {"top": True}}]}, 2),
        ({"inOrder": [{"status": 200}, {"status": 200}, {"status": 400}]}, 3),
        ({"inOrder": []}, 0),
    ],
)
def test_what_is_so_is_200(seen: Api, body: Any, count: int) -> None:
    assert verify(seen, body) == (200, {"ok": True, "count": count})


@pytest.mark.fresh
def test_what_is_not_so_is_409_with_the_nearest_entries(seen: Api) -> None:
    body = {"operation": "updateHistory", "body": {"top": False, "chatId": "c"}}
    status, answer = verify(seen, body)
    assert status == 409
    assert (answer["ok"], answer["count"]) == (False, 0)
    assert answer["message"] == "Expected at least 1, got 0"
    assert len(answer["nearest"]) == 3
    assert answer["nearest"][0] == {
        "seq": 3,
        "differences": [
            {"path": "$.body.top", "expected": False, "got": True},
            {"path": "$.body.chatId", "expected": "c", "got": CHAT},
        ],
    }


@pytest.mark.fresh
def test_too_many_are_shown_as_they_are(seen: Api) -> None:
    status, answer = verify(seen, {"body": {"appId": APP}, "exactly": 0})
    assert (status, answer["count"]) == (409, 1)
    assert answer["message"] == "Expected exactly 0, got 1"
    assert answer["nearest"] == [{"seq": 3, "differences": []}]


def test_bounds_are_said_in_words(seen: Api) -> None:
    _, answer = verify(seen, {"atLeast": 5, "atMost": 6})
    assert answer["message"] == "Expected at least 5 and at most 6, got 4"
    _, answer = verify(seen, {"atMost": 1})
    assert answer["message"] == "Expected at most 1, got 4"


@pytest.mark.fresh
def test_a_wrong_order_says_which_step_is_missing(seen: Api) -> None:
    steps = [{"operation": "updateHistory"}, {"operation": "listV2", "status": 200}]
    status, answer = verify(seen, {"inOrder": steps})
    assert (status, answer["count"]) == (409, 1)
    assert "$.inOrder[1]" in answer["message"]
    (near,) = answer["nearest"]
    assert near["seq"] == 4
    assert near["differences"] == [{"path": "$.status", "expected": 200, "got": 400}]


def test_a_field_that_is_not_there_is_a_difference(seen: Api) -> None:
    _, answer = verify(seen, {"status": 200, "body": {"searchText": "x"}})
    expected = {"path": "$.body.searchText", "expected": "x", "got": "nothing"}
    assert expected in answer["nearest"][0]["differences"]


def test_what_a_cut_body_held_is_not_guessed(api: Api) -> None:
    api.list_v2(searchText="secret", padding="z" * DEFAULT_LIMITS.journal_body_bytes)
    status, answer = verify(api, {"body": {"searchText": "secret"}, "exactly": 0})
    assert (status, answer["count"]) == (409, 0)
    assert "got 1 that the journal has cut" in answer["message"]
    assert (
        verify(api, {"operation": "updateHistory", "body": {}, "exactly": 0})[0] == 200
    )


@pytest.mark.ci
@pytest.mark.parametrize(
    "body",
    [
        {"exactly": 1, "atLeast": 1},
        {"atLeast": 5, "atMost": 1},
        {"inOrder": [{}] * 101},
        {"exactly": -1},
        {"exactly": "1"},
        {"operation": "pin"},
        {"body": []},
        {"inOrder": {}},
        {"inOrder": [{"exactly": 1}]},
        {"inOrder": [], "exactly": 1},
        {"inOrder": [], "status": 200},
        {"statuss": 200},
    ],
)
def test_a_bad_question_is_400(seen: Api, body: Any) -> None:
    status, answer = verify(seen, body)
    assert (status, answer["statusText"]) == (400, "invalidField")


def test_times_are_told_to_be_exactly(seen: Api) -> None:
    for name in ("times", "count"):
        _, answer = verify(seen, {"operation": "listV2", name: 2})
        assert f"did you mean 'exactly'?) - at $.{name}" in answer["message"]


@pytest.mark.ci
@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"atLeast": 1}, 200),
        ({"atLeast": DEFAULT_LIMITS.journal_entries + 1}, 409),
        ({"atMost": DEFAULT_LIMITS.journal_entries + 5}, 409),
        ({"operation": "updateHistory", "exactly": 0}, 409),
        ({"inOrder": [{"status": 200}]}, 200),
        ({"inOrder": [{"status": 500}]}, 409),
    ],
)
def test_what_a_journal_has_dropped_is_not_guessed(
    api: Api, body: Any, status: int
) -> None:
    api.list_v2()
    journal = api.sandbox.journal
    entry = next(journal.since(0))
    for _ in range(DEFAULT_LIMITS.journal_entries):
        journal.append(entry)
    answered, answer = verify(api, body)
    assert answered == status
    assert status == 200 or "has dropped 1" in answer["message"]
