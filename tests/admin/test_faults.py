"""Faults over the admin API: added, shown, refused, planned, taken away."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.api.faults.presets import PRESETS
from mock_server.api.faults.table import KINDS
from mock_server.domain.limits import DEFAULT_LIMITS
from tests.support import Api

FURTHER = ("query", "headers", "path", "question")
MINIMAL = {name: kind.required_fields for name, kind in KINDS.items()}


@pytest.mark.ci
@pytest.mark.sampled
@pytest.mark.parametrize(("kind", "fields"), MINIMAL.items())
def test_a_fault_is_shown_with_its_defaults(
    api: Api, kind: str, fields: dict[str, Any]
) -> None:
    added = api.admin("POST", "/faults", {"kind": kind} | fields)
    assert added.status_code == 201
    shown = added.json()
    is_answer = KINDS[kind].is_answer
    ends = shown.pop("endsIn")
    assert ends is None if is_answer else 0 < ends <= 60
    times = None if kind == "rate_limit" or is_answer else 1
    common = {
        "id": "f1",
        "kind": kind,
        "remaining": times,
        "fired": 0,
        "matches": 0,
        "preset": None,
        "operation": "completions" if kind == "reply" else "*",
        "match": dict.fromkeys(("key", "body", *FURTHER)),
        "skip": 0,
        "times": times,
        "probability": 1.0,
        "seed": 0,
        "phase": "before",
        "ttl": None if is_answer else 60.0,
    }
    assert {name: shown[name] for name in common | fields} == common | fields
    (listed,) = api.admin("GET", "/faults").json()["faults"]
    assert listed["id"] == api.admin("GET", "/faults/f1").json()["id"] == "f1"


def test_spent_faults_of_a_preset_go_with_the_others(api: Api) -> None:
    api.admin("POST", "/faults", {"preset": "slow"})
    fault = api.sandbox.faults.all()[0]
    fault.fired = 10_000
    assert api.admin("GET", "/faults/f1").json()["remaining"] == 0
    assert len(api.admin("DELETE", "/faults?preset=slow").json()["faults"]) == 1
    assert api.admin("GET", "/faults").json() == {"faults": []}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_adds_its_faults_with_one_seed(api: Api, preset: str) -> None:
    added = api.admin("POST", "/faults", {"preset": preset, "seed": 7})
    assert added.status_code == 201
    faults = added.json()["faults"]
    assert len(faults) == len(PRESETS[preset].faults)
    for shown, fields in zip(faults, PRESETS[preset].faults, strict=True):
        assert shown["seed"] == 7
        assert {name: shown[name] for name in fields} == fields


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
