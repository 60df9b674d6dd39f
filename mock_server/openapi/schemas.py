"""The OpenAPI document of the operations, from the types that read and write them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    RateLimitExceeded,
    UnknownKey,
    UnsupportedMediaType,
)
from mock_server.api.operations.operation import Operation
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.errors import InvalidField, LimitReached, Refusal
from mock_server.openapi.examples import Recorded

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
    RateLimitExceeded,
    LimitReached,
)
_TEXT: Part = {"schema": {"type": "string"}}
_NUMBER: Part = {"schema": {"type": "integer"}}
_MARKS: Part = {"X-Mock-Sandbox": _TEXT, "X-Mock-Generation": _NUMBER}
_LIMIT = ("Limit", "Remaining", "Reset")
_HEADERS: Mapping[int, Part] = {
    401: {"WWW-Authenticate": {"schema": {"const": "Bearer"}}},
    405: {"Allow": _TEXT},
    429: {"Retry-After": _NUMBER} | {f"X-RateLimit-{each}": _NUMBER for each in _LIMIT},
}


class Schemas:
    """The schemas of types, by reference; what they refer to is gathered on the way.

    `responses` is for answers that several operations share.
    """

    def __init__(self, types: Iterable[Any]) -> None:
        self.responses: Part = {}
        known = list(dict.fromkeys([*_flat(types), Failure]))
        schemas, self.components = msgspec.json.schema_components(
            known, ref_template=_REFERENCES
        )
        self._by_type = dict(zip(known, schemas, strict=True))

    def content(
        self,
        kind: Any,
        media_types: Sequence[str] = (JSON,),
        examples: Part | None = None,
    ) -> Part:
        """A body of that type, or of any of several, in each of the media types.

        The examples are JSON.
        """
        any_of = [self._by_type[each] for each in _flat([kind])]
        schema = any_of[0] if len(any_of) == 1 else {"anyOf": any_of}
        content: Part = {each: {"schema": schema} for each in media_types}
        if examples and JSON in content:
            content[JSON]["examples"] = examples
        return content

    def errors(self, refusals: Iterable[type[Refusal]], examples: Part) -> Part:
        """The error answers by HTTP status, as the plain form has them.

        `examples` are by statusText.
        """
        names: dict[int, list[str]] = defaultdict(list)
        for refusal in refusals:
            form = ERRORS[refusal].plain
            if form.status_text not in names[form.http]:
                names[form.http].append(form.status_text)
        return {
            str(status): self._error(status, texts, examples)
            for status, texts in sorted(names.items())
        }

    def _error(self, status: int, texts: Sequence[str], examples: Part) -> Part:
        shown = {text: examples[text] for text in texts if text in examples}
        return {
            "description": ", ".join(texts),
            "headers": _HEADERS.get(status, {}),
            "content": self.content(Failure, examples=shown),
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


def public_document(version: str, answers: Sequence[Recorded] = ()) -> Part:
    """The document of the operations, with what was answered to examples."""
    operations = OPERATIONS.values()
    envelopes = {each.name: Success[each.data] for each in operations}  # type: ignore[name-defined]
    schemas = Schemas([*(each.body for each in operations), *envelopes.values()])
    for each in operations:
        # Choice unknown_fields: the profile that is described ignores them.
        schemas.components[each.body.__name__].pop("additionalProperties")
    paths = {
        each.path: {
            each.method.lower(): _operation(
                each,
                envelopes[each.name],
                schemas,
                [answer for answer in answers if answer.example.path == each.path],
            )
        }
        for each in operations
    }
    found = document(
        "FastGPT mock server",
        version,
        "Two operations of FastGPT, answered from memory. Error answers are those of "
        "profile `documented`, examples those of the shipped fixtures.",
        paths,
    )
    found["components"]["schemas"] = schemas.components
    return found


def _operation(
    operation: Operation,
    envelope: Any,
    schemas: Schemas,
    answers: Sequence[Recorded],
) -> Part:
    examples = {each.example.name: each.part for each in answers}
    done = [each.example for each in answers if each.status == HTTPStatus.OK]
    bodies = {each.name: {"summary": each.summary, "value": each.body} for each in done}
    answered = {each.name: examples[each.name] for each in done}
    responses = {
        "200": {
            "description": HTTPStatus.OK.phrase,
            "content": schemas.content(envelope, examples=answered),
        },
        **schemas.errors((*_COMMON, *operation.refusals), examples),
    }
    for response in responses.values():
        response["headers"] = _MARKS | response.get("headers", {})
    return {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": f"Section {operation.section} of the interface description.",
        "requestBody": {
            "required": True,
            "content": schemas.content(operation.body, examples=bodies),
        },
        "responses": responses,
    }
