"""Texts that are just as long as they may be, and those that are longer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import MakeApi
from tests.support import APP, CHAT, DATASET, Api

ID, TEXT = 256, 1_024
LONGEST = "i" * ID
HOLDING_LONG_IDS = {
    "apps": [
        {"id": APP, "chats": [{"chatId": CHAT}, {"chatId": LONGEST}]},
        {"id": LONGEST, "chats": [{"chatId": CHAT}]},
    ],
    "datasets": [
        {"id": DATASET, "collections": [{"_id": LONGEST, "name": "t" * TEXT}]},
        {"id": LONGEST},
    ],
}


@pytest.fixture
def long(make_api: MakeApi) -> Api:
    """A server whose ids are as long as ids may be; pins may set titles."""
    return make_api(HOLDING_LONG_IDS, choices={"top_missing": "ignore"})


@pytest.mark.parametrize("field", ["appId", "chatId"])
def test_an_id_of_256_characters_is_pinned_and_none_of_257(
    long: Api, field: str
) -> None:
    assert long.pin(**{field: LONGEST}).status_code == 200
    refused = long.pin(**{field: LONGEST + "i"})
    assert (refused.status_code, refused.json()["statusText"]) == (400, "invalidField")
    assert f"a string of 1 to {ID} characters" in refused.json()["message"]


@pytest.mark.parametrize("field", ["datasetId", "parentId"])
def test_an_id_of_256_characters_is_listed_and_none_of_257(
    long: Api, field: str
) -> None:
    assert long.list_v2(**{field: LONGEST}).status_code == 200
    refused = long.list_v2(**{field: LONGEST + "i"})
    assert (refused.status_code, refused.json()["statusText"]) == (400, "invalidField")


def test_a_search_text_of_1024_characters_is_searched_for_and_none_of_1025(
    long: Api,
) -> None:
    assert long.ids(searchText="t" * TEXT) == [LONGEST]
    refused = long.list_v2(searchText="t" * (TEXT + 1))
    assert (refused.status_code, refused.json()["statusText"]) == (400, "invalidField")
    assert f"a string of up to {TEXT} characters" in refused.json()["message"]


@pytest.mark.parametrize("field", ["title", "customTitle"])
def test_a_title_of_1024_characters_is_stored_and_none_of_1025(
    long: Api, field: str
) -> None:
    assert long.pin(**{field: "t" * TEXT}).status_code == 200
    refused = long.pin(**{field: "u" * (TEXT + 1)})
    assert (refused.status_code, refused.json()["statusText"]) == (400, "invalidField")
    chat: Any = long.admin("GET", f"/apps/{APP}/chats/{CHAT}").json()
    assert chat[field] == "t" * TEXT


@pytest.mark.parametrize(
    "path", [f"/apps/{APP}/chats/", f"/datasets/{DATASET}/collections/"]
)
def test_an_id_of_256_characters_is_put_and_none_of_257(long: Api, path: str) -> None:
    body = {"name": "n"} if "collections" in path else {}
    assert long.admin("PUT", path + "j" * ID, body).status_code == 201
    refused = long.admin("PUT", path + "j" * (ID + 1), body)
    assert (refused.status_code, refused.json()["statusText"]) == (400, "invalidField")


@pytest.mark.parametrize("length", [TEXT, TEXT + 1])
def test_a_fault_says_up_to_1024_characters(long: Api, length: int) -> None:
    body = {"kind": "error", "message": "m" * length}
    made = long.admin("POST", "/faults", body)
    assert made.status_code == (201 if length == TEXT else 400)
