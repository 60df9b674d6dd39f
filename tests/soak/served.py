"""A server in a process of its own, and what it takes there (Linux)."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench.load import cpu
from tests.process import rss, serving
from tests.soak.stalls import waited_ms

RUNNER = [sys.executable, "-m", "tests.soak.runner"]


@dataclass(frozen=True)
class Held:
    """What a process holds that is to be given back."""

    descriptors: int
    threads: int
    tasks: Sequence[str]


class Served:
    """A server process."""

    def __init__(self, url: str, process: subprocess.Popen[str]) -> None:
        self.url = url
        self.pid = process.pid
        self._process = process
        self.late: Counter[int] = Counter()
        """How often the loop was so many tenths of a millisecond late, until `held`."""

    def rss(self) -> float:
        """MiB of resident memory."""
        return rss(self.pid)

    def cpu(self) -> float:
        """CPU seconds so far."""
        return cpu(self.pid)

    def waited(self) -> float:
        """Seconds that its main thread was ready to run and had no core."""
        return waited_ms(self.pid) / 1e3

    def held(self) -> Held:
        """What it holds now."""
        self._process.send_signal(signal.SIGUSR1)
        assert self._process.stdout is not None
        told = json.loads(self._process.stdout.readline())
        self.late.update({int(late): times for late, times in told["late"].items()})
        folder = Path(f"/proc/{self.pid}")
        descriptors = len(list((folder / "fd").iterdir()))
        return Held(descriptors, len(list((folder / "task").iterdir())), told["tasks"])

    def stop(self) -> tuple[int, str]:
        """End it in order: its exit code, and what it said."""
        self._process.terminate()
        _, said = self._process.communicate(timeout=60)
        return self._process.returncode, said


@contextmanager
def served(*args: str) -> Iterator[Served]:
    """A server of this project, for a while."""
    with serving("--port=0", *args, command=RUNNER) as (url, process):
        yield Served(url, process)
