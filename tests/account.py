"""The account that tests share, and a client of a server that has it."""

import asyncio
import json
import os
import re
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from hashlib import sha256
from http.client import HTTPResponse
from threading import Event
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import httpx2
from starlette.applications import Starlette
from starlette.types import Message, Scope

from mock_server import Control, MockServer, create_app

PIN = "/api/core/chat/history/updateHistory"
OLD_PIN = "/api/core/chat/updateHistory"
LIST = "/api/core/dataset/collection/listV2"
HISTORIES = "/api/core/chat/history/getHistories"
COMPLETIONS = "/api/v1/chat/completions"
ACCOUNTS = "/api/support/user/account"
SENT_PIN = {"appId": "app", "chatId": "c1", "top": True}
SENT_LIST = {"offset": 0, "datasetId": "d"}
CHAT = {"appId": "app", "chatId": "k"}
RIGHT_PIN = b'{"code":200,"statusText":"","message":"","data":null}'
METHODS = {PIN: "PUT", OLD_PIN: "PUT"}
FIRST = "68b000000000000000000001"
"""The first id that the server gives."""

LEVELS = ("owner", "manage", "write", "read", "none")
LINK: dict[str, Any] = {"_id": "link", "name": "Alpha link", "type": "link", "tags": ["x"]}
LINK |= {"rawLink": "https://example.com/", "externalFileId": "ext-1", "forbid": True}
LINK |= {"dataAmount": 4, "trainingAmount": 2, "trainingType": "qa"}
LINK |= {"updateTime": "2024-02-01T00:00:00.000Z"}
BETA = {"_id": "in-b", "name": "Beta", "tags": ["setup", "first"]}
ALPHA = {"_id": "in-a", "name": "Alpha", "updateTime": "2024-02-01T00:00:00.000Z"}
FOLDER = {"_id": "folder", "name": "Guides", "updateTime": "2024-03-01T00:00:00.000Z"}
COLLECTIONS = [FOLDER | {"children": [BETA, ALPHA]}, LINK]
CHATS = [{"chatId": "c1", "title": "One"}, {"chatId": "c2", "title": "Two", "top": True}]
CLOSED = {"permissions": {"write": "none"}}
ACCOUNT: dict[str, Any] = {
    "clock": "2026-01-01T00:00:00.000Z",
    "keys": [{"key": it, "member": f"member-{it}", "permission": it} for it in LEVELS],
    "users": [{"username": "root", "password": "1234", "member": "member-owner"}],
    "apps": [
        {"id": "app", "name": "Support", "chats": CHATS} | CLOSED,
        {"id": "says", "name": "Says", "replies": ["Hello.", "Again."]},
    ],
    "datasets": [
        {"id": "d", "name": "Handbook", "collections": COLLECTIONS} | CLOSED,
        {"id": "many", "collections": [{"repeat": 120, "_id": "m{n:03}", "name": "Item {n:03}"}]},
        {"id": "notes", "name": "Notes", "collections": [{"_id": "x", "name": "X"}]},
    ],
}


class InProcess(httpx2.BaseTransport):
    """Sends requests to an application, all of them in one loop."""

    def __init__(self, app: Starlette) -> None:
        self.application = app
        self.pieces: list[bytes] = []
        """The body of the latest response, in the pieces in which it was sent."""
        self._runner = asyncio.Runner()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        # The runner itself would set and reset a handler of SIGINT for each request.
        return self._runner.get_loop().run_until_complete(self._respond(request))

    async def _respond(self, request: httpx2.Request) -> httpx2.Response:
        # ASGITransport of httpx2 would look for sniffio on the disk each time.
        bodies = [request.read()]
        start: dict[str, Any] = {}
        ended = asyncio.Event()
        self.pieces = pieces = []

        async def receive() -> Message:
            if bodies:
                return {"type": "http.request", "body": bodies.pop()}
            await ended.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
                return
            pieces.extend(filter(None, [message.get("body")]))
            if not message.get("more_body"):
                ended.set()

        await self.application(scope_of(request), receive, send)
        assert start and ended.is_set()
        # A server sends no body in response to HEAD.
        content = b"" if request.method == "HEAD" else b"".join(pieces)
        return httpx2.Response(start["status"], headers=start["headers"], content=content)

    def remaining_tasks(self) -> set[asyncio.Task[Any]]:
        """What still runs in the loop of the application."""

        async def tasks() -> set[asyncio.Task[Any]]:
            # What was cancelled ends now.
            await asyncio.sleep(0)
            return asyncio.all_tasks() - {asyncio.current_task()}

        return self._runner.run(tasks())

    def close(self) -> None:
        self._runner.close()


def scope_of(request: httpx2.Request) -> Scope:
    """A request as an ASGI application gets it."""
    url = request.url
    scope = {"type": "http", "http_version": "1.1", "method": request.method, "root_path": ""}
    scope |= {"scheme": url.scheme, "path": url.path, "query_string": url.query}
    scope |= {"raw_path": url.raw_path.partition(b"?")[0], "client": ("127.0.0.1", 123)}
    scope |= {"server": (url.host, url.port)}
    return scope | {"headers": [(name.lower(), it) for name, it in request.headers.raw]}


