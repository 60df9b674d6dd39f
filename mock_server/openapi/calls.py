"""The requests whose responses the OpenAPI document of the operations shows."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct

from mock_server.api.operations.operation import Operation
from mock_server.domain.clock import format_time
from mock_server.domain.limits import Limits
from mock_server.openapi import JSON, JsonObject
from mock_server.openapi.examples import (
    DEMO,
    EXAMPLE_TIME,
    KEY,
    USER,
    ExampleRequest,
    ExampleSession,
)

APP, CHAT = "65d8a1f0c3b2a94e7f106a01", "invoice-copy"
DATASET, FOLDER = "6593e137231a2be9c5603ba7", "65b1c0de9d1448617cba7001"
_TALK, _ITEM = "refund-4711", "6593e137231a2be9c5603ba9"
_ROW = "3ced00f6ea5c20f80b3baaa5"


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


_NEIGHBOURS: Mapping[str, JsonObject] = {
    "getHistories": {"appId": APP, "pageSize": 2},
    "delHistory": {"appId": APP, "chatId": CHAT},
    "clearHistories": {"appId": APP},
    "batchDelete": {"appId": APP, "chatIds": [CHAT]},
    "getHistoryStatus": {"appId": APP, "chatIds": [CHAT]},
    "markRead": {"appId": APP, "chatId": CHAT},
    "init": {"appId": APP, "chatId": CHAT},
    "getPaginationRecords": {"appId": APP, "chatId": _TALK, "pageSize": 2},
    "getRecords_v2": {"appId": APP, "chatId": _TALK, "pageSize": 2},
    "completions": {
        "chatId": CHAT,
        "messages": [{"role": "user", "content": "Where is my invoice?"}],
    },
    "dataset.create": {"type": "dataset", "name": "News", "intro": "", "avatar": ""},
    "folder.create": {"name": "Archive", "intro": ""},
    "dataset.list": {"parentId": None},
    "dataset.detail": {"id": DATASET},
    "dataset.update": {"id": DATASET, "name": "Manual"},
    "dataset.delete": {"id": DATASET},
    "dataset.paths": {"sourceId": DATASET, "type": "current"},
    "collection.create": {"datasetId": DATASET, "name": "Drafts", "type": "folder"},
    "text": {"datasetId": DATASET, "name": "Note", "text": "Closed on Friday."},
    "link": {"datasetId": DATASET, "link": "https://example.com/a"},
    "localFile": {"datasetId": DATASET},
    "collection.detail": {"id": _ITEM},
    "collection.update": {"id": _ITEM, "name": "By hand"},
    "collection.delete": {"id": _ITEM},
    "collection.list": {"datasetId": DATASET, "pageNum": 1, "pageSize": 2},
    "collection.paths": {"sourceId": _ITEM},
    "scrollList": {"datasetId": DATASET, "parentId": None, "pageSize": 2},
    "trainingDetail": {"collectionId": _ITEM},
    "export": {"collectionId": _ITEM},
    "data.v2.list": {"collectionId": _ITEM, "pageSize": 2},
    "data.list": {"collectionId": _ITEM, "pageSize": 2},
    "pushData": {"collectionId": _ITEM, "data": [{"q": "Is it new?", "a": "Yes."}]},
    "insertData": {"collectionId": _ITEM, "q": "Is it new?", "a": "Yes."},
    "data.detail": {"id": _ROW},
    "data.update": {"dataId": _ROW, "q": "Are you open today?"},
    "data.delete": {"id": _ROW},
    "searchTest": {"datasetId": DATASET, "text": "open"},
    "preLogin": {"username": USER},
    "tokenLogin": {},
    "getInitData": {},
    "getTeamPlanStatus": {},
}
"""Fields of a valid request of a neighbour, by the name of the operation."""
_IN_QUERY = ("GET", "DELETE")
_ON = {"neighbours": "on", "credentials": "login_too"}
_RESET = ExampleRequest("POST", "/__admin/reset", {})
# Codes and ids that go by the time are then the same on every server.
_STOP = {"now": format_time(EXAMPLE_TIME), "frozen": True}
_FREEZE = ExampleRequest("PUT", "/__admin/clock", _STOP)


def _examples(operation: Operation) -> Sequence[OperationExample]:
    """The examples of an operation. Without any, the document has just its types."""
    return _EXAMPLES.get(operation.name, ())


def valid_request(operation: Operation, sandbox: str = "default") -> ExampleRequest:
    """The first example of an operation, to prepare others with.

    Raises IndexError if it has none.
    """
    if operation.neighbour is not None:
        return of_neighbour(operation)[0]
    body = _examples(operation)[0].body
    return ExampleRequest(operation.method, operation.path, body, sandbox=sandbox)


def sessions(operations: Collection[Operation]) -> list[ExampleSession]:
    """All requests whose responses the document shows."""
    around = [each for each in operations if each.neighbour is not None]
    # Each begins with what the fixture has, so that none depends on those before.
    lists = ([_FREEZE, *of_neighbour(each), _RESET] for each in around)
    requests_around = [request for each in lists for request in each]
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
        ExampleSession(requests_around, choices=_ON),
    ]


_FORM_TYPE = "multipart/form-data; boundary=cut"


def _form(fields: JsonObject) -> bytes:
    """A small text file with these fields as a form (RFC 7578)."""
    part = '--cut\r\nContent-Disposition: form-data; name="{}"{}\r\n\r\n{}\r\n'
    parts = [part.format(name, "", value) for name, value in fields.items()]
    parts.append(part.format("file", '; filename="hours.txt"', "Open from 9 to 17."))
    return ("".join(parts) + "--cut--\r\n").encode()


def of_neighbour(operation: Operation) -> list[ExampleRequest]:
    """The one example of a neighbour, if there is one."""
    if operation.name not in _NEIGHBOURS:
        return []
    fields, headers = _NEIGHBOURS[operation.name], {}
    in_query = operation.method in _IN_QUERY
    body: JsonObject | bytes | None = None if in_query else fields
    if operation.media_type != JSON:
        body, headers = _form(fields), {"content-type": _FORM_TYPE}
    query = f"?{urlencode(fields)}" if in_query and fields else ""
    path = operation.path + query
    is_logged_in = operation.access == "login"
    return [
        _request(
            operation,
            "answer",
            operation.summary,
            body,
            path=path,
            headers=headers,
            is_logged_in=is_logged_in,
        )
    ]


def _request(
    operation: Operation, name: str, summary: str, body: Any, **fields: Any
) -> ExampleRequest:
    return ExampleRequest(
        **{"method": operation.method, "path": operation.path, **fields},
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
