"""The OpenAPI document of the admin API, and the requests whose responses it shows."""

import re
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

import msgspec

from mock_server.admin.app import described_routes
from mock_server.admin.framework import AdminRoute
from mock_server.admin.guard import OPEN_PATHS
from mock_server.api import errors as refusals
from mock_server.api.faults.table import KINDS
from mock_server.api.fixture_schema import FAULT_TYPES
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.access import NAME_PATTERN
from mock_server.domain.errors import InvalidField, Refusal, SandboxNotFound
from mock_server.domain.limits import Limits
from mock_server.fixture.document import Document
from mock_server.openapi import JSON, JsonObject, Schemas, frame, normalized
from mock_server.openapi import examples as example
from mock_server.openapi.calls import APP, CHAT, DATASET, valid_request
from mock_server.views import FaultView

_ADMIN = "/__admin"
_ID: JsonObject = {"minLength": 1, "maxLength": Limits.id_chars}
# Clients resolve the segments . and .. of a path before they send it.
_NAME: JsonObject = {"pattern": rf"^(?!\.{{1,2}}$){NAME_PATTERN}$"}
_PATH_SCHEMAS: Mapping[str, JsonObject] = {"chatId": _ID, "id": _ID, "name": _NAME}
# Each error has one example, to which all routes refer.
_REFERENCES = {
    row.plain.status_text: {"$ref": f"#/components/examples/{row.plain.status_text}"}
    for row in refusals.ERRORS.values()
}


def make() -> JsonObject:
    """The document of all routes that the admin API describes."""
    table = described_routes().items()
    routes = [(path, route) for path, by in table for route in by.values()]
    schemas = _schemas([route for _, route in routes])
    responses = example.run_examples(sessions())
    paths: JsonObject = {}
    errors: JsonObject = {}
    for path, route in routes:
        found = schemas.error_responses(_refusals(path, route), _REFERENCES)
        errors |= {_error_name(each): each for each in found.values()}
        described = _operation(path, route, schemas, responses)
        described["responses"] |= {
            status: {"$ref": f"#/components/responses/{_error_name(each)}"}
            for status, each in found.items()
        }
        paths.setdefault(_ADMIN + path, {})[route.method.lower()] = described
    shared = [each for each in responses if not each.request.operation_id]
    examples = {each.request.name: each.part for each in shared}
    return frame(
        "FastGPT mock server, admin API",
        "Steers and shows what the mock server holds. A token is needed only if the "
        "server was given one. Examples are of the shipped demo.",
        paths,
        {"schemas": schemas.components, "examples": examples, "responses": errors},
    )


def _schemas(routes: Sequence[AdminRoute]) -> Schemas:
    shapes: list[Any] = []
    for route in routes:
        shapes += [route.answer, *route.further.values()]
        shapes += [each for each in (route.body, route.raw_body) if each]
    schemas = Schemas(shapes)
    for kind in KINDS.values():
        schemas.component(kind.definition)["allOf"] = kind.rules
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
        content = schemas.content(body, route.takes, examples)
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
    properties = definitions[route.query.__name__]["properties"]
    return [
        {
            "name": field.encode_name,
            "in": "query",
            "required": field.required,
            **_parameter_schema(properties[field.encode_name]),
        }
        for field in msgspec.structs.fields(route.query)
    ]


def _parameter_schema(schema: JsonObject) -> JsonObject:
    """The schema of a parameter; for JSON in a text, a media type and its schema."""
    if schema.get("contentMediaType") == JSON:
        return {"content": {JSON: {"schema": {"type": "object"}}}}
    return {"schema": schema}


def _successes(
    route: AdminRoute, schemas: Schemas, responses: Sequence[example.ExampleResponse]
) -> JsonObject:
    found: JsonObject = {}
    for status, shape in {route.status: route.answer, **route.further}.items():
        shown = [each for each in responses if each.status == status]
        examples = {each.request.name: each.part for each in shown}
        found[str(status)] = {
            "description": HTTPStatus(status).phrase,
            "content": schemas.content(shape, route.gives, examples),
        }
    return found


