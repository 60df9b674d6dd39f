"""Verification: how often, in which order, and what came near when it is not so."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.domain.limits import DEFAULT_LIMITS
from tests.support import Api


def verify(api: Api, body: Any) -> tuple[int, dict[str, Any]]:
    answer = api.admin("POST", "/journal/verify", body)
    return answer.status_code, answer.json()


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
