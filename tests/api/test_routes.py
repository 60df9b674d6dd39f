"""Paths that no operation has."""

from __future__ import annotations

import re

import pytest

from mock_server.api.operations.operation import Operation
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.choices.table import choose
from tests.conftest import MakeApi
from tests.related_routes import RELATED_ROUTES
from tests.support import LIST, PIN, Api


def test_the_message_says_how_many_routes_there_are_or_names_both(
    make_api: MakeApi,
) -> None:
    message = make_api().send("GET", "/nope", {}).json()["message"]
    count = sum("4.16" in each.versions for each in OPERATIONS.values())
    assert f"Expected one of the {count} routes of GET /openapi.json, got" in message
    api = make_api(choices={"related_routes": "off"})
    message = api.send("GET", "/nope", {}).json()["message"]
    assert f"Expected PUT {PIN} or POST {LIST}, got" in message


OFF = choose(choices={"related_routes": "off", "legacy_paths": "off"})
ON = choose(choices={"related_routes": "on"})
NEEDED = "does not show, needs the choice related_routes=on)"
OTHERWISE = (
    "a fixture can answer further paths with `responses:`, a test with respond())"
)


def hint(path: str, *, is_on: bool = False, method: str = "POST") -> str:
    return OPERATIONS.unknown_route(path, method, ON if is_on else OFF).message


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
            is_off = operation.related is not None and not is_on
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
        ("/health", "/__admin/health"),
        ("/__admin/journal", "/__admin/sandboxes/NAME/journal"),
    ],
)
def test_a_path_with_parts_missing_is_hinted_at(given: str, meant: str) -> None:
    assert f"(did you mean {meant}? Paths are exact" in hint(given)


@pytest.mark.parametrize("method", ["POST", "DELETE", "GET"])
@pytest.mark.parametrize(
    "path",
    [
        "/api/core/chat/item/delete",
        "/api/core/app/del",
        "/api/core/dataset/detale",
        "/api/core/chat/feedback/update",
        "/api/core/dataset/collection/read",
    ],
)
def test_a_deletion_is_proposed_for_its_own_path_with_a_slip_only(
    path: str, method: str
) -> None:
    said = hint(path, is_on=True, method=method)
    assert not re.search(r"did you mean [^?]*/(batch)?(del|clear)", said)
    assert hint("/api/core/dataset/delet", is_on=True).count("/api/core/dataset/delete")


@pytest.mark.parametrize(
    ("method", "given", "meant"),
    [
        ("POST", "/api/core/dataset/x/create", "/api/core/dataset/create"),
        ("GET", "/api/core/dataset/collectoins/detail", "collection/detail"),
        ("POST", "/v1/chat/completions", "/api/v1/chat/completions"),
        ("POST", "/api/core/dataset/updat", "/api/core/dataset/update"),
        ("POST", "/api/support/user/account/login", "/account/loginByPassword"),
        ("POST", "/api/user/login", "/account/loginByPassword"),
        ("GET", "/api/support/user/account/login", "/account/preLogin"),
        ("POST", "/api/core/chat/getHistory", "/api/core/chat/getHistories"),
    ],
)
def test_the_nearest_of_all_served_routes_is_named(
    method: str, given: str, meant: str
) -> None:
    said = hint(given, is_on=True, method=method)
    assert re.search(rf"did you mean \S*{meant}\? Paths are exact; a fixture", said)


@pytest.mark.parametrize(
    ("method", "meant"), [("PUT", "dataset/update"), ("POST", "collection/update")]
)
def test_routes_of_the_same_method_come_first(method: str, meant: str) -> None:
    said = hint("/api/core/dataset/things/update", is_on=True, method=method)
    assert f"/{meant}? Paths" in said


@pytest.mark.parametrize("path", ["/", "/nothing/here", "/x" * 5_000, "/%", "/api"])
def test_a_path_that_is_like_none_is_not_guessed_at(path: str) -> None:
    assert "did you mean" not in hint(path)


def test_the_journal_says_the_same_of_a_near_path(make_api: MakeApi) -> None:
    api = make_api(choices={"related_routes": "off"})
    path = RELATED_ROUTES[0].path + "/"
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
        ("/__admin/clock/freeze", "/__admin/clock"),
        ("/__admin/resett", "/__admin/reset"),
        ("/__admin/snapshot/restore", "POST /__admin/snapshots/{name}/restore"),
        ("/__admin/restore/before", "POST /__admin/snapshots/before/restore"),
        ("/__admin/restore/a/b", "POST /__admin/snapshots/a/restore"),
        ("/__admin/advance", "POST /__admin/clock/advance"),
        ("/__admin", "/__admin/"),
        ("/__admin/console", "/__admin/"),
        ("/__admin/console/", "/__admin/"),
    ],
)
def test_a_near_path_of_the_admin_api_is_hinted_at(
    api: Api, given: str, meant: str
) -> None:
    message = api.client.get(given).json()["message"]
    assert message.endswith(f"(did you mean {meant}? Paths are exact)")


@pytest.mark.parametrize("given", ["requests", "undo", "collections"])
def test_no_route_of_another_effect_is_hinted_at(api: Api, given: str) -> None:
    message = api.client.get(f"/__admin/{given}").json()["message"]
    assert "(there are apps, choices, clock, " in message


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("/snapshots", "(PUT /__admin/snapshots/{name}: Take a snapshot of store, "),
        ("/datasets", "(PUT /__admin/datasets/{datasetId}: Create or replace "),
        ("/snapshots/a", "; POST /__admin/snapshots/{name}/restore: Restore a "),
        ("/clock", '; POST /__admin/clock/advance {"seconds":3600}: Move the '),
        ("/faults/reset", "DELETE /__admin/faults: Remove all faults, or all of "),
    ],
)
def test_a_wrong_method_names_the_routes_beside(
    api: Api, given: str, meant: str
) -> None:
    answer = api.admin("POST", given, {})
    assert (answer.status_code, meant in answer.json()["message"]) == (405, True)
