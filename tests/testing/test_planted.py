"""What the tools find in a client with a mistake: a hidden assumption, a paging bug."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import find, settings

from mock_server import MockServer, load_fixture
from mock_server.strategies import fixtures
from tests.examples.panel import Collection, Panel
from tests.testing.conftest import Run

FEW = settings(derandomize=True, max_examples=200)


@pytest.mark.ci
def test_a_hidden_assumption_is_found(run: Run) -> None:
    run("assuming", alone=True).assert_outcomes(passed=1)
    result = run("assuming", "--mock-server-choices=all", alone=True)
    lines = result.stdout.str().partition("mock-server choices")[2].splitlines()
    broken = [line.partition(" breaks ")[0] for line in lines if " breaks " in line]
    assert broken == ["parent_omitted=any"]


class Hasty(Panel):
    """Takes a page that is shorter than asked for the last one."""

    def folder(
        self, dataset_id: str, parent_id: str | None = None
    ) -> Iterator[Collection]:
        offset, asked = 0, 50
        while True:
            paging = {"offset": offset, "pageSize": asked}
            body = {"datasetId": dataset_id, "parentId": parent_id} | paging
            path = "/api/core/dataset/collection/listV2"
            page = self._call("POST", path, body)["list"]
            yield from page
            offset += len(page)
            if len(page) < asked:
                return


@pytest.mark.ci
def test_a_paging_bug_is_found_and_shrinks_to_a_readable_fixture() -> None:
    choices = {"page_size_max": 30}
    with (
        MockServer(profile="deployed", choices=choices) as server,
        Hasty(server.url, server.key) as panel,
    ):

        def misses_some(document: dict[str, Any]) -> bool:
            server.sandbox.put_baseline(load_fixture(document))
            for dataset in server.sandbox.store.datasets():
                top = [each for each in dataset.tree if each.parent_id is None]
                if len(list(panel.folder(dataset.id))) < len(top):
                    return True
            return False

        found = find(fixtures(), misses_some, settings=FEW)
    (dataset,) = found["datasets"]
    assert set().union(*dataset["collections"]) == {"name", "repeat"}
    assert load_fixture(found).counts()["collections"] == 31
