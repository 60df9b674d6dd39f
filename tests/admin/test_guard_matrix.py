"""Every admin route against every request that the guard must turn away: refused, and
without effect.
"""

from __future__ import annotations

import asyncio
import http.client
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from urllib.parse import unquote

import pytest
from starlette.types import ASGIApp, Message, Scope

from mock_server.admin.app import table
from mock_server.admin.framework import AdminRoute
from mock_server.admin.resources.console import FILE, PAGE
from mock_server.api.faults.fault import read_fault
from mock_server.app import create_app
from mock_server.domain.sandbox import Sandbox
from mock_server.domain.sandboxes import Sandboxes
from mock_server.domain.store import Store
from mock_server.fixture.dump import to_document
from mock_server.wire.protocol import HttpParser
from tests.support import APP, CHAT, DATASET, LIBRARY, LIST, PIN, Switch

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
    "file": "app.js",
}
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "STEAL")
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
ONLY_READS = {("POST", "/journal/verify")}


def filled(template: str, **others: str) -> str:
    """A path of the table that leads to something, or some parts of it elsewhere."""
    fault = {"id": "f1"} if "/faults/" in template else {}
    return "/__admin" + template.format_map(PARTS | fault | others)


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
        return filled(self.template)

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
            sandbox.store.remove_chat(sandbox.store.generation.apps[APP], "chat-2")
            sandbox.faults.add(read_fault({"kind": "hang", "ttl": 600}))

    def call_operations(self, key: str) -> None:
        """Pin a chat and list a dataset."""
        headers = {"host": HOST, "authorization": f"Bearer {key}", "content-type": JSON}
        pin = json.dumps({"appId": APP, "chatId": CHAT, "top": True}).encode()
        page = json.dumps({"offset": 0, "datasetId": DATASET}).encode()
        for method, path, content in (("PUT", PIN, pin), ("POST", LIST, page)):
            assert ask(self.app, method, path, headers, content).status == 200

    def call(self, row: Row, headers: Mapping[str, str] | None = None) -> Answer:
        """Call a route, with the headers of a good call or others."""
        sent = row.headers if headers is None else headers
        return ask(self.app, row.method, row.path, sent, row.content)

    def fingerprint(self) -> list[list[object]]:
        """Everything that an admin call could have changed."""
        return [_all_of(each) for each in self.sandboxes.all()]


def _all_of(sandbox: Sandbox) -> list[object]:
    state, journal = sandbox.state, sandbox.journal
    return [
        sandbox.name,
        state.generation,
        (state.profile, state.choices),
        (state.clock.now(), state.clock.is_frozen),
        to_document(state.store.copy(), state.clock.now()),
        to_document(Store(sandbox.baseline), None),
        [
            (name, each.generation, to_document(each.store.copy(), each.clock.now()))
            for name, each in (
                (name, sandbox.snapshots.get(name)) for name in sandbox.snapshots
            )
        ],
        [(each.id, each.matches, each.definition) for each in state.faults.all()],
        (journal.total, journal.dropped, journal.next_seq),
    ]


