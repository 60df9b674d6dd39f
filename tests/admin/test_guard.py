"""The guard of the admin API: who is answered on which route, and what is refused.

`untouched` is a server on which no call of a test may have an effect.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from mock_server.admin.app import table
from mock_server.admin.resources.console import PAGE
from mock_server.wire.uvicorn_internals import HttpParser
from tests.admin.world import (
    BODIED,
    CHANGES,
    HOST,
    JSON,
    ONLY_READS,
    OPEN,
    ROWS,
    TOKEN,
    YAML,
    Headers,
    Row,
    World,
    ask,
    filled,
)
from tests.said import Text
from tests.support import PIN, Api, Switch

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "STEAL")
CONSOLE = [row for row in ROWS if row.template == PAGE]
OTHERS = [row for row in ROWS if row.template != PAGE]
FREE = [row for row in ROWS if row.template in OPEN]
CLOSED = [row for row in ROWS if row.template not in OPEN]
READS = [row for row in ROWS if row.method == "GET"]
WRITES = [row for row in ROWS if row.method in BODIED]
SPELLINGS = [
    each.given
    for each in Text(Path(__file__).with_name("said") / "spellings.txt").cases
]
"""Paths of the state as another reader of a path might write them."""
GOOD = {"host": HOST, "authorization": f"Bearer {TOKEN}", "content-type": JSON}


@pytest.fixture
def world(request: pytest.FixtureRequest) -> World:
    """A server with the admin token, or with what a test is parametrised with."""
    return World(getattr(request, "param", TOKEN))


WITH_AND_WITHOUT_TOKEN = pytest.mark.parametrize("world", [TOKEN, None], indirect=True)


@pytest.fixture
def untouched(world: World) -> Iterator[World]:
    before = world.fingerprint()
    yield world
    assert world.fingerprint() == before


def statuses(world: World, rows: Sequence[Row], headers: Headers) -> dict[str, int]:
    """What routes answer to good calls with these headers; None takes one away."""
    return {str(row): world.call(row, headers).status for row in rows}


def all_are(status: int, rows: Sequence[Row]) -> dict[str, int]:
    return {str(row): status for row in rows}


FOREIGN: list[tuple[int, Headers]] = [
    (403, {"origin": "http://evil.example"}),
    (403, {"origin": "http://127.0.0.1:8001"}),
    (403, {"origin": f"http://{HOST}.evil.example"}),
    (403, {"origin": "null"}),
    (403, {"sec-fetch-site": "cross-site"}),
    (403, {"sec-fetch-site": "same-site"}),
    (421, {"host": "evil.example"}),
    (421, {"host": "rebind.example:8000"}),
    (421, {"host": "rebind.example", "x-forwarded-host": "localhost"}),
    (
        421,
        {
            "host": "rebind.example:8000",
            "origin": "http://rebind.example:8000",
            "sec-fetch-site": "same-origin",
        },
    ),
]


@WITH_AND_WITHOUT_TOKEN
@pytest.mark.parametrize(("status", "headers"), FOREIGN)
def test_no_route_answers_a_web_page_or_a_rebound_name(
    untouched: World, status: int, headers: Headers
) -> None:
    assert statuses(untouched, ROWS, headers) == all_are(status, ROWS)


@pytest.mark.parametrize(
    "headers",
    [
        {"authorization": None},
        {"authorization": "Bearer wrong"},
        {"authorization": f"Bearer {TOKEN[:-1]}"},
        {"authorization": f"Basic {TOKEN}"},
        {"authorization": None, "cookie": f"token={TOKEN}"},
    ],
)
def test_only_health_and_the_console_are_open_without_the_token(
    untouched: World, headers: Headers
) -> None:
    assert statuses(untouched, CLOSED, headers) == all_are(401, CLOSED)
    assert statuses(untouched, FREE, headers) == all_are(200, FREE)


def test_an_api_key_is_no_admin_token(untouched: World) -> None:
    headers = {"authorization": f"Bearer {untouched.key}"}
    assert statuses(untouched, CLOSED, headers) == all_are(401, CLOSED)


@pytest.mark.parametrize("method", METHODS)
def test_no_method_gets_past_the_token(untouched: World, method: str) -> None:
    for path in {row.path for row in CLOSED}:
        headers = {"host": HOST, "content-type": JSON}
        assert ask(untouched.app, method, path, headers, b"{}").status == 401, path


def test_no_preflight_of_a_page_is_granted(untouched: World) -> None:
    preflight = {
        "host": HOST,
        "origin": "http://evil.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization, content-type",
        "access-control-request-private-network": "true",
    }
    for row in ROWS:
        assert ask(untouched.app, "OPTIONS", row.path, preflight).status == 403, row


CLICKED = {
    "sec-fetch-site": "cross-site",
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
}
"""What a browser sends when a link on some page has been clicked."""


@WITH_AND_WITHOUT_TOKEN
@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_link_on_any_page_opens_the_console_and_nothing_else(
    untouched: World, site: str
) -> None:
    clicked = CLICKED | {"sec-fetch-site": site}
    assert statuses(untouched, CONSOLE, clicked) == all_are(200, CONSOLE)
    assert statuses(untouched, OTHERS, clicked) == all_are(403, OTHERS)


@pytest.mark.parametrize(
    ("status", "more"),
    [
        (403, {"sec-fetch-dest": "iframe"}),
        (403, {"sec-fetch-dest": "object"}),
        (403, {"sec-fetch-dest": "empty"}),
        (403, {"sec-fetch-mode": "no-cors"}),
        (403, {"sec-fetch-mode": "cors"}),
        (403, {"origin": "http://evil.example"}),
        (403, {"origin": f"http://{HOST}.evil.example"}),
        (403, {"origin": "null"}),
        (421, {"host": "rebind.example"}),
    ],
)
def test_the_console_opens_in_windows_only(
    untouched: World, status: int, more: Headers
) -> None:
    assert statuses(untouched, CONSOLE, {**CLICKED, **more}) == all_are(status, CONSOLE)


@pytest.mark.parametrize("method", sorted({*METHODS} - {"GET"}))
def test_only_a_get_request_opens_the_console_from_elsewhere(
    untouched: World, method: str
) -> None:
    headers = {"host": HOST, "content-type": JSON, **CLICKED}
    assert ask(untouched.app, method, "/__admin/", headers, b"{}").status == 403


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain;charset=UTF-8",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        None,
        "text/plain; application/json",
    ],
)
def test_no_route_takes_a_body_that_a_form_could_send(
    untouched: World, content_type: str | None
) -> None:
    headers = {"content-type": content_type}
    assert statuses(untouched, WRITES, headers) == all_are(415, WRITES)


def test_yaml_is_taken_by_the_state_alone(untouched: World) -> None:
    rows = [row for row in WRITES if row.route.path != "/state"]
    assert statuses(untouched, rows, {"content-type": YAML}) == all_are(415, rows)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_good_call_is_answered_and_changes_what_it_says(
    world: World, row: Row
) -> None:
    before = world.fingerprint()
    answer = world.call(row)
    assert answer.status in (200, 201), answer.body
    assert (world.fingerprint() != before) is row.changes


def test_every_route_that_could_change_something_is_tried_with_a_good_body() -> None:
    found = {(row.method, row.route.path) for row in ROWS if row.method != "GET"}
    assert found == {*CHANGES} | ONLY_READS


def test_other_methods_are_405_and_without_effect(untouched: World) -> None:
    for template, by_method in table().items():
        known = {*by_method} | ({"HEAD"} if "GET" in by_method else set())
        for method in {*METHODS} - known:
            answer = ask(untouched.app, method, filled(template), GOOD, b"{}")
            assert answer.status == 405, (method, template)
            assert {*answer.headers["allow"].split(", ")} == {*by_method}


def test_a_page_of_the_server_itself_is_answered_without_cors(world: World) -> None:
    own = {"origin": f"http://{HOST}", "sec-fetch-site": "same-origin"}
    assert statuses(world, READS, own) == all_are(200, READS)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_no_answer_can_be_taken_for_a_script_or_used_by_a_page(
    world: World, row: Row
) -> None:
    headers = world.call(row).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "name", ["x-http-method-override", "x-http-method", "x-method-override"]
)
def test_a_method_named_in_a_header_is_not_taken(untouched: World, name: str) -> None:
    assert statuses(untouched, READS, {name: "DELETE"}) == all_are(200, READS)


Live = Callable[[HttpParser], tuple[Switch, str]]


@pytest.fixture(params=["zttp", "h11"])
def url(request: pytest.FixtureRequest, live: Live, world: World) -> Iterator[str]:
    """The address of a server whose records no call of a test may change."""
    switch, address = live(request.param)
    switch.app, before = world.app, world.records()
    yield address
    assert world.records() == before


@pytest.mark.ci
@pytest.mark.parametrize("row", READS, ids=str)
def test_a_head_request_leaves_the_connection_to_the_next_one(
    url: str, row: Row
) -> None:
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)
    with closing(connection):
        token = {"Authorization": f"Bearer {TOKEN}"}
        connection.request("HEAD", row.path, headers=token)
        assert connection.getresponse().read() == b""
        connection.request("GET", "/__admin/health")
        assert connection.getresponse().status == 200


def raw(url: str, method: str, target: str, **headers: str) -> tuple[int, bytes]:
    """The status and the body for a request whose target is sent as it is."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)
    with closing(connection):
        connection.putrequest(method, target)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        body = b"{}" if method == "PUT" else b""
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        return response.status, response.read()


