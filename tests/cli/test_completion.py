"""What shells complete, asked as shells ask: by click's protocol."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from mock_server.cli.main import cli
from tests.cli.commands import run
from tests.process import environment
from tests.support import SECONDS

PROGRAM = "mock-server"


def completed(*words: str) -> list[tuple[str, str]]:
    """What the last of the words can become, by zsh's form: types and values."""
    done = run(
        _MOCK_SERVER_COMPLETE="zsh_complete",
        COMP_WORDS=" ".join([PROGRAM, *words]),
        COMP_CWORD=str(len(words)),
    )
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    return list(zip(lines[::3], lines[1::3], strict=True))


def test_the_first_word_is_a_command() -> None:
    commands = cli.list_commands(click.Context(cli))
    assert {value for _, value in completed("")} == set(commands)
    assert completed("sn") == [("plain", "snapshot")]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("serve --po", ("plain", "--port")),
        ("--port 80 --prof", ("plain", "--profile")),
        ("serve --http h", ("plain", "h11")),
        ("fault cl", ("plain", "clear")),
        ("check --format te", ("plain", "text")),
        ("sandbox create --profile doc", ("plain", "documented")),
        ("serve fix", ("file", "fix")),
        ("check fix", ("file", "fix")),
        ("sandbox create --state fix", ("file", "fix")),
    ],
)
def test_options_fixed_values_and_files_are_completed(
    words: str, found: tuple[str, str]
) -> None:
    assert completed(*words.split()) == [found]


@pytest.mark.ci
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_each_shell_that_is_documented(shell: str) -> None:
    asked = environment(_MOCK_SERVER_COMPLETE=f"{shell}_source")
    script = "from mock_server.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env=asked,
        timeout=SECONDS,
    )
    assert done.returncode == 0
    assert "_MOCK_SERVER_COMPLETE" in done.stdout


@pytest.mark.ci
def test_bash_is_told_a_command() -> None:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    script = (
        f'eval "$(_MOCK_SERVER_COMPLETE=bash_source {PROGRAM})"; '
        f"COMP_WORDS=({PROGRAM} sn); COMP_CWORD=1; "
        f'_mock_server_completion {PROGRAM}; echo "${{COMPREPLY[*]}}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        capture_output=True,
        text=True,
        env=environment(PATH=path),
        timeout=SECONDS,
    )
    assert (done.stdout.strip(), done.stderr) == ("snapshot", "")
