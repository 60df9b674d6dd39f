"""Paths that no operation has."""

from __future__ import annotations

import re

import pytest

from mock_server.api.operations.operation import Operation
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.choices.choosing import choose
from tests.conftest import MakeApi
from tests.related_routes import RELATED_ROUTES
from tests.support import LIST, PIN, Api


def test_the_message_says_where_all_routes_are_or_names_both(
    make_api: MakeApi,
) -> None:
    message = make_api().send("GET", "/nope", {}).json()["message"]
    assert "Expected a route that this mock serves, got" in message
    assert "(GET /openapi.json lists all routes; " in message
    api = make_api(choices={"related_routes": "off"})
    message = api.send("GET", "/nope", {}).json()["message"]
    assert f"Expected PUT {PIN} or POST {LIST}, got" in message


OFF = choose(choices={"related_routes": "off", "legacy_paths": "off"})
ON = choose(choices={"related_routes": "on"})
NEEDED = "does not show, and needs the choice related_routes=on)"


def hint(path: str, *, is_on: bool = False, method: str = "POST") -> str:
    return OPERATIONS.unknown_route(path, method, ON if is_on else OFF).message


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=lambda it: it.name)
def test_the_path_of_every_operation_is_named_when_it_is_nearly_right(
    operation: Operation,
) -> None:
    path = operation.path
    method = "POST" if "POST" in operation.methods else f"{operation.method}, not POST,"
    named = f"{method} {path}"
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
        if OPERATIONS.with_path(given):
            continue
        for is_on in (False, True):
            said = hint(given, is_on=is_on)
            assert re.search(rf"\(did you mean {named}\? ", said), given
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
    said = hint(given)
    assert re.search(rf"\(did you mean (?:\S+ )*{meant}\?", said), said


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
        ("POST", "/v2/chat/completions", "/api/v2/chat/completions"),
        ("POST", "/chat/completions", "/api/v1/chat/completions"),
        ("POST", "/api/chat/completions", "/api/v1/chat/completions"),
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
    assert re.search(rf"did you mean (?:\S+ )*\S*{meant}\? .*a fixture file adds", said)


_ID = "65b1c2d3e4f5a6b7c8d9e0f1"


@pytest.mark.parametrize(
    ("method", "given", "meant"),
    [
        ("GET", "dataset/collection", "dataset/collection/detail?id"),
        ("DELETE", "dataset/collection", "dataset/collection/delete?id"),
        ("GET", "dataset/collections", "dataset/collection/detail?id"),
        ("GET", "dataset", "dataset/detail?id"),
        ("DELETE", "dataset/data", "dataset/data/delete?id"),
        ("GET", "app", "app/detail?appId"),
        ("DELETE", "apps", "app/del?appId"),
    ],
)
def test_a_path_of_rest_leads_to_the_route_that_takes_the_id(
    method: str, given: str, meant: str
) -> None:
    said = hint(f"/api/core/{given}/{_ID}", is_on=True, method=method)
    assert f"(did you mean {method} /api/core/{meant}={_ID}? " in said


@pytest.mark.parametrize(
    ("method", "given", "meant"),
    [
        ("PUT", "app", "PUT /api/core/app/update with the field appId"),
        ("PATCH", "dataset", "PUT /api/core/dataset/update with the field id"),
        (
            "PUT",
            "dataset/data",
            "PUT /api/core/dataset/data/update with the field dataId",
        ),
    ],
)
def test_a_path_of_rest_leads_to_the_route_that_changes_one_thing(
    method: str, given: str, meant: str
) -> None:
    said = hint(f"/api/core/{given}/{_ID}", is_on=True, method=method)
    assert f"(did you mean {meant}? " in said


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", f"dataset/{_ID}"),
        ("GET", f"chat/record/{_ID}"),
        ("PUT", f"chat/{_ID}"),
    ],
)
def test_a_path_of_rest_that_no_route_is_for_is_not_guessed_at(
    method: str, path: str
) -> None:
    assert "did you mean" not in hint(f"/api/core/{path}", is_on=True, method=method)


@pytest.mark.parametrize(
    ("method", "meant"), [("PUT", "dataset/update"), ("POST", "collection/update")]
)
def test_routes_of_the_same_method_come_first(method: str, meant: str) -> None:
    said = hint("/api/core/dataset/things/update", is_on=True, method=method)
    assert f"/{meant}? " in said


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
        ("/__admin/Snapshots/one/Restore", "POST /__admin/snapshots/one/restore"),
        ("/__admin/sandbox/one/faults", "/__admin/sandboxes/one/faults"),
        ("/__admin/clock/freeze", "/__admin/clock"),
        ("/__admin/resett", "POST /__admin/reset"),
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


@pytest.mark.parametrize(
    ("method", "given"),
    [("POST", "mappings/reset"), ("GET", "requests/count"), ("GET", "requests")],
)
def test_paths_of_other_mock_servers_lead_to_what_is_here(
    api: Api, method: str, given: str
) -> None:
    message = api.client.request(method, f"/__admin/{given}").json()["message"]
    word = given.partition("/")[0]
    here = {"mappings": "POST /__admin/faults", "requests": "GET /__admin/journal"}
    assert f"(what others call {word} is here {here[word]}" in message


def test_the_responses_api_leads_to_chat_completions(api: Api) -> None:
    message = api.client.post("/api/v1/responses", json={}).json()["message"]
    assert "not served, /api/v1/chat/completions is" in message


@pytest.mark.parametrize(("field", "count"), [("message", 1), ("colour", 0)])
def test_a_match_of_a_misspelt_field_is_warned_of(
    api: Api, field: str, count: int
) -> None:
    match = {"body": {field: "weather"}}
    fault = {"kind": "reply", "text": "Rain", "match": match}
    given = api.client.post("/__admin/faults", json=fault).json()["warnings"]
    near = "completions reads no field 'message' (did you mean 'messages'?)"
    assert given == [near] * count


def test_an_answer_without_the_envelope_says_how_to_get_it(api: Api) -> None:
    fault = {"kind": "answer", "operation": "listV2", "json": {"list": []}}
    given = api.client.post("/__admin/faults", json=fault).json()["warnings"]
    assert given[0].endswith("write data in place of json, and it is added")


@pytest.mark.parametrize("given", ["undo", "collections"])
def test_no_route_of_another_effect_is_hinted_at(api: Api, given: str) -> None:
    message = api.client.get(f"/__admin/{given}").json()["message"]
    assert "(there are apps, choices, clock, " in message


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("/snapshots", "clock and choices: curl -X PUT http://testserver/__admin/snap"),
        ("/datasets", "permissions: curl -X PUT http://testserver/__admin/datasets/{"),
        ("/snapshots/a", "curl -X POST http://testserver/__admin/snapshots/a/restore"),
        ("/clock", "/__admin/clock/advance -H 'Content-Type: application/json' -d "),
        ("/faults/reset", "curl -X DELETE http://testserver/__admin/faults; Remove a "),
    ],
)
def test_a_wrong_method_names_the_routes_beside(
    api: Api, given: str, meant: str
) -> None:
    meant = meant.replace("http://testserver", str(api.client.base_url).rstrip("/"))
    answer = api.admin("POST", given, {})
    assert (answer.status_code, meant in answer.json()["message"]) == (405, True)
