"""The requests of which the operations' document shows the answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mock_server.api.operations.operation import Operation
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.limits import LIMITS
from mock_server.openapi.examples import Example, ExampleSession

APP, CHAT = "65d8a1f0c3b2a94e7f106a01", "invoice-copy"
DATASET, FOLDER = "6593e137231a2be9c5603ba7", "65b1c0de9d1448617cba7001"
_LITTLE = 1024 * 1024
_TOO_LARGE = b" " * (LIMITS.body_bytes + 1)
_PIN = {"appId": APP, "chatId": CHAT, "top": True}
_PAGE = {"offset": 0, "pageSize": 2, "datasetId": DATASET, "parentId": None}
_SEARCH = {
    "offset": 0,
    "datasetId": DATASET,
    "parentId": FOLDER,
    "searchText": "INSTALL",
}
_SHOWN: Mapping[str, Mapping[str, tuple[str, object]]] = {
    "updateHistory": {
        "pinned": ("Pin a chat", _PIN),
        "unpinned": ("Unpin it", _PIN | {"top": False}),
        "invalidField": ("A field of another type", _PIN | {"top": "yes"}),
        "appNotFound": ("An unknown app", _PIN | {"appId": "none"}),
        "chatNotFound": ("An unknown chat", _PIN | {"chatId": "none"}),
    },
    "listV2": {
        "topLevel": ("The first two collections of the top level", _PAGE),
        "search": ("What matches in a folder", _SEARCH),
        "invalidField": ("A page of more than 30", _PAGE | {"pageSize": 50}),
        "datasetNotFound": ("An unknown dataset", _PAGE | {"datasetId": "none"}),
        "parentNotFound": ("An unknown folder", _PAGE | {"parentId": "none"}),
    },
}
_FORBIDDEN: Mapping[str, object] = {
    "updateHistory": _PIN | {"appId": "65e000000000000000000002", "chatId": "secret"},
    "listV2": _PAGE | {"datasetId": "65e0000000000000000000d1"},
}
_OUTSIDER = {"authorization": "Bearer fastgpt-outsider"}
_FAULTS = "/__admin/faults"


def public_tours() -> list[ExampleSession]:
    """The requests of which the operations' document shows the answers."""
    operations = OPERATIONS.values()
    return [
        ExampleSession(
            [each for operation in operations for each in _examples(operation)]
        ),
        ExampleSession(
            [_forbidden(operation) for operation in operations], "permissions.yaml"
        ),
        ExampleSession(
            [_too_much(operation) for operation in operations], memory=_LITTLE
        ),
    ]


def _examples(operation: Operation) -> Iterator[Example]:
    method, path = operation.method, operation.path
    for name, (summary, body) in _SHOWN[operation.name].items():
        yield Example(method, path, body, name, summary)
    yield Example(method, path, b'{"offset": 0', "badJson", "A body cut short")
    yield Example("GET", path, None, "methodNotAllowed", "Another method")
    yield Example(method, path, _TOO_LARGE, "bodyTooLarge", "Over 1 MiB")
    for name, header, value in (
        ("unauthorized", "authorization", None),
        ("unsupportedMediaType", "content-type", "text/plain"),
    ):
        summary = f"No {header} header" if value is None else f"{header}: {value}"
        yield Example(method, path, b"{}", name, summary, {header: value})
    limit = {"kind": "rate_limit", "limit": 1, "window": 60}
    yield Example("POST", _FAULTS, limit)
    body = next(iter(_SHOWN[operation.name].values()))[1]
    summary = "While a fault limits the rate"
    yield Example(method, path, body, "rateLimited", summary, times=2)
    yield Example("DELETE", _FAULTS)


def _too_much(operation: Operation) -> Example:
    body, summary = b" " * (_LITTLE * 3 // 4), "A body for which there is no memory"
    method, path = operation.method, operation.path
    return Example(method, path, body, "limitReached", summary)


def _forbidden(operation: Operation) -> Example:
    body, summary = _FORBIDDEN[operation.name], "A key without read permission"
    method, path = operation.method, operation.path
    return Example(method, path, body, "forbidden", summary, _OUTSIDER)
