"""What holds of every related route, by a good request of it and by bad ones."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from mock_server.api.faults.table import KINDS
from mock_server.api.operations import table
from mock_server.api.operations.operation import Operation
from mock_server.api.operations.related.fields import MissingParams
from mock_server.domain.api_keys import ApiKeysExceeded
from mock_server.domain.app_folders import AppTooDeep
from mock_server.domain.call import APP, ChatForbidden
from mock_server.domain.datasets.contents import CollectionTooDeep
from mock_server.domain.errors import LimitReached
from mock_server.fixture.dump import to_document
from tests.api.related.rows import FULL, MORE, Fields, send, told
from tests.conftest import MakeApi
from tests.rationed import answers_with_less
from tests.related_routes import RELATED_ROUTES, serving
from tests.support import Api

pytestmark = pytest.mark.sampled
SAID = Path(__file__).parent.parent / "said" / "related_routes.txt"
WRITES = [each for each in RELATED_ROUTES if "write" in each.traits]
UNSHOWN = {"presignDatasetFilePostUrl", "file.u"}
"""What changes nothing that the state shows."""
CHANGING = [each for each in WRITES if each.name not in UNSHOWN]
ALSO = [(table.OPERATIONS[name], change) for name, change in MORE]
NEEDS_MUCH = {LimitReached, ApiKeysExceeded, AppTooDeep, CollectionTooDeep}
"""Refusals that take many requests, and have tests of their own."""

FORMER = {"openapi.create": APP, "openapi.list": APP} | dict.fromkeys(
    ("clearHistories", "getHistoryStatus", "getSpeech", "createQuestionGuide"),
    (ChatForbidden,),
)
FORMER["searchTest"] = (MissingParams,)
"""Refusals of 4.14, which stories and other tests tell."""


def name(operation: Operation) -> str:
    return operation.name


def state(api: Api) -> dict[str, Any]:
    return to_document(api.sandbox.store)


@pytest.fixture
def world(make_api: MakeApi, operation: Operation) -> Api:
    return make_api(FULL, profile="deployed", choices=serving(operation))


def said(operation: Operation) -> list[str]:
    lines = SAID.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith(f"{operation.name} ")]


@pytest.mark.parametrize("operation", RELATED_ROUTES, ids=name)
def test_each_request_is_told_what_a_person_has_read(
    world: Api, operation: Operation
) -> None:
    assert list(told(world, operation)) == said(operation)


@pytest.mark.parametrize("operation", RELATED_ROUTES, ids=name)
def test_every_refusal_of_an_operation_is_tried(operation: Operation) -> None:
    lines = "".join(said(operation))
    former = FORMER.get(operation.name, ())
    for refusal in {*operation.refusals} - {*NEEDS_MUCH, *former}:
        assert f" {refusal.row.service.code} " in lines, refusal


@pytest.mark.parametrize("operation", RELATED_ROUTES, ids=name)
def test_a_good_request_is_answered_and_changes_what_it_says(
    world: Api, operation: Operation
) -> None:
    before = state(world)
    assert send(world, operation).status_code == 200
    assert (state(world) != before) is (operation in CHANGING)
    asked = {"operation": operation.name, "status": 200, "exactly": 1}
    assert world.admin("POST", "/journal/verify", asked).json()["ok"] is True


@pytest.mark.parametrize("face", ["asgi"])
@pytest.mark.parametrize("training", ["instant", "stepped"])
@pytest.mark.parametrize(
    ("operation", "change"), [*((each, {}) for each in CHANGING), *ALSO]
)
def test_a_change_for_which_memory_ends_changes_nothing(
    make_api: MakeApi, operation: Operation, change: Fields, training: str
) -> None:
    def make() -> Api:
        choices = serving(operation, training=training)
        return make_api(FULL, profile="deployed", choices=choices)

    before = state(make())
    found = answers_with_less(make, lambda api: send(api, operation, change))
    *refused, (full, answer) = found
    for api, each in refused:
        assert (each.status_code, state(api)) == (409, before)
    assert (answer.status_code, state(full) != before) == (200, True)


@pytest.mark.parametrize("operation", RELATED_ROUTES, ids=name)
def test_it_is_served_by_choice_only(make_api: MakeApi, operation: Operation) -> None:
    choices = serving(operation, related_routes="off")
    off = send(make_api(FULL, choices=choices), operation)
    assert off.status_code == 404
    assert "related_routes=on" in off.json()["message"]


@pytest.mark.parametrize("operation", RELATED_ROUTES, ids=name)
def test_another_method_is_told_those_that_are_allowed(
    make_api: MakeApi, operation: Operation
) -> None:
    api = make_api(FULL, choices=serving(operation, related_routes="on"))
    answer = api.client.request("PATCH", operation.path)
    assert answer.status_code == 405
    assert answer.headers["allow"] == ", ".join(operation.methods)


@pytest.mark.parametrize("operation", WRITES, ids=name)
def test_a_lost_write_is_answered_and_changes_nothing(
    world: Api, operation: Operation
) -> None:
    before = state(world)
    world.admin("POST", "/faults", {"kind": "lost_write", "operation": operation.name})
    lost = send(world, operation)
    assert (lost.status_code, state(world)) == (200, before)
    assert send(world, operation).status_code == 200


FAULTS: list[dict[str, Any]] = [
    {"kind": "page_drift", "insert": 2},
    {"kind": "page_drift", "remove": 1},
    {"kind": "duplicate_item"},
    {"kind": "wrong_total", "by": 5},
    {"kind": "alter", "set": {"new": 1}},
]
SPOILED = [
    pytest.param(each, fault, id=f"{each.name}-{fault['kind']}{number}")
    for each in RELATED_ROUTES
    for number, fault in enumerate(FAULTS)
    if each.name in KINDS[fault["kind"]].operations()
]


@pytest.mark.parametrize(("operation", "fault"), SPOILED)
def test_faults_of_pages_change_what_it_answers(
    world: Api, operation: Operation, fault: dict[str, Any]
) -> None:
    right = send(world, operation).json()
    asked = fault | {"operation": operation.name}
    assert world.admin("POST", "/faults", asked).status_code == 201
    wrong = send(world, operation)
    assert wrong.status_code == 200
    assert wrong.json() != right
    assert world.journal()[-1]["fault"]["kind"] == fault["kind"]
    if "insert" in fault and operation.invent_item is not None:
        assert re.search(r'"appeared-\d+".*"Appeared \d+"', wrong.text)


@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "application/octet-stream"]
)
@pytest.mark.parametrize(
    ("content", "choice", "status"),
    [(b"", "accept", 404), (b"", "reject", 415), (b"a=b", "accept", 415)],
)
def test_what_axios_and_aiohttp_call_an_empty_body_counts_as_no_content_type(
    make_api: MakeApi, kind: str, content: bytes, choice: str, status: int
) -> None:
    choices = {"related_routes": "on", "content_type_missing": choice}
    api = make_api(FULL, choices=choices)
    headers = {"Authorization": "Bearer owner-key", "Content-Type": kind}
    path = "/api/core/dataset/collection/delete?id=unknown"
    assert api.client.post(path, content=content, headers=headers).status_code == status


def test_every_row_says_what_is_known_of_it() -> None:
    for each in RELATED_ROUTES:
        about = each.related
        assert about is not None, each.name
        assert about.since[:1].isdigit(), each.name
        assert about.behaviour.endswith("."), each.name
        assert about.differences == "" or about.differences.endswith("."), each.name
        assert each.name.rpartition(".")[2] in each.path, each.name
        assert each.traits <= {"page", "total", "write", "secret"}, each.name
