"""Sandboxes: made, found by their keys, ended when idle, never more than the limit."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.app import create_app
from mock_server.domain.limits import DEFAULT_LIMITS
from mock_server.fixture.source.files import shipped_path
from tests.conftest import MakeApi
from tests.support import APP, CHAT, LIBRARY, Api, wait


def made(api: Api, **body: Any) -> dict[str, Any]:
    answer = api.admin("POST", "/sandboxes", body)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def test_a_sandbox_is_made_with_a_key_of_its_own(api: Api) -> None:
    mine = made(api, name="mine")
    assert mine["name"] == "mine"
    assert mine["key"].startswith("fastgpt-sbx-")
    assert mine["keys"] == {}
    answer = api.pin(key=mine["key"])
    assert answer.headers["x-mock-sandbox"] == "mine"
    assert answer.headers["x-mock-generation"] == "1"


def test_declared_keys_are_issued_anew_with_the_same_permissions(
    make_api: MakeApi,
) -> None:
    api = make_api(shipped_path("permissions.yaml"))
    declared = list(api.sandbox.store.generation.keys)
    mine = made(api)
    assert list(mine["keys"]) == declared
    assert len({mine["key"], *mine["keys"].values()}) == len(declared) + 1
    dataset = next(iter(api.sandbox.store.generation.datasets))
    for key, issued in mine["keys"].items():
        body = {"offset": 0, "datasetId": dataset}
        here = api.list_v2(key=key, **body)
        there = api.list_v2(key=issued, **body)
        assert (there.status_code, there.json()) == (here.status_code, here.json())


def test_a_sandbox_begins_with_the_baseline_of_another(api: Api) -> None:
    keys = [{"key": "fastgpt-one", "permission": "read"}]
    first = made(api, name="first", state={"apps": [{"id": "own"}], "keys": keys})
    api.admin("DELETE", "/sandboxes/first/apps/own")
    second = made(api, baseline="first")
    state = api.admin("GET", f"/sandboxes/{second['name']}/state").json()
    assert [app["id"] for app in state["apps"]] == ["own"]
    assert second["levels"] == {"fastgpt-one": "read"}
    assert second["keys"].keys() == first["keys"].keys()
    assert second["keys"] != first["keys"]


def test_a_sandbox_tells_the_level_of_each_declared_key(make_api: MakeApi) -> None:
    api = make_api(shipped_path("permissions.yaml"))
    names = ("owner", "manager", "writer", "reader", "outsider")
    levels = ("owner", "manage", "write", "read", "none")
    told = {f"fastgpt-{name}": level for name, level in zip(names, levels, strict=True)}
    made(api, name="mine")
    sandboxes = api.admin("GET", "/sandboxes").json()["sandboxes"]
    assert [each["levels"] for each in sandboxes] == [told, told]


@pytest.mark.ci
def test_the_state_of_a_sandbox_shows_declared_keys(make_api: MakeApi) -> None:
    api = make_api(shipped_path("permissions.yaml"))
    name = made(api)["name"]
    state = api.admin("GET", f"/sandboxes/{name}/state").json()
    assert state == api.admin("GET", "/state").json()
    assert api.admin("PUT", f"/sandboxes/{name}/state", state).status_code == 200


def test_a_sandbox_has_profile_choices_and_state_of_its_own(api: Api) -> None:
    state = {"apps": [{"id": APP, "chats": [{"chatId": "only"}]}]}
    mine = made(api, profile="deployed", choices={"list_order": "name"}, state=state)
    where = f"/sandboxes/{mine['name']}"
    shown = api.admin("GET", f"{where}/choices").json()
    assert (shown["profile"], shown["choices"]["list_order"]) == ("deployed", "name")
    assert api.pin(key=mine["key"], chatId="only").status_code == 200
    api.admin("POST", f"{where}/reset")
    assert api.admin("GET", f"{where}/health").json()["profile"] == "deployed"
    assert api.admin("GET", "/choices").json()["profile"] == "documented"


def test_a_sandbox_starts_from_the_default_ones_baseline_not_its_state(
    api: Api,
) -> None:
    api.pin()
    name = made(api)["name"]
    chat = api.admin("GET", f"/sandboxes/{name}/apps/{APP}/chats/{CHAT}").json()
    assert chat["top"] is False


def test_everything_of_a_sandbox_is_its_own(api: Api) -> None:
    mine = made(api, name="mine")
    api.pin(key=mine["key"])
    api.admin("PUT", "/sandboxes/mine/clock", {"now": "2030-01-01T00:00:00Z"})
    api.admin("PUT", "/sandboxes/mine/snapshots/s")
    assert (api.top(), api.journal()) == (False, [])
    assert api.admin("GET", "/clock").json()["now"].startswith("2026")
    assert api.admin("GET", "/snapshots").json() == {"snapshots": []}
    assert api.admin("GET", "/sandboxes/mine/journal").json()["total"] == 1


def test_sandboxes_are_listed_with_the_default_one(api: Api) -> None:
    mine = made(api, name="mine")
    listed = api.admin("GET", "/sandboxes").json()
    assert listed["limit"] == DEFAULT_LIMITS.sandboxes
    default, other = listed["sandboxes"]
    assert (default["name"], default["expiresAt"]) == ("default", None)
    assert (other["name"], other["key"]) == ("mine", mine["key"])
    assert api.admin("GET", "/sandboxes/mine").json()["key"] == mine["key"]


@pytest.mark.parametrize("profile", ["documented", "deployed"])
def test_the_key_of_a_sandbox_that_is_gone_is_unknown(
    make_api: MakeApi, profile: str
) -> None:
    api = make_api(profile=profile)
    mine = made(api)
    assert api.admin("DELETE", f"/sandboxes/{mine['name']}").status_code == 200
    code = 401 if profile == "documented" else 514
    assert api.pin(key=mine["key"]).json()["code"] == code
    assert api.list_v2(key="fastgpt-sbx-").json()["code"] == code
    assert api.top() is False
    assert api.admin("GET", f"/sandboxes/{mine['name']}").status_code == 404


def test_a_sandbox_ends_when_it_is_idle_for_its_ttl(api: Api) -> None:
    mine = made(api, name="mine", ttl=0.05)
    wait(lambda: not api.admin("GET", "/sandboxes").json()["sandboxes"][1:])
    assert api.pin(key=mine["key"]).status_code == 401
    assert api.admin("GET", "/sandboxes/mine").json()["statusText"] == (
        "sandboxNotFound"
    )
    assert made(api, name="mine")["key"] != mine["key"]


def test_the_name_of_a_sandbox_that_was_idle_is_free_again(api: Api) -> None:
    again = {"name": "again", "ttl": 0.01}
    assert api.admin("POST", "/sandboxes", again).status_code == 201
    wait(lambda: api.admin("POST", "/sandboxes", again).status_code == 201)


def test_a_full_house_is_said_and_nobody_is_sent_away() -> None:
    sandboxes = create_app(LIBRARY).sandboxes
    first = sandboxes.create("first")
    for _ in range(DEFAULT_LIMITS.sandboxes - 1):
        sandboxes.create()
    with pytest.raises(Exception, match="Expected at most 1000 sandboxes"):
        sandboxes.create()
    assert sandboxes.get("first") is first
    sandboxes.delete("first")
    assert sandboxes.create().name not in ("first", "default")


@pytest.mark.parametrize(
    ("asked", "unknown", "size"),
    [
        ({}, "create", 10),
        ({"choices": {"page_size_default": 5}}, "create", 5),
        ({"profile": "deployed"}, "ignore", 10),
        (
            {"profile": "documented", "choices": {"page_size_default": 5}},
            "not_found",
            5,
        ),
    ],
)
@pytest.mark.fresh
def test_a_sandbox_has_the_servers_own_choices_unless_it_names_a_profile(
    make_api: MakeApi, asked: dict[str, Any], unknown: str, size: int
) -> None:
    api = make_api(choices={"chat_unknown": "create"})
    name = api.admin("POST", "/sandboxes", asked).json()["name"]
    chosen = api.admin("GET", f"/sandboxes/{name}/choices").json()["choices"]
    assert (chosen["chat_unknown"], chosen["page_size_default"]) == (unknown, size)


def test_the_name_of_a_sandbox_is_said_to_be_no_key(api: Api) -> None:
    made(api, name="team-a")
    said = '"team-a" is the name of a sandbox, not its key; the request went to default'
    assert api.pin(key="team-a").status_code == 200
    refused = api.pin(key="team-a", appId="gone")
    assert refused.json()["message"].endswith(f" ({said})")
    assert api.pin(key="team-b", appId="gone").json()["message"].endswith('app-2")')
    first, second, third = api.journal()
    assert first["hint"].startswith(f"{said}; the fixture declares no keys")
    assert (second["hint"], third["hint"]) == (said, None)


def test_the_name_of_a_sandbox_is_said_in_a_header_of_a_refusal_of_the_services_own(
    api: Api,
) -> None:
    made(api, name="team-a")
    api.admin("PUT", "/choices", {"choices": {"error_form": "service"}})
    refused = api.pin(key="team-a", appId="gone")
    assert "not its key" in refused.headers["x-mock-hint"]
    assert "not its key" not in refused.text


def test_a_declared_key_is_not_taken_for_the_name_of_a_sandbox(
    make_api: MakeApi,
) -> None:
    api = make_api({"keys": [{"key": "team-a"}]})
    made(api, name="team-a")
    refused = api.pin(key="team-a")
    assert refused.status_code == 404
    assert "not its key" not in refused.text


def test_a_fault_and_a_sandbox_that_is_gone_leave_no_hint_at_a_name(api: Api) -> None:
    made(api, name="team-a")
    api.admin("POST", "/faults", {"kind": "error", "status": 500})
    assert api.pin(key="team-a").json()["message"] == "Injected by a fault"
    api.admin("DELETE", "/sandboxes/team-a")
    assert "not its key" not in api.pin(key="team-a", appId="gone").text
    assert all(entry["hint"] is None for entry in api.journal()[1:])


def test_a_header_does_not_lead_an_admin_request_to_a_sandbox(api: Api) -> None:
    made(api, name="mine")
    body, headers = {"kind": "error", "status": 502}, {"X-Mock-Sandbox": "mine"}

    def add(path: str) -> int:
        sent = api.client.post(f"/__admin{path}", json=body, headers=headers)
        return int(sent.status_code)

    assert add("/faults") == 400
    assert api.admin("GET", "/faults").json() == {"faults": []}
    assert add("/sandboxes/mine/faults") == 201
