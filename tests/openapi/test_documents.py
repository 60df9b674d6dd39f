"""The OpenAPI documents: valid, complete, and true of what the server answers."""

from __future__ import annotations

from typing import Any

import pytest
from openapi_spec_validator import validate as validate_document
from starlette.testclient import TestClient

from mock_server.admin.console import FILE, PAGE
from mock_server.admin.events import Streams
from mock_server.admin.routes import table
from mock_server.api.faults.table import KINDS
from mock_server.api.operations import OPERATIONS
from mock_server.app import create_app
from tests.conftest import MakeApi
from tests.openapi.documents import (
    ADMIN,
    PUBLIC,
    Document,
    body_schema,
    schema,
    validate,
)
from tests.support import APP, CHAT, DATASET, LIBRARY, Api


@pytest.fixture(scope="module")
def documents() -> dict[str, Document]:
    """Both documents; they are the same on every server."""
    client = TestClient(create_app(LIBRARY))
    return {path: client.get(path).json() for path in (PUBLIC, ADMIN)}


@pytest.mark.parametrize("path", [PUBLIC, ADMIN])
def test_the_document_is_served(
    api: Api, documents: dict[str, Document], path: str
) -> None:
    answer = api.client.get(path)
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == documents[path]


@pytest.mark.parametrize("path", [PUBLIC, ADMIN])
def test_the_document_is_valid(documents: dict[str, Document], path: str) -> None:
    assert documents[path]["openapi"] == "3.1.0"
    validate_document(documents[path])


@pytest.mark.parametrize("path", [PUBLIC, ADMIN])
def test_the_document_tells_nothing_of_what_is_served(
    make_api: MakeApi, path: str
) -> None:
    api, other = make_api(), make_api({"keys": [{"key": "secret"}]})
    assert api.client.get(path).json() == other.client.get(path).json()


def test_every_operation_is_described(documents: dict[str, Document]) -> None:
    paths = documents[PUBLIC]["paths"]
    assert set(paths) == {each.path for each in OPERATIONS.values()}
    for each in OPERATIONS.values():
        described = paths[each.path][each.method.lower()]
        assert described["operationId"] == each.name
        assert set(described["responses"]) >= {"200", "400", "401", "403", "404"}


def test_every_admin_route_is_described(documents: dict[str, Document]) -> None:
    paths = documents[ADMIN]["paths"]
    routes = {path: set(by_method) for path, by_method in table(Streams()).items()}
    for path in ("/openapi.json", PAGE, FILE):
        del routes[path]
    described = {
        path.removeprefix("/__admin"): {method.upper() for method in operations}
        for path, operations in paths.items()
    }
    assert described == routes


def test_no_two_operations_have_the_same_id(documents: dict[str, Document]) -> None:
    for path in (PUBLIC, ADMIN):
        paths = documents[path]["paths"].values()
        ids = [each["operationId"] for methods in paths for each in methods.values()]
        assert len(set(ids)) == len(ids)


def test_the_public_document_needs_no_key_and_the_other_the_token(
    make_api: MakeApi,
) -> None:
    api = make_api(admin_token="s3cret")
    origin = {"Origin": "https://editor.example"}
    answer = api.client.get(PUBLIC, headers=origin)
    assert answer.headers["access-control-allow-origin"] == "*"
    assert api.client.get(ADMIN).status_code == 401
    assert api.client.post(PUBLIC, json={}).status_code == 405
    assert api.client.head(PUBLIC).status_code == 200


def test_every_kind_of_fault_is_described(documents: dict[str, Document]) -> None:
    document = documents[ADMIN]
    shapes = body_schema(document, "/__admin/faults", "post")["anyOf"]
    names = [shape["$ref"].rpartition("/")[2] for shape in shapes]
    schemas = [document["components"]["schemas"][name] for name in names]
    kinds = {schema["properties"]["kind"]["enum"][0] for schema in schemas[:-1]}
    assert kinds == set(KINDS)
    assert set(schemas[-1]["properties"]) == {"preset", "seed"}


@pytest.mark.parametrize("profile", ["documented", "deployed"])
@pytest.mark.parametrize("fields", [{}, {"offset": -1}, {"datasetId": "no"}])
def test_lists_answer_as_described(
    make_api: MakeApi,
    documents: dict[str, Document],
    profile: str,
    fields: dict[str, Any],
) -> None:
    api = make_api(profile=profile, choices={"error_form": "plain"})
    answer = api.list_v2(**fields)
    path = OPERATIONS["listV2"].path
    wanted = schema(documents[PUBLIC], path, "post", answer.status_code)
    validate(answer.json(), wanted)


