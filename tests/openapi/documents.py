"""Reading the OpenAPI documents: what is said of an answer, of a body."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator

Document = dict[str, Any]
PUBLIC, ADMIN = "/openapi.json", "/__admin/openapi.json"


def response(document: Document, operation: Document, status: str) -> Document:
    """An answer as it is described, by reference or there."""
    found: Document = operation["responses"][status]
    name = found.get("$ref", "").rpartition("/")[2]
    shared: dict[str, Document] = document["components"].get("responses", {})
    return shared.get(name, found)


def schema(document: dict[str, Any], path: str, method: str, status: int) -> Any:
    """The schema of an answer, with the components that it refers to."""
    answer = response(document, document["paths"][path][method], str(status))
    (content,) = (answer["content"][each] for each in list(answer["content"])[:1])
    return content["schema"] | {"components": document["components"]}


def body_schema(document: dict[str, Any], path: str, method: str) -> Any:
    """The schema of a request's body in JSON."""
    content = document["paths"][path][method]["requestBody"]["content"]
    schema = content["application/json"]["schema"]
    return schema | {"components": document["components"]}


def validate(value: object, schema: Any) -> None:
    """Raise ValidationError unless a value is as a schema of a document says.

    Whether the schema is one is not looked at again: that takes 50 ms.
    """
    Draft202012Validator(schema).validate(value)
