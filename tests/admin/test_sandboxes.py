"""Sandboxes: made, found by their keys, ended when idle, never more than the limit."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.app import create_app
from mock_server.domain.limits import DEFAULT_LIMITS
from mock_server.fixture.source.files import shipped_path
from tests.conftest import MakeApi
from tests.support import LIBRARY, Api, wait


def made(api: Api, **body: Any) -> dict[str, Any]:
    answer = api.admin("POST", "/sandboxes", body)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def test_declared_keys_are_issued_anew_with_the_same_permissions(
    make_api: MakeApi,
) -> None:
    api = make_api(shipped_path("permissions.yaml"))
    declared = list(api.sandbox.store.fixture.keys)
    mine = made(api)
    assert list(mine["keys"]) == declared
    assert len({mine["key"], *mine["keys"].values()}) == len(declared) + 1
    dataset = next(iter(api.sandbox.store.fixture.datasets))
    for key, issued in mine["keys"].items():
        body = {"offset": 0, "datasetId": dataset}
        here = api.list_v2(key=key, **body)
        there = api.list_v2(key=issued, **body)
        assert (there.status_code, there.json()) == (here.status_code, here.json())


@pytest.mark.ci
def test_the_state_of_a_sandbox_shows_declared_keys(make_api: MakeApi) -> None:
    api = make_api(shipped_path("permissions.yaml"))
    name = made(api)["name"]
    state = api.admin("GET", f"/sandboxes/{name}/state").json()
    assert state == api.admin("GET", "/state").json()
    assert api.admin("PUT", f"/sandboxes/{name}/state", state).status_code == 200


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


@pytest.mark.ci
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
