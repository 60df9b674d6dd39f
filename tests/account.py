"""A small account for tests, a server in process, and one on a socket, with their clients."""

import asyncio
import socket
from collections.abc import Mapping
from contextlib import closing
from hashlib import sha256
from typing import Any, Self
from urllib.parse import urlsplit

import httpx2
from starlette.types import Message, Receive, Scope, Send

from mock_server import create_app
from mock_server.control import Control
from mock_server.sandbox import Sandboxes

PIN = "/api/core/chat/history/updateHistory"
OLD_PIN = "/api/core/chat/updateHistory"
LIST = "/api/core/dataset/collection/listV2"
SENT_PIN = {"appId": "app", "chatId": "c1", "top": True}
SENT_LIST = {"offset": 0, "datasetId": "d"}
COMPLETIONS = "/api/v1/chat/completions"
RIGHT_PIN = b'{"code":200,"statusText":"","message":"","data":null}'
METHODS = {PIN: "PUT", OLD_PIN: "PUT", LIST: "POST"}

ACCOUNT: dict[str, Any] = {
    "clock": "2026-01-01T00:00:00.000Z",
    "keys": [
        {"key": level, "member": f"member-{level}", "permission": level}
        for level in ("owner", "manage", "write", "read", "none")
    ],
    "users": [{"username": "root", "password": "1234", "member": "member-owner"}],
    "apps": [
        {
            "id": "app",
            "name": "Support",
            "permissions": {"write": "none"},
            "chats": [
                {"chatId": "c1", "title": "One"},
                {"chatId": "c2", "title": "Two", "top": True},
            ],
        },
        {"id": "says", "name": "Says", "replies": ["Hello.", "Again."]},
    ],
    "datasets": [
        {
            "id": "d",
            "name": "Handbook",
            "permissions": {"write": "none"},
            "collections": [
                {
                    "_id": "folder",
                    "name": "Guides",
                    "updateTime": "2024-03-01T00:00:00.000Z",
                    "children": [
                        {"_id": "in-b", "name": "Beta", "tags": ["setup", "first"]},
                        {"_id": "in-a", "name": "Alpha", "updateTime": "2024-02-01T00:00:00.000Z"},
                    ],
                },
                {
                    "_id": "link",
                    "name": "Alpha link",
                    "type": "link",
                    "tags": ["x"],
                    "rawLink": "https://example.com/",
                    "externalFileId": "ext-1",
                    "forbid": True,
                    "dataAmount": 4,
                    "trainingAmount": 2,
                    "trainingType": "qa",
                    "updateTime": "2024-02-01T00:00:00.000Z",
                },
            ],
        },
        {"id": "many", "collections": [{"repeat": 120, "_id": "m{n:03}", "name": "Item {n:03}"}]},
    ],
}


