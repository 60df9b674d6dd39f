"""The OpenAPI document of the operations, and the requests whose responses it shows."""

from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from mock_server.api import errors as refusals
from mock_server.api.operations.operation import Operation
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.errors import InvalidField, LimitReached
from mock_server.openapi import BEARER, NUMBER, TEXT, JsonObject, Schemas, frame
from mock_server.openapi import neighbours as around
from mock_server.openapi.calls import sessions
from mock_server.openapi.examples import ExampleResponse, run_examples

_COMMON_REFUSALS = (
    refusals.BadJson,
    InvalidField,
    refusals.MissingAuthorization,
    refusals.UnknownKey,
    refusals.MethodNotAllowed,
    refusals.BodyTooLarge,
    refusals.UnsupportedMediaType,
    refusals.RateLimitExceeded,
    LimitReached,
)
_HEADERS = {"X-Mock-Sandbox": TEXT, "X-Mock-Generation": NUMBER}


def make(operations: Mapping[str, Operation] = OPERATIONS) -> JsonObject:
    """The document of these operations, which are by name."""
    table = operations.values()
    bodies = [each.body for each in table]
    schemas = Schemas([*bodies, *map(around.envelope_of, table)])
    for body in bodies:
        # Choice unknown_fields: the profile that is described ignores them.
        schemas.component(body).pop("additionalProperties", None)
    responses = run_examples(sessions(table))
    paths: JsonObject = {}
    for each in table:
        # Not by path: operations may share one.
        own = [one for one in responses if one.request.operation_id == each.name]
        paths.setdefault(each.path, {}).update(
            {each.method.lower(): _operation(each, schemas, own)}
            if each.neighbour is None
            else around.describe(each, schemas, own)
        )
    components: JsonObject = {"schemas": schemas.components}
    neighbours = [each for each in table if each.neighbour is not None]
    if neighbours:
        components["responses"] = around.error_components(neighbours, schemas)
        components["securitySchemes"] = {**BEARER, **around.LOGINS}
    used = dict(_used(components["schemas"], [paths, components.get("responses")]))
    components["schemas"] = dict(sorted(used.items()))
    document = frame(
        "FastGPT mock server",
        "Operations of FastGPT, answered from memory. Error answers are those of "
        "profile `documented`, examples those of the shipped fixtures.",
        paths,
        components,
    )
    return document | ({"tags": around.TAGS} if neighbours else {})


def _used(schemas: JsonObject, where: Any) -> Iterator[tuple[str, Any]]:
    """The schemas that something refers to, and those to which they refer."""
    found: set[str] = set()
    waiting = [where]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.values()
            name = str(value.get("$ref", "")).rpartition("/")[2]
            if name in schemas and name not in found:
                found.add(name)
                waiting.append(schemas[name])
                yield name, schemas[name]
        elif isinstance(value, list):
            waiting += value


def _operation(
    operation: Operation, schemas: Schemas, responses: Sequence[ExampleResponse]
) -> JsonObject:
    examples = {each.request.name: each.part for each in responses}
    done = [each.request for each in responses if each.status == HTTPStatus.OK]
    bodies = {each.name: {"summary": each.summary, "value": each.body} for each in done}
    successes = {each.name: examples[each.name] for each in done}
    described = {
        "200": {
            "description": HTTPStatus.OK.phrase,
            "content": schemas.content(
                around.envelope_of(operation), examples=successes
            ),
        },
        **schemas.error_responses((*_COMMON_REFUSALS, *operation.refusals), examples),
    }
    for response in described.values():
        response["headers"] = _HEADERS | response.get("headers", {})
    return {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": f"Section {operation.section} of the interface description.",
        "requestBody": {
            "required": True,
            "content": schemas.content(operation.body, examples=bodies),
        },
        "responses": described,
    }
