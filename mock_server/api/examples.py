"""Examples of the OpenAPI documents: requests, of which a server gives the answers.

Nobody writes an answer down. When a document is made, a server over the shipped
fixtures is asked in process, in the order of a tour.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
from starlette.types import ASGIApp, Message

from mock_server.api.operations import OPERATIONS, Operation
from mock_server.domain.limits import LIMITS

APP, CHAT = "65d8a1f0c3b2a94e7f106a01", "invoice-copy"
DATASET, FOLDER = "6593e137231a2be9c5603ba7", "65b1c0de9d1448617cba7001"
DEMO, KEY = "demo.yaml", "fastgpt-any-key"
EXAMPLE_TIME = 1775034000000
"""2026-04-01T09:00:00.000Z: when all examples happen."""
_TOO_LARGE = b" " * (LIMITS.body_bytes + 1)
_DURATION = re.compile(rb'(?<="durationMs":)[0-9.e-]+')


@dataclass(frozen=True, slots=True)
class Example:
    """A request. `name` is what documents call its answer; one without a name only
    leads to what others show.

    `body` is sent as JSON, bytes as they are. A header that is None is left out. Of
    a request that is sent several `times` the last answer counts; `{n}` in its path is
    the number. `route` is the path as the document has it. The key is one of
    `sandbox` if that is named.
    """

    method: str
    path: str
    body: Any = None
    name: str = ""
    summary: str = ""
    headers: Mapping[str, str | None] = field(default_factory=dict)
    times: int = 1
    route: str = ""
    sandbox: str = ""

    @property
    def content(self) -> bytes:
        """The body as it is sent."""
        if self.body is None or isinstance(self.body, bytes):
            return self.body or b""
        return msgspec.json.encode(self.body)

    def sent_headers(self, key: str) -> dict[str, str]:
        """All headers that are sent, with that key."""
        sent: dict[str, str | None] = {"host": "localhost:8000"}
        if not self.path.startswith("/__admin"):
            sent["authorization"] = f"Bearer {key}"
        if self.body is not None:
            sent["content-type"] = "application/json"
        sent |= self.headers
        return {name: value for name, value in sent.items() if value is not None}


class Tour(NamedTuple):
    """Requests to a server of their own, one after the other."""

    examples: Sequence[Example]
    fixture: str = DEMO
    admin_token: str | None = None


class Recorded(NamedTuple):
    """An example, and what a server answered to it."""

    example: Example
    status: int
    body: bytes

    @property
    def part(self) -> dict[str, Any]:
        """The answer as an example object of OpenAPI."""
        value = msgspec.json.decode(self.body)
        summary = {"summary": self.example.summary} if self.example.summary else {}
        return summary | {"value": value}


Record = Callable[[Sequence[Tour]], Sequence[Recorded]]
"""Takes tours, and gives what was answered to the examples with a name."""


def no_answers(_: Sequence[Tour]) -> Sequence[Recorded]:
    """Records nothing, for whoever needs no examples."""
    return ()


async def recorded(app: ASGIApp, tour: Tour) -> list[Recorded]:
    """What an application answers on a tour."""
    found, keys = [], {"": KEY}
    for example in tour.examples:
        for n in range(1, example.times + 1):
            status, body = await ask(app, example, keys[example.sandbox], n)
        if example.name:
            # The one thing of an answer that no two servers have in common.
            found.append(Recorded(example, status, _DURATION.sub(b"0.25", body)))
        if status == 201 and example.path == _SANDBOXES:
            made = msgspec.json.decode(body)
            keys[made["name"]] = made["key"]
    return found


async def ask(
    app: ASGIApp, example: Example, key: str = KEY, n: int = 1
) -> tuple[int, bytes]:
    """The status and the body that an application answers, without a socket."""
    path, _, query = example.path.format(n=n).partition("?")
    headers = example.sent_headers(key).items()
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": example.content}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": example.method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [
            *((name.encode(), value.encode()) for name, value in headers),
            (b"content-length", b"%d" % len(example.content)),
        ],
    }
    await app(scope, receive, send)
    return sent[0]["status"], b"".join(each.get("body", b"") for each in sent)


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
_FAULTS, _SANDBOXES = "/__admin/faults", "/__admin/sandboxes"


def public_tours() -> list[Tour]:
    """The requests of which the operations' document shows the answers."""
    operations = OPERATIONS.values()
    return [
        Tour([each for operation in operations for each in _examples(operation)]),
        Tour([_forbidden(operation) for operation in operations], "permissions.yaml"),
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


def _forbidden(operation: Operation) -> Example:
    body, summary = _FORBIDDEN[operation.name], "A key without read permission"
    method, path = operation.method, operation.path
    return Example(method, path, body, "forbidden", summary, _OUTSIDER)
