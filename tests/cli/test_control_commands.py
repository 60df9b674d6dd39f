"""The commands that steer a running server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mock_server.api.faults.presets import PRESETS
from mock_server.api.faults.table import KINDS
from mock_server.control.embedding import MockServer
from mock_server.domain.limits import DEFAULT_LIMITS
from tests.cli import commands
from tests.cli.commands import TOKEN
from tests.said import Case
from tests.support import APP, CHAT, DATASET, LIBRARY, PIN, fetch


@pytest.fixture(scope="module")
def server() -> Iterator[MockServer]:
    with MockServer(LIBRARY, admin_token=TOKEN) as running:
        yield running


@pytest.fixture(scope="module")
def untouched() -> Iterator[MockServer]:
    """A server for what changes nothing."""
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
    said = run(server, "state", str(file), status=2)
    assert said.startswith(f"{file}:2:9: Expected ")
    assert said == run(server, "sandbox", "create", "--state", str(file), status=2)


def test_a_state_over_the_limit_is_told_what_to_do(
    server: MockServer, tmp_path: Path
) -> None:
    file = tmp_path / "large.yaml"
    file.write_bytes(b"#" * (DEFAULT_LIMITS.fixture_bytes + 1))
    said = run(server, "state", str(file), status=1)
    assert "limit fixture_bytes; start the server with it in several files" in said


def test_a_shipped_fixture_is_a_state_by_its_name(server: MockServer) -> None:
    assert json.loads(run(server, "state", "paging"))["sandbox"] == "default"
    run(server, "state", "-", text=json.dumps(LIBRARY))


def test_digits_are_text_where_a_field_is_a_text(server: MockServer) -> None:
    added = json.loads(run(server, "fault", "add", "error", "message=2024"))
    assert added["message"] == "2024"
    added = json.loads(
        run(server, "fault", "add", "error", 'message="7"', "status=500")
    )
    assert (added["message"], added["status"]) == ("7", 500)
    args = "why", "--dataset", DATASET, "searchText=2024", "pageSize=5"
    assert 'searchText "2024"' in run(server, *args)


def test_the_journal_is_printed_by_criteria(server: MockServer) -> None:
    pin(server)
    pin(server, extra=1)
    text = run(server, "journal", "--json", "--violations")
    page = json.loads(text)
    assert [entry["seq"] for entry in page["entries"]] == [page["next"] - 1]
    options = (
        "--json",
        "--operation",
        "updateHistory",
        "--status",
        "200",
        "--body",
        "{}",
    )
    assert len(json.loads(run(server, "journal", *options))["entries"]) == 2


def test_a_verification_exits_0_or_1(server: MockServer) -> None:
    pin(server)
    criteria = ("--body", '{"top": true}', "--no-violations")
    assert json.loads(run(server, "journal", *criteria, "--exactly", "1"))["ok"]
    false = json.loads(run(server, "journal", *criteria, "--at-least", "2", status=1))
    assert (false["ok"], false["count"]) == (False, 1)
    assert json.loads(run(server, "journal", "--at-most", "1"))["count"] == 1


def test_violations_that_should_not_be_are_named(server: MockServer) -> None:
    pin(server, extra=1)
    false = run(server, "journal", "--violations", "--exactly", "0", status=1)
    (near,) = json.loads(false)["nearest"]
    assert (near["differences"], near["violations"]) == ([], ["unknown_fields"])


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


def test_faults_of_a_preset_are_cleared(server: MockServer) -> None:
    run(server, "fault", "add", "flaky")
    run(server, "fault", "add", "error")
    gone = json.loads(run(server, "fault", "clear", "--preset", "flaky"))["faults"]
    assert [each["preset"] for each in gone] == ["flaky"] * 3
    assert [each.id for each in server.sandbox.faults.all()] == ["f4"]


def test_one_fault_is_removed_by_its_id(server: MockServer) -> None:
    for kind in ("error", "delay"):
        run(server, "fault", "add", kind, *(["ms=1"] if kind == "delay" else []))
    assert json.loads(run(server, "fault", "remove", "f1"))["kind"] == "error"
    assert [each.id for each in server.sandbox.faults.all()] == ["f2"]
    text = run(server, "fault", "remove", "f1", status=1)
    assert "Expected the id of a fault" in text


def test_a_snapshot_is_taken_listed_restored_and_deleted(server: MockServer) -> None:
    pin(server)
    run(server, "snapshot", "take", "before")
    pin(server, top=False)
    chat = server.sandbox.chat(APP, CHAT)
    assert chat is not None
    assert chat.top is False
    listed = json.loads(run(server, "snapshot", "list"))["snapshots"]
    assert [each["name"] for each in listed] == ["before"]
    run(server, "snapshot", "restore", "before")
    restored = server.sandbox.chat(APP, CHAT)
    assert restored is not None
    assert restored.top is True
    run(server, "snapshot", "delete", "before")
    assert list(server.sandbox.snapshots) == []


def test_a_clock_is_frozen_advanced_and_run(server: MockServer) -> None:
    frozen = json.loads(run(server, "clock", "freeze", "2026-01-31T12:00:00Z"))
    assert frozen == {"now": "2026-01-31T12:00:00.000Z", "frozen": True}
    for duration, now in (("90", "12:01:30"), ("2h", "14:01:30")):
        assert now in run(server, "clock", "advance", duration)
    assert json.loads(run(server, "clock", "run"))["frozen"] is False
    # Where it is, not at a time of its own.
    assert json.loads(run(server, "clock", "freeze"))["now"] >= "2026-01-31T14:01:30"
    assert json.loads(run(server, "clock", "show"))["frozen"] is True


def test_a_former_name_of_a_choice_is_taken_with_a_line(server: MockServer) -> None:
    where = {"MOCK_SERVER_URL": server.url, "MOCK_SERVER_ADMIN_TOKEN": TOKEN}
    done = commands.run("choices", "set", "neighbours=off", **where)
    assert "related_routes=off   (documented: on)\n" in done.out
    assert "deprecated: the choice neighbours is called related_routes" in done.err


def test_a_former_name_of_a_choice_warns_where_it_stands() -> None:
    with pytest.warns(DeprecationWarning, match="mock-server: the choice neighbours"):
        MockServer(choices={"neighbours": "on"})


def test_choices_are_set_one_by_one_or_with_a_profile(server: MockServer) -> None:
    run(server, "choices", "set", "list_order=name")
    said = run(server, "choices", "set", "page_size_default=5")
    assert "profile documented\n" in said
    assert "page_size_default=5   (documented: 10)\n" in said
    assert "list_order=name   (documented: update_time_desc)\n" in said
    both = ("--profile", "deployed", "error_form=plain", "--json")
    view = json.loads(run(server, "choices", "set", *both))
    assert view["profile"] == "deployed"
    choices = view["choices"]
    assert (choices["error_form"], choices["page_size_default"]) == ("plain", 10)
    shown = run(server, "choices", "show")
    assert shown.startswith("profile deployed\n")
    assert "error_form=plain   (deployed: service)" in shown


def test_a_sandbox_is_made_shown_listed_and_deleted(
    server: MockServer, tmp_path: Path
) -> None:
    file = tmp_path / "state.yaml"
    file.write_text("apps: [{id: of-mine}]")
    options = ("--ttl", "60", "--profile", "deployed", "--choice", "list_order=name")
    state = ("--state", str(file))
    text = run(server, "sandbox", "create", "--name", "mine", *options, *state)
    made = json.loads(text)
    assert (made["name"], made["profile"]) == ("mine", "deployed")
    assert '"of-mine"' in run(server, "state", "--sandbox", "mine")
    listed = json.loads(run(server, "sandbox", "list"))["sandboxes"]
    assert "mine" in {each["name"] for each in listed}
    for named in (("mine",), ("--sandbox", "mine")):
        assert json.loads(run(server, "sandbox", "show", *named))["key"] == made["key"]
    run(server, "sandbox", "delete", "mine")
    run(server, "sandbox", "show", "mine", status=1)


def test_a_sandbox_from_a_broken_fixture_is_not_made(
    server: MockServer, tmp_path: Path
) -> None:
    file = tmp_path / "broken.yaml"
    file.write_text("apps:\n  - id: 5\n")
    create = ("sandbox", "create", "--name", "broken", "--state", str(file))
    assert f"{file}:2:9: " in run(server, *create, status=2)
    run(server, "sandbox", "show", "broken", status=1)


def test_the_help_of_faults_lists_every_kind_and_preset(server: MockServer) -> None:
    text = run(server, "fault", "add", "--help")
    for name in (*KINDS, *PRESETS):
        # Answers have commands of their own.
        is_fault = name in PRESETS or not KINDS[name].is_answer
        assert (f"\n  {name}" in text) is is_fault


def test_wait_ends_when_the_server_is_ready(server: MockServer) -> None:
    assert json.loads(run(server, "wait"))["status"] == "ready"


def test_wait_exits_4_when_it_is_not_in_time(server: MockServer) -> None:
    options = ("--url", "http://127.0.0.1:1", "--timeout", "0.2")
    assert "not ready in 0.2 s" in run(server, "wait", *options, status=4)


@pytest.mark.parametrize("case", commands.steered("").cases, ids=str)
def test_what_cannot_be_done_is_told_in_the_words_that_a_person_has_read(
    untouched: MockServer, case: Case
) -> None:
    assert commands.steered(untouched.url).answer(case.given) == case.said


def test_why_prints_the_reason_and_what_would_help(server: MockServer) -> None:
    asked = ["why", "--dataset", DATASET, "--item", "inner", "parentId=null"]
    assert run(server, *asked, "searchText=inside").splitlines() == [
        '"inner" ("Alpha inside") is not listed: it is in folder "folder", '
        "not that of parentId null (choice search_scope=folder)",
        f'  - dataset "{DATASET}" has 7 collections: 0 out, 7 left',
        "  x parentId null (choice search_scope=folder): what is at the top level: "
        "3 out, 4 left",
        '  - searchText "inside": 4 out, 0 left',
        "to see it: leave out parentId",
        "to see it: choose search_scope=dataset",
        'to see it: send parentId "folder"',
    ]
    shown = json.loads(run(server, *asked, "--json"))
    assert shown["keptOutBy"] == ["folder"]
