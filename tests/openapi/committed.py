"""The committed OpenAPI documents, and where to look in them."""

from typing import Any

import msgspec
from jsonschema import Draft202012Validator

from mock_server.api.description import DocumentName
from mock_server.api.description import document as committed

Document = dict[str, Any]
Name = DocumentName
PUBLIC: Name = "public"
ADMIN: Name = "admin"
NAMES: tuple[Name, ...] = (PUBLIC, ADMIN)
PATHS = {PUBLIC: "/openapi.json", ADMIN: "/__admin/openapi.json"}


def read(name: Name) -> Document:
    """A document as the package has it."""
    found: Document = msgspec.json.decode(committed(name))
    return found


def response(document: Document, operation: Document, status: str) -> Document:
    """A response as it is described, by reference or there."""
    found: Document = operation["responses"][status]
    name = found.get("$ref", "").rpartition("/")[2]
    shared: dict[str, Document] = document["components"].get("responses", {})
    return shared.get(name, found)


def validate(value: object, schema: Any) -> None:
    """Raise ValidationError unless a value is as a schema of a document says.

    Whether the schema is one is not looked at again: that takes 50 ms.
    """
    Draft202012Validator(schema).validate(value)
