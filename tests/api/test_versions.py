"""What differs between versions of the service: each fact is complete, and tested."""

from __future__ import annotations

import pytest

from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.choices.table import table as choices
from mock_server.domain.objects.uploads import File
from mock_server.domain.versions import RELEASES, VERSIONS, facts_of, table
from tests.conftest import MakeApi
from tests.stories.telling import stories
from tests.support import DATASET


def test_a_version_is_a_value_of_the_choice() -> None:
    assert choices()["version"].values == VERSIONS == tuple(RELEASES)


@pytest.mark.parametrize("name", table())
def test_a_fact_says_what_differs_and_where(name: str) -> None:
    row = table()[name]
    assert len({*row.values.values()}) > 1
    assert row.routes
    assert {*row.routes} <= {"*", *OPERATIONS}
    assert row.sentence.endswith(".")
    assert [getattr(facts_of(each), name) for each in VERSIONS] == [
        *row.values.values()
    ]


@pytest.mark.parametrize("name", table())
def test_a_fact_has_a_story_for_each_version(name: str) -> None:
    told = {str(each).partition(": ")[2] for each in stories()}
    assert {f"{name} ({version})" for version in VERSIONS} <= told


def test_a_store_too_large_to_copy_is_tried_under_no_other_version(
    make_api: MakeApi,
) -> None:
    api = make_api(profile="deployed")
    file = File("f", "d", "c", b"x" * 2**24)
    api.sandbox.store.files.put(file.id, file)
    answer = api.send("POST", "/api/core/dataset/create", {"name": "New"})
    assert "served by" not in answer.headers["x-mock-hint"]


def test_all_hints_stand_in_one_header(make_api: MakeApi) -> None:
    api = make_api(profile="deployed")
    body = {"datasetId": DATASET, "pageSize": 500}
    answer = api.send("POST", "/api/core/dataset/collection/list", body)
    assert answer.headers.get_list("x-mock-hint") == [
        "Expected an integer from 1 to 100, got 500 - at $.pageSize; "
        "served by versions up to 4.14"
    ]
