"""The OpenAPI document of the operations, and what it says of related routes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Struct

from mock_server.api import errors as refusals
from mock_server.api.operations.operation import (
    ANY_TYPE,
    Access,
    Operation,
    RelatedRoute,
)
from mock_server.api.operations.related.route import read_body
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.errors import InvalidField, LimitReached, Refusal
from tests import openapi
from tests.openapi.examples import ExampleResponse, run_examples, sessions

T = TypeVar("T")


class Success(Struct, Generic[T], rename="camel"):
    """The envelope of a success."""

    # Spec 2.3, with the constants of spec 4.1. A field without a default has to come
    # first; to JSON the order means nothing.
    data: T
    code: Literal[200] = 200
    status_text: Literal[""] = ""
    message: Literal[""] = ""


_HEADERS = {"X-Mock-Sandbox": openapi.TEXT, "X-Mock-Generation": openapi.NUMBER}

TAG = "related_routes"
_TAGS: Sequence[openapi.JsonObject] = [
    {
        "name": TAG,
        "description": "Routes of the service that the spec does not "
        "show. With choice `related_routes=off` they are not found.",
    }
]
_LOGINS: Mapping[str, openapi.JsonObject] = {
    "login": {"type": "apiKey", "in": "header", "name": "token"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "fastgpt_token"},
}
"""How a login is shown."""
_SECURITY: Mapping[Access, list[openapi.JsonObject]] = {
    "caller": [{"bearer": []}, {"login": []}, {"cookie": []}],
    "login": [{"login": []}, {"cookie": []}],
    "anyone": [],
    "address": [],
    "visitor": [{"bearer": []}, {"login": []}, {"cookie": []}, {}],
    "link": [],
}
_COMMON_REFUSALS = (
    refusals.BadJson,
    InvalidField,
    refusals.MethodNotAllowed,
    refusals.BodyTooLarge,
    refusals.UnsupportedMediaType,
    refusals.RateLimitExceeded,
    LimitReached,
)
_PARTS: openapi.JsonObject = {
    "file": {"type": "string", "contentMediaType": "application/octet-stream"},
    "data": {"type": "string", "contentMediaType": openapi.JSON},
}
_NO_BODY = ("GET", "DELETE")


def make(operations: Mapping[str, Operation] = OPERATIONS) -> openapi.JsonObject:
    """The document of these operations, which are by name."""
    table = operations.values()
    bodies = [each.contract.fields for each in table]
    schemas = openapi.Schemas([*bodies, *map(_envelope_of, table)])
    for body in bodies:
        # Choice unknown_fields: the profile that is described ignores them.
        schemas.component(body).pop("additionalProperties", None)
    responses = run_examples(sessions(table))
    paths: openapi.JsonObject = {}
    for each in table:
        # Not by path: operations may share one.
        own = [one for one in responses if one.request.operation_id == each.name]
        paths.setdefault(each.path, {}).update(
            {each.method.lower(): _operation(each, schemas, own)}
            if each.related is None
            else _related(each, schemas, own)
        )
    components: openapi.JsonObject = {"schemas": {}}
    has_related = any(each.related is not None for each in table)
    if has_related:
        components["responses"] = schemas.errors
        components["securitySchemes"] = {**openapi.BEARER, **_LOGINS}
    where = [paths, components.get("responses")]
    components["schemas"] = _used(schemas.components, where)
    document = openapi.frame(
        "FastGPT mock server",
        "Operations of FastGPT, answered from memory. Error answers are those of "
        "profile `documented`, examples those of the shipped fixtures.",
        paths,
        components,
    )
    return document | ({"tags": _TAGS} if has_related else {})


def _used(schemas: openapi.JsonObject, where: Any) -> openapi.JsonObject:
    """The schemas that something refers to, and those to which they refer, by name."""
    text = msgspec.json.encode([where, schemas]).decode()
    used = {k: v for k, v in sorted(schemas.items()) if f'/schemas/{k}"' in text}
    # Of what is left out, something else may have been a part.
    return used if len(used) == len(schemas) else _used(used, where)


def _operation(
    operation: Operation, schemas: openapi.Schemas, responses: Sequence[ExampleResponse]
) -> openapi.JsonObject:
    examples = {each.request.name: each.part for each in responses}
    contract = operation.contract
    done = [each.request for each in responses if each.status == HTTPStatus.OK]
    bodies = {each.name: {"summary": each.summary, "value": each.body} for each in done}
    successes = {each.name: examples[each.name] for each in done}
    described = {
        "200": {
            "description": HTTPStatus.OK.phrase,
            "content": schemas.content(_envelope_of(operation), examples=successes),
        },
        **schemas.error_responses(_refusals_of(operation), examples),
    }
    for response in described.values():
        response["headers"] = _HEADERS | response.get("headers", {})
    return {
        "operationId": operation.name,
        "summary": operation.summary,
        **openapi.labels(operation.chinese),
        "description": f"Section {contract.section} of the spec.",
        "requestBody": {
            "required": True,
            "content": schemas.content(contract.fields, examples=bodies),
        },
        "responses": described,
    }


def _envelope_of(operation: Operation) -> Any:
    """The type of what an operation answers, if that is JSON."""
    data = operation.data_type
    return Success[data] if operation.has_envelope else data  # type: ignore[valid-type]


def _related(
    operation: Operation, schemas: openapi.Schemas, responses: Sequence[ExampleResponse]
) -> Iterator[tuple[str, openapi.JsonObject]]:
    """The methods of a related route in lower case, each with what it is.

    The first has the name of the operation as its id, others the method added.
    """
    about = operation.related
    if about is None:
        return
    for method in operation.methods:
        is_first = method == operation.method
        name = operation.name if is_first else f"{operation.name}.{method.lower()}"
        shown = [each for each in responses if each.request.method == method]
        yield (
            method.lower(),
            {
                "operationId": name,
                "tags": [TAG],
                "summary": operation.summary,
                **openapi.labels(operation.chinese),
                "description": _description(operation, about),
                "security": _SECURITY[operation.access],
                **_inputs(operation, method, schemas, shown),
                "responses": _responses(operation, schemas, shown),
            },
        )


def _description(operation: Operation, about: RelatedRoute) -> str:
    sentences = [
        "Outside the spec: off with choice `related_routes=off`.",
        f"In the service since {about.since}.",
        about.behaviour,
        f"Differences: {about.differences}" if about.differences else "",
    ]
    if operation.access == "visitor":
        link = "`outLinkAuthData: {shareId, outLinkUid}` of a share link"
        sentences.append(f"{link} can replace a key and `appId`.")
    if operation.legacy_path:
        older = f"Its older path, `{operation.legacy_path}`, takes POST too"
        sentences.append(f"{older}; it is off with choice `legacy_paths=off`.")
    return " ".join(filter(None, sentences))


def _inputs(
    operation: Operation,
    method: str,
    schemas: openapi.Schemas,
    shown: Sequence[ExampleResponse],
) -> openapi.JsonObject:
    """The query of a GET or DELETE, the body of any other; both where both count."""
    schema = schemas.component(operation.contract.fields)
    at_end = re.findall(r"\{(\w+)\}", operation.path)
    found: openapi.JsonObject = {}
    if at_end:
        found["parameters"] = [
            {
                "name": name,
                "in": "path",
                "required": True,
                "schema": openapi.TEXT["schema"],
            }
            for name in at_end
        ]
    if operation.media_type == ANY_TYPE:
        content = {ANY_TYPE: {"schema": {"type": "string", "format": "binary"}}}
        return found | {"requestBody": {"required": True, "content": content}}
    if operation.media_type != openapi.JSON:
        # What the contract reads is made of the form; clients send its parts.
        schema["properties"] |= _PARTS
    takes_both = len({each in _NO_BODY for each in operation.methods}) > 1
    is_short = method in _NO_BODY and operation.read_fields is not read_body
    if is_short or takes_both:
        values = shown[0].request.query if shown else {}
        found["parameters"] = found.get("parameters", []) + [
            each
            | ({"required": False} if takes_both else {})
            | ({"example": values[each["name"]]} if each["name"] in values else {})
            for each in openapi.query_parameters(schema)
            if each["name"] not in at_end
        ]
    if method != "GET" and (not is_short or takes_both):
        examples = {
            each.request.name: {"value": each.request.body}
            for each in shown
            if isinstance(each.request.body, dict)
        }
        media_types = (operation.media_type,)
        content = schemas.content(operation.contract.fields, media_types, examples)
        is_needed = bool(schema.get("required")) and not takes_both
        found["requestBody"] = {"required": is_needed, "content": content}
    return found


def _responses(
    operation: Operation, schemas: openapi.Schemas, shown: Sequence[ExampleResponse]
) -> openapi.JsonObject:
    examples = {each.request.name: each.part for each in shown}
    content = schemas.content(_envelope_of(operation))[openapi.JSON]
    by_type = {
        each: content if each == openapi.JSON else openapi.TEXT
        for each in operation.response_types
    }
    if examples:
        first = operation.response_types[0]
        by_type[first] = by_type[first] | {"examples": examples}
    return {
        "200": {"description": HTTPStatus.OK.phrase, "content": by_type},
        **schemas.error_references(_refusals_of(operation), {}),
    }


def _refusals_of(operation: Operation) -> tuple[type[Refusal], ...]:
    """Everything that an operation may refuse a request with."""
    further: list[type[Refusal]] = []
    if operation.related is not None:
        further.append(refusals.RouteNotFound)
    if _SECURITY[operation.access]:
        further += refusals.MissingAuthorization, refusals.UnknownKey
    return (*_COMMON_REFUSALS, *further, *operation.refusals)
