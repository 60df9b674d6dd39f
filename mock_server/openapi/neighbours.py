"""What the OpenAPI document says of neighbours, from their rows of the table."""

from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from mock_server.api import errors as refusals
from mock_server.api.operations.operation import Access, Neighbour, Operation
from mock_server.domain.errors import InvalidField, LimitReached, Refusal
from mock_server.openapi import JSON, JsonObject, Schemas
from mock_server.openapi.examples import ExampleResponse
from mock_server.views import Success

TAG = "neighbours"
TAGS: Sequence[JsonObject] = [
    {
        "name": TAG,
        "description": "Routes of the service that the interface description does not "
        "show. They are served with choice `neighbours=on`; else they are not found.",
    }
]
LOGINS: Mapping[str, JsonObject] = {
    "login": {"type": "apiKey", "in": "header", "name": "token"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "fastgpt_token"},
}
"""How a login is shown, with choice credentials=login_too."""
_SECURITY: Mapping[Access, list[JsonObject]] = {
    "caller": [{"bearer": []}, {"login": []}, {"cookie": []}],
    "login": [{"login": []}, {"cookie": []}],
    "anyone": [],
}
_COMMON_REFUSALS = (
    refusals.BadJson,
    InvalidField,
    refusals.RouteNotFound,
    refusals.MethodNotAllowed,
    refusals.BodyTooLarge,
    refusals.UnsupportedMediaType,
    refusals.RateLimitExceeded,
    LimitReached,
)
_PARTS: JsonObject = {
    "file": {"type": "string", "contentMediaType": "application/octet-stream"},
    "data": {"type": "string", "contentMediaType": JSON},
}
_NO_BODY = ("GET", "DELETE")
Described = Iterator[tuple[str, JsonObject]]


def envelope_of(operation: Operation) -> Any:
    """The type of what an operation answers, if that is JSON."""
    data = operation.data
    return Success[data] if operation.has_envelope else data  # type: ignore[valid-type]


def describe(
    operation: Operation, schemas: Schemas, responses: Sequence[ExampleResponse]
) -> Described:
    """The methods of a neighbour in lower case, each with what it is.

    The first has the name of the operation as its id, others the method added.
    """
    about = operation.neighbour
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
                "description": _description(operation, about),
                "security": _SECURITY[operation.access],
                **_inputs(operation, method, schemas, shown),
                "responses": _responses(operation, schemas, shown),
            },
        )


def _description(operation: Operation, about: Neighbour) -> str:
    sentences = [
        "Outside the interface description: served with choice `neighbours=on`.",
        f"In the service since {about.since}.",
        about.modelled,
        f"Where it differs: {about.differs}" if about.differs else "",
    ]
    if operation.legacy_path:
        older = "Its older path, with choice `legacy_paths=on`, is"
        sentences.append(f"{older} `{operation.legacy_path}`.")
    return " ".join(filter(None, sentences))


def _inputs(
    operation: Operation,
    method: str,
    schemas: Schemas,
    shown: Sequence[ExampleResponse],
) -> JsonObject:
    """The query of a GET or DELETE, the body of any other; both where both count."""
    schema = schemas.component(operation.body)
    if operation.media_type != JSON:
        # What the contract reads is made of the form; clients send its parts.
        schema["properties"] |= _PARTS
    takes_both = len({each in _NO_BODY for each in operation.methods}) > 1
    found: JsonObject = {}
    if method in _NO_BODY or takes_both:
        found["parameters"] = _parameters(schema, shown, is_free=takes_both)
    if method != "GET" and (method not in _NO_BODY or takes_both):
        examples = {
            each.request.name: {"value": each.request.body}
            for each in shown
            if isinstance(each.request.body, dict)
        }
        media_types = (operation.media_type,)
        content = schemas.content(operation.body, media_types, examples)
        is_needed = bool(schema.get("required")) and not takes_both
        found["requestBody"] = {"required": is_needed, "content": content}
    return found


def _parameters(
    schema: JsonObject, shown: Sequence[ExampleResponse], *, is_free: bool
) -> list[JsonObject]:
    """The fields as query parameters, with the values that they have in an example."""
    required = () if is_free else schema.get("required", ())
    values = shown[0].request.query if shown else {}
    found = []
    for name, each in schema.get("properties", {}).items():
        parameter = {"name": name, "in": "query", "required": name in required}
        parameter["schema"] = each
        if name in values:
            parameter["example"] = values[name]
        found.append(parameter)
    return found


def _responses(
    operation: Operation, schemas: Schemas, shown: Sequence[ExampleResponse]
) -> JsonObject:
    examples = {each.request.name: each.part for each in shown}
    content = schemas.content(envelope_of(operation))[JSON]
    text = {"schema": {"type": "string"}}
    by_type = {each: content if each == JSON else text for each in operation.answers}
    if examples:
        first = operation.answers[0]
        by_type[first] = by_type[first] | {"examples": examples}
    errors = schemas.error_responses(refusals_of(operation), {})
    return {
        "200": {"description": HTTPStatus.OK.phrase, "content": by_type},
        **{status: {"$ref": _reference(each)} for status, each in errors.items()},
    }


def refusals_of(operation: Operation) -> tuple[type[Refusal], ...]:
    """Everything that a neighbour may refuse a request with."""
    credentials: tuple[type[Refusal], ...] = (
        refusals.MissingAuthorization,
        refusals.UnknownKey,
    )
    if operation.access == "anyone":
        credentials = ()
    return (*_COMMON_REFUSALS, *credentials, *operation.refusals)


def error_components(
    operations: Sequence[Operation], schemas: Schemas
) -> dict[str, JsonObject]:
    """The error responses to which the described neighbours refer, by name."""
    return {
        _error_name(each): each
        for operation in operations
        for each in schemas.error_responses(refusals_of(operation), {}).values()
    }


def _reference(response: JsonObject) -> str:
    return f"#/components/responses/{_error_name(response)}"


def _error_name(response: JsonObject) -> str:
    return ".".join(sorted(response["description"].split(", ")))
