"""Files that commands write, which are never half there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mock_server.cli.output import USAGE, Stop, atomic_file


def test_a_file_takes_its_place_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "made.yaml"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with atomic_file(str(path)) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["made.yaml"]


def test_a_block_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "made.yaml"
    path.write_bytes(b"old")
    with pytest.raises(KeyError):
        break_off(str(path))
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["made.yaml"]


def break_off(path: str) -> None:
    """Fail in the middle of a file."""
    with atomic_file(path) as file:
        file.write(b"half")
        raise KeyError


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with atomic_file(str(tmp_path / "link")) as file:
        file.write(b"new")
    assert (tmp_path / "real").read_bytes() == b"new"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("", "it is a directory"),
        ("nowhere/made.yaml", "No such file or directory"),
        ("file/made.yaml", "Not a directory"),
        ("/dev/full", "No space left on device"),
        ("a" * 256, "File name too long"),
        ("circle", "Too many levels of symbolic links"),
    ],
)
def test_what_cannot_be_written_is_told_in_one_line(
    tmp_path: Path, path: str, why: str
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    target = str(tmp_path / path)
    with pytest.raises(Stop) as stop, atomic_file(target) as file:
        file.write(b"new")
    assert stop.value.message == f"cannot write {target}: {why}"
    assert stop.value.status == USAGE
    assert sorted(os.listdir(tmp_path)) == ["circle", "file"]


def test_a_pipe_is_written_by_the_name_of_its_descriptor() -> None:
    read, write = os.pipe()
    with atomic_file(f"/dev/fd/{write}") as file:
        file.write(b"new")
    os.close(write)
    with open(read, "rb") as pipe:
        assert pipe.read() == b"new"


def test_the_longest_name_that_a_file_may_have_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 255)
    with atomic_file(str(path)) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"
