"""Share links: each leads to its sandbox, and is kept with the data."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.related.rows import FULL, SHARE
from tests.conftest import MakeApi
from tests.support import Api

HISTORIES = "/api/core/chat/history/getHistories"


@pytest.fixture
def api(make_api: MakeApi) -> Api:
    return make_api(FULL)


def post(api: Api, path: str, link: str, **fields: Any) -> Any:
    """A visitor's request with the id of a link."""
    named = {"outLinkAuthData": {"shareId": link, "outLinkUid": "ann"}}
    return api.client.post(path, json=named | fields)


def held(api: Api) -> Any:
    return api.admin("GET", "/state").json()


def test_chats_of_a_visitor_are_in_states_and_snapshots(api: Api) -> None:
    before = held(api)
    api.admin("PUT", "/snapshots/before")
    messages = [{"role": "user", "content": "Hello"}]
    post(api, "/api/v1/chat/completions", SHARE, chatId="new", messages=messages)
    after = held(api)
    *_, made = after["apps"][0]["chats"]
    assert (made["shareId"], made["outLinkUid"]) == (SHARE, "ann")
    api.admin("POST", "/snapshots/before/restore")
    assert held(api) == before
    api.admin("PUT", "/state", after)
    (chat,) = post(api, HISTORIES, SHARE).json()["data"]["list"]
    assert chat["chatId"] == "new"
    assert held(api) == after


@pytest.mark.parametrize("content", [b"{", b"\xef\xbb\xbf{}"])
def test_missing_credentials_are_told_before_a_body_that_is_no_json(
    api: Api, content: bytes
) -> None:
    path, json_type = "/api/core/chat/record/delete", "application/json"
    headers = {"Content-Type": json_type}
    answer = api.client.request("DELETE", path, content=content, headers=headers)
    assert answer.status_code == 401, answer.text
    assert answer.json()["statusText"] == "unauthorized"


@pytest.mark.parametrize(("link", "is_told"), [(SHARE, True), ("none", False)])
def test_only_a_known_link_of_other_versions_leads_to_them(
    api: Api, link: str, is_told: bool
) -> None:
    answer = api.client.post(HISTORIES, json={"shareId": link, "outLinkUid": "ann"})
    assert answer.status_code == 401, answer.text
    assert ("choice version=4.14" in answer.text) is is_told
