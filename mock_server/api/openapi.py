"""The OpenAPI document of the operations, from the types that read and write them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from http import HTTPStatus
from typing import Any

import msgspec

from mock_server.api.envelope import Failure, Success
from mock_server.api.errors import (
    ERRORS,
    BadJson,
    BodyTooLarge,
    MethodNotAllowed,
    MissingAuthorization,
    UnknownKey,
    UnsupportedMediaType,
)
from mock_server.api.operations import OPERATIONS, Operation
from mock_server.domain.errors import InvalidField, Refusal

Part = dict[str, Any]
JSON = "application/json"
_VERSION = "3.1.0"
_REFERENCES = "#/components/schemas/{name}"
_COMMON: tuple[type[Refusal], ...] = (
    BadJson,
    InvalidField,
    MissingAuthorization,
    UnknownKey,
    MethodNotAllowed,
    BodyTooLarge,
    UnsupportedMediaType,
)


class Schemas:
    """The schemas of types, by reference; what they refer to is gathered on the way."""

    def __init__(self, types: Iterable[Any]) -> None:
        known = list(dict.fromkeys([*_flat(types), Failure]))
        schemas, self.components = msgspec.json.schema_components(
            known, ref_template=_REFERENCES
        )
        self._by_type = dict(zip(known, schemas, strict=True))

    def content(self, kind: Any, media_types: Sequence[str] = (JSON,)) -> Part:
        """A body of that type, or of any of several, in each of the media types."""
        any_of = [self._by_type[each] for each in _flat([kind])]
        schema = any_of[0] if len(any_of) == 1 else {"anyOf": any_of}
        return {each: {"schema": schema} for each in media_types}

    def errors(self, refusals: Iterable[type[Refusal]]) -> Part:
        """The error answers by HTTP status, as the plain form has them."""
        names: dict[int, list[str]] = defaultdict(list)
        for refusal in refusals:
            form = ERRORS[refusal].plain
            if form.status_text not in names[form.http]:
                names[form.http].append(form.status_text)
        content = self.content(Failure)
        return {
            str(status): {"description": ", ".join(texts), "content": content}
            for status, texts in sorted(names.items())
        }


def _flat(shapes: Iterable[Any]) -> Iterator[Any]:
    for shape in shapes:
        yield from shape if isinstance(shape, tuple) else (shape,)


def document(title: str, version: str, description: str, paths: Part) -> Part:
    """The frame of an OpenAPI document; requests carry a bearer token."""
    return {
        "openapi": _VERSION,
        "info": {"title": title, "version": version, "description": description},
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}
        },
    }


def public_document(version: str) -> Part:
    """The document of the operations."""
    operations = OPERATIONS.values()
    envelopes = {each.name: Success[each.data] for each in operations}  # type: ignore[name-defined]
    schemas = Schemas([*(each.body for each in operations), *envelopes.values()])
    paths = {
        each.path: {
            each.method.lower(): _operation(each, envelopes[each.name], schemas)
        }
        for each in operations
    }
    found = document(
        "FastGPT mock server",
        version,
        "Two operations of FastGPT, answered from memory. Error answers are those of "
        "profile `documented`.",
        paths,
    )
    found["components"]["schemas"] = schemas.components
    return found


def _operation(operation: Operation, envelope: Any, schemas: Schemas) -> Part:
    answered = {"description": HTTPStatus.OK.phrase}
    return {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": f"Section {operation.section} of the interface description.",
        "requestBody": {"required": True, "content": schemas.content(operation.body)},
        "responses": {
            "200": answered | {"content": schemas.content(envelope)},
            **schemas.errors((*_COMMON, *operation.refusals)),
        },
    }
