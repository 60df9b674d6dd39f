"""The same tests for every way of running a server; FACE says which."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from mock_server import MockServer, MockServerFixture

APP, CHAT, BOOKS = "app-1", "chat-1", "books"
PIN = "/api/core/chat/history/updateHistory"
LIST = "/api/core/dataset/collection/listV2"
DOCUMENT: dict[str, Any] = {
    "keys": [
        {"key": "owner-key"},
        {"key": "reader-key", "permission": "read", "member": "m-2"},
    ],
    "apps": [{"id": APP, "chats": [{"chatId": CHAT, "title": "Refund"}]}],
    "datasets": [
        {
            "id": BOOKS,
            "collections": [
                {"_id": "guides", "name": "Guides", "type": "folder"},
                {"_id": "install", "name": "Install", "parentId": "guides"},
            ],
        }
    ],
}
Send = Callable[..., httpx2.Response]


@pytest.fixture(scope="session")
def mock_server_fixture() -> dict[str, Any]:
    return DOCUMENT


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[MockServerFixture]:
    """What steers the server."""
    face = os.environ["FACE"]
    if face == "MockServer":
        with MockServer(DOCUMENT) as running:
            yield running.control
    elif face == "mock_server_app":
        yield request.getfixturevalue("mock_server_app").control
    else:
        yield request.getfixturevalue("mock_server")


@pytest.fixture
def send(request: pytest.FixtureRequest, server: MockServerFixture) -> Send:
    """Sends a request: method, path, key or None, and the fields of the body."""

    def send(method: str, path: str, key: str | None, **body: Any) -> httpx2.Response:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        url = server.url + path
        if os.environ["FACE"] != "mock_server_app":
            return httpx2.request(
                method, url, headers=headers, json=body, verify=False, timeout=60
            )
        app = request.getfixturevalue("mock_server_app")

        async def call() -> httpx2.Response:
            transport = httpx2.ASGITransport(app=app)
            async with httpx2.AsyncClient(transport=transport) as client:
                return await client.request(method, url, headers=headers, json=body)

        return asyncio.run(call())

    return send


@pytest.fixture
def pin(send: Send) -> Callable[..., int]:
    """Pins the chat; gives the status of the answer."""

    def pin(top: bool = True, *, key: str | None = "owner-key", **more: Any) -> int:
        body = {"appId": APP, "chatId": CHAT, "top": top} | more
        return send("PUT", PIN, key, **body).status_code

    return pin


@pytest.fixture
def ids(send: Send) -> Callable[..., list[str]]:
    """The ids of a page of the dataset."""

    def ids(**fields: Any) -> list[str]:
        body = {"offset": 0, "datasetId": BOOKS} | fields
        answer = send("POST", LIST, "owner-key", **body).json()
        return [item["_id"] for item in answer["data"]["list"]]

    return ids
