"""The OpenAPI documents: valid, complete, and true of what the server answers."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from openapi_spec_validator import validate as validate_document

from mock_server.admin.app import table
from mock_server.admin.resources.console import FILE, PAGE
from mock_server.api.description import document as committed
from mock_server.api.faults.table import KINDS
from mock_server.api.operations.operation import Operation
from mock_server.api.operations.table import OPERATIONS
from tests.conftest import MakeApi
from tests.openapi import JSON, JsonObject, admin, encode, public
from tests.openapi.committed import (
    ADMIN,
    NAMES,
    PATHS,
    PUBLIC,
    Document,
    Name,
    read,
    response,
    validate,
)
from tests.support import APP, CHAT, DATASET, LIBRARY, ROOT, Api

COMMAND = ("-m", "tests.openapi")


@pytest.mark.parametrize(("name", "make"), [(PUBLIC, public.make), (ADMIN, admin.make)])
def test_the_committed_document_is_up_to_date(
    name: Name, make: Callable[[], JsonObject]
) -> None:
    # Not an assertion: pytest would take minutes to show how the texts differ.
    if encode(make()) != committed(name):
        command = " ".join(("python", *COMMAND))
        pytest.fail(f"mock_server/openapi/{name}.json is stale; renew it by: {command}")


@pytest.mark.ci
def test_the_command_renews_the_documents(tmp_path: Path) -> None:
    for folder in ("mock_server", "fixtures"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    paths = [tmp_path / "mock_server" / "openapi" / f"{name}.json" for name in NAMES]
    for path in paths:
        path.write_text("stale")
    subprocess.run([sys.executable, *COMMAND], cwd=tmp_path, check=True)
    renewed = [path.read_bytes() for path in paths]
    assert renewed == [committed(name) for name in NAMES]


@pytest.mark.ci
@pytest.mark.parametrize("name", NAMES)
def test_the_document_is_valid(name: Name) -> None:
    found = read(name)
    assert found["openapi"] == "3.1.0"
    validate_document(found)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("fixture", [LIBRARY, {"keys": [{"key": "secret"}]}])
def test_a_server_serves_the_committed_bytes_whatever_it_holds(
    make_api: MakeApi, name: Name, fixture: Document
) -> None:
    answer = make_api(fixture).client.get(PATHS[name])
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.content == committed(name)


@pytest.mark.parametrize("name", NAMES)
def test_head_gives_the_headers_of_get_without_a_body(
    make_api: MakeApi, name: Name
) -> None:
    answer = make_api().client.head(PATHS[name])
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["content-length"] == str(len(committed(name)))
    assert answer.content == b""


def test_every_operation_is_described() -> None:
    paths = read(PUBLIC)["paths"]
    assert set(paths) == {each.path for each in OPERATIONS.values()}
    for each in OPERATIONS.values():
        described = paths[each.path][each.method.lower()]
        assert described["operationId"] == each.name
        wanted = {"200", "400", "404"}
        if each.access not in ("anyone", "address", "link"):
            wanted |= {"401"}
        if each.related is None:
            wanted |= {"403"}
        assert set(described["responses"]) >= wanted


AROUND = [each for each in OPERATIONS.values() if each.related is not None]


@pytest.mark.parametrize("operation", AROUND, ids=lambda each: each.name)
def test_a_related_route_is_marked_and_described_by_its_row(
    operation: Operation,
) -> None:
    assert operation.related is not None
    methods = read(PUBLIC)["paths"][operation.path]
    assert set(methods) == {each.lower() for each in operation.methods}
    for method, described in methods.items():
        assert described["tags"] == ["related_routes"]
        assert operation.related.behaviour in described["description"]
        assert operation.related.differences in described["description"]
        fields = {each["name"] for each in described.get("parameters", ())}
        if method == "get":
            assert "requestBody" not in described
            names = msgspec.structs.fields(operation.contract.fields)
            assert fields == {each.encode_name for each in names}
        if method in ("post", "put"):
            assert set(described["requestBody"]["content"]) == {operation.media_type}


def test_the_documented_operations_carry_no_mark() -> None:
    paths = read(PUBLIC)["paths"]
    for name in ("updateHistory", "listV2"):
        each = OPERATIONS[name]
        described = paths[each.path][each.method.lower()]
        assert "tags" not in described
        assert "parameters" not in described


def test_the_public_document_stays_small() -> None:
    # About 40 operations: what their errors look like is said once.
    assert len(committed(PUBLIC)) < 8_000 * len(OPERATIONS) + 40_000


def test_every_admin_route_is_described() -> None:
    paths = read(ADMIN)["paths"]
    routes = {path: set(by_method) for path, by_method in table().items()}
    for path in ("/openapi.json", PAGE, FILE):
        del routes[path]
    described = {
        path.removeprefix("/__admin"): {method.upper() for method in operations}
        for path, operations in paths.items()
    }
    assert described == routes


@pytest.mark.parametrize("name", NAMES)
def test_no_name_tells_of_modules(name: Name) -> None:
    schemas = read(name)["components"]["schemas"]
    titles = [each.get("title", "") for each in schemas.values()]
    assert not [text for text in (*schemas, *titles) if "mock_server" in text]


@pytest.mark.parametrize("name", NAMES)
def test_no_two_operations_have_the_same_id(name: Name) -> None:
    paths = read(name)["paths"].values()
    ids = [each["operationId"] for methods in paths for each in methods.values()]
    assert len(set(ids)) == len(ids)


def test_the_public_document_needs_no_key_and_the_other_the_token(
    make_api: MakeApi,
) -> None:
    api = make_api(admin_token="s3cret")
    origin = {"Origin": "https://editor.example"}
    answer = api.client.get(PATHS[PUBLIC], headers=origin)
    assert answer.headers["access-control-allow-origin"] == "*"
    assert api.client.get(PATHS[ADMIN]).status_code == 401
    assert api.client.post(PATHS[PUBLIC], json={}).status_code == 405
    assert api.client.head(PATHS[PUBLIC]).status_code == 200


def schema(document: dict[str, Any], path: str, method: str, status: int) -> Any:
    """The schema of an answer, with the components that it refers to."""
    answer = response(document, document["paths"][path][method], str(status))
    (content,) = (answer["content"][each] for each in list(answer["content"])[:1])
    return content["schema"] | {"components": document["components"]}


def body_schema(document: dict[str, Any], path: str, method: str) -> Any:
    """The schema of a request's body in JSON."""
    content = document["paths"][path][method]["requestBody"]["content"]
    schema = content[JSON]["schema"]
    return schema | {"components": document["components"]}


