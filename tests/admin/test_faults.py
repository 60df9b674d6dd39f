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


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ({}, "got nothing - at $.kind"),
        (
            {"type": "error", "count": 2, "ms": 5},
            "got nothing - at $.kind; unknown field 'type' (did you mean 'kind'?); "
            "unknown field 'count' (did you mean 'times'?)",
        ),
        ({"kind": "flaky"}, "which is a preset (send it as preset) - at $.kind"),
        ({"kind": "error", "number": 2}, "(did you mean 'times'?) - at $.number"),
        ({"kind": "eror"}, "(did you mean 'error'?) - at $.kind"),
        ({"kind": 5}, "got 5 - at $.kind"),
        ({"kind": "error", "stat": 5}, "unknown field 'stat'"),
        ({"kind": "error", "ms": 5}, "unknown field 'ms'"),
        ({"kind": "error", "status": 99}, "from 200 to 599, got 99 - at $.status"),
        ({"kind": "error", "status": 204}, "a status that has a body, got 204"),
        ({"kind": "alter", "set": {"a": "x" * 70_000}}, "at $.set"),
        ({"kind": "error", "times": None}, "got null - at $.times"),
        ({"kind": "error", "times": 0}, "from 1 to 10000, got 0 - at $.times"),
        ({"kind": "error", "times": 10_001}, "got 10001 - at $.times"),
        ({"kind": "error", "ttl": None}, "got null - at $.ttl"),
        ({"kind": "error", "ttl": 601}, "to 600, got 601 - at $.ttl"),
        ({"kind": "error", "ttl": 0}, "got 0 - at $.ttl"),
        ({"kind": "error", "probability": 1.1}, "got 1.1 - at $.probability"),
        ({"kind": "error", "probability": True}, "got true - at $.probability"),
        ({"kind": "error", "skip": -1}, "got -1 - at $.skip"),
        ({"kind": "error", "seed": "x"}, "at $.seed"),
        ({"kind": "error", "phase": "during"}, "at $.phase"),
        ({"kind": "error", "operation": "/__admin"}, "at $.operation"),
        ({"kind": "error", "match": {"path": "x"}}, "at $.match.path"),
        ({"kind": "error", "match": {"body": []}}, "at $.match.body"),
        ({"kind": "delay"}, "got nothing - at $.ms"),
        ({"kind": "delay", "ms": 1, "min": 1}, "got ms and min - at $.ms"),
        ({"kind": "delay", "min": 1}, "got min - at $.ms"),
        ({"kind": "delay", "min": 2, "max": 1}, "at least min, got 1"),
        ({"kind": "delay", "ms": -1}, "to 60000, got -1 - at $.ms"),
        ({"kind": "delay", "ms": 60_001}, "got 60001 - at $.ms"),
        ({"kind": "delay", "median": 1, "sigma": -1}, "at $.sigma"),
        ({"kind": "dribble", "chunks": 1}, "at $.chunks"),
        ({"kind": "dribble", "chunks": 1_000, "ms": 61}, "at $.ms"),
        ({"kind": "truncate", "bytes": -1}, "at $.bytes"),
        ({"kind": "rate_limit", "limit": 1}, "the field 'window' here"),
        ({"kind": "rate_limit", "limit": 0, "window": 1}, "at $.limit"),
        ({"kind": "lost_write", "operation": "listV2"}, "at $.operation"),
        ({"kind": "alter", "operation": "updateHistory"}, "at $.operation"),
        ({"kind": "alter"}, "fields to set, or to remove, got none - at $.set"),
        ({"kind": "page_drift"}, "insert or remove, got nothing"),
        ({"kind": "page_drift", "insert": 1, "remove": 1}, "got both"),
        ({"preset": "flacky"}, "(did you mean 'flaky'?) - at $.preset"),
        ({"preset": "flaky", "times": 3}, "unknown field 'times'"),
        ({"preset": "flaky", "kind": "error"}, "unknown field 'kind'"),
    ],
)
def test_a_bad_fault_is_refused_and_none_is_added(
    api: Api, fault: Any, message: str
) -> None:
    answer = api.admin("POST", "/faults", fault)
    assert (answer.status_code, answer.json()["statusText"]) == (400, "invalidField")
    assert message in answer.json()["message"]
    assert api.admin("GET", "/faults").json() == {"faults": []}
    assert api.pin().status_code == 200


@pytest.mark.parametrize("plan", ["-1", "1001", "x"])
def test_a_plan_is_of_a_bounded_length(api: Api, plan: str) -> None:
    api.admin("POST", "/faults", {"kind": "error"})
    answer = api.admin("GET", f"/faults/f1?plan={plan}")
    assert "at query.plan" in answer.json()["message"]
