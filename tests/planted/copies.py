"""A copy of the package that can be changed, and runs of tests against it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from tests.support import ROOT

PACKAGE = "mock_server"
TRIAL = Path(__file__).with_name("trial.py")
CPU_SECONDS, WALL_SECONDS = 60, 600
"""Ends runs that would have no end; generous, for machines that are busy."""
# Settings of pytest are for those who run this; without compiled modules each run would
# compile all again.
_NOT_THEIRS = ("PYTEST_", "PYTHONDONTWRITEBYTECODE")


class Result(Struct):
    """What came of a run: how many tests passed, which failed, what broke else."""

    passed: int
    failed: list[str]
    broken: list[str]
    cpu: float


class Copy:
    """A folder that looks like the repository; only the package is its own."""

    def __init__(self, folder: Path, process: subprocess.Popen[str]) -> None:
        self.folder = folder
        self._process = process

    @contextmanager
    def changed(self, file: str, text: str) -> Iterator[None]:
        """Have a module, named by its path in the package, read so."""
        path = self.folder / PACKAGE / file
        before = path.read_text(encoding="utf-8")
        try:
            _write(path, text)
            yield
        finally:
            _write(path, before)

    def run(
        self, *arguments: str, cpu: int = CPU_SECONDS, wall: int = WALL_SECONDS
    ) -> Result:
        """Run pytest with these arguments in the folder; ends at the first failure."""
        job: dict[str, Any] = {"folder": str(self.folder), "arguments": arguments}
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(job | {"cpu": cpu, "wall": wall}) + "\n")
        stdin.flush()
        return Result(**json.loads(stdout.readline()))

    @property
    def output(self) -> str:
        """What the last run has printed."""
        return (self.folder / "output.txt").read_text()


@contextmanager
def copied(folder: Path, command: Sequence[str] = ()) -> Iterator[Copy]:
    """A copy of the repository in an empty folder; `command` stands before Python's."""
    for path in ROOT.iterdir():
        if path.name in (PACKAGE, "fixtures"):
            shutil.copytree(path, folder / path.name)
        elif path.name not in (".git", ".hypothesis"):
            (folder / path.name).symlink_to(path)
    process = subprocess.Popen(
        [*command, sys.executable, str(TRIAL)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={k: v for k, v in os.environ.items() if not k.startswith(_NOT_THEIRS)},
    )
    with process:
        yield Copy(folder, process)
        assert process.stdin is not None
        process.stdin.close()


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    # Compiled files, Python's and pytest's, are told apart by size and second only.
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
        compiled.unlink()
