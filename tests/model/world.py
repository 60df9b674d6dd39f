"""What server and model start from, and how a request reaches the server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

from starlette.types import Message, Scope

from mock_server import load_fixture
from mock_server.app import Application, create_app
from mock_server.domain.generation import Generation

OWNER, WRITER, READER, NOBODY = "owner-key", "writer-key", "reader-key", "nobody-key"
SUMMER = "2025-06-01T00:00:00.000Z"
KEYS = (OWNER, WRITER, READER, NOBODY)


def _id(letter: str) -> str:
    return letter * 24


DOCUMENT: dict[str, Any] = {
    "clock": "2026-01-01T00:00:00.000Z",
    "keys": [
        {"key": OWNER, "member": "tmb-owner"},
        {"key": WRITER, "member": "tmb-writer", "permission": "write"},
        {"key": READER, "permission": "read"},
        {"key": NOBODY, "permission": "none"},
    ],
    "users": [{"username": "root", "password": "secret", "member": "tmb-owner"}],
    "replies": ["First reply", "Second reply"],
    "apps": [
        {
            "id": _id("a"),
            "name": "App",
            "chats": [
                {
                    "chatId": "one",
                    "title": "One",
                    "records": [
                        {"dataId": "record-1", "obj": "System", "text": "Be kind"},
                        {"dataId": "record-2", "obj": "Human", "text": "Hello"},
                        {"dataId": "record-3", "obj": "AI", "text": "Hello you"},
                    ],
                },
                {
                    "chatId": "two",
                    "top": True,
                    "updateTime": "2025-06-01T00:00:00.000Z",
                },
            ],
        },
        {
            "id": _id("b"),
            "permissions": {READER: "manage", WRITER: "none", NOBODY: "read"},
            "chats": [{"chatId": "one", "customTitle": "Mine"}],
        },
    ],
    "datasets": [
        {
            "id": _id("d"),
            "name": "Fruit",
            "intro": "What grows",
            "collections": [
                {"_id": _id("1"), "name": "Folder", "type": "folder"},
                {
                    "_id": _id("2"),
                    "name": "Inner",
                    "type": "folder",
                    "parentId": _id("1"),
                },
                {
                    "_id": _id("3"),
                    "name": "Apple",
                    "parentId": _id("2"),
                    "tags": ["red", "round"],
                    "dataAmount": 2,
                    "data": [
                        {"_id": _id("7"), "q": "Apples are red", "chunkIndex": 0},
                        {"_id": _id("8"), "q": "Pears", "a": "green", "chunkIndex": 1},
                    ],
                },
                {
                    "_id": _id("4"),
                    "name": "Pear",
                    "tags": ["green"],
                    "externalFileId": "file-1",
                    "updateTime": "2025-01-01T00:00:00.000Z",
                },
            ],
        },
        {"id": _id("e"), "name": "Shelf", "type": "folder"},
        {"id": _id("9"), "name": "Inside", "type": "folder", "parentId": _id("e")},
        {"id": _id("6"), "name": "Deep", "type": "folder", "parentId": _id("9")},
        {"id": _id("c"), "name": "Deepest", "type": "folder", "parentId": _id("6")},
        {
            "id": _id("f"),
            "name": "Nuts",
            "parentId": _id("e"),
            "permissions": {READER: "owner", WRITER: "manage", NOBODY: "write"},
            "collections": [{"_id": _id("5"), "name": "Äpfel and Nuts"}],
        },
    ],
}


@cache
def generation() -> Generation:
    """The document, loaded once."""
    return load_fixture(DOCUMENT)


class Server:
    """An application in process, as deployed, with time standing still."""

    def __init__(self) -> None:
        self.app: Application = create_app(
            generation(), profile="deployed", choices={"training": "instant"}
        )
        self._loop = asyncio.new_event_loop()

    def close(self) -> None:
        """Free what it holds."""
        self.app.close()
        self._loop.close()

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        key: str | None = None,
        token: str | None = None,
    ) -> tuple[int, bytes]:
        """The status and the body of an answer; `body` is sent as JSON."""
        content = b"" if body is None else json.dumps(body).encode()
        headers = [(b"host", b"localhost"), (b"content-length", b"%d" % len(content))]
        if key is not None:
            headers.append((b"authorization", f"Bearer {key}".encode()))
        if token is not None:
            headers.append((b"token", token.encode()))
        if body is not None:
            headers.append((b"content-type", b"application/json"))
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": urlencode(query or {}, doseq=True).encode(),
            "root_path": "",
            "headers": headers,
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
        }
        return self._loop.run_until_complete(self._call(scope, content))

    def log_in(self, key: str) -> str:
        """The login token of the user, in the sandbox of a key."""
        account, query = "/api/support/user/account", {"username": "root"}
        _, content = self.send("GET", f"{account}/preLogin", query=query, key=key)
        password = sha256(b"secret").hexdigest()
        body = query | {
            "password": password,
            "code": json.loads(content)["data"]["code"],
        }
        _, content = self.send("POST", f"{account}/loginByPassword", body=body, key=key)
        return str(json.loads(content)["data"]["token"])

    def admin(self, method: str, path: str, body: Any = None) -> Any:
        """What an admin call answers."""
        status, content = self.send(method, f"/__admin{path}", body=body or {})
        assert status in (200, 201), content
        return json.loads(content)

    async def _call(self, scope: Scope, content: bytes) -> tuple[int, bytes]:
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": content, "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        return sent[0]["status"], b"".join(each["body"] for each in sent[1:])
