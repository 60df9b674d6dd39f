"""Faults of a baseline: when they are in force."""

from __future__ import annotations

import pytest

from mock_server import load_fixture
from mock_server.app import create_app
from mock_server.domain.limits import DEFAULT_LIMITS, Limits
from tests.conftest import MakeApi
from tests.support import LIBRARY

ERROR = {"kind": "error", "status": 502, "operation": "listV2", "ttl": 600}


def test_their_ttl_begins_with_each_reset(make_api: MakeApi) -> None:
    api = make_api({**LIBRARY, "faults": [ERROR]})
    first = api.admin("GET", "/faults/f1").json()["endsIn"]
    later = api.admin("GET", "/faults/f1").json()["endsIn"]
    api.admin("POST", "/reset")
    assert later <= first <= 600
    assert 590 < api.admin("GET", "/faults/f1").json()["endsIn"] <= 600


@pytest.mark.ci
@pytest.mark.sampled
def test_a_large_state_brings_them_too(make_api: MakeApi) -> None:
    api = make_api(LIBRARY)
    entries = [{"name": "x" * 200}] * (DEFAULT_LIMITS.inline_load_bytes // 200)
    large = {"datasets": [{"id": "d", "collections": entries}], "faults": [ERROR]}
    assert api.admin("PUT", "/state", large).status_code == 200
    (fault,) = api.admin("GET", "/faults").json()["faults"]
    assert (fault["id"], fault["kind"], fault["fired"]) == ("f1", "error", 0)
    bad = api.admin("PUT", "/state", {**large, "faults": [{"kind": "eror"}]})
    assert "state:1:" in bad.json()["message"]


def test_a_reset_does_not_fail_for_want_of_memory() -> None:
    many = load_fixture({"faults": [ERROR] * 100})
    app = create_app(many, limits=Limits(memory_bytes=many.size + 1))
    for _ in range(3):
        app.sandbox.reset()
        assert len(app.sandbox.faults.all()) == 100
