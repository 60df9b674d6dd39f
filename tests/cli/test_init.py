"""`mock-server init`: what it writes works, and it overwrites nothing."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from mock_server.domain.limits import Limits
from mock_server.fixture.document import published_schema
from mock_server.fixture.source.files import read_file
from tests.cli.commands import run
from tests.process import COMMAND, environment
from tests.support import SECONDS

FIXTURE, CONFTEST, SCHEMA = "mock-server.yaml", "conftest.py", "fixture.schema.json"
LINE = "# yaml-language-server: $schema=fixture.schema.json\n"
# As a reader would go on: a test beside the files.
A_TEST = """\
def test_the_fixture_is_served(mock_server):
    assert mock_server.chat("app-support", "chat-refund").top is True
    assert set(mock_server.keys) == {"team-owner", "team-reader"}
    assert len(mock_server.collections("handbook", None)) == 26
"""


def test_it_writes_a_fixture_that_loads_and_a_conftest(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    done = run("init", str(folder))
    assert (done.status, done.err) == (0, "")
    assert {path.name for path in folder.iterdir()} == {FIXTURE, CONFTEST}
    checked = run("check", str(folder / FIXTURE))
    assert (checked.status, checked.out[:4]) == (0, "ok: ")
    assert "yaml-language-server" not in (folder / FIXTURE).read_text()


@pytest.mark.parametrize("is_there", [False, True])
def test_with_a_schema_editors_know_the_fixture(tmp_path: Path, is_there: bool) -> None:
    if is_there:
        (tmp_path / FIXTURE).write_bytes(b"\xef\xbb\xbfapps: []\n")
    for _ in range(2):
        assert run("init", "--schema", str(tmp_path)).status == 0
    assert (tmp_path / SCHEMA).read_bytes() == published_schema()
    text = (tmp_path / FIXTURE).read_text()
    assert (text.startswith(LINE), text.count(LINE)) == (True, 1)
    assert run("check", str(tmp_path / FIXTURE)).status == 0
    value = read_file(tmp_path / FIXTURE, Limits()).source.value
    Draft202012Validator(json.loads(published_schema())).validate(value)


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
    ]


@pytest.mark.parametrize("name", [FIXTURE, CONFTEST, SCHEMA])
def test_what_is_there_is_kept_and_the_rest_is_written(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text(f"{LINE}# mine")
    done = run("init", "--schema", str(tmp_path))
    assert (done.status, f"kept {tmp_path / name}" in done.out) == (0, True)
    assert (tmp_path / name).read_text() == f"{LINE}# mine"
    assert {path.name for path in tmp_path.iterdir()} == {FIXTURE, CONFTEST, SCHEMA}


def test_a_second_init_has_no_advice_that_is_followed_already(tmp_path: Path) -> None:
    run("init", str(tmp_path))
    done = run("init", str(tmp_path))
    kept = [f"kept {tmp_path / name}" for name in (FIXTURE, CONFTEST)]
    assert done.out.splitlines() == kept


def test_a_line_that_is_added_is_said_to_be_so(tmp_path: Path) -> None:
    (tmp_path / FIXTURE).write_text("apps: []")
    done = run("init", "--schema", str(tmp_path))
    assert f"added the schema line to {tmp_path / FIXTURE}\n" in done.out


@pytest.mark.parametrize("name", [FIXTURE, CONFTEST])
def test_a_link_that_leads_nowhere_is_kept(tmp_path: Path, name: str) -> None:
    os.symlink("elsewhere", tmp_path / name)
    assert run("init", str(tmp_path)).status == 0
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in ("file", "file/below", "x" * 300, "x" * 300 + ".yaml"):
        done = run("init", str(tmp_path / place))
        assert done.status == 1
        assert len(done.err.splitlines()) == 1
    file = str(tmp_path / "file")
    expected = f"Expected a folder, got the file {file!r} - at DIR"
    assert run("init", file).err == f"{expected} (leave it out for this folder)\n"
