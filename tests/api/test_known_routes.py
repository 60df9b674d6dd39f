"""Routes of the service that are not served: a request for one is told so."""

from __future__ import annotations

import pytest

from mock_server.api.operations.known_routes import known_route, known_routes
from mock_server.api.operations.table import OPERATIONS
from tests.conftest import MakeApi


def test_what_is_served_is_known() -> None:
    older = {row.legacy_path for row in OPERATIONS.values()}
    served = {row.path for row in OPERATIONS.values()}
    assert served - older <= {*known_routes()}


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/api/core/app/folder/create", "has this path"),
        ("/api/core/chat/resume", "has this path since 4.14.11"),
        ("/api/v1/embeddings", "had this path up to 4.11.1; newer versions do not"),
        (
            "/api/core/dataset/allDataset",
            "had this path up to 4.9.0; newer versions have /api/core/dataset/list;",
        ),
        ("/api/plugins/x/y", "had paths below /api/plugins/ up to 4.9.14; newer"),
        ("/api/marketplace/tool/list", "has paths below /api/marketplace/ since 4.14"),
    ],
)
def test_a_route_that_is_not_served_is_told_to_be_the_services(
    make_api: MakeApi, path: str, told: str
) -> None:
    answer = make_api().send("POST", path, {})
    message = answer.json()["message"]
    assert answer.status_code == 404
    assert f"FastGPT {told}" in message
    assert "this mock does not implement it: " in message
    field = "json" if "/v1/" in path else "data"
    assert f"respond('POST {path}', {field}={{}})" in message


def test_a_newer_path_is_one_of_the_service() -> None:
    newer = {each.successor for each in known_routes().values() if each.successor}
    assert newer <= {*known_routes()}


def test_a_misspelled_route_that_is_not_served_is_found(make_api: MakeApi) -> None:
    answer = make_api().send("POST", "/api/core/app/transitionWorkfow", {})
    found = "did you mean /api/core/app/transitionWorkflow? FastGPT has this path"
    assert found in answer.json()["message"]


@pytest.mark.parametrize("path", ["/api/core/app/lisst", "/api/proApi", "/core/ai/x"])
def test_other_paths_are_no_routes_of_the_service(path: str) -> None:
    assert known_route(path) is None