@pytest.mark.parametrize("fields", [{}, {"top": 1}, {"appId": "no"}])
def test_pins_answer_as_described(
    api: Api, documents: dict[str, Document], fields: dict[str, Any]
) -> None:
    answer = api.pin(**fields)
    path = OPERATIONS["updateHistory"].path
    wanted = schema(documents[PUBLIC], path, "put", answer.status_code)
    validate(answer.json(), wanted)


CALLS: list[tuple[str, str, Any]] = [
    ("GET", "/health", None),
    ("POST", "/reset", {}),
    ("GET", "/state", None),
    ("PUT", "/state", {"apps": [{"id": APP}]}),
    ("PUT", "/state", {"apps": 5}),
    ("PUT", "/snapshots/{name}", {}),
    ("GET", "/snapshots", None),
    ("GET", "/clock", None),
    ("PUT", "/clock", {"frozen": True}),
    ("POST", "/clock/advance", {"seconds": 1}),
    ("POST", "/clock/advance", {"seconds": "1"}),
    ("GET", "/choices", None),
    ("PUT", "/choices", {"profile": "deployed"}),
    ("GET", "/apps", None),
    ("GET", "/apps/{appId}/chats", None),
    ("GET", "/apps/{appId}/chats/{chatId}", None),
    ("PUT", "/apps/{appId}/chats/{chatId}", {"title": "x"}),
    ("DELETE", "/apps/{appId}/chats/{chatId}", None),
    ("GET", "/datasets", None),
    ("GET", "/datasets/{datasetId}/collections", None),
    ("GET", "/datasets/{datasetId}/collections/{id}", None),
    ("PUT", "/datasets/{datasetId}/collections/{id}", {"name": "x"}),
    ("DELETE", "/datasets/{datasetId}/collections/{id}", None),
    ("GET", "/faults", None),
    ("POST", "/faults", {"kind": "delay", "ms": 5}),
    ("POST", "/faults", {"kind": "rate_limit", "limit": 1, "window": 1}),
    ("POST", "/faults", {"kind": "delay"}),
    ("POST", "/faults", {"preset": "flaky", "seed": 7}),
    ("GET", "/faults/{id}?plan=3", None),
    ("DELETE", "/faults/{id}", None),
    ("DELETE", "/faults", None),
    ("GET", "/journal", None),
    ("DELETE", "/journal", None),
    ("POST", "/journal/verify", {}),
    ("POST", "/journal/verify", {"atLeast": 9}),
    ("POST", "/sandboxes", {"name": "other"}),
    ("POST", "/sandboxes", {"name": "default"}),
    ("GET", "/sandboxes", None),
    ("GET", "/sandboxes/{sandbox}", None),
    ("DELETE", "/sandboxes/{sandbox}", None),
]


@pytest.mark.sampled
@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_admin_routes_answer_as_described(
    api: Api, documents: dict[str, Document], method: str, path: str, body: Any
) -> None:
    api.pin(offset=1)
    api.admin("POST", "/sandboxes", {"name": "mine"})
    api.admin("POST", "/faults", {"kind": "error", "match": {"key": "other"}})
    document = documents[ADMIN]
    fault = "/faults/" in path
    ids = {"appId": APP, "chatId": CHAT, "datasetId": DATASET}
    ids["id"] = "f1" if fault else "a"
    where = path.format(**ids, name="one", sandbox="mine")
    answer = api.admin(method, where, body)
    described = f"/__admin{path.partition('?')[0]}"
    wanted = schema(document, described, method.lower(), answer.status_code)
    validate(answer.json(), wanted)
    if body is not None and answer.status_code != 400:
        validate(body, body_schema(document, described, method.lower()))


@pytest.mark.parametrize(("path", "status"), [("/apps", 405), ("/none", 404)])
def test_what_cannot_be_called_needs_no_content_type(
    api: Api, path: str, status: int
) -> None:
    answer = api.client.put(f"/__admin{path}")
    assert answer.status_code == status
    assert answer.headers.get("allow") == ("GET" if status == 405 else None)
