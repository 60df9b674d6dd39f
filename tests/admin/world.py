"""Every admin route, called in process on a server where it finds what it names."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import unquote

from starlette.types import ASGIApp, Message, Scope

from mock_server import Fault
from mock_server.admin.app import table
from mock_server.admin.framework import AdminRoute
from mock_server.admin.resources.console import FILE, PAGE
from mock_server.app import create_app
from mock_server.domain.sandboxes.registry import Sandboxes
from mock_server.domain.sandboxes.sandbox import Sandbox
from mock_server.domain.storage.store import Store
from mock_server.fixture.dump import to_json
from tests.in_process import LOOP
from tests.support import APP, CHAT, DATASET, LIBRARY, LIST, PIN

TOKEN, TEAM, SNAPSHOT = "s3cret-of-admins", "team", "before"
HOST = "127.0.0.1:8000"
JSON, YAML = "application/json", "application/yaml"
PARTS = {
    "sandbox": TEAM,
    "appId": APP,
    "chatId": CHAT,
    "datasetId": DATASET,
    "id": "b",
    "name": SNAPSHOT,
    "file": "icon.svg",
}
Headers = Mapping[str, str | None]
BODIED = ("POST", "PUT")
OPEN = ("/health", PAGE, FILE)

CHANGES: dict[tuple[str, str], object] = {
    ("POST", "/reset"): {},
    ("PUT", "/state"): {"apps": [{"id": "other"}]},
    ("PUT", "/snapshots/{name}"): {},
    ("DELETE", "/snapshots/{name}"): None,
    ("POST", "/snapshots/{name}/restore"): {},
    ("PUT", "/clock"): {"now": "2030-01-01T00:00:00Z"},
    ("POST", "/clock/advance"): {"seconds": 60},
    ("PUT", "/choices"): {"profile": "deployed"},
    ("PUT", "/apps/{appId}"): {"name": "Put"},
    ("DELETE", "/apps/{appId}"): None,
    ("PUT", "/datasets/{datasetId}"): {"name": "Put"},
    ("DELETE", "/datasets/{datasetId}"): None,
    ("PUT", "/apps/{appId}/chats/{chatId}"): {"title": "Put"},
    ("DELETE", "/apps/{appId}/chats/{chatId}"): None,
    ("PUT", "/datasets/{datasetId}/collections/{id}"): {"name": "Put"},
    ("DELETE", "/datasets/{datasetId}/collections/{id}"): None,
    ("POST", "/faults"): {"kind": "error", "ttl": 600},
    ("DELETE", "/faults"): None,
    ("DELETE", "/faults/{id}"): None,
    ("DELETE", "/journal"): None,
    ("POST", "/sandboxes"): {"name": "third"},
    ("DELETE", "/sandboxes/{sandbox}"): None,
}
"""What changes something when it is called, and the body that does."""
QUERIES = {"/why": f"?dataset={DATASET}"}
"""What a route needs beside its path."""
ONLY_READS = {("POST", "/journal/verify")}


def filled(template: str, **others: str) -> str:
    """A path of the table that leads to something, or some parts of it elsewhere."""
    known = dict(PARTS)
    if "/faults/" in template:
        known["id"] = "f1"
    if "{folder}" in template:
        known["file"] = "form.js"
    if "shared" in template:
        known["file"] = "dom.js"
    return "/__admin" + template.format_map(known | others)


@dataclass(frozen=True)
class Row:
    """A route on one of its paths, with a body that it takes."""

    route: AdminRoute
    template: str

    @property
    def method(self) -> str:
        return self.route.method

    @property
    def path(self) -> str:
        return filled(self.template) + QUERIES.get(self.route.path, "")

    @property
    def changes(self) -> bool:
        return (self.method, self.route.path) in CHANGES

    @property
    def content(self) -> bytes:
        body = CHANGES.get((self.method, self.route.path))
        return json.dumps(body or {}).encode() if self.route.method in BODIED else b""

    @property
    def headers(self) -> dict[str, str]:
        """What a good call sends."""
        sent = {"host": HOST, "authorization": f"Bearer {TOKEN}"}
        return sent | ({"content-type": JSON} if self.content else {})

    def __str__(self) -> str:
        return f"{self.method} {self.template}"


ROWS = [
    Row(route, template)
    for template, by_method in table().items()
    for route in by_method.values()
]


@dataclass(frozen=True)
class Answer:
    """What came back, all of it."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def status_text(self) -> object:
        return json.loads(self.body)["statusText"]


