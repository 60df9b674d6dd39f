"""Every error of every neighbour, as rows of one table, and that it changes nothing."""

from __future__ import annotations

import pytest

from mock_server.api.errors import ERRORS
from mock_server.api.operations.operation import Operation
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.errors import (
    CollectionTooDeep,
    DatasetForbidden,
    FolderTooDeep,
    LimitReached,
    TeamForbidden,
)
from mock_server.fixture.dump import to_document
from tests.api.messages import told_by
from tests.api.neighbours.errors import CASES
from tests.api.neighbours.world import ErrorCase, neighbours, prepare, send_case
from tests.conftest import MakeApi
from tests.neighbours import NEIGHBOURS


@pytest.mark.sampled
@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_is_refused_and_nothing_has_changed(
    make_api: MakeApi, case: ErrorCase
) -> None:
    api = neighbours(make_api, **case.choices)
    prepare(api, case)
    before = to_document(api.sandbox.store)
    answer = send_case(api, case)
    told = answer.json()
    got = answer.status_code, told["code"], told["statusText"], told["data"]
    assert got == (case.status, case.code, case.status_text, None), told["message"]
    assert f"{case}: {told['message']}" in told_by("neighbours")
    assert to_document(api.sandbox.store) == before
    assert api.journal()[-1]["operation"] == case.operation


def test_every_case_is_of_an_operation() -> None:
    assert {case.operation for case in CASES} <= set(OPERATIONS)


NEEDS_MUCH = {LimitReached, CollectionTooDeep}
"""Refusals that it takes many requests to meet; they have tests of their own."""
WITHOUT_CASE = {
    ("dataset.update", TeamForbidden),
    ("dataset.update", FolderTooDeep),
    ("dataset.paths", DatasetForbidden),
    ("collection.paths", DatasetForbidden),
}
"""So are these: they take a login without permission, or folders that are moved."""


@pytest.mark.parametrize("operation", NEIGHBOURS, ids=lambda each: each.name)
def test_every_refusal_of_an_operation_has_a_case(operation: Operation) -> None:
    codes = {case.code for case in CASES if case.operation == operation.name}
    for refusal in set(operation.refusals) - NEEDS_MUCH:
        if (operation.name, refusal) not in WITHOUT_CASE:
            assert ERRORS[refusal].service.code in codes, refusal.__name__
