"""The commands that steer a running server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mock_server.api.faults.table import KINDS, PRESETS
from mock_server.server import MockServer
from tests.cli import commands
from tests.support import APP, CHAT, LIBRARY, PIN, fetch

TOKEN = "s3cret-admin-token"


@pytest.fixture(scope="module")
def server() -> Iterator[MockServer]:
    with MockServer(LIBRARY, admin_token=TOKEN) as running:
        yield running


@pytest.fixture(autouse=True)
def _fresh(server: MockServer) -> None:
    server.sandbox.reset()


def run(
    server: MockServer, *args: str, status: int = 0, text: str | None = None
) -> str:
    """A command's stdout, or its stderr if it is to fail."""
    where = {"MOCK_SERVER_URL": server.url, "MOCK_SERVER_ADMIN_TOKEN": TOKEN}
    done = commands.run(*args, text=text, **where)
    assert done.status == status, done
    return done.err if status and done.err else done.out


def pin(server: MockServer, **fields: Any) -> None:
    headers = {"Authorization": "Bearer k"}
    body = {"appId": APP, "chatId": CHAT, "top": True} | fields
    fetch("PUT", server.url + PIN, json=body, headers=headers)


def test_reset_says_the_new_generation(server: MockServer) -> None:
    pin(server)
    answer = json.loads(run(server, "reset"))
    assert answer == {
        "sandbox": "default",
        "generation": server.sandbox.state.generation,
    }
    assert len(server.sandbox.journal) == 0


@pytest.mark.parametrize("kind", ["json", "yaml"])
def test_a_state_goes_out_and_in_again(
    server: MockServer, tmp_path: Path, kind: str
) -> None:
    pin(server)
    text = run(server, "state", *(["--yaml"] if kind == "yaml" else []))
    file = tmp_path / f"state.{kind}"
    file.write_text(text)
    server.sandbox.reset()
    run(server, "state", str(file))
    chat = server.sandbox.chat(APP, CHAT)
    assert chat is not None
    assert chat.top is True
    assert run(server, "state") == run(server, "state")


def test_a_state_comes_from_stdin_too(server: MockServer) -> None:
    made = fetch(
        "POST",
        server.url + "/__admin/sandboxes",
        json={"name": "piped"},
        headers={"Authorization": f"Bearer {TOKEN}"},
    )
    assert made.status_code == 201
    run(server, "state", "-", "--sandbox", "piped", text="apps: [{id: piped}]")
    assert '"piped"' in run(server, "state", "--sandbox", "piped")
    assert '"piped"' not in run(server, "state")


def test_a_broken_state_exits_2_and_says_where(
    server: MockServer, tmp_path: Path
) -> None:
    file = tmp_path / "broken.yaml"
    file.write_text("apps:\n  - id: 5\n")
    assert "state:2:9: " in run(server, "state", str(file), status=2)


def test_the_journal_is_printed_by_criteria(server: MockServer) -> None:
    pin(server)
    pin(server, extra=1)
    page = json.loads(run(server, "journal", "--violations"))
    assert [entry["seq"] for entry in page["entries"]] == [page["next"] - 1]
    options = ("--operation", "updateHistory", "--status", "200", "--body", "{}")
    assert len(json.loads(run(server, "journal", *options))["entries"]) == 2


def test_a_verification_exits_0_or_1(server: MockServer) -> None:
    pin(server)
    criteria = ("--body", '{"top": true}', "--no-violations")
    assert json.loads(run(server, "journal", *criteria, "--exactly", "1"))["ok"]
    false = json.loads(run(server, "journal", *criteria, "--at-least", "2", status=1))
    assert (false["ok"], false["count"]) == (False, 1)
    assert json.loads(run(server, "journal", "--at-most", "1"))["count"] == 1


def test_faults_are_added_listed_and_cleared(server: MockServer) -> None:
    body = 'match={"body": {"top": true}}'
    options = ("status=502", "times=2", "message=Down for now", body)
    added = json.loads(run(server, "fault", "add", "error", *options))
    assert (added["status"], added["times"]) == (502, 2)
    assert (added["message"], added["match"]["body"]) == ("Down for now", {"top": True})
    assert len(json.loads(run(server, "fault", "add", "slow"))["faults"]) == 1
    listed = json.loads(run(server, "fault", "list"))["faults"]
    assert [each["kind"] for each in listed] == ["error", "delay"]
    run(server, "fault", "clear")
    assert server.sandbox.faults.all() == []


def test_the_help_of_faults_lists_every_kind_and_preset(server: MockServer) -> None:
    text = run(server, "fault", "add", "--help")
    for name in (*KINDS, *PRESETS):
        assert f"\n  {name}" in text


def test_wait_ends_when_the_server_is_ready(server: MockServer) -> None:
    assert json.loads(run(server, "wait"))["status"] == "ready"


def test_wait_exits_4_when_it_is_not_in_time(server: MockServer) -> None:
    options = ("--url", "http://127.0.0.1:1", "--timeout", "0.2")
    assert "not ready in 0.2 s" in run(server, "wait", *options, status=4)


@pytest.mark.parametrize(
    ("args", "status", "said"),
    [
        (("reset", "--url", "http://127.0.0.1:1"), 3, "cannot reach"),
        (("reset", "--url", "127.0.0.1:8000"), 1, "Expected http://HOST:PORT"),
        (("reset", "--admin-token", "wrong"), 1, "Expected the admin token"),
        (("reset", "--sandbox", "nope"), 1, "Expected the name of a sandbox"),
        (("state", "/nowhere.yaml"), 1, "cannot read /nowhere.yaml"),
        (("journal", "--body", "{", "--exactly", "1"), 1, "Expected a JSON object"),
        (("journal", "--body", "[]"), 1, "Expected a JSON object"),
        (("journal", "--body", "[]", "--exactly", "1"), 1, "Expected an object"),
        (("fault", "add", "error", "kind=delay"), 1, "Expected KIND or PRESET once"),
        (("reset", "--admin-token", "ключ"), 1, "Expected visible ASCII"),
        (("wait", "--sandbox", "typo"), 1, "Expected the name of a sandbox"),
        (("fault", "add", "eror"), 1, "did you mean 'error'?"),
        (("fault", "add", "error", "status"), 1, "Expected FIELD=VALUE"),
        (("fault", "add", "error", "times=null"), 1, "got null - at $.times"),
        (("journal", "--operation", "pin"), 1, "Expected one of updateHistory, listV2"),
        (("journal", "--operation", "listv2"), 1, "did you mean 'listV2'?"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    server: MockServer, args: tuple[str, ...], status: int, said: str
) -> None:
    text = run(server, *args, status=status)
    assert said in text
    assert len(text.splitlines()) == 1