def _error_name(response: JsonObject) -> str:
    # By what they say, so that routes with the same refusals share one response. The
    # names of components hold no commas or spaces (OpenAPI 3.1, Components Object).
    return str(response["description"]).replace(", ", ".")


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
    "appId": APP,
    "chatId": CHAT,
    "datasetId": DATASET,
    "id": "65abd0ad9d1448617cba6031",
    "name": "before",
}
_APP, _DATASET = "/apps/{appId}", "/datasets/{datasetId}"
_CHAT, _CHATS = "/apps/{appId}/chats/{chatId}", "/apps/{appId}/chats"
_ITEM = "/datasets/{datasetId}/collections/{id}"
_ITEMS = "/datasets/{datasetId}/collections"
_PUT_CHAT = {"title": "A copy of my invoice", "top": True}
_PUT_ITEM = {"name": "Press kit", "type": "link", "tags": ["press"], "dataAmount": 7}
_SMALL = {
    "clock": "2026-01-01T00:00:00Z",
    "apps": [{"id": "app", "name": "Support"}],
    "responses": [{"method": "GET", "path": "/api/user/{id}", "json": {"name": "Ann"}}],
}
_NEW_APP = {"name": "Sales", "chats": [{"chatId": "chat-1", "title": "Offer"}]}
_NEW_DATASET = {"name": "Prices", "collections": [{"_id": "2024", "name": "2024"}]}
_WHY = urlencode(
    {"dataset": DATASET, "request": '{"parentId":null,"searchText":"install"}'}
)
_CALLED = next(iter(OPERATIONS.values()))
_ROWS: tuple[tuple[str, str, Any] | tuple[str, str, Any, Mapping[str, str]], ...] = (
    ("GET", "/health", None),
    ("GET", "/clock", None),
    ("PUT", "/clock", {"now": "2026-01-01T00:00:00Z", "frozen": True}),
    ("POST", "/clock/advance", {"seconds": 3600}),
    ("GET", "/journal?limit=1", None),
    ("GET", "/journal?limit=1&format=har", None),
    # Once met, once not.
    ("POST", "/journal/verify", {"operation": _CALLED.name, "exactly": 1}),
    ("POST", "/journal/verify", {"operation": _CALLED.name, "exactly": 2}),
    ("DELETE", "/journal", None),
    # Twice: 201 for what is new, 200 for what was there.
    ("PUT", "/snapshots/{name}", {}),
    ("PUT", "/snapshots/{name}", {}),
    ("GET", "/snapshots", None),
    ("GET", "/snapshots/{name}", None),
    ("POST", "/snapshots/{name}/restore", {}),
    ("DELETE", "/snapshots/{name}", None),
    ("GET", "/choices", None),
    ("PUT", "/choices", {"choices": {"page_size_over_limit": "clamp"}}),
    ("GET", "/apps", None),
    ("PUT", _APP, _NEW_APP, {"appId": "sales"}),
    ("PUT", _APP, _NEW_APP, {"appId": "sales"}),
    ("GET", _APP, None, {"appId": "sales"}),
    ("DELETE", _APP, None, {"appId": "sales"}),
    ("GET", f"{_CHATS}?limit=2", None),
    ("GET", _CHAT, None),
    ("PUT", _CHAT, _PUT_CHAT),
    ("PUT", _CHAT, _PUT_CHAT, {"chatId": "new"}),
    ("DELETE", _CHAT, None),
    ("GET", "/datasets", None),
    ("PUT", _DATASET, _NEW_DATASET, {"datasetId": "prices"}),
    ("PUT", _DATASET, _NEW_DATASET, {"datasetId": "prices"}),
    ("GET", _DATASET, None, {"datasetId": "prices"}),
    ("DELETE", _DATASET, None, {"datasetId": "prices"}),
    ("GET", f"{_ITEMS}?limit=2", None),
    ("GET", _ITEM, None),
    ("PUT", _ITEM, _PUT_ITEM),
    ("PUT", _ITEM, _PUT_ITEM, {"id": "new"}),
    ("DELETE", _ITEM, None),
    ("GET", f"/why?{_WHY}", None),
    ("POST", "/faults", {"kind": "error", "status": 502, "times": 2}),
    ("GET", "/faults", None),
    ("GET", "/faults/{id}?plan=2", None),
    ("DELETE", "/faults/{id}", None),
    ("DELETE", "/faults", None),
    ("PUT", "/state", _SMALL),
    ("GET", "/state", None),
    ("GET", "/responses", None),
    ("POST", "/reset", {}),
)
"""Method, path, body, and values in the path that differ from the usual: requests to
the default sandbox and to another, after one of an operation. The stream of the journal
is not among them: it has no end.
"""
_ERRORS: tuple[tuple[str, str, str, Any], ...] = (
    ("methodNotAllowed", "PUT", "/apps", {}),
    ("bodyTooLarge", "PUT", "/clock", b" " * (Limits.body_bytes + 1)),
    ("badJson", "PUT", "/clock", b'{"frozen": tru'),
    ("invalidField", "PUT", "/clock", {"now": "tomorrow"}),
    ("badFixture", "PUT", "/state", {"apps": [{"chat": []}]}),
    # Never looked into: by its size it needs a slot, of which examples have none.
    ("serverBusy", "PUT", "/state", b" " * (Limits.inline_load_bytes + 1)),
    ("routeNotFound", "GET", "/metrics", None),
    ("appNotFound", "GET", "/apps/none/chats", None),
    ("chatNotFound", "GET", f"/apps/{APP}/chats/none", None),
    ("datasetNotFound", "GET", "/datasets/none/collections", None),
    ("collectionNotFound", "GET", f"/datasets/{DATASET}/collections/none", None),
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
    yield _request("POST", "/sandboxes", {"name": _TEAM, "ttl": 600})
    yield _request("GET", "/sandboxes", None)
    yield _request("GET", "/sandboxes/{sandbox}", None)
    for prefix, sandbox in (("", "default"), ("/sandboxes/{sandbox}", _TEAM)):
        yield valid_request(_CALLED, sandbox)
        for method, path, body, *values in _ROWS:
            yield _request(method, prefix + path, body, *values)
    yield _request("DELETE", "/sandboxes/{sandbox}", None)


def _request(
    method: str, path: str, body: Any, values: Mapping[str, str] | None = None
) -> example.ExampleRequest:
    return example.ExampleRequest(
        method,
        _ADMIN + path.format_map({**_path_values(path), **(values or {})}),
        body,
        "har" if "format=har" in path else "example",
        operation_id=_operation_id(path.partition("?")[0], method),
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
    path, times = f"{_ADMIN}/snapshots/nightly-{{n}}", Limits.snapshots + 1
    summary = "One snapshot more"
    yield example.ExampleRequest("PUT", path, {}, "limitReached", summary, token, times)
