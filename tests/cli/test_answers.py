"""`mock-server answer`, `mock-server reply`, and what the journal says of them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mock_server.control.embedding import MockServer
from tests.cli import commands
from tests.cli.commands import Ended
from tests.support import LIBRARY, LIST, fetch


@pytest.fixture
def server() -> Iterator[MockServer]:
    with MockServer(LIBRARY) as running:
        yield running


def run(server: MockServer, *args: str) -> Ended:
    return commands.run(*args, MOCK_SERVER_URL=server.url)


def test_a_path_is_answered_as_the_options_say(server: MockServer) -> None:
    options = ("--json", '{"id": "{{path.id}}"}', "--status", "201", "--times", "1")
    headers = ("--header", "X-Trace: 7:8", "--header", "ETag:a")
    done = run(server, "answer", "GET", "/api/x/{id}", *options, *headers)
    assert json.loads(done.out)["id"] == "f1"
    answer = fetch("GET", f"{server.url}/api/x/5")
    assert (answer.status_code, answer.json()) == (201, {"id": "5"})
    assert (answer.headers["x-trace"], answer.headers["etag"]) == ("7:8", "a")
    assert fetch("GET", f"{server.url}/api/x/5").status_code == 404


def test_an_operation_is_answered_with_data_and_a_warning(server: MockServer) -> None:
    match = ("--match", '{"body": {"offset": 0}}', "--delay-ms", "1")
    done = run(server, "answer", "listV2", "--data", '{"list": 5}', *match)
    assert done.err.startswith("warning: The answer differs from what listV2 returns")
    headers = {"Authorization": "Bearer k"}
    answer = fetch("POST", server.url + LIST, json={"offset": 0}, headers=headers)
    assert answer.json()["data"] == {"list": 5}


def test_a_file_is_answered_byte_by_byte(server: MockServer, tmp_path: Path) -> None:
    file = tmp_path / "file.bin"
    file.write_bytes(b"\xff\x00")
    run(server, "answer", "GET /api/file", "--body-file", str(file))
    assert fetch("GET", f"{server.url}/api/file").content == b"\xff\x00"


@pytest.mark.ci
@pytest.mark.skipif(os.name == "nt", reason="there are no such devices")
@pytest.mark.parametrize("command", [["answer", "listV2", "--body-file"], ["state"]])
def test_of_a_file_without_an_end_no_more_than_a_limit_is_read(
    server: MockServer, command: list[str]
) -> None:
    done = run(server, *command, "/dev/zero")
    assert (done.status, done.out) == (1, "")
    assert "Expected at most" in done.err


def test_a_reply_is_added_as_a_text_or_in_parts(server: MockServer) -> None:
    pace = ("--stream", '{"firstTokenMs": 5}', "--match", '{"question": "refund"}')
    added = json.loads(run(server, "reply", "Within 30 days.", *pace).out)
    assert (added["text"], added["stream"]["firstTokenMs"]) == ("Within 30 days.", 5)
    assert added["match"]["question"] == "refund"
    added = json.loads(run(server, "reply", "--parts", '["a"]', "--times", "1").out)
    assert (added["parts"], added["remaining"]) == (["a"], 1)


def test_what_an_answer_of_a_fixture_may_not_mean_is_told(tmp_path: Path) -> None:
    fixture = tmp_path / "a.yaml"
    fixture.write_text('responses: [{method: GET, path: "/a/:id", json: "{{ now }}"}]')
    checked = commands.run("check", str(fixture))
    assert checked.err.splitlines() == [
        "warning: GET /a/:id: ':id' is taken literally: write {id}",
        "warning: GET /a/:id: '{{ now }}' is no placeholder, and is sent as it is: "
        "write {{now}}",
    ]
    assert checked.status == 0


def test_what_nothing_serves_is_shown_alone(server: MockServer) -> None:
    for method, path in (("POST", LIST), ("POST", "/api/x"), ("GET", "/api/x")):
        fetch(method, server.url + path)
    table = run(server, "journal", "--unknown").out.splitlines()
    assert [line.split()[2:4] for line in table if " 404 " in line] == [
        ["POST", "/api/x"],
        ["GET", "/api/x"],
    ]
    assert table[-1] == "2 of 3 requests"
    page = json.loads(run(server, "journal", "--unknown", "--json").out)
    assert [each["seq"] for each in page["entries"]] == [2, 3]


def test_what_nothing_serves_becomes_entries_of_a_fixture(
    server: MockServer, tmp_path: Path
) -> None:
    assert run(server, "journal", "--responses").out == "responses: []\n"
    asked = [
        ("POST", "/api/x?a=1"),
        ("POST", "/api/x"),
        ("HEAD", "/api/é,b"),
        ("GET", "/"),
    ]
    for method, path in asked:
        fetch(method, server.url + path)
    done = run(server, "journal", "--unknown", "--responses")
    assert done.out.splitlines() == [
        "responses:",
        "  - {method: POST, path: /api/x, status: 200, json: {}}",
        '  - {method: GET, path: "/api/%C3%A9,b", status: 200, json: {}}',
    ]
    assert done.err.startswith("left out GET /: Expected a path of its own")
    file = tmp_path / "fixture.yaml"
    file.write_text(done.out)
    assert commands.run("check", str(file)).status == 0
