"""Servers in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

COMMAND = [sys.executable, "-m", "mock_server"]
MIB = 1024 * 1024


def environment(**variables: str) -> dict[str, str]:
    """This process's environment without settings of a server, and these."""
    own = {k: v for k, v in os.environ.items() if not k.startswith("MOCK_SERVER_")}
    return own | variables


@contextmanager
def serving(
    *args: str, command: Sequence[str] = COMMAND, **variables: str
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server process; gives its URL once it is ready, and stops it."""
    process = subprocess.Popen(
        [*command, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(**variables),
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("READY http://"), process.communicate()
        yield line.split()[1], process
    finally:
        process.kill()
        process.communicate()


def rss(pid: int) -> float:
    """Resident memory of a process in MiB (Linux)."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MIB
