"""Paths that no operation has."""

from __future__ import annotations

import pytest

from mock_server.api.operations.operation import Operation
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.choices import choose
from tests.conftest import MakeApi
from tests.neighbours import NEIGHBOURS
from tests.support import LEGACY_PIN, LIST, PIN, Api


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/favicon.ico",
        "/api/core/dataset/collection/list",
        LIST + "/",
        LIST.replace("V2", "v2"),
        "/" + LIST,
        LIST.replace("collection/", "collection%2F"),
        LIST.replace("/api", "/%61pi"),
        LIST + ";a=b",
        pytest.param(LIST + "%00", marks=pytest.mark.direct),  # nginx: its own 400
        "/__admin",
        "/%5f%5fadmin/health",
        "/__ADMIN/health",
    ],
)
def test_an_unknown_path_is_404_in_the_envelope(api: Api, path: str) -> None:
    response = api.send("POST", path, {"offset": 0, "datasetId": "dataset-1"})
    assert response.status_code == 404
    assert response.json()["statusText"] == "routeNotFound"
    assert "location" not in response.headers


@pytest.mark.parametrize("path", [LIST.lower(), LIST + "/", LIST[:-1]])
def test_a_near_path_is_hinted_at(api: Api, path: str) -> None:
    message = api.send("POST", path, {}).json()["message"]
    assert f"did you mean {LIST}?" in message


def test_the_legacy_path_is_hinted_at(api: Api) -> None:
    response = api.send("PUT", LEGACY_PIN, {})
    assert response.status_code == 404
    message = response.json()["message"]
    assert message.endswith("- at path (served with the choice legacy_paths=on)")


def test_the_message_names_both_operations(api: Api) -> None:
    message = api.send("GET", "/nope", {}).json()["message"]
    assert f"Expected PUT {PIN} or POST {LIST}, got" in message


OFF = choose(choices={"neighbours": "off"})
ON = choose(choices={"neighbours": "on"})
NEEDED = "does not show, needs the choice neighbours=on)"


def hint(path: str, *, is_on: bool = False) -> str:
    return OPERATIONS.unknown_route(path, ON if is_on else OFF).message


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=lambda it: it.name)
def test_the_path_of_every_operation_is_named_when_it_is_nearly_right(
    operation: Operation,
) -> None:
    path = operation.path
    near = [
        f"{path}/",
        f"/{path}",
        path.replace("/", "//"),
        path.upper(),
        path.lower() + "/",
        path.removeprefix("/api"),
        f"/v1{path}",
        f"{path}%20",
        path[:-3] + path[-2:],
    ]
    for given in near:
        if given in OPERATIONS.names_by_path():
            continue
        for is_on in (False, True):
            said = hint(given, is_on=is_on)
            assert f"(did you mean {path}? Paths are exact" in said, given
            is_off = operation.neighbour is not None and not is_on
            assert said.endswith(NEEDED) == is_off


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("/listV2", LIST),
        ("/api/core/dataset/listV2", LIST),
        ("/api/core/chat/updateHistori", PIN),
        ("/api/core/chat/UPDATEHISTORY", PIN),
        ("/admin/health", "/__admin/health"),
        ("/__ADMIN/health", "/__admin/health"),
    ],
)
def test_a_path_with_parts_missing_is_hinted_at(given: str, meant: str) -> None:
    assert hint(given).endswith(f"(did you mean {meant}? Paths are exact)")


@pytest.mark.parametrize("path", ["/", "/nothing/here", "/x" * 5_000, "/%", "/api"])
def test_a_path_that_is_like_none_is_not_guessed_at(path: str) -> None:
    assert "did you mean" not in hint(path)


def test_the_journal_says_the_same_of_a_near_path(make_api: MakeApi) -> None:
    api = make_api(choices={"neighbours": "off"})
    path = NEIGHBOURS[0].path + "/"
    said = api.send("POST", path, {}).json()["message"]
    (entry,) = api.journal()
    assert said.endswith(NEEDED)
    assert entry["hint"] == said
    assert [each["message"] for each in entry["violations"]] == [said]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("/__admin/snapshot", "/__admin/snapshots"),
        ("/__admin/health/", "/__admin/health"),
        ("/__admin//health", "/__admin/health"),
        ("/__admin/Snapshots/one/Restore", "/__admin/snapshots/one/restore"),
        ("/__admin/sandbox/one/faults", "/__admin/sandboxes/one/faults"),
    ],
)
def test_a_near_path_of_the_admin_api_is_hinted_at(
    api: Api, given: str, meant: str
) -> None:
    message = api.client.get(given).json()["message"]
    assert message.endswith(f"(did you mean {meant}? Paths are exact)")
