"""Faults of a baseline: when they are in force."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server import load_fixture
from mock_server.app import create_app
from mock_server.domain.limits import DEFAULT_LIMITS, Limits
from tests.conftest import MakeApi
from tests.support import LIBRARY, Api

ERROR = {"kind": "error", "status": 502, "operation": "listV2", "ttl": 600}
FIXTURE: dict[str, Any] = {**LIBRARY, "faults": [ERROR]}


def faults(api: Api, sandbox: str = "") -> list[tuple[str, str, int]]:
    found = api.admin("GET", f"{sandbox}/faults").json()["faults"]
    return [(each["id"], each["kind"], each["fired"]) for each in found]


def test_their_ttl_begins_with_each_reset(make_api: MakeApi) -> None:
    api = make_api(FIXTURE)
    first = api.admin("GET", "/faults/f1").json()["endsIn"]
    later = api.admin("GET", "/faults/f1").json()["endsIn"]
    api.admin("POST", "/reset")
    assert later <= first <= 600
    assert 590 < api.admin("GET", "/faults/f1").json()["endsIn"] <= 600


def test_new_sandboxes_have_them(make_api: MakeApi) -> None:
    api = make_api(FIXTURE)
    made = api.admin("POST", "/sandboxes", {"name": "mine"}).json()
    assert faults(api, "/sandboxes/mine") == [("f1", "error", 0)]
    assert api.list_v2(made["key"]).status_code == 502
    assert faults(api) == [("f1", "error", 0)]


def test_a_state_has_them_and_brings_them(make_api: MakeApi) -> None:
    api = make_api(FIXTURE)
    state = api.admin("GET", "/state").json()
    assert state["faults"][0]["status"] == 502
    api.admin("PUT", "/state", {**LIBRARY, "faults": [{"kind": "empty"}]})
    assert faults(api) == [("f1", "empty", 0)]
    api.admin("PUT", "/state", state)
    assert faults(api) == [("f1", "error", 0)]
    assert api.admin("GET", "/state").json() == state
    api.admin("PUT", "/state", LIBRARY)
    assert faults(api) == []


@pytest.mark.ci
@pytest.mark.sampled
def test_a_large_state_brings_them_too(make_api: MakeApi) -> None:
    api = make_api(LIBRARY)
    entries = [{"name": "x" * 200}] * (DEFAULT_LIMITS.inline_load_bytes // 200)
    large = {"datasets": [{"id": "d", "collections": entries}], "faults": [ERROR]}
    assert api.admin("PUT", "/state", large).status_code == 200
    assert faults(api) == [("f1", "error", 0)]
    bad = api.admin("PUT", "/state", {**large, "faults": [{"kind": "eror"}]})
    assert "state:1:" in bad.json()["message"]


def test_a_reset_does_not_fail_for_want_of_memory() -> None:
    many = load_fixture({"faults": [ERROR] * 100})
    app = create_app(many, limits=Limits(memory_bytes=many.size + 1))
    for _ in range(3):
        app.sandbox.reset()
        assert len(app.sandbox.faults.all()) == 100
