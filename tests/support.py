"""What the tests share: a small fixture document and a client that speaks it."""

from __future__ import annotations

import gc
import ssl
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.api.fixture_loading import ServedOperations
from mock_server.app import Application
from mock_server.domain.limits import Limits
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.sandboxes.sandbox import Sandbox
from mock_server.fixture.load import read_draft
from mock_server.fixture.source.files import Content

ROOT = Path(__file__).parent.parent
PIN = "/api/core/chat/history/updateHistory"
LEGACY_PIN = "/api/core/chat/updateHistory"
LIST = "/api/core/dataset/collection/listV2"
APP, CHAT, DATASET = "app-1", "chat-1", "dataset-1"
FROZEN = "2026-01-01T00:00:00.000Z"
SECONDS = 60.0
"""No limit of anything: ends what hangs, on machines that are busy too."""
PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""`verify` of clients that speak plain HTTP: without it, each takes 17 ms to read the
certificates of the machine."""

LIBRARY: dict[str, Any] = {
    "clock": FROZEN,
    "apps": [
        {"id": APP, "chats": [{"chatId": CHAT}, {"chatId": "chat-2", "top": True}]},
        {"id": "app-2", "chats": [{"chatId": "other"}]},
    ],
    "datasets": [
        {
            "id": DATASET,
            "collections": [
                {
                    "_id": "folder",
                    "name": "Folder",
                    "updateTime": "2024-01-04T00:00:00Z",
                    "children": [
                        {"_id": "inner", "name": "Alpha inside", "tags": ["red"]},
                        {
                            "_id": "deep",
                            "name": "Deep folder",
                            "updateTime": "2024-01-05T00:00:00Z",
                            "children": [{"_id": "bottom", "name": "alpha bottom"}],
                        },
                    ],
                },
                {"_id": "b", "name": "Beta", "tags": ["red", "blue"]},
                {
                    "_id": "a",
                    "name": "ALPHA",
                    "updateTime": "2024-01-03T00:00:00Z",
                    "createTime": "2023-01-01T00:00:00Z",
                    "fileId": "file-1",
                    "rawLink": "https://example.com",
                    "hasError": True,
                    "forbid": True,
                },
                {"_id": "c", "name": "Gamma", "updateTime": "2024-01-02T00:00:00Z"},
            ],
        },
        {"id": "dataset-2", "collections": [{"_id": "else", "name": "Elsewhere"}]},
    ],
}


class Api:
    """A client of one server and a look at the sandbox behind it."""

    def __init__(self, client: httpx2.Client, sandbox: Sandbox) -> None:
        self.client = client
        self.sandbox = sandbox

    def pin(self, key: str | None = "any-key", **fields: Any) -> httpx2.Response:
        """Pin chat-1 of app-1, fields replaced; `...` leaves one out."""
        body = {"appId": APP, "chatId": CHAT, "top": True} | fields
        return self.send("PUT", PIN, _present(body), key)

    def list_v2(self, key: str | None = "any-key", **fields: Any) -> httpx2.Response:
        """List dataset-1 from offset 0, fields replaced; `...` leaves one out."""
        body = {"offset": 0, "datasetId": DATASET} | fields
        return self.send("POST", LIST, _present(body), key)

    def send(
        self, method: str, path: str, body: object, key: str | None = "any-key"
    ) -> httpx2.Response:
        """Any request with a JSON body."""
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        return self.client.request(method, path, json=body, headers=headers)

    def admin(self, method: str, path: str, body: Any = None) -> httpx2.Response:
        """A call of the admin API; POST and PUT have an empty object as their body."""
        if method in ("POST", "PUT") and body is None:
            body = {}
        return self.client.request(method, f"/__admin{path}", json=body)

    def journal(self, **query: Any) -> list[dict[str, Any]]:
        """The entries of the default sandbox's journal."""
        found = self.client.get("/__admin/journal", params=query).json()["entries"]
        return list(found)

    def ids(self, **fields: Any) -> list[str]:
        """The ids of a page."""
        response = self.list_v2(**fields)
        assert response.status_code == 200, response.text
        return [item["_id"] for item in response.json()["data"]["list"]]

    def top(self, chat_id: str = CHAT, app_id: str = APP) -> bool | None:
        """The pin state of a chat; None if there is none."""
        chat = self.sandbox.chat(app_id, chat_id)
        return None if chat is None else chat.top

    def state(self) -> list[object]:
        """Everything that a request could have changed."""
        store = self.sandbox.store
        return [chat for app in store.apps() for chat in store.chats(app)]


class Switch:
    """An application that is another one's face, so that one socket serves many."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, send)


def client_of(url: str, **options: Any) -> httpx2.Client:
    """A client of a server that speaks plain HTTP."""
    return httpx2.Client(base_url=url, verify=PLAIN, timeout=SECONDS, **options)


def fetch(method: str, url: str, **options: Any) -> httpx2.Response:
    """The answer to one request of plain HTTP."""
    return httpx2.request(method, url, verify=PLAIN, timeout=SECONDS, **options)


def wait(condition: Callable[[], Any]) -> Any:
    """What a condition gives once it is true."""
    end, pause = time.monotonic() + SECONDS, 0.005
    while not (found := condition()):
        assert time.monotonic() < end, "this has not come true"
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)
    return found


@contextmanager
def settled() -> Iterator[None]:
    """Meanwhile the collector of garbage leaves alone what is there now.

    It would take its time at any moment, and the longer the more tests have run before.
    It is not frozen: to thaw it would thaw all that the run has frozen, too, and a pass
    over that takes half a second, or five beside others.
    """
    gc.collect()
    before = gc.get_threshold()
    gc.set_threshold(*before[:2], 2**31 - 1)  # passes over the oldest: none
    try:
        yield
    finally:
        gc.set_threshold(*before)


def first(count: int, values: Iterable[Any]) -> list[Any]:
    """Of values so many for CI, the others for runs before a release."""
    found = list(values)
    more = (pytest.param(each, marks=pytest.mark.full) for each in found[count:])
    return [*found[:count], *more]


def chunks(size: int, piece: int = 65_536) -> Iterator[bytes]:
    """A body of that size, to be sent in pieces."""
    for start in range(0, size, piece):
        yield b" " * min(piece, size - start)


def _present(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if value is not ...}


def is_pinned(app: Application) -> bool:
    """Whether the first chat of the fixture of these tests is pinned."""
    chat = app.sandbox.chat("app-1", "chat-1")
    assert chat is not None
    return chat.top


def load_text(content: bytes, name: str = "x", *, is_json: bool) -> FixtureData:
    """What a fixture file of that content holds."""
    return read_draft(
        [Content(name, is_json, content)], Limits(), ServedOperations()
    ).build()


def message_of(envelope: Any) -> str:
    """The message of an error; of wrong fields in the service's form, what each is."""
    issues = envelope.get("zodError")
    if issues is None:
        return str(envelope["message"])
    assert envelope["message"] == "Data validation error"
    return "; ".join(each["message"] for each in issues)
