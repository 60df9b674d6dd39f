"""The OpenAPI document of the admin API, and the requests whose responses it shows."""

import re
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any

import msgspec

from mock_server.admin.app import by_path
from mock_server.admin.framework import AdminRoute, Example
from mock_server.admin.guard import OPEN_PATHS
from mock_server.admin.resources.table import DESCRIBED
from mock_server.admin.views import FaultView
from mock_server.api import errors as refusals
from mock_server.api.faults.table import KINDS
from mock_server.api.operations.operation import DEMO_APP, DEMO_CHAT, DEMO_DATASET
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.access import NAME_PATTERN
from mock_server.domain.errors import InvalidField, Refusal
from mock_server.domain.limits import DEFAULT_LIMITS, Published
from mock_server.domain.sandboxes.registry import SandboxNotFound
from mock_server.fixture.document import Document
from tests.openapi import (
    FAULT_TYPES,
    JSON,
    JsonObject,
    Schemas,
    frame,
    labels,
    normalized,
    query_parameters,
)
from tests.openapi import examples as example

_ADMIN = "/__admin"
_ID: JsonObject = {"minLength": 1, "maxLength": Published.id_chars}
# Clients resolve the segments . and .. of a path before they send it.
_NAME: JsonObject = {"pattern": rf"^(?!\.{{1,2}}$){NAME_PATTERN}$"}
_PATH_SCHEMAS: Mapping[str, JsonObject] = {"chatId": _ID, "id": _ID, "name": _NAME}


def make() -> JsonObject:
    """The document of all routes that the admin API describes."""
    table = by_path(DESCRIBED).items()
    routes = [(path, route) for path, by in table for route in by.values()]
    schemas = _schemas([route for _, route in routes])
    responses = example.run_examples(sessions())
    paths: JsonObject = {}
    for path, route in routes:
        refused = [*_refusals(path, route)]
        # Each error has one example, to which all routes refer.
        names = {each.row.plain.status_text for each in refused}
        shown = {name: {"$ref": f"#/components/examples/{name}"} for name in names}
        described = _operation(path, route, schemas, responses)
        described["responses"] |= schemas.error_references(refused, shown)
        paths.setdefault(_ADMIN + path, {})[route.method.lower()] = described
    shared = [each for each in responses if not each.request.operation_id]
    examples = {each.request.name: each.part for each in shared}
    return frame(
        "FastGPT mock server, admin API",
        "Steers and shows what the mock server holds. A token is needed only if the "
        "server was given one. Examples are of the shipped demo.",
        paths,
        {
            "schemas": schemas.components,
            "examples": examples,
            "responses": schemas.errors,
        },
    )


def _schemas(routes: Sequence[AdminRoute]) -> Schemas:
    shapes: list[Any] = []
    for route in routes:
        shapes += [route.response_type, *route.other_types.values()]
        shapes += [each for each in (route.body, route.raw_body) if each]
    schemas = Schemas(shapes)
    for kind in KINDS.values():
        schemas.component(kind).update(allOf=kind.rules(), **labels(kind.chinese))
    # Said, so that typed clients let them pass: the fields that a fault was added with.
    schemas.component(FaultView)["additionalProperties"] = True
    faults = schemas.component(Document)["properties"]["faults"]
    faults["items"] = schemas.any_of(FAULT_TYPES)
    return schemas


def _operation(
    path: str,
    route: AdminRoute,
    schemas: Schemas,
    responses: Sequence[example.ExampleResponse],
) -> JsonObject:
    """A route without its error responses."""
    name = _operation_id(path, route.method)
    shown = [each for each in responses if each.request.operation_id == name]
    operation: JsonObject = {
        "operationId": name,
        "summary": route.summary,
        "parameters": [*_path_parameters(path), *_query_parameters(route)],
        "responses": _successes(route, schemas, shown),
    }
    if path in OPEN_PATHS:
        # Empty, not absent: then that of the whole document would hold.
        operation["security"] = []
    body = route.body or route.raw_body
    if body is not None:
        first = [each.request for each in shown[:1]]
        examples = {each.name: {"value": each.body} for each in first}
        content = schemas.content(body, route.body_media_types, examples)
        # It may be empty, but not without its type.
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _operation_id(path: str, method: str) -> str:
    words = re.findall("[A-Za-z]+", path)
    return method.lower() + "".join(word[0].upper() + word[1:] for word in words)


def _path_parameters(path: str) -> list[JsonObject]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string"} | _PATH_SCHEMAS.get(name, {}),
            "example": _path_values(path)[name],
        }
        for name in re.findall(r"\{(\w+)\}", path)
    ]


def _query_parameters(route: AdminRoute) -> list[JsonObject]:
    if route.query is None:
        return []
    definitions = normalized(msgspec.json.schema(route.query)["$defs"])
    parameters = query_parameters(definitions[route.query.__name__])
    for each in parameters:
        if each["schema"].get("contentMediaType") == JSON:
            # For JSON in a text, a media type and its schema.
            del each["schema"]
            each["content"] = {JSON: {"schema": {"type": "object"}}}
    return parameters


def _successes(
    route: AdminRoute, schemas: Schemas, responses: Sequence[example.ExampleResponse]
) -> JsonObject:
    found: JsonObject = {}
    for status, shape in {
        route.status: route.response_type,
        **route.other_types,
    }.items():
        shown = [each for each in responses if each.status == status]
        examples = {each.request.name: each.part for each in shown}
        found[str(status)] = {
            "description": HTTPStatus(status).phrase,
            "content": schemas.content(shape, route.media_types, examples),
        }
    return found


