"""How the OpenAPI documents are made, of other operations than the shipped too."""

from typing import Annotated, Any

import pytest
from msgspec import Meta, Struct
from msgspec.structs import replace
from openapi_spec_validator import validate

from mock_server.api.operations.contract import Contract, RequestFields
from mock_server.api.operations.operation import Operation
from mock_server.api.operations.table import OPERATIONS
from tests.openapi import JSON, JsonObject, Schemas, normalized, public
from tests.openapi.committed import PUBLIC, read
from tests.openapi.examples import (
    ExampleRequest,
    ExampleSession,
    run_examples,
    valid_request,
)

SHIPPED = next(iter(OPERATIONS.values()))


class RenameBody(RequestFields):
    """What a rename says."""

    chat_id: str
    title: str = ""


class Renamed(Struct, rename="camel"):
    """What a rename has done."""

    old_title: str | None


RENAME: Operation = replace(
    SHIPPED,
    name="rename",
    method="POST",
    path="/api/core/chat/rename",
    contract=Contract("4.3", RenameBody),
    data_type=Renamed,
    refusals=(),
)
READ: Operation = replace(RENAME, name="readTitle", method="PUT", data_type=None)


def described(*operations: Operation) -> JsonObject:
    found = public.make({each.name: each for each in operations})
    validate(found)
    return found


@pytest.mark.ci
def test_an_operation_without_examples_is_described_by_its_types() -> None:
    document = described(RENAME)
    operation = document["paths"]["/api/core/chat/rename"]["post"]
    body = operation["requestBody"]["content"][JSON]
    schemas = document["components"]["schemas"]
    assert operation["operationId"] == "rename"
    assert body == {"schema": {"$ref": "#/components/schemas/RenameBody"}}
    assert schemas["RenameBody"]["required"] == ["chatId"]
    assert "oldTitle" in schemas["Renamed"]["properties"]
    assert set(operation["responses"]) >= {"200", "400", "401", "405", "413", "429"}


@pytest.mark.ci
def test_another_operation_changes_nothing_of_those_beside_it() -> None:
    document = described(*OPERATIONS.values(), RENAME)
    del document["paths"][RENAME.path]
    assert document["paths"] == read(PUBLIC)["paths"]


@pytest.mark.ci
def test_operations_may_share_a_path() -> None:
    methods = described(RENAME, READ)["paths"][RENAME.path]
    ids = {method: each["operationId"] for method, each in methods.items()}
    assert ids == {"post": "rename", "put": "readTitle"}


@pytest.mark.ci
def test_bodies_of_the_same_name_have_schemas_of_their_own() -> None:
    namesake: Any = type("RenameBody", (RequestFields,), {"__module__": "elsewhere"})
    other = replace(READ, contract=Contract("4.4", namesake))
    names = described(RENAME, other)["components"]["schemas"]
    assert len([each for each in names if each.endswith("RenameBody")]) == 2


def test_unknown_fields_of_a_body_are_allowed_as_choice_unknown_fields_says() -> None:
    schemas = described(RENAME)["components"]["schemas"]
    assert "additionalProperties" not in schemas["RenameBody"]


def test_examples_happen_at_the_same_time_with_the_same_secrets() -> None:
    sandbox = ExampleRequest("POST", "/__admin/sandboxes", {"name": "team"}, "made")
    session = ExampleSession([sandbox])
    first, second = run_examples([session, session])
    assert first.status == 201
    assert first.value == second.value


def test_examples_show_no_measured_figure() -> None:
    requests = [
        valid_request(SHIPPED),
        ExampleRequest("GET", "/__admin/journal", None, "journal"),
        ExampleRequest("GET", "/__admin/health", None, "health"),
    ]
    journal, health = run_examples([ExampleSession(requests)])
    assert journal.value["entries"][0]["durationMs"] == 0.25
    assert health.value["memory"]["used"] == 60_000


def test_a_request_carries_the_key_of_its_sandbox() -> None:
    requests = [
        ExampleRequest("POST", "/__admin/sandboxes", {"name": "team"}),
        valid_request(SHIPPED, "team"),
        ExampleRequest("GET", "/__admin/sandboxes/team/journal", None, "journal"),
    ]
    (journal,) = run_examples([ExampleSession(requests)])
    assert journal.value["total"] == 1


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"description": "One.\n\n    Two."}, {"description": "One.\n\nTwo."}),
        (
            {"anyOf": [{"type": "null"}, {"$ref": "#/a"}]},
            {"anyOf": [{"$ref": "#/a"}, {"type": "null"}]},
        ),
        (
            {"properties": {"description": {"type": "string"}}},
            {"properties": {"description": {"type": "string"}}},
        ),
    ],
)
def test_schemas_are_the_same_from_every_python_and_msgspec(
    schema: JsonObject, expected: JsonObject
) -> None:
    assert normalized(schema) == expected


Moment = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]


class Settled(Struct):
    """Fields with defaults of all sorts."""

    count: int = 3
    text: str | None = None
    tags: list[str] = []
    either: int | str = 4
    always: None = None
    since: Moment = "2024-01-01T00:00:00Z"


def test_defaults_are_single_values_that_every_language_can_write() -> None:
    schemas = Schemas([Settled])
    fields = schemas.component(Settled)["properties"]
    found = {
        name: each["default"] for name, each in fields.items() if "default" in each
    }
    assert found == {"count": 3, "text": None}
    assert fields["always"] == {"enum": [None]}
