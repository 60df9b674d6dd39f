"""What became of each violation."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import MakeApi
from tests.support import APP, CHAT, DATASET, PIN, Api

PINNED = {"appId": APP, "chatId": CHAT, "top": True}


@pytest.mark.parametrize(
    ("size", "most", "effect"),
    [
        (50, 30, "counted as 30 (30 of 63 served)"),
        (50, 100, "honoured"),
        (150, 100, "counted as 100 (63 of 63 served)"),
        (1e300, 30, "counted as 30 (30 of 63 served)"),
    ],
)
def test_a_page_that_is_too_large_says_what_was_served(
    make_api: MakeApi, size: Any, most: int, effect: str
) -> None:
    collections = [{"name": "x", "repeat": 63}]
    document = {"datasets": [{"id": DATASET, "collections": collections}]}
    choices = {"page_size_over_limit": "clamp", "page_size_max": most}
    api = make_api(document, choices=choices)
    assert api.list_v2(pageSize=size).status_code == 200
    (entry,) = api.journal()
    assert entry["answer"]["truncated"] is True
    (found,) = entry["violations"]
    assert (found["path"], found["effect"]) == ("$.pageSize", effect)


NO_BEARER = 'a header that does not begin with "Bearer "'


@pytest.mark.parametrize(
    ("value", "got"),
    [
        (None, "nothing"),
        ("", "one without a key"),
        ("Bearer", "one without a key"),
        ("bearer", "one without a key"),
        ("Basic a2V5a2V5", NO_BEARER),
        ("fastgpt-owner", NO_BEARER),
        ("Bearer a b", "something else"),
    ],
)
def test_answer_hint_and_violation_tell_one_story_of_a_missing_key(
    api: Api, value: str | None, got: str
) -> None:
    headers = {} if value is None else {"Authorization": value}
    message = api.client.put(PIN, json=PINNED, headers=headers).json()["message"]
    (entry,) = api.journal()
    assert f"got {got} - at header Authorization" in message
    assert [each["message"] for each in entry["violations"]] == [message]
    assert entry["hint"] == message
    api.client.post(PIN, json=PINNED, headers=headers)
    # Refused for its method first; what the header was is not kept.
    got = "something else" if got == NO_BEARER else got
    assert f"got {got} " in api.journal()[-1]["violations"][1]["message"]
    assert "a2V5a2V5" not in api.client.get("/__admin/journal").text
