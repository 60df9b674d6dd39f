"""Faults over the admin API: added, shown, refused, planned, taken away."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.api.faults.presets import PRESETS
from mock_server.api.faults.table import KINDS
from mock_server.domain.limits import DEFAULT_LIMITS
from tests.support import Api

MINIMAL = {name: kind.least for name, kind in KINDS.items()}


@pytest.mark.ci
@pytest.mark.sampled
@pytest.mark.parametrize(("kind", "fields"), MINIMAL.items())
def test_a_fault_is_shown_with_its_defaults(
    api: Api, kind: str, fields: dict[str, Any]
) -> None:
    added = api.admin("POST", "/faults", {"kind": kind} | fields)
    assert added.status_code == 201
    shown = added.json()
    assert 0 < shown.pop("endsIn") <= 60
    times = None if kind == "rate_limit" else 1
    common = {
        "id": "f1",
        "kind": kind,
        "remaining": times,
        "fired": 0,
        "matches": 0,
        "preset": None,
        "operation": "*",
        "match": {"key": None, "body": None},
        "skip": 0,
        "times": times,
        "probability": 1.0,
        "seed": 0,
        "phase": "before",
        "ttl": 60.0,
    }
    assert {name: shown[name] for name in common | fields} == common | fields
    (listed,) = api.admin("GET", "/faults").json()["faults"]
    assert listed["id"] == api.admin("GET", "/faults/f1").json()["id"] == "f1"


def test_counts_are_shown_as_they_are_now(api: Api) -> None:
    api.admin("POST", "/faults", {"kind": "error", "times": 2, "skip": 1})
    for _ in range(2):
        api.pin()
    shown = api.admin("GET", "/faults/f1").json()
    assert (shown["remaining"], shown["fired"], shown["matches"]) == (1, 1, 2)
    assert "plan" not in shown


def test_the_next_decisions_are_told(api: Api) -> None:
    fault = {"kind": "error", "times": 3, "skip": 2, "probability": 0.5, "seed": 9}
    api.admin("POST", "/faults", fault)
    plan = api.admin("GET", "/faults/f1?plan=20").json()["plan"]
    statuses = [api.pin().status_code for _ in range(20)]
    assert [each["index"] for each in plan] == list(range(20))
    assert [503 if each["fires"] else 200 for each in plan] == statuses
    assert statuses.count(503) == 3


def test_faults_are_taken_away(api: Api) -> None:
    for _ in range(3):
        api.admin("POST", "/faults", {"kind": "error"})
    assert api.admin("DELETE", "/faults/f2").json()["id"] == "f2"
    left = api.admin("DELETE", "/faults").json()["faults"]
    assert [each["id"] for each in left] == ["f1", "f3"]
    assert api.admin("GET", "/faults").json() == {"faults": []}
    assert api.pin().status_code == 200


def test_a_preset_is_taken_back_as_a_whole(api: Api) -> None:
    for fault in ({"preset": "flaky"}, {"kind": "error"}, {"preset": "slow"}):
        api.admin("POST", "/faults", fault)
    named = [each["preset"] for each in api.admin("GET", "/faults").json()["faults"]]
    assert named == ["flaky", "flaky", "flaky", None, "slow"]
    gone = api.admin("DELETE", "/faults?preset=flaky").json()["faults"]
    assert [each["id"] for each in gone] == ["f1", "f2", "f3"]
    left = api.admin("GET", "/faults").json()["faults"]
    assert [each["id"] for each in left] == ["f4", "f5"]
    assert api.admin("DELETE", "/faults?preset=flaky").json() == {"faults": []}


def test_spent_faults_of_a_preset_go_with_the_others(api: Api) -> None:
    api.admin("POST", "/faults", {"preset": "slow"})
    fault = api.sandbox.faults.all()[0]
    fault.fired = 10_000
    assert api.admin("GET", "/faults/f1").json()["remaining"] == 0
    assert len(api.admin("DELETE", "/faults?preset=slow").json()["faults"]) == 1
    assert api.admin("GET", "/faults").json() == {"faults": []}


def test_no_fault_goes_by_an_unknown_preset(api: Api) -> None:
    api.admin("POST", "/faults", {"preset": "flaky"})
    answer = api.admin("DELETE", "/faults?preset=flacky")
    assert (answer.status_code, answer.json()["statusText"]) == (400, "invalidField")
    assert "(did you mean 'flaky'?) - at query.preset" in answer.json()["message"]
    assert len(api.admin("GET", "/faults").json()["faults"]) == 3


def test_a_fault_can_be_added_to_the_group_of_a_preset(api: Api) -> None:
    added = api.admin("POST", "/faults?preset=flaky", {"kind": "error"}).json()
    assert added["preset"] == "flaky"
    api.admin("POST", "/faults?preset=flaky", {"preset": "slow"})
    assert len(api.admin("DELETE", "/faults?preset=flaky").json()["faults"]) == 2
    refused = api.admin("POST", "/faults?preset=flacky", {"kind": "error"})
    assert "(did you mean 'flaky'?) - at query.preset" in refused.json()["message"]


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_an_unknown_fault_is_404(api: Api, method: str) -> None:
    answer = api.admin(method, "/faults/f9")
    assert (answer.status_code, answer.json()["statusText"]) == (404, "faultNotFound")


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_adds_its_faults_with_one_seed(api: Api, preset: str) -> None:
    added = api.admin("POST", "/faults", {"preset": preset, "seed": 7})
    assert added.status_code == 201
    faults = added.json()["faults"]
    assert len(faults) == len(PRESETS[preset].faults)
    for shown, fields in zip(faults, PRESETS[preset].faults, strict=True):
        assert shown["seed"] == 7
        assert {name: shown[name] for name in fields} == fields


def test_a_preset_has_seed_0_unless_it_says_otherwise(api: Api) -> None:
    added = api.admin("POST", "/faults", {"preset": "flaky"}).json()["faults"]
    assert {each["seed"] for each in added} == {0}


def test_a_fault_without_a_kind_is_told_what_there_is(api: Api) -> None:
    message = api.admin("POST", "/faults", {}).json()["message"]
    assert f"one of {', '.join(KINDS)}, got nothing - at $.kind" in message


@pytest.mark.ci
def test_a_preset_is_added_whole_or_not_at_all(api: Api) -> None:
    for _ in range(DEFAULT_LIMITS.faults - 1):
        api.admin("POST", "/faults", {"kind": "error"})
    refused = api.admin("POST", "/faults", {"preset": "flaky"})
    assert (refused.status_code, refused.json()["statusText"]) == (400, "invalidField")
    assert "at most 100 faults, got 102" in refused.json()["message"]
    assert (
        len(api.admin("GET", "/faults").json()["faults"]) == DEFAULT_LIMITS.faults - 1
    )


@pytest.mark.parametrize("plan", ["-1", "1001", "x"])
def test_a_plan_is_of_a_bounded_length(api: Api, plan: str) -> None:
    api.admin("POST", "/faults", {"kind": "error"})
    answer = api.admin("GET", f"/faults/f1?plan={plan}")
    assert "at query.plan" in answer.json()["message"]
