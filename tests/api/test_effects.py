"""What became of each violation, and the hints of requests that did nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import MakeApi
from tests.support import APP, CHAT, DATASET, LEGACY_PIN, LIST, PIN, Api

PINNED = {"appId": APP, "chatId": CHAT, "top": True}
AUTH = {"Authorization": "Bearer any"}
HISTORIES = "/api/core/chat/history/getHistories"
DELETE = "/api/core/chat/history/delHistory"


def effects(api: Api) -> list[tuple[str, str]]:
    """The path and the effect of each violation of the latest request."""
    found = api.journal()[-1]["violations"]
    return [(each["path"], each["effect"]) for each in found]


@pytest.fixture
def many(make_api: MakeApi) -> Any:
    """Makes an API over 63 collections."""
    collections = [{"name": "x", "repeat": 63}]
    document = {"datasets": [{"id": DATASET, "collections": collections}]}
    return lambda **options: make_api(document, **options)


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
    many: MakeApi, size: Any, most: int, effect: str
) -> None:
    choices = {"page_size_over_limit": "clamp", "page_size_max": most}
    api = many(choices=choices)
    assert api.list_v2(pageSize=size).status_code == 200
    assert api.journal()[-1]["answer"]["truncated"] is True
    assert effects(api) == [("$.pageSize", effect)]


def test_the_effect_of_what_is_around_the_body(make_api: MakeApi) -> None:
    for profile, others in (("documented", "refused"), ("deployed", "ignored")):
        api = make_api(profile=profile)
        api.client.request("PATCH", LEGACY_PIN, json=PINNED, headers=AUTH)
        assert effects(api) == [("method", others)]
        api.client.put(PIN, content=b'{"appId": "app-1"}', headers=AUTH)
        assert effects(api)[0] == ("header Content-Type", others)


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


def test_what_does_nothing_has_a_hint(make_api: MakeApi) -> None:
    api = make_api(profile="deployed")
    api.pin(chatId="new")
    api.list_v2(parentId="nope")
    api.client.delete(DELETE, params={"appId": APP, "chatId": "x"}, headers=AUTH)
    api.pin()
    pin, page, delete, key = (entry["hint"] for entry in api.journal())
    assert "no chat session of this chatId: nothing was changed (choice" in pin
    assert "no collection of this parentId: the list is empty (choice" in page
    assert "no chat session of this chatId: nothing was deleted" in delete
    assert "any key counts as an owner's" in key


def test_a_hint_stays_with_its_request(make_api: MakeApi) -> None:
    api = make_api(profile="deployed")
    api.admin("POST", "/faults", {"kind": "delay", "ms": 1, "phase": "after"})
    for chat in ("new", CHAT, CHAT):
        api.pin(chatId=chat)
    hints = [entry["hint"] or "" for entry in api.journal()]
    assert ["nothing was changed" in each for each in hints] == [True, False, False]


def test_with_declared_keys_nothing_is_said_of_others(make_api: MakeApi) -> None:
    api = make_api({"keys": [{"key": "declared"}]})
    api.list_v2(key="declared")
    assert api.journal()[-1]["hint"] is None


def test_a_related_route_that_is_on_violates_nothing_by_itself(
    make_api: MakeApi,
) -> None:
    api = make_api()
    api.client.delete(DELETE, params={"appId": APP, "chatId": "x"}, headers=AUTH)
    api.send("POST", HISTORIES, {"appId": APP})
    assert [entry["violations"] for entry in api.journal()] == [[], []]
    api.client.post(HISTORIES, content=b'{"appId": 5}')
    found = api.journal()[-1]["violations"]
    assert {each["section"] for each in found} == {"related_route"}
    assert LIST not in {each["path"] for each in found}
