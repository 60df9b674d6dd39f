"""`mock-server init`: what it writes works, and it overwrites nothing."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from mock_server.domain.limits import Limits
from mock_server.fixture.files import read_file
from mock_server.fixture.published import published
from tests.cli.commands import run
from tests.process import COMMAND, environment
from tests.support import SECONDS

FILES = {"mock-server.yaml", "conftest.py", "fixture.schema.json"}
# As a reader would go on: a test beside the files.
A_TEST = """\
def test_the_fixture_is_served(mock_server):
    assert mock_server.chat("app-support", "chat-refund").top is True
    assert set(mock_server.keys) == {"team-owner", "team-reader"}
    assert len(mock_server.collections("handbook", None)) == 26
"""


def test_it_writes_a_fixture_that_loads_and_that_editors_know(tmp_path: Path) -> None:
    done = run("init", str(tmp_path / "new" / "folder"))
    folder = tmp_path / "new" / "folder"
    assert (done.status, done.err) == (0, "")
    assert {path.name for path in folder.iterdir()} == FILES
    fixture = folder / "mock-server.yaml"
    checked = run("check", str(fixture))
    assert (checked.status, checked.out[:4]) == (0, "ok: ")
    first = fixture.read_text().splitlines()[0]
    assert first == "# yaml-language-server: $schema=fixture.schema.json"
    assert (folder / "fixture.schema.json").read_bytes() == published()
    value = read_file(fixture, Limits()).source.value
    Draft202012Validator(json.loads(published())).validate(value)


@pytest.mark.ci
def test_its_conftest_serves_the_fixture_to_tests(pytester: pytest.Pytester) -> None:
    assert run("init", str(pytester.path)).status == 0
    pytester.makepyfile(test_it=A_TEST)
    done = pytester.runpytest_subprocess(
        "-p", "no:cacheprovider", "-p", "no:schemathesis"
    )
    done.assert_outcomes(passed=1)


@pytest.mark.ci
def test_the_current_folder_is_the_default(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "init"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=environment(),
        timeout=SECONDS,
    )
    assert done.stdout.splitlines() == [
        "wrote mock-server.yaml",
        "wrote conftest.py",
        "wrote fixture.schema.json",
    ]


@pytest.mark.parametrize("name", sorted(FILES))
def test_nothing_is_overwritten_and_then_nothing_is_written(
    tmp_path: Path, name: str
) -> None:
    # A link that leads nowhere is somebody's too.
    os.symlink("elsewhere", tmp_path / name)
    done = run("init", str(tmp_path))
    assert (done.status, done.out) == (1, "")
    assert done.err == (
        f"Expected no file of that name, got one - at {tmp_path / name}\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in ("file", "file/below"):
        done = run("init", str(tmp_path / place))
        assert done.status == 1
        assert len(done.err.splitlines()) == 1