def _refusals(path: str, route: AdminRoute) -> Iterator[type[Refusal]]:
    yield from (
        refusals.ForeignOrigin,
        refusals.ForeignHost,
        refusals.MethodNotAllowed,
        refusals.BodyTooLarge,
    )
    if path not in OPEN_PATHS:
        yield from (refusals.MissingAuthorization, refusals.UnknownKey)
    if route.body:
        yield from (refusals.BadJson, InvalidField)
    if route.body or route.raw_body:
        yield refusals.UnsupportedMediaType
    if route.query or "{" in path:
        yield InvalidField
    if "{sandbox}" in path:
        yield SandboxNotFound
    yield from route.errors


_TEAM, _TOKEN = "team", "s3cret"
_PATH_VALUES: Mapping[str, str] = {
    "sandbox": _TEAM,
    "appId": DEMO_APP,
    "chatId": DEMO_CHAT,
    "datasetId": DEMO_DATASET,
    "id": "65abd0ad9d1448617cba6031",
    "name": "before",
}
_CALLED = next(iter(OPERATIONS.values()))
_BARE = Example()
_METHODS = "PUT", "POST", "GET", "DELETE"
_LAST = "state", "responses", "reset"
"""What is asked for in the end: it replaces all that others are asked about."""
_ERRORS: tuple[tuple[str, str, str, Any], ...] = (
    ("methodNotAllowed", "PUT", "/apps", {}),
    ("bodyTooLarge", "PUT", "/clock", b" " * (DEFAULT_LIMITS.body_bytes + 1)),
    ("badJson", "PUT", "/clock", b'{"frozen": tru'),
    ("invalidField", "PUT", "/clock", {"now": "tomorrow"}),
    ("badFixture", "PUT", "/state", {"apps": [{"chat": []}]}),
    # Never looked into: by its size it needs a slot, of which examples have none.
    ("serverBusy", "PUT", "/state", b" " * (DEFAULT_LIMITS.inline_load_bytes + 1)),
    ("appNotFound", "GET", "/apps/none/chats", None),
    ("chatNotFound", "GET", f"/apps/{DEMO_APP}/chats/none", None),
    ("datasetNotFound", "GET", "/datasets/none/collections", None),
    ("collectionNotFound", "GET", f"/datasets/{DEMO_DATASET}/collections/none", None),
    ("faultNotFound", "GET", "/faults/none", None),
    ("snapshotNotFound", "GET", "/snapshots/none", None),
    ("sandboxNotFound", "GET", "/sandboxes/none", None),
    ("nameTaken", "POST", "/sandboxes", {"name": "default"}),
)
_GUARDED: tuple[tuple[str, str, str | None], ...] = (
    ("foreignHost", "host", "mock.example"),
    ("foreignOrigin", "origin", "https://editor.example"),
    ("unsupportedMediaType", "content-type", None),
    ("unauthorized", "authorization", "Bearer wrong"),
)


def _path_values(path: str) -> Mapping[str, str]:
    """Values of the parameters in a path, all of which the demo has."""
    # The first fault of a sandbox is always f1.
    return {**_PATH_VALUES, "id": "f1"} if "/faults/" in path else _PATH_VALUES


def sessions() -> list[example.ExampleSession]:
    """The requests that succeed, and those that are refused."""
    errors = example.ExampleSession(list(_errors()), admin_token=_TOKEN)
    return [example.ExampleSession(list(_successful())), errors]


def _successful() -> Iterator[example.ExampleRequest]:
    """Requests to the default sandbox and to another, after one of an operation."""
    # All but those of no sandbox, and the stream of the journal, which has no end.
    shown_routes = [r for r in DESCRIBED if JSON in r.media_types and not r.is_global]
    yield _request("POST", "/sandboxes", Example({"name": _TEAM, "ttl": 600}))
    yield _request("GET", "/sandboxes")
    yield _request("GET", "/sandboxes/{sandbox}")
    for prefix, sandbox in (("", "default"), ("/sandboxes/{sandbox}", _TEAM)):
        yield example.valid_request(_CALLED, sandbox)
        for route in sorted(shown_routes, key=_turn):
            shown = route.examples or (Example({}) if route.body else _BARE,)
            for each in shown * 2 if 201 in route.other_types else shown:
                yield _request(route.method, prefix + route.path, each)
    yield _request("DELETE", "/sandboxes/{sandbox}")


def _turn(route: AdminRoute) -> tuple[int, str, int, int]:
    """When a route is asked: what there is has been made, and is removed in the end."""
    first = route.path.split("/")[1]
    place = _LAST.index(first) + 1 if first in _LAST else 0
    return place, first, _METHODS.index(route.method), -len(route.path)


def _request(method: str, path: str, shown: Example = _BARE) -> example.ExampleRequest:
    target = _ADMIN + path.format_map({**_path_values(path), **shown.path})
    return example.ExampleRequest(
        method,
        f"{target}?{shown.query}" if shown.query else target,
        shown.body,
        "example",
        operation_id=_operation_id(path, method),
    )


def _errors() -> Iterator[example.ExampleRequest]:
    token = {"authorization": f"Bearer {_TOKEN}"}
    for name, method, path, body in _ERRORS:
        path = _ADMIN + path
        yield example.ExampleRequest(
            method, path, body, name, f"{method} {path}", token
        )
    for name, header, value in _GUARDED:
        summary = f"No {header} header" if value is None else f"{header}: {value}"
        sent = {**token, header: value}
        yield example.ExampleRequest("PUT", f"{_ADMIN}/clock", {}, name, summary, sent)
    for number in range(DEFAULT_LIMITS.snapshots + 1):
        is_last = number == DEFAULT_LIMITS.snapshots
        name = "limitReached" if is_last else ""
        path, summary = f"{_ADMIN}/snapshots/nightly-{number}", "One snapshot more"
        yield example.ExampleRequest("PUT", path, {}, name, summary, token)
