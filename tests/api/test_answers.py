"""Answers that a test gives: for operations, and at any other path."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from tests.support import DATASET, Api

PATH = "/api/any/{id}"


def respond(api: Api, operation: str, **fields: Any) -> dict[str, Any]:
    fields = {"kind": "answer", "operation": operation, **fields}
    answer = api.admin("POST", "/faults", fields)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def test_what_placeholders_stand_for_is_bounded(api: Api) -> None:
    respond(api, f"POST {PATH}", json=["{{body.x}}"] * 1_000)
    answer = api.client.post("/api/any/7", json={"x": "x" * 100_000})
    assert answer.status_code == 409
    assert "placeholders that stand for at most" in answer.json()["message"]


def test_an_answer_takes_a_large_body_that_no_operation_would(api: Api) -> None:
    respond(api, f"POST {PATH}", text="taken")
    assert api.client.post("/api/any/7", content=b"1," * 60_000).text == "taken"


def test_the_last_firing_of_an_answer_takes_a_large_body(api: Api) -> None:
    respond(api, "listV2", json="listed", times=1)
    assert api.list_v2(x="x" * 100_000).json() == "listed"
    assert api.list_v2(x="x" * 100_000).json()["code"] == 200
    respond(api, f"POST {PATH}", text="taken", times=1)
    assert api.client.post("/api/any/7", content=b"1," * 60_000).text == "taken"
    assert api.client.post("/api/any/7", content=b"1," * 60_000).status_code == 404


def test_what_a_fault_adds_to_an_answer_is_bounded(api: Api) -> None:
    respond(api, "listV2", data={"list": [{"a": 1}] * 5_000, "total": 1})
    api.admin("POST", "/faults", {"kind": "alter", "set": {"z": "q" * 1_000}})
    answer = api.list_v2()
    assert answer.status_code == 409
    assert "fields of at most 4.0 MiB to set on all items" in answer.json()["message"]


def test_a_fault_changes_objects_only_and_keeps_their_other_values(api: Api) -> None:
    text = b'{"code":200,"x":[{"a":1}],"data":[%b]}'
    sent = text % b'5, [{"a":1}], {"a":1.0,"b":1e999}, {"\xff":2}, {"a":{"c":3}}'
    respond(api, "listV2", base64=b64encode(sent).decode())
    api.admin("POST", "/faults", {"kind": "alter", "set": {"z": 0}, "remove": ["a"]})
    got = b'5,[{"a":1}],{"b":1e999,"z":0},{"\xff":2},{"z":0}'
    assert api.list_v2().content == text % got


@pytest.mark.parametrize(
    "fault", [{"kind": "alter", "set": {"a": 1}}, {"kind": "duplicate_item"}]
)
@pytest.mark.ci
def test_a_fault_works_on_no_answer_that_takes_long_to_read(
    api: Api, fault: dict[str, Any]
) -> None:
    put(api, {"list": [{}] * 60_000, "total": 1}, fault)
    answer = api.list_v2()
    assert answer.status_code == 409
    assert "an answer of at most 50000 items and fields" in answer.json()["message"]


@pytest.mark.ci
def test_a_large_answer_of_a_state_is_as_a_small_one(api: Api) -> None:
    item = api.list_v2().json()["data"]["list"][0]
    data = {"list": [item] * 1_000, "total": 3}
    put(api, data, {"kind": "wrong_total", "by": 5})
    assert api.list_v2().json()["data"]["total"] == 8
    assert api.list_v2().json()["data"] == data
    assert api.journal()[-1]["hint"] is None
    shown = api.admin("GET", "/state")
    assert shown.status_code == 200, shown.text
    assert shown.json()["faults"][0]["data"] == data


def put(api: Api, data: object, fault: dict[str, Any]) -> None:
    """Put a state with an answer of listV2, and a fault that works on it."""
    both = [{"kind": "answer", "data": data}, fault]
    faults = [{"operation": "listV2"} | each for each in both]
    state = {"datasets": [{"id": DATASET, "name": "D"}], "faults": faults}
    assert api.admin("PUT", "/state", state).status_code == 200


@pytest.mark.ci
def test_at_most_a_thousand_are_in_force_beside_the_faults(api: Api) -> None:
    for _ in range(1_000):
        respond(api, "listV2", status=500, times=1)
    asked = {"kind": "answer", "operation": "listV2"}
    refused = api.admin("POST", "/faults", asked)
    assert refused.json()["message"].startswith("Expected at most 1000 answers")
    assert api.admin("POST", "/faults", {"kind": "empty"}).status_code == 201


def test_an_answer_that_is_deleted_is_charged_no_more(api: Api) -> None:
    added = respond(api, f"GET {PATH}", text="x" * 10_000)
    assert api.client.get("/api/any/thing").status_code == 200
    api.admin("DELETE", f"/faults/{added['id']}")
    assert api.client.get("/__admin/health").json()["memory"]["faults"] == 0
    assert api.journal()[-1]["answeredBy"] == {"id": added["id"], "kind": "answer"}


@pytest.mark.ci
def test_a_large_answer_of_a_fixture_is_as_a_small_one(api: Api) -> None:
    value = {"list": [{"n": "{{query.n}}"}, *[{"n": 1.5}] * 20_000], "total": 3}
    entry = {"method": "GET", "path": "/api/any/x", "json": value}
    assert api.admin("PUT", "/state", {"responses": [entry]}).status_code == 200
    written = api.admin("GET", "/state").json()["responses"]
    assert written[0]["json"] == value
    answered = api.client.get("/api/any/x?n=5").json()["list"]
    assert answered[:2] == [{"n": "5"}, {"n": 1.5}]
    yaml = api.client.get("/__admin/state", headers={"accept": "application/yaml"})
    again = api.client.put(
        "/__admin/state",
        content=yaml.content,
        headers={"content-type": "application/yaml"},
    )
    assert again.status_code == 200
    assert api.admin("GET", "/state").json()["responses"] == written