class Server:
    """A mock server in process. `with Server() as server`; the fields are `create_app`'s."""

    def __init__(self, document: Any = ACCOUNT, **settings: Any) -> None:
        self._app = create_app(document, **settings)
        self.sandboxes: Sandboxes = self._app.state.sandboxes
        self.pieces: list[bytes] = []
        """The body of the latest response, in the pieces in which it was sent."""
        transport = httpx2.ASGITransport(self._recorded)
        self._http = httpx2.AsyncClient(transport=transport, base_url="http://localhost")
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.close()

    async def _recorded(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def record(message: Message) -> None:
            self.pieces.append(message.get("body", b""))
            await send(message)

        self.pieces = []
        await self._app(scope, receive, record)
        self.pieces = [*filter(None, self.pieces)]

    def request(self, method: str, path: str, **more: Any) -> httpx2.Response:
        return self._runner.run(self._http.request(method, path, **more))

    def left_tasks(self) -> set[asyncio.Task[Any]]:
        """What still runs in the server's loop."""

        async def tasks() -> set[asyncio.Task[Any]]:
            # What was cancelled ends now.
            await asyncio.sleep(0)
            return asyncio.all_tasks() - {asyncio.current_task()}

        return self._runner.run(tasks())

    def send(
        self,
        path: str,
        body: Any = None,
        *,
        key: str | None = "owner",
        method: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx2.Response:
        """The response to a request of the service; a body of bytes is sent as it is."""
        content = {"content": body} if isinstance(body, bytes) else {"json": body}
        shown = {"Content-Type": "application/json"} if isinstance(body, bytes) else {}
        shown |= {"Authorization": f"Bearer {key}"} if key else {}
        method = method or METHODS.get(path, "POST")
        sent = {} if body is None else content
        return self.request(method, path, headers=shown | dict(headers or {}), **sent)

    def page(self, key: str = "owner", **fields: Any) -> httpx2.Response:
        return self.send(LIST, SENT_LIST | fields, key=key)

    def pin(self, key: str = "owner", **fields: Any) -> httpx2.Response:
        return self.send(PIN, SENT_PIN | fields, key=key)

    def ids(self, **fields: Any) -> list[str]:
        """The ids on a page that listV2 returns."""
        response = self.page(**fields)
        assert response.status_code == 200, response.text
        return [item["_id"] for item in response.json()["data"]["list"]]

    def admin(self, method: str, path: str, body: Any = None, status: int | None = None) -> Any:
        """The answer of the admin API, which has this status: by default one of success."""
        sent = {"json": body or {}} if method in ("POST", "PUT") else {}
        response = self.request(method, f"/__admin{path}", **sent)
        right = response.is_success if status is None else response.status_code == status
        assert right, f"{response.status_code} {response.text}"
        return response.json()

    def choose(self, **choices: Any) -> None:
        self.admin("PUT", "/choices", {"profile": "documented", "choices": choices})

    def login(self, username: str = "root", password: str = "1234") -> str:
        """The login token of a user. It uses related routes."""
        path = "/api/support/user/account"
        found = self.request("GET", f"{path}/preLogin?username={username}")
        code = found.json()["data"]["code"]
        sent = {"username": username, "password": sha256_hex(password), "code": code}
        answer = self.send(f"{path}/loginByPassword", sent, key=None)
        self._http.cookies.clear()  # the response has set one
        return str(answer.json()["data"]["token"])


def sha256_hex(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def error_of(response: httpx2.Response) -> tuple[int, int, str]:
    """The HTTP status, the code and the statusText of a refusal."""
    envelope = response.json()
    assert envelope["data"] is None
    return response.status_code, envelope["code"], envelope["statusText"]


class Live:
    """A running server, and a client of it."""

    def __init__(self, control: Control, http: httpx2.Client) -> None:
        self.control, self.http = control, http

    def add(self, kind: str, **row: Any) -> Any:
        return self.control.call("POST", "/faults", {"kind": kind} | row)

    def fired(self, fault: Any) -> int:
        return int(self.control.call("GET", f"/faults/{fault['id']}")["fired"])

    def send(
        self, method: str, path: str, body: Any = None, key: str = "owner", **more: Any
    ) -> Any:
        headers = {"Authorization": f"Bearer {key}"} | more.pop("headers", {})
        sent = {} if body is None else {"json": body}
        return self.http.request(method, path, headers=headers, **sent, **more)

    def pin(self, key: str = "owner", **fields: Any) -> Any:
        return self.send("PUT", PIN, SENT_PIN | fields, key)

    def page(self, key: str = "owner", **fields: Any) -> Any:
        return self.send("POST", LIST, SENT_LIST | fields, key)

    def statuses(self, count: int) -> list[int]:
        return [self.pin().status_code for _ in range(count)]

    def numbers(self, **fields: Any) -> tuple[list[Any], int]:
        """The numbers of the items on a page of the dataset `many`, None for a new one; total."""
        data = self.page(datasetId="many", **fields).json()["data"]
        ids = [it["_id"] for it in data["list"]]
        return [int(id[1:]) if len(id) == 4 else None for id in ids], data["total"]

    def say(self, question: str = "x", key: str = "owner", **fields: Any) -> Any:
        messages = [{"role": "user", "content": question}]
        return self.send("POST", COMPLETIONS, {"appId": "says", "messages": messages} | fields, key)

    def text(self, question: str = "x", **more: Any) -> Any:
        return self.say(question, **more).json()["choices"][0]["message"]["content"]

    @property
    def is_pinned(self) -> bool:
        return self.control.chat("app", "c1").top

    def connect(self) -> socket.socket:
        """A connection over which a pin was sent."""
        address = urlsplit(self.control.url)
        connection = socket.create_connection((address.hostname, address.port), timeout=5)
        body = b'{"appId":"app","chatId":"c1","top":true}'
        head = (f"PUT {PIN} HTTP/1.1", "Host: localhost", "Authorization: Bearer owner")
        head += ("Connection: close", "Content-Type: application/json")
        head += (f"Content-Length: {len(body)}", "", "")
        connection.sendall("\r\n".join(head).encode() + body)
        return connection

    def raw(self) -> tuple[bytes, str]:
        """All bytes that come in response to a pin, and how the connection ends."""
        with closing(self.connect()) as connection:
            return read(connection)


def read(connection: socket.socket) -> tuple[bytes, str]:
    content = b""
    try:
        while more := connection.recv(65536):
            content += more
    except ConnectionResetError:
        return content, "RST"
    return content, "FIN"