def ask(
    app: ASGIApp,
    method: str,
    target: str,
    headers: Mapping[str, str],
    content: bytes = b"",
) -> Answer:
    """One request in process; a client that reads goes once it has sent it."""
    path, _, query = target.partition("?")
    sent = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope: Scope = {
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
    events: Iterator[Message] = iter([{"type": "http.request", "body": content}])
    messages: list[Message] = []

    answered = asyncio.Event()

    async def receive() -> Message:
        event = next(events, None)
        if event is None and method in BODIED:
            await answered.wait()
        return event or {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        messages.append(message)
        if message["type"] == "http.response.body" and not message.get("more_body"):
            answered.set()

    async def talk() -> None:
        await app(scope, receive, send)

    asyncio.run(talk())
    start, *parts = messages
    found = {name.decode(): value.decode() for name, value in start["headers"]}
    assert not [name for name in found if name.startswith("access-control-")]
    return Answer(start["status"], found, b"".join(each["body"] for each in parts))


def rows() -> list[Row]:
    """The whole table."""
    return [
        Row(route, template)
        for template, by_method in table().items()
        for route in by_method.values()
    ]


def known_to(headers: dict[str, str]) -> Callable[[Row], dict[str, str]]:
    """A good call's headers, some of them replaced."""
    return lambda row: row.headers | headers


def without_token(row: Row) -> dict[str, str]:
    """A good call's headers but Authorization."""
    headers = row.headers
    del headers["authorization"]
    return headers


def without_type(row: Row) -> dict[str, str]:
    """A good call's headers but Content-Type."""
    headers = row.headers
    headers.pop("content-type", None)
    return headers


def typed(content_type: str) -> Callable[[Row], dict[str, str]]:
    """A good call's headers with another Content-Type."""
    return known_to({"content-type": content_type})


EVERYONE: dict[str, tuple[int, Callable[[Row], dict[str, str]]]] = {
    "foreign Origin": (403, known_to({"origin": "http://evil.example"})),
    "Origin of another port": (403, known_to({"origin": "http://127.0.0.1:8001"})),
    "Origin null": (403, known_to({"origin": "null"})),
    "Sec-Fetch-Site cross-site": (403, known_to({"sec-fetch-site": "cross-site"})),
    "Sec-Fetch-Site same-site": (403, known_to({"sec-fetch-site": "same-site"})),
    "foreign Host": (421, known_to({"host": "evil.example"})),
    "rebound Host": (421, known_to({"host": "rebind.example:8000"})),
    "rebound Host, own Origin": (
        421,
        known_to(
            {
                "host": "rebind.example:8000",
                "origin": "http://rebind.example:8000",
                "sec-fetch-site": "same-origin",
            }
        ),
    ),
    "rebound Host behind a forwarded one": (
        421,
        known_to({"host": "rebind.example", "x-forwarded-host": "localhost"}),
    ),
}
TOKENLESS: dict[str, Callable[[Row], dict[str, str]]] = {
    "no token": without_token,
    "wrong token": known_to({"authorization": "Bearer wrong"}),
    "token cut short": known_to({"authorization": f"Bearer {TOKEN[:-1]}"}),
    "token as Basic": known_to({"authorization": f"Basic {TOKEN}"}),
    "token in a cookie": lambda row: without_token(row) | {"cookie": f"token={TOKEN}"},
}
TYPES: dict[str, Callable[[Row], dict[str, str]]] = {
    "text/plain": typed("text/plain;charset=UTF-8"),
    "urlencoded form": typed("application/x-www-form-urlencoded"),
    "multipart form": typed("multipart/form-data; boundary=x"),
    "no content type": without_type,
    "JSON as a parameter": typed("text/plain; application/json"),
}


def refused(
    world: World,
    status: int,
    of: list[Row],
    headers: Callable[[Row], dict[str, str]],
) -> list[Row]:
    """The rows that are answered otherwise, or have an effect."""
    before, wrong = world.fingerprint(), []
    for row in of:
        answer, known = world.call(row, headers(row)), before
        before = world.fingerprint()
        if answer.status != status or before != known:
            wrong.append(row)
    return wrong


@pytest.fixture
def world() -> World:
    return World()


@pytest.mark.parametrize("case", EVERYONE)
def test_no_route_answers_a_web_page_or_a_rebound_name(world: World, case: str) -> None:
    status, headers = EVERYONE[case]
    assert refused(world, status, rows(), headers) == []


@pytest.mark.parametrize("case", TOKENLESS)
def test_only_health_and_the_console_are_open_without_the_token(
    world: World, case: str
) -> None:
    closed = [row for row in rows() if row.template not in OPEN]
    assert refused(world, 401, closed, TOKENLESS[case]) == []
    others = [row for row in rows() if row.template in OPEN]
    assert refused(world, 200, others, TOKENLESS[case]) == []


def test_an_api_key_is_no_admin_token(world: World) -> None:
    closed = [row for row in rows() if row.template not in OPEN]
    key = known_to({"authorization": f"Bearer {world.key}"})
    assert refused(world, 401, closed, key) == []


def test_no_method_gets_past_the_token(world: World) -> None:
    before, headers = world.fingerprint(), {"host": HOST, "content-type": JSON}
    for template in {row.template for row in rows()} - {*OPEN}:
        for method in METHODS:
            path = filled(template)
            answer = ask(world.app, method, path, headers, b"{}")
            assert answer.status == 401, (method, template)
    assert world.fingerprint() == before


def test_no_preflight_of_a_page_is_granted(world: World) -> None:
    before = world.fingerprint()
    preflight = {
        "host": HOST,
        "origin": "http://evil.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization, content-type",
        "access-control-request-private-network": "true",
    }
    for row in rows():
        assert ask(world.app, "OPTIONS", row.path, preflight).status == 403, row
    assert world.fingerprint() == before


CLICKED = {
    "sec-fetch-site": "cross-site",
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
}
"""What a browser sends when a link on some page has been clicked."""


@pytest.mark.parametrize("token", [TOKEN, None])
@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_link_on_any_page_opens_the_console_and_nothing_else(
    token: str | None, site: str
) -> None:
    world, clicked = World(token), known_to(CLICKED | {"sec-fetch-site": site})
    page = [row for row in rows() if row.template == PAGE]
    others = [row for row in rows() if row.template != PAGE]
    assert refused(world, 200, page, clicked) == []
    assert refused(world, 403, others, clicked) == []


@pytest.mark.parametrize(
    ("status", "more"),
    [
        (403, {"sec-fetch-dest": "iframe"}),
        (403, {"sec-fetch-dest": "object"}),
        (403, {"sec-fetch-dest": "empty"}),
        (403, {"sec-fetch-mode": "no-cors"}),
        (403, {"sec-fetch-mode": "cors"}),
        (403, {"origin": "http://evil.example"}),
        (403, {"origin": "null"}),
        (421, {"host": "rebind.example"}),
    ],
)
def test_the_console_opens_in_windows_only(
    world: World, status: int, more: dict[str, str]
) -> None:
    page = [row for row in rows() if row.template == PAGE]
    assert refused(world, status, page, known_to(CLICKED | more)) == []


def test_only_a_get_request_opens_the_console_from_elsewhere(world: World) -> None:
    headers = {"host": HOST, "content-type": JSON, **CLICKED}
    for method in {*METHODS} - {"GET"}:
        answer = ask(world.app, method, "/__admin/", headers, b"{}")
        assert answer.status == 403, method


@pytest.mark.parametrize("case", TYPES)
def test_no_route_takes_a_body_that_a_form_could_send(world: World, case: str) -> None:
    writing = [row for row in rows() if row.method in BODIED]
    assert refused(world, 415, writing, TYPES[case]) == []


def test_yaml_is_taken_by_the_state_alone(world: World) -> None:
    others = [
        row
        for row in rows()
        if row.method in BODIED and not row.template.endswith("/state")
    ]
    assert refused(world, 415, others, typed(YAML)) == []


def test_without_a_token_the_rest_of_the_guard_stands() -> None:
    world = World(token=None)
    for case, (status, headers) in EVERYONE.items():
        assert refused(world, status, rows(), headers) == [], case


@pytest.mark.parametrize("row", rows(), ids=str)
def test_a_good_call_is_answered_and_changes_what_it_says(
    world: World, row: Row
) -> None:
    before = world.fingerprint()
    answer = world.call(row)
    assert answer.status in (200, 201), answer.body
    assert (world.fingerprint() != before) is row.changes


def test_every_route_that_could_change_something_is_tried_with_a_good_body() -> None:
    found = {(row.method, row.route.path) for row in rows() if row.method != "GET"}
    assert found == {*CHANGES} | ONLY_READS


def test_other_methods_are_405_and_without_effect(world: World) -> None:
    before = world.fingerprint()
    good = {"host": HOST, "authorization": f"Bearer {TOKEN}", "content-type": JSON}
    for template, by_method in table().items():
        known = {*by_method} | ({"HEAD"} if "GET" in by_method else set())
        for method in {*METHODS} - known:
            path = filled(template)
            answer = ask(world.app, method, path, good, b"{}")
            assert answer.status == 405, (method, template)
            assert {*answer.headers["allow"].split(", ")} == {*by_method}
    assert world.fingerprint() == before


def test_a_page_of_the_server_itself_is_answered_without_cors(world: World) -> None:
    own = {"origin": f"http://{HOST}", "sec-fetch-site": "same-origin"}
    for row in rows():
        if row.method == "GET":
            assert world.call(row, row.headers | own).status == 200, row


def test_no_answer_can_be_taken_for_a_script_or_used_by_a_page() -> None:
    found = {}
    for row in rows():
        headers = World().call(row).headers
        found[str(row)] = (
            headers.get("x-content-type-options"),
            headers.get("cross-origin-resource-policy"),
            headers.get("cache-control"),
        )
    wanted = ("nosniff", "same-origin", "no-store")
    assert {row: each for row, each in found.items() if each != wanted} == {}


def test_a_method_named_in_a_header_or_the_query_is_not_taken(world: World) -> None:
    before = world.fingerprint()
    for name in ("x-http-method-override", "x-http-method", "x-method-override"):
        for row in rows():
            if row.method == "GET":
                world.call(row, row.headers | {name: "DELETE"})
    assert world.fingerprint() == before


@pytest.mark.parametrize("http_parser", ["zttp", "h11"])
def test_a_head_request_leaves_the_connection_to_the_next_one(
    http_parser: HttpParser,
    live: Callable[[HttpParser], tuple[Switch, str]],
    world: World,
) -> None:
    switch, url = live(http_parser)
    switch.app = world.app
    reads = [row for row in rows() if row.method == "GET"]
    assert [str(row) for row in reads if not is_free_after_head(url, row.path)] == []


def is_free_after_head(url: str, path: str) -> bool:
    """Whether a connection answers a HEAD request, and then another request."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=2)
    with closing(connection):
        connection.request("HEAD", path, headers={"Authorization": f"Bearer {TOKEN}"})
        assert connection.getresponse().read() == b""
        connection.request("GET", "/__admin/health")
        try:
            return connection.getresponse().status == 200
        except TimeoutError:
            return False


DETOURS = [
    "/%5f%5fadmin/state",
    "/__admi%6e/state",
    "//__admin/state",
    "/__ADMIN/state",
    "/__admin/../__admin/state",
    "/./__admin/state",
    "/api/../__admin/state",
    "/__admin/health/../state",
    "/__admin/health/%2e%2e/state",
    "/__admin/health%2f..%2fstate",
    "/__admin/%68ealth/../state",
    "/__admin%2fstate",
    "/__admin;/state",
    "/__admin//state",
    "/__admin/state/",
    "/__admin/state?/health",
    "/__admin/state%3f/health",
    "/__admin/state;/health",
    "/__admin/sandboxes/default/state",
    "/__admin/sandboxes/health/state",
    "/__admin/sandboxes/default/../../state",
    "\\__admin\\state",
]
REWRITES = (
    "X-Original-URL",
    "X-Rewrite-URL",
    "X-Forwarded-Uri",
    "X-Forwarded-Prefix",
    "X-Script-Name",
)


@pytest.fixture(params=["zttp", "h11"])
def raw(
    request: pytest.FixtureRequest,
    live: Callable[[HttpParser], tuple[Switch, str]],
    world: World,
) -> Callable[..., tuple[int, bytes]]:
    """Sends a request to the world over a socket, its target as it is."""
    switch, url = live(request.param)
    switch.app = world.app

    def send(method: str, target: str, **headers: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=10)
        with closing(connection):
            connection.putrequest(method, target)
            for name, value in headers.items():
                connection.putheader(name.replace("_", "-"), value)
            body = b"{}" if method == "PUT" else b""
            connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            response = connection.getresponse()
            return response.status, response.read()

    return send


def test_no_spelling_of_a_path_gets_around_the_guard(
    raw: Callable[..., tuple[int, bytes]], world: World
) -> None:
    before = records(world)
    for target in DETOURS:
        for method in ("GET", "PUT"):
            status, body = raw(method, target, Content_Type=JSON)
            assert status in (400, 401, 404), (method, target)
            assert b"ALPHA" not in body, (method, target)
    assert records(world) == before


def test_an_absolute_target_does_not_get_around_the_guard(
    raw: Callable[..., tuple[int, bytes]], world: World
) -> None:
    before = records(world)
    for target in ("http://localhost/__admin/state", "http://x.example/__admin/state"):
        for method in ("GET", "PUT"):
            status, body = raw(method, target, Content_Type=JSON)
            assert status in (400, 401, 404, 421), (method, target)
            assert b"ALPHA" not in body, (method, target)
    assert records(world) == before


def test_no_header_sends_an_open_route_elsewhere(
    raw: Callable[..., tuple[int, bytes]], world: World
) -> None:
    before = records(world)
    for name in REWRITES:
        there = {name.replace("-", "_"): "/__admin/state"}
        status, body = raw("GET", "/__admin/health", **there)
        assert (status, json.loads(body)["status"]) == (200, "ready")
        assert raw("GET", "/nowhere", **there)[0] == 404
        assert raw("PUT", PIN, Content_Type=JSON, **there)[0] == 401
    assert records(world) == before


def records(world: World) -> list[list[object]]:
    """The fingerprint without the journals, which requests outside enter."""
    return [each[:-1] for each in world.fingerprint()]
