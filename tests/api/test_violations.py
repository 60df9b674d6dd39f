"""Violations: every departure from the spec, by the name of what may tolerate it."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.domain.choices.table import table
from tests.conftest import MakeApi
from tests.support import DATASET, LEGACY_PIN, LIST, PIN, Api

SPECIAL = {"invalid_field", "missing_authorization", "unknown_route"}
JSON = {"Content-Type": "application/json"}
AUTH = {"Authorization": "Bearer any"}


def found(api: Api) -> list[tuple[str, str, str]]:
    """Name, section and path of what the latest request violates."""
    violations = api.journal()[-1]["violations"]
    for each in violations:
        assert each["name"] in SPECIAL | set(table())
        assert each["message"].startswith("Expected ")
        assert f" - at {each['path']}" in each["message"]
    return [(each["name"], each["section"], each["path"]) for each in violations]


@pytest.fixture(params=["documented", "deployed"])
def either(request: pytest.FixtureRequest, make_api: MakeApi) -> Api:
    """The library under either profile: what one refuses the other may tolerate."""
    return make_api(profile=request.param)


@pytest.mark.parametrize("top", [True, False])
def test_a_pin_on_contract_violates_nothing(either: Api, top: bool) -> None:
    either.pin(top=top)
    assert found(either) == []


@pytest.mark.sampled
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"pageSize": 30, "parentId": None, "searchText": ""},
        {"pageSize": 1.0, "parentId": "folder", "searchText": "alpha"},
        {"parentId": "nope"},
        {"datasetId": "unknown"},
    ],
)
def test_a_list_on_contract_violates_nothing(
    either: Api, fields: dict[str, Any]
) -> None:
    either.list_v2(**fields)
    assert found(either) == []


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("fields", "name", "path"),
    [
        ({"pageSize": 31}, "page_size_over_limit", "$.pageSize"),
        ({"pageSize": 1e16}, "page_size_over_limit", "$.pageSize"),
        ({"pageSize": "10"}, "numeric_strings", "$.pageSize"),
        ({"offset": "0"}, "numeric_strings", "$.offset"),
        ({"offset": ...}, "offset_missing", "$.offset"),
        ({"parentId": ""}, "parent_empty_string", "$.parentId"),
        ({"simple": True}, "unknown_fields", "$.simple"),
        ({"pageNum": 1}, "unknown_fields", "$.pageNum"),
        ({"selectFolder": True}, "unknown_fields", "$.selectFolder"),
        ({"pageSize": 0}, "invalid_field", "$.pageSize"),
        ({"pageSize": None}, "invalid_field", "$.pageSize"),
        ({"pageSize": True}, "invalid_field", "$.pageSize"),
        ({"offset": -1}, "invalid_field", "$.offset"),
        ({"offset": 0.5}, "invalid_field", "$.offset"),
        ({"datasetId": ...}, "invalid_field", "$.datasetId"),
        ({"datasetId": ""}, "invalid_field", "$.datasetId"),
        ({"searchText": None}, "invalid_field", "$.searchText"),
        ({"searchText": "x" * 1025}, "invalid_field", "$.searchText"),
    ],
)
def test_a_departure_of_a_list_is_named(
    either: Api, fields: dict[str, Any], name: str, path: str
) -> None:
    either.list_v2(**fields)
    section = "4.2"
    assert found(either) == [(name, section, path)]


def test_a_page_that_is_served_is_still_larger_than_the_spec_has(
    make_api: MakeApi,
) -> None:
    api = make_api(choices={"page_size_max": 100})
    assert api.list_v2(pageSize=50).status_code == 200
    (entry,) = api.journal()
    (violation,) = entry["violations"]
    told = "Expected an integer from 1 to 30, got 50 - at $.pageSize"
    assert (violation["name"], violation["message"]) == ("page_size_over_limit", told)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("fields", "name", "path"),
    [
        ({"top": ...}, "top_missing", "$.top"),
        ({"top": 1}, "invalid_field", "$.top"),
        ({"title": "x"}, "unknown_fields", "$.title"),
        ({"appId": ""}, "invalid_field", "$.appId"),
        ({"chatId": 5}, "invalid_field", "$.chatId"),
    ],
)
def test_a_departure_of_a_pin_is_named(
    either: Api, fields: dict[str, Any], name: str, path: str
) -> None:
    either.pin(**fields)
    assert found(either) == [(name, "4.1", path)]


def test_all_departures_are_found_not_only_the_first(either: Api) -> None:
    either.list_v2(offset=..., pageSize="99", parentId="", simple=1, searchText=5)
    assert [(name, path) for name, _, path in found(either)] == [
        ("unknown_fields", "$.simple"),
        ("offset_missing", "$.offset"),
        ("numeric_strings", "$.pageSize"),
        ("page_size_over_limit", "$.pageSize"),
        ("parent_empty_string", "$.parentId"),
        ("invalid_field", "$.searchText"),
    ]


def test_another_method_is_a_violation(either: Api) -> None:
    either.send("POST", PIN, {"appId": "app-1", "chatId": "chat-1", "top": True})
    assert found(either) == [("method_mismatch", "4.1", "method")]


@pytest.mark.parametrize("method", ["PUT", "POST"])
def test_an_older_path_is_a_violation_where_it_is_off_only(
    either: Api, method: str
) -> None:
    pin = {"appId": "a", "chatId": "c", "top": True}
    either.send(method, LEGACY_PIN, pin)
    assert found(either) == []
    assert either.journal()[-1]["operation"] == "updateHistory"
    assert either.journal()[-1]["outside"] == "legacy_path"
    either.admin("PUT", "/choices", {"choices": {"legacy_paths": "off"}})
    either.send(method, LEGACY_PIN, pin)
    assert found(either)[0] == ("legacy_paths", "4.1", "path")
    assert either.journal()[-1]["operation"] is None
    assert either.journal()[-1]["outside"] is None


def test_an_unknown_path_is_a_violation(either: Api) -> None:
    either.send("POST", LIST + "/", {})
    assert found(either) == [("unknown_route", "4", "path")]
    assert either.journal()[-1]["operation"] is None


@pytest.mark.parametrize("kind", [None, "text/plain", "application/json, text/plain"])
def test_another_content_type_is_a_violation(either: Api, kind: str | None) -> None:
    content = b'{"offset": 0, "datasetId": "%b"}' % DATASET.encode()
    headers = AUTH if kind is None else AUTH | {"Content-Type": kind}
    either.client.post(LIST, content=content, headers=headers)
    at = "header Content-Type"
    assert found(either) == [("content_type_missing", "5", at)]


@pytest.mark.parametrize("value", [None, "Basic abc", "Bearer", "Bearer a b"])
def test_a_missing_key_is_a_violation(either: Api, value: str | None) -> None:
    headers = JSON if value is None else JSON | {"Authorization": value}
    either.client.post(LIST, content=b"{}", headers=headers)
    at = "header Authorization"
    assert found(either) == [("missing_authorization", "5", at)]


@pytest.mark.parametrize(
    ("content", "path"),
    [(b"", "$"), (b"[]", "$"), (b"{", "$"), (b'{"a": [9007199254740993]}', "$.a[0]")],
)
def test_a_body_that_is_no_object_is_a_violation(
    either: Api, content: bytes, path: str
) -> None:
    either.client.post(LIST, content=content, headers=AUTH | JSON)
    assert found(either) == [("invalid_field", "4.2", path)]
