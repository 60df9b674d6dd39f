"""The OpenAPI document of the admin API, from the table of its routes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from msgspec import inspect
from msgspec.json import schema

from mock_server.admin.framework import AdminRoute, Paths
from mock_server.admin.guard import OPEN_PATHS
from mock_server.api.errors import (
    ERRORS,
    BadJson,
    BodyTooLarge,
    ForeignHost,
    ForeignOrigin,
    MethodNotAllowed,
    MissingAuthorization,
    UnknownKey,
    UnsupportedMediaType,
)
from mock_server.api.faults.table import KINDS
from mock_server.domain.access import NAME_PATTERN
from mock_server.domain.errors import InvalidField, Refusal, SandboxNotFound
from mock_server.domain.limits import LIMITS
from mock_server.openapi.admin_sessions import FAULT, filled
from mock_server.openapi.examples import Recorded
from mock_server.openapi.schemas import JSON, Part, Schemas, document

_ID: Part = {"minLength": 1, "maxLength": LIMITS.id_chars}
_NAME: Part = {"pattern": rf"^(?!\.{{1,2}}$){NAME_PATTERN}$"}
_IN_PATH: Mapping[str, Part] = {"chatId": _ID, "id": _ID, "name": _NAME}


def parameters(path: str, route: AdminRoute) -> list[Part]:
    """The parameters of a route: those in its path, then those of its query."""
    return [*_path_parameters(path), *_query_parameters(route)]


def _path_parameters(path: str) -> list[Part]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string"} | _IN_PATH.get(name, {}),
            "example": filled(f"{{{name}}}", FAULT if "/faults/" in path else None),
        }
        for name in re.findall(r"\{(\w+)\}", path)
    ]


def _query_parameters(route: AdminRoute) -> list[Part]:
    if route.query is None:
        return []
    info = inspect.type_info(route.query)
    assert isinstance(info, inspect.StructType)  # noqa: S101 - all queries are
    properties = schema(route.query)["$defs"][route.query.__name__]["properties"]
    return [
        {
            "name": field.encode_name,
            "in": "query",
            "required": field.required,
            **_described(properties[field.encode_name]),
        }
        for field in info.fields
    ]


def _described(schema: Part) -> Part:
    """The schema of a parameter; of one that is JSON in a text, that of the JSON."""
    if schema.get("contentMediaType") == JSON:
        return {"content": {JSON: {"schema": {"type": "object"}}}}
    return {"schema": schema}


Schema = dict[str, Any]


def demands() -> Iterator[tuple[str, list[Schema]]]:
    """By the name of a definition, what holds beside its fields' own types."""
    for kind in KINDS.values():
        definition = kind.definition
        operations = {"operation": {"enum": ["*", *definition.operations()]}}
        constraints = [{"properties": operations}, dict(definition.schema)]
        yield definition.__name__, constraints


_EVERY: tuple[type[Refusal], ...] = (
    ForeignOrigin,
    ForeignHost,
    MethodNotAllowed,
    BodyTooLarge,
)
_ADMIN = "/__admin"
_TOKEN: tuple[type[Refusal], ...] = (MissingAuthorization, UnknownKey)
_READ: tuple[type[Refusal], ...] = (BadJson, InvalidField)

_BY_REFERENCE = {
    row.plain.status_text: {"$ref": f"#/components/examples/{row.plain.status_text}"}
    for row in ERRORS.values()
}


def admin_document(
    version: str, paths: Paths, answers: Sequence[Recorded] = ()
) -> Part:
    """The document of all routes, by path and method, with what was answered."""
    routes = [route for by_method in paths.values() for route in by_method.values()]
    schemas = Schemas(_types(routes))
    shown: dict[tuple[str, str], list[Recorded]] = defaultdict(list)
    for each in answers:
        shown[each.example.method, each.example.route].append(each)
    found = document(
        "FastGPT mock server, admin API",
        version,
        "Steers and shows what the mock server holds. A token is needed only if the "
        "server was given one. Examples are of the shipped demo.",
        {
            _ADMIN + path: {
                method.lower(): _operation(
                    path, route, schemas, shown[method, _ADMIN + path]
                )
                for method, route in by_method.items()
            }
            for path, by_method in paths.items()
        },
    )
    for name, demanded in demands():
        schemas.components[name]["allOf"] = demanded
    found["components"]["schemas"] = schemas.components
    errors = {each.example.name: each.part for each in answers if _is_shared(each)}
    found["components"] |= {"examples": errors, "responses": schemas.responses}
    return found


def _is_shared(answer: Recorded) -> bool:
    """Whether it is an error, which looks alike on all routes."""
    return not answer.example.route


def _types(routes: Sequence[AdminRoute]) -> list[Any]:
    types: list[Any] = []
    for route in routes:
        types += [route.answer, *route.further.values()]
        types += [each for each in (route.body, route.raw_body) if each]
    return types


def _operation(
    path: str, route: AdminRoute, schemas: Schemas, answers: Sequence[Recorded]
) -> Part:
    operation: Part = {
        "operationId": _operation_id(path, route.method),
        "summary": route.summary,
        "parameters": parameters(path, route),
        "responses": _responses(path, route, schemas, answers),
    }
    if path in OPEN_PATHS:
        operation["security"] = []
    body = route.body or route.raw_body
    if body is not None:
        examples = {
            each.example.name: {"value": each.example.body} for each in answers[:1]
        }
        content = schemas.content(body, route.takes, examples)
        # It may be empty, but not without its type.
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _responses(
    path: str, route: AdminRoute, schemas: Schemas, answers: Sequence[Recorded]
) -> Part:
    responses: Part = {
        str(status): {
            "description": HTTPStatus(status).phrase,
            "content": schemas.content(
                kind,
                route.gives,
                {
                    each.example.name: each.part
                    for each in answers
                    if each.status == status
                },
            ),
        }
        for status, kind in {route.status: route.answer, **route.further}.items()
    }
    return responses | _errors(path, route, schemas)


def _errors(path: str, route: AdminRoute, schemas: Schemas) -> Part:
    """References to error answers, which are the same for many routes."""
    found: Part = {}
    for status, answer in schemas.errors(_refusals(path, route), _BY_REFERENCE).items():
        name = answer["description"].replace(", ", ".")
        schemas.responses[name] = answer
        found[status] = {"$ref": f"#/components/responses/{name}"}
    return found


def _refusals(path: str, route: AdminRoute) -> Iterator[type[Refusal]]:
    yield from _EVERY
    if path not in OPEN_PATHS:
        yield from _TOKEN
    if route.body:
        yield from _READ
    if route.body or route.raw_body:
        yield UnsupportedMediaType
    if route.query or "{" in path:
        yield InvalidField
    if "{sandbox}" in path:
        yield SandboxNotFound
    yield from route.errors


def _operation_id(path: str, method: str) -> str:
    words = re.findall("[A-Za-z]+", path)
    return method.lower() + "".join(word[0].upper() + word[1:] for word in words)
