"""The journal as HAR: what it holds, and that it can be imported again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from mock_server.client import AdminClient
from mock_server.domain.limits import Limits
from mock_server.embedding import MockServer
from mock_server.har.importing import Import
from mock_server.har.reading import read_har
from tests.cli import commands
from tests.support import DATASET, LIBRARY, LIST, PIN, fetch

KEY = "a-key-that-nobody-may-see"
HEADERS = {"Authorization": f"Bearer {KEY}"}
PNG = "iVBORw0KGgoA/w=="
RESPONSES: list[dict[str, object]] = [
    {"method": "GET", "path": "/app/logo.png", "base64": PNG},
    {"method": "GET", "path": "/app/{id}", "text": "<p>é</p>"},
    {"method": "POST", "path": "/app/go", "status": 303, "headers": {"Location": "/a"}},
    {"method": "GET", "path": "/app/long", "text": "x" * Limits.journal_body_bytes * 2},
]


@pytest.fixture(scope="module")
def server() -> Iterator[MockServer]:
    with MockServer({**LIBRARY, "responses": RESPONSES}) as running:
        yield running


@pytest.fixture(autouse=True)
def _fresh(server: MockServer) -> None:
    server.sandbox.reset()


def ask(server: MockServer, method: str, path: str, body: Any = None) -> bytes:
    """The body of an answer; redirects are not followed."""
    url = server.url + path
    return fetch(method, url, json=body, headers=HEADERS).content


def exported(server: MockServer, query: str = "") -> Any:
    return fetch("GET", f"{server.url}/__admin/journal?format=har{query}").json()


def imported(har: Any) -> Import:
    made = Import()
    made.take(read_har(json.dumps(har).encode(), "it").log.entries)
    return made


def test_an_entry_has_all_that_har_wants(server: MockServer) -> None:
    ask(server, "PUT", PIN + "?x=%20&y", {"appId": "app-1"})
    (entry,) = exported(server)["log"]["entries"]
    request, response = entry["request"], entry["response"]
    assert {"startedDateTime", "time", "cache", "timings"} <= entry.keys()
    assert request["url"] == f"{server.url}{PIN}?x=%20&y"
    assert request["queryString"] == [
        {"name": "x", "value": " "},
        {"name": "y", "value": ""},
    ]
    assert request["postData"]["mimeType"] == "application/json"
    assert json.loads(request["postData"]["text"]) == {"appId": "app-1"}
    for each in (request, response):
        assert {"httpVersion", "cookies", "headers"} <= each.keys()
        assert each["headersSize"] == each["bodySize"] == -1
    assert (response["status"], response["statusText"]) == (400, "Bad Request")
    assert response["redirectURL"] == ""
    assert response["content"]["size"] == len(response["content"]["text"])
    assert entry["_operation"] == "updateHistory"


def test_keys_are_not_in_it(server: MockServer) -> None:
    ask(server, "PUT", PIN, {"appId": KEY})
    assert KEY not in json.dumps(exported(server))


def test_what_is_no_text_is_in_base64(server: MockServer) -> None:
    ask(server, "GET", "/app/logo.png")
    (entry,) = exported(server)["log"]["entries"]
    assert entry["response"]["content"] == {
        "size": 10,
        "mimeType": "application/octet-stream",
        "text": PNG,
        "encoding": "base64",
    }


def test_criteria_and_parts_are_as_in_json(server: MockServer) -> None:
    for _ in range(3):
        ask(server, "GET", "/app/1")
    ask(server, "PUT", PIN, {})
    assert len(exported(server, "&operation=updateHistory")["log"]["entries"]) == 1
    log = exported(server, "&limit=2")["log"]
    first, second = (each["_seq"] for each in log["entries"])
    assert (second, log["_next"]) == (first + 1, first + 2)


def test_the_command_prints_all_parts_as_one(server: MockServer) -> None:
    for _ in range(5):
        ask(server, "GET", "/app/1")
    done = commands.run("journal", "--har", MOCK_SERVER_URL=server.url)
    har = json.loads(done.out)
    assert har == exported(server)
    assert len(har["log"]["entries"]) == 5
    in_parts = json.loads(AdminClient(server.url).journal_as_har({"limit": 2}))
    assert in_parts == har


def test_one_format_is_printed(server: MockServer) -> None:
    done = commands.run("journal", "--har", "--json", MOCK_SERVER_URL=server.url)
    assert (done.status, done.out) == (1, "")
    assert "Expected --har by itself" in done.err


def test_an_export_imports_to_a_fixture_that_serves_the_same(
    server: MockServer,
) -> None:
    folders = (None, "folder", "deep")
    asked: list[tuple[str, str, Any]] = [
        ("POST", LIST, {"offset": 0, "datasetId": DATASET, "parentId": each})
        for each in folders
    ]
    asked += [("GET", "/app/logo.png", None), ("GET", "/app/7", None)]
    asked += [("POST", "/app/go", {"x": 1}), ("GET", "/nowhere", None)]
    before = [ask(server, *each) for each in asked]
    ask(server, "PUT", PIN, {"appId": "app-1", "chatId": "chat-2", "top": True})
    made = imported(exported(server))
    assert not [each for each in made.advice() if "left out" in each]
    with MockServer(made.document()) as again:
        assert [ask(again, *each) for each in asked] == before
        assert again.sandbox.chat("app-1", "chat-2").top  # type: ignore[union-attr]


def test_a_body_that_was_cut_is_not_imported(server: MockServer) -> None:
    ask(server, "GET", "/app/long")
    har = exported(server)
    assert har["log"]["entries"][0]["response"]["content"]["_truncated"] is True
    made = imported(har)
    assert "responses" not in made.document()
    assert "body was not recorded: GET /app/long" in next(made.advice())
