"""What shells complete, asked as shells ask: by click's protocol, or in bash itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import click
import pytest

from mock_server.api.faults.table import KINDS, PRESETS
from mock_server.api.operations.table import OPERATIONS
from mock_server.cli import SHIPPED, cli
from mock_server.domain.choices import table
from mock_server.domain.profiles import PROFILES
from mock_server.fixture.files import shipped
from tests.cli.commands import run
from tests.process import environment
from tests.support import SECONDS

PROGRAM = "mock-server"
LONG = pytest.mark.ci


def completed(*words: str, folder: Path | None = None, shell: str = "zsh") -> list[str]:
    """What the last of the words can become, by zsh's form: type, value, help."""
    with chdir(folder or os.curdir):
        done = run(
            _MOCK_SERVER_COMPLETE=f"{shell}_complete",
            COMP_WORDS=" ".join([PROGRAM, *words]),
            COMP_CWORD=str(len(words)),
        )
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    return lines[1::3] if shell == "zsh" else lines


def test_the_first_word_is_a_command_or_a_fixture(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").touch()
    (tmp_path / "notes.txt").touch()
    found = completed("", folder=tmp_path)
    commands = cli.list_commands(click.Context(cli))
    assert {*commands, *SHIPPED, "mine.yaml"} == set(found)
    assert completed("sn", folder=tmp_path) == ["snapshot"]


def test_the_first_word_may_be_an_option_of_serve() -> None:
    assert completed("--po") == ["--port"]
    assert completed("--ver") == ["--version"]
    assert completed("--port", "80", "--prof") == ["--profile"]


def test_shipped_fixtures_are_those_that_are_there() -> None:
    assert {path.stem for path in shipped("").iterdir()} == set(SHIPPED)


def test_fixtures_are_completed_where_they_are_taken(tmp_path: Path) -> None:
    (tmp_path / "deck.json").touch()
    for words in ((), ("serve",), ("check",), ("sandbox", "create", "--state")):
        found = completed(*words, "de", folder=tmp_path)
        assert found == ["demo", "deck.json"], words
    # Files of other folders are the shell's business.
    answer = completed("check", "./d", folder=tmp_path, shell="bash")
    assert answer == ["file,./d"]


@pytest.mark.parametrize(
    ("words", "known"),
    [
        (("fault", "add"), {*KINDS, *PRESETS}),
        (("fault",), {"add", "remove", "list", "clear"}),
        (("journal", "--operation"), set(OPERATIONS)),
        (("--profile",), set(PROFILES)),
        (("choices", "set", "--profile"), set(PROFILES)),
        (("--choice",), {f"{name}=" for name in table()}),
        (("choices", "set"), {f"{name}=" for name in table()}),
        (("choices", "set", "list_order=name"), {f"{name}=" for name in table()}),
        (("sandbox", "create", "--choice"), {f"{name}=" for name in table()}),
    ],
)
def test_names_are_completed(words: tuple[str, ...], known: set[str]) -> None:
    assert set(completed(*words, "")) == known


def test_choices_are_completed_with_their_values() -> None:
    found = completed("choices", "set", "page_size_over_limit=")
    assert found == ["page_size_over_limit=reject", "page_size_over_limit=clamp"]
    assert completed("--choice", "error_form=p") == ["error_form=plain"]
    assert completed("serve", "--choice=error_form=p") == ["error_form=plain"]
    assert completed("choices", "set", "nope=") == []


def test_faults_are_completed_with_the_fields_of_their_kind() -> None:
    assert completed("fault", "add", "error", "st") == ["status="]
    assert {"ms=", "times="} <= set(completed("fault", "add", "delay", ""))
    assert completed("fault", "add", "slow", "") == []


def test_the_option_fault_is_completed_with_kinds_presets_and_fields() -> None:
    assert set(completed("--fault", "")) == {*KINDS, *PRESETS}
    assert completed("--fault", "error:st") == ["error:status="]
    found = completed("serve", "--fault=error:status=500,ti")
    assert found == ["error:status=500,times="]
    assert completed("--fault", "nope:") == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        # As readline parts them: at each `=` and `:`.
        ("fault add dri", "dribble"),
        ("choices set page_size_over_limit =", "reject clamp"),
        ("--fault = error : status = 500,ti", "500,times="),
        pytest.param("--choice error_form = p", "plain", marks=LONG),
        pytest.param("--choice = error_form = p", "plain", marks=LONG),
        pytest.param(
            "choices set error_form = plain item_f", "item_fields=", marks=LONG
        ),
        pytest.param("--profile = dep", "deployed", marks=LONG),
        pytest.param("--fault drib", "dribble", marks=LONG),
        pytest.param("--fault error : st", "status=", marks=LONG),
        pytest.param(
            "wait --url http : //127.0.0.1 : 8000 --sandb", "--sandbox", marks=LONG
        ),
    ],
)
@pytest.mark.sampled
def test_bash_puts_the_right_word_in_the_right_place(words: str, found: str) -> None:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    script = (
        f'eval "$(_MOCK_SERVER_COMPLETE=bash_source {PROGRAM})"; '
        f"COMP_WORDS=({PROGRAM} {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); "
        f"compopt() {{ :; }}; _mock_server_completion {PROGRAM}; "
        'echo "${COMPREPLY[*]}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        capture_output=True,
        text=True,
        env=environment(PATH=path),
        timeout=SECONDS,
    )
    assert (done.stdout.strip(), done.stderr) == (found, "")


@pytest.mark.ci
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_each_shell_that_is_documented(shell: str) -> None:
    asked = environment(_MOCK_SERVER_COMPLETE=f"{shell}_source")
    script = "from mock_server.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=asked
    )
    assert done.returncode == 0
    assert "_MOCK_SERVER_COMPLETE" in done.stdout
