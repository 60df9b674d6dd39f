"""A pull that was stopped goes on, and ends with the same file."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mock_server import MockServer
from mock_server.cli.output import UNREACHABLE, USAGE, Stop
from tests.process import COMMAND, environment
from tests.pull.walks import (
    APP,
    BIG,
    COLLECTIONS,
    DATASET,
    EVERYTHING,
    KEY,
    SMALL,
    mostly_full,
    pull_of,
    served,
)
from tests.support import wait

KILLS = mostly_full(1, 20)


@pytest.fixture(scope="module")
def server() -> Iterator[MockServer]:
    with served(SMALL) as running:
        yield running


@pytest.fixture(scope="module")
def quiet(server: MockServer, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return pull_of(server.url, tmp_path_factory.mktemp("quiet") / "quiet.yaml")


def stopped(server: MockServer, path: Path, after: int) -> Path:
    """The file that a pull leaves which so many requests stop."""
    server.control.fault("error", skip=after, times=1_000)
    with pytest.raises(Stop) as stop:
        pull_of(server.url, path)
    server.control.faults.clear()
    assert stop.value.status == UNREACHABLE
    assert stop.value.message.endswith(f"the same command goes on from {path}.part")
    return Path(f"{path}.part")


@pytest.mark.ci
@pytest.mark.parametrize("kills", KILLS)
def test_a_killed_pull_goes_on(tmp_path: Path, kills: int) -> None:
    with served(BIG) as server:
        quiet = pull_of(server.url, tmp_path / "quiet.yaml")
        path = tmp_path / "killed.yaml"
        part = Path(f"{path}.part")
        given = ["--dataset", DATASET, "--app", APP, "--rows", "--output", str(path)]
        command = [*COMMAND, "pull", "--base-url", server.url, *given]
        sizes = sorted(random.Random(kills).sample(range(1, 300_000), kills))
        for size in sizes:
            process = subprocess.Popen(
                command,
                env=environment(MOCK_SERVER_PULL_KEY=KEY),
                stderr=subprocess.DEVNULL,
            )
            wait(has_grown(part, size, process))
            process.kill()
            process.wait()
            assert not path.exists()
        assert pull_of(server.url, path) == quiet
    assert sorted(os.listdir(tmp_path)) == ["killed.yaml", "quiet.yaml"]


def has_grown(
    path: Path, size: int, process: subprocess.Popen[bytes]
) -> Callable[[], bool]:
    def is_so() -> bool:
        assert process.poll() is None, "it ended before it could be killed"
        return path.exists() and path.stat().st_size >= size

    return is_so


@pytest.mark.parametrize("cut", mostly_full(5_000, 1, 40, 150, 500, 9_000))
def test_a_torn_line_is_ignored(
    server: MockServer, quiet: bytes, tmp_path: Path, cut: int
) -> None:
    part = stopped(server, tmp_path / "torn.yaml", after=5)
    part.write_bytes(part.read_bytes()[:cut])
    assert pull_of(server.url, tmp_path / "torn.yaml") == quiet
    assert not part.exists()


def test_what_is_there_is_not_asked_for_again(
    server: MockServer, quiet: bytes, tmp_path: Path
) -> None:
    server.control.reset()
    assert pull_of(server.url, tmp_path / "whole.yaml") == quiet
    asked = len(server.control.journal)
    server.control.reset()
    stopped(server, tmp_path / "half.yaml", after=4)
    server.control.reset()
    pull_of(server.url, tmp_path / "half.yaml")
    assert len(server.control.journal) == asked - 4


def test_the_key_and_who_else_may_read_are_kept_out(
    server: MockServer, tmp_path: Path
) -> None:
    part = stopped(server, tmp_path / "a.yaml", after=5)
    assert KEY.encode() not in part.read_bytes()
    assert part.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("content", [b"notes of mine\n", b'{"url":"http://b"}\n', b"x"])
def test_a_file_of_something_else_stays(
    server: MockServer, tmp_path: Path, content: bytes
) -> None:
    part = tmp_path / "a.yaml.part"
    part.write_bytes(content)
    with pytest.raises(Stop, match="is of another pull, or is none") as stop:
        pull_of(server.url, tmp_path / "a.yaml")
    assert (stop.value.status, part.read_bytes()) == (USAGE, content)


def test_a_pull_of_something_else_is_another_pull(
    server: MockServer, tmp_path: Path
) -> None:
    stopped(server, tmp_path / "a.yaml", after=5)
    with pytest.raises(Stop, match="is of another pull"):
        pull_of(server.url, tmp_path / "a.yaml", COLLECTIONS)
    assert EVERYTHING != COLLECTIONS
