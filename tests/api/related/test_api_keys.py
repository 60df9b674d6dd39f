"""API keys that logins create: where they lead, how many, and that none is told."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.domain.limits import Published
from tests.api.related.world import APP, USERS, WORLD, log_in
from tests.conftest import MakeApi
from tests.support import PIN, Api

PATH = "/api/support/openapi"
PINNED = {"appId": APP, "chatId": "one", "top": True}


@pytest.fixture
def api(make_api: MakeApi) -> Api:
    """The world with two users, as profile `deployed`."""
    return make_api(WORLD | {"users": USERS}, profile="deployed")


def ask(api: Api, method: str, path: str, fields: Any = None) -> Any:
    """Send fields as the owner who has logged in; gives the data."""
    sent: Any = {"params" if method in ("GET", "DELETE") else "json": fields or {}}
    headers = log_in(api)
    answer = api.client.request(method, f"{PATH}/{path}", headers=headers, **sent)
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


def create(api: Api, name: str = "New") -> str:
    """Create a key; gives its text."""
    return str(ask(api, "POST", "create", {"name": name}))


def pin(api: Api, key: str) -> Any:
    """Pin a chat with a key; gives the response."""
    headers = {"Authorization": f"Bearer {key}"}
    return api.client.put(PIN, json=PINNED, headers=headers)


def test_a_list_shows_the_latest_first_and_of_a_key_its_end(api: Api) -> None:
    first, second = create(api, "First"), create(api, "Second")
    listed = ask(api, "GET", "list")
    assert [each["name"] for each in listed] == ["Second", "First"]
    masked = [each["apiKey"] for each in listed]
    assert masked == [f"******{key[-4:]}" for key in (second, first)]
    for keyword, names in {"FIR": ["First"], second[30:]: ["Second"], "no": []}.items():
        found = ask(api, "GET", "list", {"keyword": keyword})
        assert [each["name"] for each in found] == names
    assert 60 <= len(first) <= 73  # as in the service


def test_no_journal_and_no_state_tells_a_key(api: Api) -> None:
    key = create(api)
    api.client.get(f"{PATH}/health", params={"apiKey": "one-of-another-service"})
    assert pin(api, key).status_code == 200
    told = (
        api.client.get("/__admin/journal").text + api.client.get("/__admin/state").text
    )
    assert key[24:] not in told
    assert "one-of-another-service" not in told
    assert api.journal()[-1]["member"] == "tmb-owner"


@pytest.mark.fresh
def test_a_state_holds_keys_and_each_sandbox_gives_them_another_text(api: Api) -> None:
    key = create(api)
    state = api.admin("GET", "/state").json()
    (held,) = state["apiKeys"]
    assert key not in str(state)
    assert key[24:48] == held["id"]
    api.admin("POST", "/reset")
    assert pin(api, key).status_code == 500
    api.admin("PUT", "/state", state)
    assert pin(api, key).status_code == 200
    assert api.admin("GET", "/state").json()["apiKeys"] == [held]
    asked = {"name": "other", "state": state, "profile": "deployed"}
    assert api.admin("POST", "/sandboxes", asked).status_code == 201
    assert pin(api, key).headers.get("x-mock-sandbox", "default") == "default"
    # A key made up of what is known leads nowhere.
    assert pin(api, key[:-1] + "x").status_code == 500


def test_a_member_has_so_many_keys(make_api: MakeApi) -> None:
    most = Published.member_api_keys
    keys = [{"id": f"{n:024}", "member": "tmb-owner"} for n in range(most - 1)]
    fixture = WORLD | {"users": USERS, "apiKeys": keys}
    api = make_api(fixture, profile="deployed")
    create(api)
    headers = log_in(api)
    answer = api.client.post(f"{PATH}/create", json={"name": "x"}, headers=headers)
    assert answer.json()["statusText"] == "openapiExceedLimit"
    assert len(ask(api, "GET", "list")) == most
