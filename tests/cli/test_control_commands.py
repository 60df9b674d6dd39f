"""The commands that steer a running server."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mock_server.api.faults.presets import PRESETS
from mock_server.api.faults.table import KINDS
from mock_server.control.embedding import MockServer
from mock_server.domain.limits import DEFAULT_LIMITS
from tests.cli import commands
from tests.cli.commands import TOKEN
from tests.support import LIBRARY


@pytest.fixture(scope="module")
def server() -> Iterator[MockServer]:
    with MockServer(LIBRARY, admin_token=TOKEN) as running:
        yield running


def run(server: MockServer, *args: str, status: int = 0) -> str:
    """A command's stdout, or its stderr if it is to fail."""
    where = {"MOCK_SERVER_URL": server.url, "MOCK_SERVER_ADMIN_TOKEN": TOKEN}
    done = commands.run(*args, **where)
    assert done.status == status, done
    return done.err if status and done.err else done.out


@pytest.mark.ci
def test_a_state_over_the_limit_is_told_what_to_do(
    server: MockServer, tmp_path: Path
) -> None:
    file = tmp_path / "large.yaml"
    file.write_bytes(b"#" * (DEFAULT_LIMITS.fixture_bytes + 1))
    said = run(server, "state", str(file), status=1)
    assert "limit fixture_bytes; start the server with it in several files" in said


def test_a_field_that_is_nested_too_deep_is_a_text(server: MockServer) -> None:
    said = run(server, "fault", "add", "error", f"message={'[' * 3_000}", status=1)
    assert 'got the string "[[[' in said


def test_a_missing_admin_token_is_told_with_its_option(server: MockServer) -> None:
    done = commands.run("reset", MOCK_SERVER_URL=server.url)
    fix = "(commands take it as --admin-token, or MOCK_SERVER_ADMIN_TOKEN)"
    assert (done.status, done.out) == (1, "")
    assert done.err.endswith(f"got none - at header Authorization {fix}\n")


@pytest.mark.parametrize(
    "line",
    [
        'journal --body {"a":"BAD"}',
        "journal --member BAD",
        "snapshot take BAD",
        "reply BAD",
        "answer BAD",
        "answer GET /BAD",
        "answer listV2 --header x:BAD",
        "fault add error message=BAD",
        "fault remove BAD",
        "sandbox create --name BAD",
        "sandbox show BAD",
        "why --dataset BAD",
        "why --dataset library searchText=BAD",
        "pull --base-url URL --dataset BAD",
        "pull --base-url URL --app BAD",
        "verify --base-url URL --dataset BAD",
    ],
)
def test_an_argument_that_is_not_utf_8_is_told_in_a_line(
    server: MockServer, line: str
) -> None:
    keys = {"MOCK_SERVER_PULL_KEY": "any", "MOCK_SERVER_VERIFY_KEY": "any"}
    where = {"MOCK_SERVER_URL": server.url, "MOCK_SERVER_ADMIN_TOKEN": TOKEN}
    given = line.replace("BAD", os.fsdecode(b"\xff")).replace("URL", server.url)
    done = commands.run(*given.split(), **keys, **where)
    said = r"Expected UTF-8 in arguments and variables, got '\udcff'"
    assert (done.status, done.out, done.err) == (1, "", f"{said}\n")


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("host", [os.fsdecode(b"\xff"), 100 * "é"])
def test_a_host_without_an_ascii_form_is_told_in_a_line(host: str, form: str) -> None:
    done = commands.run("serve", "--host", host, "--log-format", form)
    assert (done.status, done.out, done.err.count("\n")) == (3, "", 1)
    assert "cannot listen on " in done.err


def test_a_clock_that_is_frozen_stands_where_it_is(server: MockServer) -> None:
    run(server, "clock", "freeze", "2026-01-31T12:00:00Z")
    assert json.loads(run(server, "clock", "run"))["frozen"] is False
    # Not at a time of its own.
    frozen = json.loads(run(server, "clock", "freeze"))
    assert frozen["frozen"] is True
    assert "2026-01-31T12:00:00" <= frozen["now"] < "2026-02"


def test_a_former_name_of_a_choice_warns_where_it_stands() -> None:
    with pytest.warns(DeprecationWarning, match="mock-server: the choice neighbours"):
        MockServer(choices={"neighbours": "on"})


def test_the_help_of_faults_lists_every_kind_and_preset(server: MockServer) -> None:
    text = run(server, "fault", "add", "--help")
    for name in (*KINDS, *PRESETS):
        # Answers have commands of their own.
        is_fault = name in PRESETS or not KINDS[name].is_answer
        assert (f"\n  {name}" in text) is is_fault


def test_wait_exits_4_when_it_is_not_in_time(server: MockServer) -> None:
    options = ("--url", "http://127.0.0.1:1", "--timeout", "0.2")
    assert "not ready in 0.2 s" in run(server, "wait", *options, status=4)


def test_what_cannot_be_done_is_told_in_the_words_that_a_person_has_read(
    server: MockServer,
) -> None:
    assert commands.steered(server.url).changed() == []
