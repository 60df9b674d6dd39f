"""What holds for every neighbour because it has a row in the table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import httpx2
import pytest

from mock_server.api.faults.table import KINDS
from mock_server.api.operations import table
from mock_server.api.operations.operation import Operation
from mock_server.fixture.dump import to_document
from mock_server.fixture.files import shipped
from mock_server.openapi.calls import of_neighbour, valid_request
from mock_server.openapi.examples import KEY, LOGIN, USER
from tests.conftest import MakeApi
from tests.neighbours import NEIGHBOURS
from tests.support import Api

pytestmark = pytest.mark.sampled
CHOICES = {"neighbours": "on", "credentials": "login_too"}
CALLABLE = [each for each in NEIGHBOURS if of_neighbour(each)]
WRITES = [each for each in CALLABLE if "write" in each.traits]
READS = [each for each in CALLABLE if "write" not in each.traits]


def name(operation: Operation) -> str:
    return operation.name


@pytest.fixture
def demo(make_api: MakeApi) -> Api:
    return make_api(shipped("demo.yaml"), choices=CHOICES)


def call(
    api: Api, operation: Operation, without: Sequence[str] = ()
) -> httpx2.Response:
    """Send the example of an operation as the documents show it."""
    example = valid_request(operation)
    login = api.sandbox.tokens.token(USER)
    given = example.all_headers({"default": KEY, LOGIN: login})
    sent = {name: each for name, each in given.items() if name not in without}
    return api.client.request(
        example.method, example.path, headers=sent, content=example.content
    )


def state(api: Api) -> dict[str, Any]:
    return to_document(api.sandbox.store)


def test_every_row_says_what_is_known_of_it() -> None:
    for each in NEIGHBOURS:
        about = each.neighbour
        assert about is not None, each.name
        assert about.since[:1].isdigit(), each.name
        assert about.modelled.endswith("."), each.name
        assert about.differs == "" or about.differs.endswith("."), each.name
        assert each.name.rpartition(".")[2] in each.path, each.name
        assert each.traits <= {"page", "total", "write", "secret"}, each.name


@pytest.mark.sampled
@pytest.mark.parametrize("operation", CALLABLE, ids=name)
def test_it_is_served_by_choice_only(make_api: MakeApi, operation: Operation) -> None:
    demo = shipped("demo.yaml")
    assert call(make_api(demo, choices=CHOICES), operation).status_code == 200
    off = call(make_api(demo), operation)
    assert off.status_code == 404
    assert "neighbours=on" in off.json()["message"]


@pytest.mark.sampled
@pytest.mark.parametrize("operation", CALLABLE, ids=name)
def test_another_method_is_told_those_that_are_allowed(
    demo: Api, operation: Operation
) -> None:
    answer = demo.client.request("PATCH", operation.path)
    assert answer.status_code == 405
    assert answer.headers["allow"] == ", ".join(operation.methods)


@pytest.mark.sampled
@pytest.mark.parametrize("operation", CALLABLE, ids=name)
def test_it_asks_for_credentials_unless_anyone_may_call(
    demo: Api, operation: Operation
) -> None:
    answer = call(demo, operation, without=("authorization", "token"))
    assert answer.status_code == (200 if operation.access == "anyone" else 401)


@pytest.mark.sampled
@pytest.mark.parametrize("operation", READS, ids=name)
def test_what_only_reads_changes_nothing(demo: Api, operation: Operation) -> None:
    before = state(demo)
    assert call(demo, operation).status_code == 200
    assert state(demo) == before


@pytest.mark.sampled
@pytest.mark.parametrize("operation", WRITES, ids=name)
def test_a_lost_write_is_answered_and_changes_nothing(
    demo: Api, operation: Operation
) -> None:
    before = state(demo)
    fault = {"kind": "lost_write", "operation": operation.name}
    assert demo.admin("POST", "/faults", fault).status_code == 201
    lost = call(demo, operation)
    assert (lost.status_code, state(demo)) == (200, before)
    assert call(demo, operation).status_code == 200


FAULTS: list[dict[str, Any]] = [
    {"kind": "page_drift", "insert": 2},
    {"kind": "page_drift", "remove": 1},
    {"kind": "duplicate_item"},
    {"kind": "wrong_total", "by": 5},
    {"kind": "alter", "set": {"new": 1}},
]
SPOILED = [
    pytest.param(each, fault, id=f"{each.name}-{fault['kind']}{number}")
    for each in CALLABLE
    for number, fault in enumerate(FAULTS)
    if each.name in KINDS[fault["kind"]].definition.operations()
]


@pytest.mark.sampled
@pytest.mark.parametrize(("operation", "fault"), SPOILED)
def test_faults_of_pages_change_what_it_answers(
    demo: Api, operation: Operation, fault: dict[str, Any]
) -> None:
    right = call(demo, operation).json()["data"]
    asked = fault | {"operation": operation.name}
    assert demo.admin("POST", "/faults", asked).status_code == 201
    wrong = call(demo, operation)
    assert wrong.status_code == 200
    assert wrong.json()["data"] != right
    assert demo.journal()[-1]["fault"]["kind"] == fault["kind"]
    assert call(demo, operation).json()["data"] == right


APPEARING = [each for each in CALLABLE if each.appear is not None]


@pytest.mark.sampled
@pytest.mark.parametrize("operation", APPEARING, ids=name)
def test_what_appears_in_a_page_has_an_id_and_a_name(
    demo: Api, operation: Operation
) -> None:
    # So many that some are in the page, at whichever end it begins.
    fault = {"kind": "page_drift", "insert": 30, "operation": operation.name}
    assert demo.admin("POST", "/faults", fault).status_code == 201
    answer = call(demo, operation).text
    assert re.search(r'"appeared-\d+"', answer)
    assert re.search(r'"Appeared \d+"', answer)


@pytest.mark.sampled
@pytest.mark.parametrize("operation", CALLABLE, ids=name)
def test_the_journal_knows_it(demo: Api, operation: Operation) -> None:
    call(demo, operation)
    page = demo.admin("GET", f"/journal?operation={operation.name}").json()
    assert [each["operation"] for each in page["entries"]] == [operation.name]
    asked = {"operation": operation.name, "status": 200, "exactly": 1}
    assert demo.admin("POST", "/journal/verify", asked).json()["ok"] is True


@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "application/octet-stream"]
)
@pytest.mark.parametrize(
    ("content", "choice", "status"),
    [(b"", "accept", 404), (b"", "reject", 415), (b"a=b", "accept", 415)],
)
def test_what_axios_and_aiohttp_call_an_empty_body_counts_as_no_content_type(
    demo: Api, kind: str, content: bytes, choice: str, status: int
) -> None:
    choices = {**CHOICES, "content_type_missing": choice}
    demo.admin("PUT", "/choices", {"choices": choices}).raise_for_status()
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": kind}
    path = "/api/core/dataset/collection/delete?id=unknown"
    answer = demo.client.post(path, content=content, headers=headers)
    assert answer.status_code == status


def test_a_row_is_named_as_the_operation_that_is_imported_later() -> None:
    shown = [(row.name, row.path, row.legacy_path) for row in table.NEIGHBOURS]
    assert shown == [(it.name, it.path, it.legacy_path) for it in NEIGHBOURS]