def bearer(key: str | None) -> dict[str, str]:
    """The headers of a request with this key."""
    return {"Authorization": f"Bearer {key}"} if key else {}


class Client(httpx2.Client):
    """A client with a key of a server; `control` controls the server."""

    control: Control

    def __init__(self, server: MockServer, key: str | None = "owner") -> None:
        super().__init__(base_url=server.url, headers=bearer(key), verify=False)
        self.control = server

    # Requests of the service

    def fetch(
        self,
        path: str,
        body: Any = None,
        *,
        key: str | None = "owner",
        method: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> httpx2.Response:
        """The response to a request with this key, or with none; bytes are sent as they are."""
        sent: dict[str, Any] = {} if body is None else {"json": body}
        given = bearer(key) | (headers or {})
        if isinstance(body, bytes):
            sent = {"content": body}
            given = {"Content-Type": "application/json"} | given
        method = method or METHODS.get(path, "POST")
        request = self.build_request(method, path, headers=given, **sent)
        if key is None and "Authorization" not in given:
            request.headers.pop("Authorization", None)
        return self.send(request)

    def pin(self, key: str = "owner", **fields: Any) -> httpx2.Response:
        return self.fetch(PIN, SENT_PIN | fields, key=key)

    def page(self, key: str = "owner", **fields: Any) -> httpx2.Response:
        return self.fetch(LIST, SENT_LIST | fields, key=key)

    def items(self, **fields: Any) -> list[Any]:
        """The items on a page that listV2 returns."""
        response = self.page(**fields)
        assert response.status_code == 200, response.text
        return list(response.json()["data"]["list"])

    def ids(self, **fields: Any) -> list[str]:
        return [it["_id"] for it in self.items(**fields)]

    def item(self, id: str, **fields: Any) -> Any:
        return next(it for it in self.items(**fields) if it["_id"] == id)

    def statuses(self, count: int) -> list[int]:
        return [self.pin().status_code for _ in range(count)]

    def core(
        self, method: str, path: str, body: Any = None, key: str | None = None, **more: Any
    ) -> httpx2.Response:
        headers = bearer(key) | more.pop("headers", {})
        return self.request(method, f"/api/core{path}", json=body, headers=headers, **more)

    def data(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        """The data of a response that succeeds."""
        envelope = self.core(method, path, body, **more).json()
        assert envelope.get("code") == 200, envelope
        return envelope["data"]

    def code(self, method: str, path: str, body: Any = None, **more: Any) -> int:
        """The code of a response."""
        return int(self.core(method, path, body, **more).json()["code"])

    def collection(self, id: str) -> Any:
        """A collection in detail."""
        return self.data("GET", f"/dataset/collection/detail?id={id}")

    def complete(
        self, question: str = "x", key: str | None = None, **fields: Any
    ) -> httpx2.Response:
        """The response to a question."""
        messages = [{"role": "user", "content": question}]
        body = {"appId": "app", "messages": messages} | fields
        sent = {name: it for name, it in body.items() if it is not None}
        return self.post(COMPLETIONS, json=sent, headers=bearer(key))

    def complete_with(self, *parts: Any, **fields: Any) -> httpx2.Response:
        """The response to a question in the chat `k` that is answered with these parts."""
        with self.control.reply(parts=parts):
            return self.complete(chatId="k", **fields)

    def chats(self, **fields: Any) -> list[str]:
        """The ids of chats that getHistories returns."""
        body = {"appId": "app", "offset": 0, "pageSize": 9} | fields
        page = self.data("POST", "/chat/getHistories", body)
        assert page["total"] == len(page["list"])
        return [it["chatId"] for it in page["list"]]

    def records(self, **fields: Any) -> list[Any]:
        """The records of the chat `k`, or of another."""
        body = CHAT | {"offset": 0, "pageSize": 10} | fields
        return list(self.data("POST", "/chat/record/getPaginationRecords", body)["list"])

    def login(self) -> str:
        """The login token of the user root."""
        code = self.get(f"{ACCOUNTS}/preLogin?username=root").json()["data"]["code"]
        sent = {"username": "root", "password": sha256_hex("1234"), "code": code}
        answer = self.fetch(f"{ACCOUNTS}/loginByPassword", sent, key=None)
        self.cookies.clear()  # the response has set one
        return str(answer.json()["data"]["token"])

    # What a test sets

    def admin(self, method: str, path: str, body: Any = None, status: int | None = None) -> Any:
        """The answer of the admin API, which has this status: by default one of success."""
        sent = {"json": body or {}} if method in ("POST", "PUT") else {}
        response = self.request(method, f"/__admin{path}", **sent)
        right = response.is_success if status is None else response.status_code == status
        assert right, f"{response.status_code} {response.text}"
        return response.json()

    def set_choices(self, **choices: Any) -> None:
        self.admin("PUT", "/choices", {"profile": "documented", "choices": choices})

    def add(self, kind: str, **rule: Any) -> Any:
        return self.admin("POST", "/rules", {"kind": kind} | rule)

    def fired(self, fault: Any) -> int:
        return int(self.admin("GET", f"/rules/{fault['id']}")["fired"])

    def is_pinned(self, chat: str = "c1") -> bool:
        return self.control.chat("app", chat).top

    @contextmanager
    def waiting(self, ms: int = 300) -> Iterator["Future[httpx2.Response]"]:
        """While a pin waits, which has come: its response."""
        slow = self.add("delay", operation="updateHistory", ms=ms)
        with ThreadPoolExecutor() as threads:
            pinned = threads.submit(self.pin)
            wait_until(lambda: self.fired(slow))
            yield pinned

    # Connections

    @staticmethod
    def pin_as_bytes() -> bytes:
        return request_bytes("PUT", PIN, SENT_PIN, "Connection: close")

    def connect(self) -> socket.socket:
        """A connection over which a pin was sent."""
        return open_connection(self.control.url, self.pin_as_bytes())

    def raw(self) -> tuple[bytes, str]:
        """All bytes that come in response to a pin, and how the connection ends."""
        with closing(self.connect()) as connection:
            return read_to_end(connection)


@contextmanager
def one_turn(server: MockServer) -> Iterator[None]:
    """What is sent in the block over open connections comes in one turn of the server's loop."""
    stands = Event()
    goes_on = Event()

    def stand() -> None:
        stands.set()
        goes_on.wait(5)

    server._server.loop.call_soon_threadsafe(stand)
    stands.wait(5)
    try:
        yield
    finally:
        goes_on.set()


class LocalClient(Client):
    """A client of an application in this process; the fields are those of `create_app`."""

    def __init__(
        self,
        document: Any = ACCOUNT,
        *,
        key: str | None = "owner",
        transport: type[InProcess] = InProcess,
        **settings: Any,
    ) -> None:
        app = create_app(document, **settings)
        self.sandboxes = app.state.sandboxes
        self.sent = transport(app)
        base = {"base_url": "http://localhost", "transport": self.sent}
        httpx2.Client.__init__(self, headers=bearer(key), **base)
        self.control = Control(self)


def wait_until(is_so: Callable[[], object]) -> None:
    """Return once something is so; fail if that takes more than five seconds."""
    end = monotonic() + 5
    while not is_so():
        assert monotonic() < end, "it never was so"


def examples(number: int) -> int:
    """How many examples a property gets: the number, times the variable EXAMPLES."""
    return number * int(os.environ.get("EXAMPLES", "1"))


def sha256_hex(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def new_collection_id(response: httpx2.Response) -> str:
    """The id of the collection that a response says is new."""
    return str(response.json()["data"]["collectionId"])


def error_of(response: httpx2.Response) -> tuple[int, int, str]:
    """The HTTP status, the code and the statusText of a refusal."""
    envelope = response.json()
    assert envelope["data"] is None
    return response.status_code, envelope["code"], envelope["statusText"]


def mentions(message: object, facts: str) -> bool:
    """Whether a message has these facts in this order, whatever words are between them."""
    whole_facts = [rf"(?<!\w){re.escape(it)}(?!\w)" for it in facts.split()]
    return re.search(".*".join(whole_facts), str(message), re.DOTALL) is not None


def content_of(response: httpx2.Response) -> Any:
    """The text, or the values, of a reply in one piece."""
    return response.json()["choices"][0]["message"].get("content")


def events(response: httpx2.Response) -> list[tuple[str, Any]]:
    """The names and the data of a stream's events."""
    found = []
    for each in response.text.strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in each.split("\n"))
        data = lines["data"]
        value = data if data == "[DONE]" else json.loads(data)
        found.append((lines.get("event", ""), value))
    return found


def request_bytes(method: str, path: str, fields: Any, *more: str) -> bytes:
    """A request with JSON, and with these further headers."""
    body = json.dumps(fields).encode()
    head = [f"{method} {path} HTTP/1.1", "Host: localhost", "Authorization: Bearer owner", *more]
    head += ["Content-Type: application/json", f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(head).encode() + body


def open_connection(url: str, content: bytes) -> socket.socket:
    """A connection over which some bytes were sent."""
    address = urlsplit(url)
    connection = socket.create_connection((address.hostname, address.port), timeout=5)
    connection.sendall(content)
    return connection


def read_response(connection: socket.socket) -> tuple[int, bytes]:
    """Status and body of the next response, which may come in pieces."""
    response = HTTPResponse(connection)
    response.begin()
    return response.status, response.read()


def read_to_end(connection: socket.socket) -> tuple[bytes, str]:
    """All bytes that come, and how the connection ends."""
    content = b""
    try:
        for more in iter(lambda: connection.recv(65536), b""):
            content += more
    except ConnectionResetError:
        return content, "RST"
    return content, "FIN"
