"""Commands that tests run, and the limit of all that a test starts, browsers among them."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from subprocess import PIPE, CompletedProcess, Popen
from threading import Timer
from time import monotonic
from typing import Any

SECONDS = 200
"""How long a command, or a test in a browser, may take."""
Process = Popen[str]
PIPES = {"stdout": PIPE, "stderr": PIPE, "encoding": "utf-8"}


def kill(group: int) -> None:
    """Kill a group of processes, if it is still there."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


@contextmanager
def limited(name: object, group: int, seconds: float = SECONDS) -> Iterator[None]:
    """Kill a group of processes if the block takes longer: what waits for it ends, and fails."""
    end = monotonic() + seconds
    timer = Timer(seconds, kill, (group,))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        assert monotonic() < end, f"{name} has not ended within {seconds} s"


@contextmanager
def started_command(
    *command: object, seconds: float = SECONDS, **options: Any
) -> Iterator[Process]:
    """The process of a command, which is killed at the end of the block; others may go on."""
    words = [*map(str, command)]
    with Popen(words, start_new_session=True, **PIPES | options) as process:
        try:
            with limited(command, process.pid, seconds):
                yield process
        finally:
            process.kill()


def run_command(*command: object, status: int = 0, **options: Any) -> "CompletedProcess[str]":
    """What a command has printed, which ends with this exit code."""
    with started_command(*command, **options) as process:
        out, err = process.communicate()
    assert process.returncode == status, f"{command} -> {process.returncode}\n{out}\n{err}"
    return CompletedProcess(command, status, out, err)
