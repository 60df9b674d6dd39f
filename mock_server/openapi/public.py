"""The OpenAPI document of the operations, and the requests whose responses it shows."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from msgspec import Struct

from mock_server.api import errors as refusals
from mock_server.api.operations.operation import Operation
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.errors import InvalidField, LimitReached
from mock_server.domain.limits import Limits
from mock_server.openapi import NUMBER, TEXT, JsonObject, Schemas, frame
from mock_server.openapi.examples import (
    DEMO,
    KEY,
    ExampleRequest,
    ExampleResponse,
    ExampleSession,
    run_examples,
)
from mock_server.views import Success

APP, CHAT = "65d8a1f0c3b2a94e7f106a01", "invoice-copy"
DATASET, FOLDER = "6593e137231a2be9c5603ba7", "65b1c0de9d1448617cba7001"
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
    schemas = Schemas([*bodies, *(_envelope(each) for each in table)])
    for body in bodies:
        # Choice unknown_fields: the profile that is described ignores them.
        schemas.component(body).pop("additionalProperties", None)
    responses = run_examples(sessions(table))
    paths: JsonObject = {}
    for each in table:
        # Not by path: operations may share one.
        own = [one for one in responses if one.request.operation_id == each.name]
        described = _operation(each, schemas, own)
        paths.setdefault(each.path, {})[each.method.lower()] = described
    return frame(
        "FastGPT mock server",
        "Operations of FastGPT, answered from memory. Error answers are those of "
        "profile `documented`, examples those of the shipped fixtures.",
        paths,
        {"schemas": schemas.components},
    )


def _envelope(operation: Operation) -> Any:
    return Success[operation.data]  # type: ignore[name-defined]


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
            "content": schemas.content(_envelope(operation), examples=successes),
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


class OperationExample(Struct, frozen=True):
    """A request of an operation; `name` is the statusText if it is refused."""

    name: str
    summary: str
    body: JsonObject
    fixture: str = DEMO
    key: str = KEY


def _forbidden(body: JsonObject) -> OperationExample:
    summary = "A key without read permission"
    key = "fastgpt-outsider"
    return OperationExample("forbidden", summary, body, "permissions.yaml", key)


_PIN = {"appId": APP, "chatId": CHAT, "top": True}
_PAGE = {"offset": 0, "pageSize": 2, "datasetId": DATASET, "parentId": None}
_SEARCH = {
    "offset": 0,
    "datasetId": DATASET,
    "parentId": FOLDER,
    "searchText": "INSTALL",
}
_EXAMPLES: Mapping[str, Sequence[OperationExample]] = {
    "updateHistory": (
        OperationExample("pinned", "Pin a chat", _PIN),
        OperationExample("unpinned", "Unpin it", _PIN | {"top": False}),
        OperationExample(
            "invalidField", "A field of another type", _PIN | {"top": "yes"}
        ),
        OperationExample("appNotFound", "An unknown app", _PIN | {"appId": "none"}),
        OperationExample("chatNotFound", "An unknown chat", _PIN | {"chatId": "none"}),
        _forbidden(_PIN | {"appId": "65e000000000000000000002", "chatId": "secret"}),
    ),
    "listV2": (
        OperationExample(
            "topLevel", "The first two collections of the top level", _PAGE
        ),
        OperationExample("search", "What matches in a folder", _SEARCH),
        OperationExample(
            "invalidField", "A page of more than 30", _PAGE | {"pageSize": 50}
        ),
        OperationExample(
            "datasetNotFound", "An unknown dataset", _PAGE | {"datasetId": "none"}
        ),
        OperationExample(
            "parentNotFound", "An unknown folder", _PAGE | {"parentId": "none"}
        ),
        _forbidden(_PAGE | {"datasetId": "65e0000000000000000000d1"}),
    ),
}
"""Examples by the name of their operation; the first of each is not refused."""

_FAULTS = "/__admin/faults"
_LITTLE_MEMORY = 1024 * 1024


def _examples(operation: Operation) -> Sequence[OperationExample]:
    """The examples of an operation. Without any, the document has just its types."""
    return _EXAMPLES.get(operation.name, ())


def valid_request(operation: Operation, sandbox: str = "default") -> ExampleRequest:
    """The first example of an operation, to prepare others with."""
    body = _examples(operation)[0].body
    return ExampleRequest(operation.method, operation.path, body, sandbox=sandbox)


def sessions(operations: Collection[Operation]) -> list[ExampleSession]:
    """All requests whose responses the document shows."""
    shown = [each for each in operations if _examples(each)]
    requests: dict[str, list[ExampleRequest]] = {}
    for operation in shown:
        for example in _examples(operation):
            requests.setdefault(example.fixture, []).append(
                _request(
                    operation,
                    example.name,
                    example.summary,
                    example.body,
                    headers={"authorization": f"Bearer {example.key}"},
                )
            )
    errors = [each for operation in shown for each in _common_errors(operation)]
    too_much = [_over_memory(operation) for operation in shown]
    return [
        *(ExampleSession(each, fixture) for fixture, each in requests.items()),
        ExampleSession(errors),
        ExampleSession(too_much, memory=_LITTLE_MEMORY),
    ]


def _request(
    operation: Operation, name: str, summary: str, body: Any, **fields: Any
) -> ExampleRequest:
    return ExampleRequest(
        **{"method": operation.method, **fields},
        path=operation.path,
        body=body,
        name=name,
        summary=summary,
        operation_id=operation.name,
    )


def _common_errors(operation: Operation) -> Iterator[ExampleRequest]:
    """Requests that every operation refuses alike."""
    yield _request(operation, "badJson", "A body cut short", b'{"offset": 0')
    yield _request(operation, "methodNotAllowed", "Another method", None, method="GET")
    too_large = b" " * (Limits.body_bytes + 1)
    yield _request(operation, "bodyTooLarge", "Over 1 MiB", too_large)
    for name, header, value in (
        ("unauthorized", "authorization", None),
        ("unsupportedMediaType", "content-type", "text/plain"),
    ):
        summary = f"No {header} header" if value is None else f"{header}: {value}"
        # Refused before any field is looked at (spec 5).
        yield _request(operation, name, summary, b"{}", headers={header: value})
    limit = {"kind": "rate_limit", "limit": 1, "window": 60}
    yield ExampleRequest("POST", _FAULTS, limit)
    first = valid_request(operation)
    yield first
    # The same again: one more than the limit.
    summary = "While a fault limits the rate"
    yield _request(operation, "rateLimited", summary, first.body)
    # The next operation is asked in the same session.
    yield ExampleRequest("DELETE", _FAULTS)


def _over_memory(operation: Operation) -> ExampleRequest:
    # Within the limit of a body, but more than the demo leaves of the memory.
    body = b" " * (_LITTLE_MEMORY * 3 // 4)
    return _request(
        operation, "limitReached", "A body for which there is no memory", body
    )
