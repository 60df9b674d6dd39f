"""The committed OpenAPI documents, and where to look in them."""

from typing import Any

import msgspec

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
