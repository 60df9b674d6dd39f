"""With `--log-format json` all that a server says on stderr is lines of JSON."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from mock_server.cli.output import log_formatter
from mock_server.domain.printable import safe_lines
from tests.cli.commands import NOWHERE, Ended, run
from tests.process import serving
from tests.support import SECONDS

JSON = "--log-format=json"


def messages(err: str) -> list[str]:
    """What lines say, each of which is an object."""
    said = [json.loads(line) for line in err.splitlines()]
    assert said
    assert all(each.keys() == {"time", "message"} for each in said)
    return [each["message"] for each in said]


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        ([], 3, NOWHERE),
        (["--port=abc"], 1, "a port from 0 to 65535, got 'abc'"),
        (["--prot=1"], 1, "--prot"),
        (["serv"], 1, "no command 'serv' (did you mean 'serve'?)"),
        (["missing.yaml"], 2, "missing.yaml: no such file"),
    ],
)
def test_what_keeps_a_server_from_starting_is_a_line_of_json(
    args: list[str], status: int, message: str
) -> None:
    for asked in ([JSON], ["--log-format", "json"]):
        done = run(*args, f"--host={NOWHERE}", *asked)
        assert (done.status, done.out) == (status, "")
        assert any(message in each for each in messages(done.err)), done.err


def test_a_port_that_is_taken_is_told_in_json() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run(f"--port={taken.getsockname()[1]}", JSON)
    assert "--port 0" in messages(done.err)[-1]


def test_problems_and_warnings_at_the_start_are_lines_of_json(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("apps: [{idd: a}]\n")
    done = run(str(broken), MOCK_SERVER_LOG_FORMAT="json", MOCK_SERVER_PORTT="1")
    first, *problems = messages(done.err)
    assert first.startswith("warning: ignored unknown setting MOCK_SERVER_PORTT")
    assert any(each.startswith(f"{broken}:1:9: unknown field") for each in problems)
    assert done.status == 2


def test_without_arguments_the_variable_counts() -> None:
    done = run(MOCK_SERVER_HOST=NOWHERE, MOCK_SERVER_LOG_FORMAT="json")
    assert NOWHERE in messages(done.err)[0]


def test_a_command_leaves_the_next_its_own_format() -> None:
    run(JSON, MOCK_SERVER_HOST=NOWHERE)
    assert log_formatter.get() is safe_lines


@pytest.mark.ci
def test_a_deprecated_choice_is_told_in_json() -> None:
    with serving("--port=0", JSON, "--choice=neighbours=on") as (_, process):
        process.terminate()
        out, err = process.communicate(timeout=SECONDS)
    assert messages(err)[0].startswith("deprecated: ")
    assert out == ""  # READY has been read


@pytest.mark.parametrize(
    "args", [["--log-format=json", "--log-format=text", "--port=x"], ["reset", "--x"]]
)
def test_other_commands_and_formats_tell_in_text(args: list[str]) -> None:
    done: Ended = run(*args, MOCK_SERVER_LOG_FORMAT="json")
    assert not done.err.startswith("{")
