"""What became of each violation."""

from __future__ import annotations

import pytest

from tests.support import APP, CHAT, PIN, Api

PINNED = {"appId": APP, "chatId": CHAT, "top": True}


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
