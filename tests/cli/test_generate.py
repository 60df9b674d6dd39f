"""`mock-server generate`: what it takes, where it writes, what it says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from mock_server.domain.limits import Limits
from tests.cli.commands import Ended, run

TINY = ("--collections", "4", "--chats", "2")
BAD: list[tuple[Sequence[str], str]] = [
    (("--seed", "-1"), "Expected an integer from 0 to 9007199254740991, got '-1' - at"),
    (("--seed", "x"), "got 'x' - at --seed"),
    (("--datasets", "1001"), "from 0 to 1000, got '1001' - at --datasets"),
    (("--collections", "-5"), "from 0 to 2000000, got '-5' - at --collections"),
    (("--depth", "0"), "an integer from 1 to 100, got '0' - at --depth"),
    (("--depth", "101"), "an integer from 1 to 100, got '101' - at --depth"),
    (("--chats", "100001"), "from 0 to 100000, got '100001' - at --chats"),
    (("--rows", "100001"), "from 0 to 100000, got '100001' - at --rows"),
    (("--locale", "de"), "Expected en or zh, got 'de' - at --locale"),
    (("--format", "jsno"), "Expected yaml or json, got 'jsno' (did you mean 'json'?)"),
    (
        ("--datasets", "3", "--collections", "1000000"),
        "Expected at most 2,000,000 collections in all datasets together, got "
        "3,000,000 - at --collections",
    ),
    (
        ("--collections", "1000", "--rows", "2001"),
        "Expected at most 2,000,000 rows in all datasets together, got 2,001,000 - at "
        "--rows",
    ),
]


@pytest.mark.parametrize(("args", "message"), BAD)
def test_a_bad_option_is_told_in_one_line(args: Sequence[str], message: str) -> None:
    ended = run("generate", *args)
    assert (ended.status, ended.out, ended.err.count("\n")) == (1, "", 1)
    assert message in ended.err


@pytest.mark.ci
@pytest.mark.parametrize("notation", ["yaml", "json"])
@pytest.mark.parametrize("locale", ["en", "zh"])
def test_check_accepts_what_is_written(
    notation: str, locale: str, tmp_path: Path
) -> None:
    path = str(tmp_path / f"made.{notation}")
    options = ("--locale", locale, "--format", notation, "--output", path)
    assert run("generate", "--datasets", "2", "--rows", "1", *TINY, *options) == (
        Ended(0, "", "")
    )
    assert run("check", path).out == "ok: 2 datasets, 8 collections, 2 chats\n"


def test_the_name_of_the_file_says_its_notation(tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    run("generate", *TINY, "--output", str(path))
    assert json.loads(path.read_text()).keys() == {"apps", "datasets"}


def test_stdout_gets_what_a_file_would(tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    args = ("generate", "--format", "json", *TINY)
    run(*args, "--output", str(path))
    assert run(*args) == Ended(0, path.read_text(), "")
    assert json.loads(path.read_text()).keys() == {"apps", "datasets"}


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("/dev/full", "cannot write /dev/full: No space left on device"),
        ("missing/x.yaml", "cannot write missing/x.yaml: No such file or directory"),
        (".", "cannot write .: it is a directory"),
    ],
)
def test_a_place_that_cannot_be_written_is_told(place: str, reason: str) -> None:
    assert run("generate", *TINY, "--output", place) == Ended(1, "", reason + "\n")


def test_a_missing_library_is_told_with_its_extra(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['faker'] = None;"
        "from mock_server.cli import main; main(['generate', '--output', 'x.yaml'])"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "generate needs the library faker: "
        "pip install 'fastgpt-mock-server[generate]'\n"
    )
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.name == "nt", reason="no terminals of this kind there")
@pytest.mark.ci
def test_a_terminal_sees_how_far_it_is(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    args = ("generate", "--collections", "60000", "--output", str(tmp_path / "x.json"))
    command = [sys.executable, "-m", "mock_server", *args, "--format", "json"]
    env = os.environ | {"TERM": "xterm"}
    subprocess.run(command, stderr=theirs, env=env, check=True)
    told = os.read(ours, 65_536).decode()
    assert re.fullmatch(r"(\r\x1b\[2K([\d,]+ of 60,000 collections \.\.\.)?)+", told)
    assert told.endswith("\x1b[2K")


@pytest.mark.ci
def test_a_file_too_large_to_be_served_is_told() -> None:
    ended = run("generate", "--collections", "200000")
    assert len(ended.out) > Limits.fixture_bytes
    assert "warning: what is written is too large to be served: " in ended.err
    assert "as JSON it may have 256.0 MiB" in ended.err


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_million_collections_take_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "million.json"
    code = (
        "import sys; from mock_server.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(open('/proc/self/status').read())"
    )
    options = ("--collections", "1000000", "--format", "json", "--output", str(path))
    command = [sys.executable, "-c", code, "generate", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    peak = re.search(r"VmHWM:\s+(\d+) kB", done.stdout)
    assert peak is not None
    assert int(peak[1]) < 64 * 1024
    assert Limits.fixture_bytes < path.stat().st_size < Limits.json_file_bytes