class World:
    """An application in which every route of the table finds what it names."""

    def __init__(self, token: str | None = TOKEN) -> None:
        self.app = create_app(LIBRARY, admin_token=token)
        self.sandboxes: Sandboxes = self.app.sandboxes
        team = self.sandboxes.create(TEAM)
        assert team.key is not None
        self.key = team.key
        for sandbox, key in ((self.sandboxes.default, "any"), (team, team.key)):
            self.call_operations(key)
            sandbox.take_snapshot(SNAPSHOT)
            sandbox.store.remove_chats(sandbox.store.fixture.apps[APP], "chat-2")
            sandbox.faults.add(Fault.of("hang", ttl=600))

    def call_operations(self, key: str) -> None:
        """Pin a chat and list a dataset."""
        headers = {"host": HOST, "authorization": f"Bearer {key}", "content-type": JSON}
        pin = json.dumps({"appId": APP, "chatId": CHAT, "top": True}).encode()
        page = json.dumps({"offset": 0, "datasetId": DATASET}).encode()
        for method, path, content in (("PUT", PIN, pin), ("POST", LIST, page)):
            assert ask(self.app, method, path, headers, content).status == 200

    def call(self, row: Row, headers: Headers | None = None) -> Answer:
        """A good call of a route, some headers replaced, or taken away by None."""
        sent = {**row.headers, **(headers or {})}
        known = {name: value for name, value in sent.items() if value is not None}
        return ask(self.app, row.method, row.path, known, row.content)

    def fingerprint(self) -> list[list[object]]:
        """Everything that an admin call could have changed."""
        return [_all_of(each) for each in self.sandboxes.all()]

    def records(self) -> list[list[object]]:
        """The same without the journals, which requests outside enter."""
        return [each[:-1] for each in self.fingerprint()]


def _all_of(sandbox: Sandbox) -> list[object]:
    state, journal = sandbox.state, sandbox.journal
    return [
        sandbox.name,
        state.generation,
        (state.profile, state.choices),
        (state.clock.now(), state.clock.is_frozen),
        _dump(state.store.copy(), state.clock.now()),
        _dump(Store(sandbox.baseline)),
        [
            (name, each.generation, _dump(each.store.copy(), each.clock.now()))
            for name, each in sandbox.snapshots.items()
        ],
        [(each.id, each.matches, each.definition) for each in state.faults.all()],
        (journal.total, journal.dropped, journal.next_seq),
    ]


def _dump(store: Store, frozen_at: int | None = None) -> bytes:
    return b"".join(to_json(store, frozen_at))


def ask(
    app: ASGIApp,
    method: str,
    target: str,
    headers: Mapping[str, str],
    content: bytes = b"",
) -> Answer:
    """One request in process; a client that reads goes once it has sent it."""
    scope = _scope(method, target, headers, content)
    asked = _ask(app, scope, content)
    if asyncio._get_running_loop() is None:
        return LOOP.run_until_complete(asked)
    with ThreadPoolExecutor(1) as thread:  # where a browser is driven, a loop runs
        return thread.submit(asyncio.run, asked).result()


def _scope(
    method: str, target: str, headers: Mapping[str, str], content: bytes
) -> Scope:
    path, _, query = target.partition("?")
    sent = [(name.encode(), value.encode()) for name, value in headers.items()]
    return {
        "type": "http",
        "http_version": "1.1",
        "scheme": "http",
        "method": method,
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [*sent, (b"content-length", b"%d" % len(content))],
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 8_000),
    }


async def _ask(app: ASGIApp, scope: Scope, content: bytes) -> Answer:
    events: Iterator[Message] = iter([{"type": "http.request", "body": content}])
    messages: list[Message] = []
    answered = asyncio.Event()

    async def receive() -> Message:
        event = next(events, None)
        if event is None and scope["method"] in BODIED:
            await answered.wait()
        return event or {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        messages.append(message)
        if message["type"] == "http.response.body" and not message.get("more_body"):
            answered.set()

    await app(scope, receive, send)
    start, *parts = messages
    found = {name.decode(): value.decode() for name, value in start["headers"]}
    assert not [name for name in found if name.startswith("access-control-")]
    return Answer(start["status"], found, b"".join(each["body"] for each in parts))
