"""Reset, and the state as a document that can be read and put."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.domain.clock import format_time
from mock_server.fixture.source.files import shipped_path
from tests.conftest import MakeApi
from tests.support import APP, CHAT, FROZEN, Api

SMALL: dict[str, Any] = {"apps": [{"id": APP, "chats": [{"chatId": CHAT}]}]}
YAML = {"Accept": "application/yaml"}


@pytest.mark.fresh
def test_a_reset_brings_everything_back(api: Api) -> None:
    api.pin()
    api.admin("PUT", "/clock", {"now": "2030-01-01T00:00:00Z", "frozen": True})
    api.admin("PUT", "/choices", {"profile": "deployed"})
    answer = api.admin("POST", "/reset")
    assert answer.json() == {"sandbox": "default", "generation": 2}
    assert api.top() is False
    assert api.admin("GET", "/clock").json()["now"] == FROZEN
    assert api.admin("GET", "/choices").json()["profile"] == "documented"
    assert api.journal() == []
    assert api.pin().headers["x-mock-generation"] == "2"


@pytest.mark.parametrize("name", ["demo", "empty", "paging", "permissions"])
@pytest.mark.sampled
def test_putting_what_get_gave_changes_nothing(make_api: MakeApi, name: str) -> None:
    api = make_api(shipped_path(f"{name}.yaml"))
    before = api.client.get("/__admin/state")
    assert before.headers["content-type"] == "application/json"
    assert api.admin("PUT", "/state", before.json()).status_code == 200
    assert api.client.get("/__admin/state").content == before.content


@pytest.mark.ci
@pytest.mark.parametrize("name", ["demo", "permissions"])
@pytest.mark.sampled
def test_the_state_as_yaml_is_the_same_state(make_api: MakeApi, name: str) -> None:
    api = make_api(shipped_path(f"{name}.yaml"))
    before = api.client.get("/__admin/state").content
    text = api.client.get("/__admin/state", headers=YAML)
    assert text.headers["content-type"] == "application/yaml"
    headers = {"Content-Type": "application/yaml"}
    put = api.client.put("/__admin/state", content=text.content, headers=headers)
    assert put.status_code == 200
    assert api.client.get("/__admin/state").content == before


def test_the_state_shows_what_clients_have_changed(api: Api) -> None:
    api.pin()
    (chat, _) = api.admin("GET", "/state").json()["apps"][0]["chats"]
    assert chat == {
        "chatId": CHAT,
        "title": "",
        "customTitle": "",
        "top": True,
        "updateTime": FROZEN,
    }


def test_clock_is_in_the_state_only_while_time_stands(api: Api) -> None:
    assert api.admin("GET", "/state").json()["clock"] == FROZEN
    api.admin("PUT", "/clock", {"frozen": False})
    assert "clock" not in api.admin("GET", "/state").json()


def test_later_resets_and_new_sandboxes_start_from_the_put_state(api: Api) -> None:
    api.admin("PUT", "/state", SMALL)
    api.pin()
    api.admin("POST", "/reset")
    assert api.top() is False
    assert api.admin("GET", "/datasets").json() == {"datasets": []}
    made = api.admin("POST", "/sandboxes").json()
    shown = api.admin("GET", f"/sandboxes/{made['name']}/apps").json()
    assert shown == {"apps": [{"id": APP, "name": "", "chats": 1}]}


@pytest.mark.fresh
def test_a_broken_state_is_refused_with_every_place_and_changes_nothing(
    api: Api,
) -> None:
    before = api.admin("GET", "/state").json()
    text = "clock: now\napps:\n  - id: 5\n    chat: []\n"
    headers = {"Content-Type": "application/yaml"}
    answer = api.client.put("/__admin/state", content=text, headers=headers)
    assert (answer.status_code, answer.json()["statusText"]) == (400, "badFixture")
    for place in ("state:1:8: ", "state:3:9: ", "state:4:5: unknown field 'chat'"):
        assert place in answer.json()["message"]
    assert api.admin("GET", "/state").json() == before
    assert api.admin("GET", "/health").json()["generation"] == 1


@pytest.mark.parametrize(
    "kind", ["application/yaml", "Application/YAML", "application/yaml; charset=utf-8"]
)
def test_yaml_is_taken_by_its_name_in_any_form(api: Api, kind: str) -> None:
    headers = {"Content-Type": kind}
    answer = api.client.put("/__admin/state", content="apps: []", headers=headers)
    assert answer.status_code == 200
    assert api.admin("GET", "/apps").json() == {"apps": []}


@pytest.mark.parametrize("kind", ["application/json", "application/yaml"])
def test_a_byte_order_mark_is_passed_over(api: Api, kind: str) -> None:
    content = '\ufeff{"apps": []}'.encode()
    headers = {"Content-Type": kind}
    answer = api.client.put("/__admin/state", content=content, headers=headers)
    assert answer.status_code == 200


def test_many_problems_are_counted_not_listed(api: Api) -> None:
    answer = api.admin("PUT", "/state", {"apps": [{"x": 1} for _ in range(200)]})
    assert "; and " in answer.json()["message"]
    assert len(answer.content) < 5_000


@pytest.mark.fresh
def test_a_snapshot_keeps_store_clock_and_choices(api: Api) -> None:
    api.pin()
    api.admin("PUT", "/choices", {"choices": {"list_order": "name"}})
    assert api.admin("PUT", "/snapshots/one").status_code == 201
    api.admin("POST", "/reset")
    api.admin("POST", "/clock/advance", {"seconds": 5})
    restored = api.admin("POST", "/snapshots/one/restore").json()
    assert restored == {"sandbox": "default", "generation": 3}
    assert api.top() is True
    assert api.admin("GET", "/clock").json() == {"now": FROZEN, "frozen": True}
    assert api.sandbox.choices.list_order == "name"


def test_times_are_written_alike_everywhere(api: Api) -> None:
    now = api.sandbox.clock.now()
    assert api.admin("GET", "/clock").json()["now"] == format_time(now) == FROZEN
