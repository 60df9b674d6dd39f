"""Commands that tests run, and the limit of all that a test starts, browsers among them."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from subprocess import PIPE, CompletedProcess, Popen
from threading import Timer
from time import monotonic
from typing import Any

Process = Popen[str]
SECONDS = 200
"""How long a command, or a test in a browser, may take."""


def kill(group: int) -> None:
    """Kill a group of processes, if it is still there."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


@contextmanager
def limited(name: object, group: int, seconds: float = SECONDS) -> Iterator[None]:
    """Kill a group of processes if the block takes longer: what waits for it ends, and fails."""
    end = monotonic() + seconds
    timer = Timer(seconds, kill, (group,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if monotonic() >= end:
            raise AssertionError(f"{name} has not ended within {seconds} s")


def begin(command: tuple[object, ...], options: dict[str, Any]) -> Process:
    """A process with pipes of UTF-8, in a group of its own."""
    pipes = {"stdout": PIPE, "stderr": PIPE, "encoding": "utf-8"}
    return Popen([*map(str, command)], start_new_session=True, **pipes | options)


@contextmanager
def started_command(*command: object, **options: Any) -> Iterator[Process]:
    """The process of a command, which is killed at the end of the block."""
    with begin(command, options) as process:
        try:
            with limited(command, process.pid):
                yield process
        finally:
            kill(process.pid)


def run_command(
    *command: object, status: int = 0, seconds: float = SECONDS, **options: Any
) -> "CompletedProcess[str]":
    """What a command has printed, which ends with this exit code; what it has started may go on."""
    with begin(command, options) as process, limited(command, process.pid, seconds):
        out, err = process.communicate()
    assert process.returncode == status, f"{command} -> {process.returncode}\n{out}\n{err}"
    return CompletedProcess(command, status, out, err)