def test_every_kind_of_fault_is_described() -> None:
    document = read(ADMIN)
    shapes = body_schema(document, "/__admin/faults", "post")["anyOf"]
    names = [shape["$ref"].rpartition("/")[2] for shape in shapes]
    schemas = [document["components"]["schemas"][name] for name in names]
    kinds = {schema["properties"]["kind"]["enum"][0] for schema in schemas[:-1]}
    assert kinds == set(KINDS)
    assert set(schemas[-1]["properties"]) == {"preset", "seed"}


@pytest.mark.parametrize("profile", ["documented", "deployed"])
@pytest.mark.parametrize("fields", [{}, {"offset": -1}, {"datasetId": "no"}])
def test_lists_answer_as_described(
    make_api: MakeApi, profile: str, fields: dict[str, Any]
) -> None:
    api = make_api(profile=profile, choices={"error_form": "plain"})
    document = read(PUBLIC)
    answer = api.list_v2(**fields)
    path = OPERATIONS["listV2"].path
    wanted = schema(document, path, "post", answer.status_code)
    validate(answer.json(), wanted)


@pytest.mark.parametrize("fields", [{}, {"top": 1}, {"appId": "no"}])
def test_pins_answer_as_described(api: Api, fields: dict[str, Any]) -> None:
    document = read(PUBLIC)
    answer = api.pin(**fields)
    path = OPERATIONS["updateHistory"].path
    wanted = schema(document, path, "put", answer.status_code)
    validate(answer.json(), wanted)


CALLS = Path(__file__).with_name("calls.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.sampled
@pytest.mark.parametrize("call", CALLS)
def test_admin_routes_answer_as_described(api: Api, call: str) -> None:
    method, path, *content = call.split(" ", 2)
    body = json.loads(content[0]) if content else None
    api.pin(offset=1)
    api.admin("POST", "/sandboxes", {"name": "mine"})
    api.admin("POST", "/faults", {"kind": "error", "match": {"key": "other"}})
    document = read(ADMIN)
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