@pytest.mark.parametrize("method", ["GET", "PUT"])
@pytest.mark.parametrize("target", SPELLINGS)
def test_no_spelling_of_a_path_gets_around_the_guard(
    url: str, method: str, target: str
) -> None:
    status, body = raw(url, method, target, Content_Type=JSON)
    assert status in (400, 401, 404)
    assert b"ALPHA" not in body


@pytest.mark.parametrize("method", ["GET", "PUT"])
@pytest.mark.parametrize("host", ["localhost", "x.example"])
def test_an_absolute_target_does_not_get_around_the_guard(
    url: str, method: str, host: str
) -> None:
    target = f"http://{host}/__admin/state"
    status, body = raw(url, method, target, Content_Type=JSON)
    assert status in (400, 401, 404, 421)
    assert b"ALPHA" not in body


@pytest.mark.parametrize(
    "name",
    [
        "X_Original_URL",
        "X_Rewrite_URL",
        "X_Forwarded_Uri",
        "X_Forwarded_Prefix",
        "X_Script_Name",
    ],
)
def test_no_header_sends_an_open_route_elsewhere(url: str, name: str) -> None:
    there = {name: "/__admin/state"}
    status, body = raw(url, "GET", "/__admin/health", **there)
    assert (status, json.loads(body)["status"]) == (200, "ready")
    assert raw(url, "GET", "/nowhere", **there)[0] == 404
    assert raw(url, "PUT", PIN, Content_Type=JSON, **there)[0] == 401


@pytest.mark.parametrize("kind", [None, "text/yaml"])
def test_the_refused_type_of_a_state_has_a_command_that_keeps_it(
    api: Api, kind: str | None
) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    answer = api.client.put("/__admin/state", content=b"apps: []", headers=headers)
    said = answer.json()["message"]
    assert said.startswith("Expected application/json or application/yaml, got ")
    assert said.endswith(" -H 'Content-Type: application/yaml' --data-binary @FILE)")
