"""Runs the quick tests again and again, each time in another order.

    python -m tests.repeat [RUNS] [PYTEST ARGUMENTS...]

Two processes, as on the smallest machines. Needs the extra `clients`, for the order.
Prints the seed, the time and the outcome of each run, and the output of those that
fail; ends with 1 if one did.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tests.support import ROOT

OPTIONS = ["-q", "-n", "2", "-p", "randomly"]


@dataclass(frozen=True)
class Run:
    """A run of the tests: how long it took, also of CPU, and what it said."""

    seed: int
    status: int
    seconds: float
    cpu: float
    output: str

    def __str__(self) -> str:
        last = self.output.splitlines()[-1] if self.output else ""
        return f"{self.seed:6} {self.seconds:7.1f} s {self.cpu:7.1f} s CPU  {last}"


def cpu_seconds() -> float:
    """Seconds of CPU of all processes that have been run here."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(seed: int, arguments: Sequence[str]) -> Run:
    """One run in the order of that seed."""
    command = [sys.executable, "-m", "pytest", *OPTIONS, f"--randomly-seed={seed}"]
    start, cpu = time.monotonic(), cpu_seconds()
    done = subprocess.run(
        [*command, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    seconds = time.monotonic() - start
    return Run(seed, done.returncode, seconds, cpu_seconds() - cpu, done.stdout)


def main(count: int, arguments: Sequence[str]) -> int:
    """How many runs failed."""
    failed = 0
    for seed in range(1, count + 1):
        done = run(seed, arguments)
        print(done, flush=True)
        if done.status != 0:
            print(done.output)
            failed += 1
    print(f"{count - failed} of {count} runs passed")
    return failed


if __name__ == "__main__":
    runs, *rest = sys.argv[1:] or ["1"]
    sys.exit(main(int(runs), rest) > 0)
