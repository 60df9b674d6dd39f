"""The OpenAPI document of the admin API, from the table of its routes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from msgspec import inspect
from msgspec.json import schema

from mock_server.admin.route import AdminRoute, Call
from mock_server.api.errors import (
    BadJson,
    BodyTooLarge,
    ForeignHost,
    ForeignOrigin,
    MissingAuthorization,
    UnknownKey,
    UnsupportedMediaType,
)
from mock_server.api.openapi import Part, Schemas, document
from mock_server.domain.errors import InvalidField, Refusal, SandboxNotFound

_GUARD: tuple[type[Refusal], ...] = (
    MissingAuthorization,
    UnknownKey,
    ForeignOrigin,
    ForeignHost,
)
_BODY: tuple[type[Refusal], ...] = (
    BadJson,
    InvalidField,
    BodyTooLarge,
    UnsupportedMediaType,
)

Paths = Mapping[str, Mapping[str, AdminRoute]]


def admin_document(version: str, paths: Paths) -> Part:
    """The document of all routes, by path and method."""
    routes = [route for by_method in paths.values() for route in by_method.values()]
    schemas = Schemas(_types(routes))
    found = document(
        "FastGPT mock server, admin API",
        version,
        "Steers and shows what the mock server holds. A token is needed only if the "
        "server was given one.",
        {
            "/__admin" + path: {
                method.lower(): _operation(path, route, schemas)
                for method, route in by_method.items()
            }
            for path, by_method in paths.items()
        },
    )
    found["components"]["schemas"] = schemas.components
    return found


def _types(routes: Sequence[AdminRoute]) -> list[Any]:
    types: list[Any] = []
    for route in routes:
        types += [route.answer, *route.further.values()]
        types += [each for each in (route.body, route.raw_body) if each]
    return types


def _operation(path: str, route: AdminRoute, schemas: Schemas) -> Part:
    answers = {route.status: route.answer, **route.further}
    operation: Part = {
        "operationId": _operation_id(path, route.method),
        "summary": route.summary,
        "parameters": [*_path_parameters(path), *_query_parameters(route)],
        "responses": {
            str(status): {
                "description": HTTPStatus(status).phrase,
                "content": schemas.content(kind, route.gives),
            }
            for status, kind in answers.items()
        },
    }
    for status, answer in schemas.errors(_refusals(path, route)).items():
        operation["responses"].setdefault(status, answer)
    body = route.body or route.raw_body
    if body is not None:
        content = schemas.content(body, route.takes)
        operation["requestBody"] = {"content": content}
    return operation


def _refusals(path: str, route: AdminRoute) -> tuple[type[Refusal], ...]:
    body = _BODY if route.body or route.raw_body else ()
    checked: tuple[type[Refusal], ...] = (
        (InvalidField,) if route.query or "{" in path else ()
    )
    sandbox = (SandboxNotFound,) if "{sandbox}" in path else ()
    return (*_GUARD, *body, *checked, *sandbox, *route.errors)


def _operation_id(path: str, method: str) -> str:
    words = re.findall("[A-Za-z]+", path)
    return method.lower() + "".join(word[0].upper() + word[1:] for word in words)


def _path_parameters(path: str) -> list[Part]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
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
            "schema": properties[field.encode_name],
        }
        for field in info.fields
    ]


def openapi_route(version: str, paths: Paths) -> AdminRoute:
    """The route of the document; it is made when it is asked for."""

    def get_openapi(_: Call) -> Part:
        return admin_document(version, paths)

    return AdminRoute(
        "GET",
        "/openapi.json",
        get_openapi,
        dict[str, Any],
        "This description",
        is_global=True,
    )
