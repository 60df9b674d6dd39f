"""Share links: each leads to its sandbox, and is kept with the data."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.related.rows import FULL, SHARE
from tests.api.related.world import APP, OWNER
from tests.conftest import MakeApi
from tests.support import Api

HISTORIES = "/api/core/chat/history/getHistories"
COMPLETIONS = "/api/v1/chat/completions"
HELLO = [{"role": "user", "content": "Hello"}]


@pytest.fixture
def api(make_api: MakeApi) -> Api:
    return make_api(FULL)


def sandbox(api: Api, **wanted: Any) -> tuple[str, str]:
    """A new sandbox: its name, and the id of its link."""
    made = api.admin("POST", "/sandboxes", wanted).json()
    return made["name"], made["shares"][SHARE]


def nested(link: str, uid: str = "ann") -> dict[str, Any]:
    return {"outLinkAuthData": {"shareId": link, "outLinkUid": uid}}


def post(api: Api, path: str, fields: Any, key: str | None = None) -> Any:
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    return api.client.post(path, json=fields, headers=headers)


def held(api: Api) -> Any:
    return api.admin("GET", "/state").json()


def chats(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [each["chatId"] for each in answer.json()["data"]["list"]]


def test_a_link_leads_to_its_sandbox_whatever_key_is_sent(api: Api) -> None:
    name, link = sandbox(api)
    asked = {"chatId": "new", "messages": HELLO, **nested(link)}
    answer = post(api, COMPLETIONS, asked)
    assert answer.headers["x-mock-sandbox"] == name
    for key in (None, OWNER, "unknown"):
        assert chats(post(api, HISTORIES, nested(link), key)) == ["new"]
    assert chats(post(api, HISTORIES, nested(SHARE))) == []
    opened = {"chatId": "new", "outLinkAuthData": f'{{"shareId": "{link}", '}
    opened["outLinkAuthData"] += '"outLinkUid": "ann"}'
    answer = api.client.get("/api/core/chat/outLink/init", params=opened)
    assert answer.json()["data"]["title"] == "Hello"


def test_a_declared_link_means_nothing_in_another_sandbox(api: Api) -> None:
    made = api.admin("POST", "/sandboxes", {}).json()
    (key,) = {made["keys"][OWNER]}
    assert post(api, HISTORIES, nested(SHARE), key).status_code == 404
    bound = f"/__sandboxes/{made['name']}{HISTORIES}"
    assert post(api, bound, nested(SHARE)).status_code == 200


def test_a_link_of_a_sandbox_that_ended_is_unknown(api: Api) -> None:
    name, link = sandbox(api)
    api.admin("DELETE", f"/sandboxes/{name}")
    answer = post(api, HISTORIES, nested(link))
    assert (answer.status_code, answer.json()["statusText"]) == (404, "shareNotFound")


def test_the_version_of_the_sandbox_says_how_its_link_is_named(api: Api) -> None:
    _, link = sandbox(api, choices={"version": "4.14"})
    flat = {"shareId": link, "outLinkUid": "ann"}
    assert chats(post(api, HISTORIES, flat)) == []
    answer = post(api, HISTORIES, {"appId": APP, **nested(link)}, OWNER)
    assert answer.status_code == 401  # no key of another sandbox counts there
    assert "version=4.16" in answer.json()["message"]


def test_no_journal_has_the_id_of_an_issued_link(api: Api) -> None:
    name, link = sandbox(api)
    post(api, HISTORIES, nested(link))
    post(api, HISTORIES, {"appId": link, **nested(link)})
    journal = api.admin("GET", f"/sandboxes/{name}/journal").text
    assert "fastgpt-sbx-" not in journal
    assert "[redacted]" in journal


def test_chats_of_a_visitor_are_in_states_and_snapshots(api: Api) -> None:
    before = held(api)
    api.admin("PUT", "/snapshots/before")
    post(api, COMPLETIONS, {"chatId": "new", "messages": HELLO, **nested(SHARE)})
    after = held(api)
    *_, made = after["apps"][0]["chats"]
    assert (made["shareId"], made["outLinkUid"]) == (SHARE, "ann")
    api.admin("POST", "/snapshots/before/restore")
    assert held(api) == before
    api.admin("PUT", "/state", after)
    assert chats(post(api, HISTORIES, nested(SHARE))) == ["new"]
    assert held(api) == after


def test_a_visitor_without_a_body_or_with_another_type_is_told_to_send_a_key(
    api: Api,
) -> None:
    typed: dict[str, Any] = {"content": b"x", "headers": {"Content-Type": "text/plain"}}
    for options in ({}, typed):
        assert api.client.post(HISTORIES, **options).status_code == 401
