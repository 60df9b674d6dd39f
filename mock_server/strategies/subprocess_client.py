"""A client in another language: a process that is told what to call, line by line."""

from __future__ import annotations

import json
import logging
import subprocess
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import IO, Any

_LOG = logging.getLogger(__name__)
_POLL_SECONDS, _END_SECONDS = 0.1, 5.0
_ANSWERS = "value", "error", "sleep"


class ClientError(Exception):
    """A client in a process of its own has raised an error; the text is its own."""


class ProcessEnded(Exception):
    """The process of a client has ended without having been asked to."""


class SubprocessClient:
    """A client in a process of its own, which a machine calls by name.

    The process is started by the first call, and again after it was closed. For each
    call it reads a line `{"call": "pin", "arguments": {...}}`, and writes one:
    `{"value": ...}`, or `{"error": "why"}` where the client raises. Before that it may
    write `{"sleep": seconds}` and read a line, for each time that the client waits:
    `sleep` is called then. Whatever else it writes, also to its standard error, is
    logged as a warning.
    """

    def __init__(
        self, *command: str, sleep: Callable[[float], object] = lambda _: None
    ) -> None:
        self.sleep = sleep
        self._command = command
        self._process: subprocess.Popen[str] | None = None
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._end: Callable[[], object] = lambda: None

    def call(self, name: str, **arguments: Any) -> Any:
        """What the client gives. Raises ClientError, and ProcessEnded."""
        try:
            self._write({"call": name, "arguments": arguments})
            return self._answer(name)
        except ClientError:
            raise
        except BaseException:  # it may be in the middle of something without end
            self.close()
            raise

    def close(self) -> None:
        """End the process, if there is one."""
        self._end()
        self._process = None

    def _answer(self, name: str) -> Any:
        while True:
            line = self._read(name)
            match _decoded(line):
                case {"sleep": seconds}:
                    self.sleep(float(seconds))
                    self._write({"slept": seconds})
                case {"error": why}:
                    raise ClientError(str(why))
                case {"value": value}:
                    return value
                case _:
                    _LOG.warning("%s", line.rstrip())

    def _write(self, message: object) -> None:
        process = self._open() if self._process is None else self._process
        with suppress(BrokenPipeError):  # reading says what has happened
            print(json.dumps(message), file=process.stdin, flush=True)

    def _read(self, name: str) -> str:
        while True:
            try:
                # Not for ever, so that a call can be stopped from another thread.
                line = self._lines.get(timeout=_POLL_SECONDS)
            except Empty:
                continue
            if line is None:
                status = self._process.wait() if self._process else None
                expected = f"Expected an answer to {name!r}, got the end of the process"
                raise ProcessEnded(f"{expected} ({status}) - at {self._command}")
            return line

    def _open(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(  # noqa: S603 - the user's own command
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
        self._process, self._lines = process, SimpleQueue()
        passing = process.stdout, self._lines
        reader = threading.Thread(target=_pass_on, args=passing, daemon=True)
        reader.start()
        self._end = weakref.finalize(self, _end, process, reader)
        return process


def _pass_on(lines: IO[str], queue: SimpleQueue[str | None]) -> None:
    for line in lines:
        queue.put(line)
    queue.put(None)


def _end(process: subprocess.Popen[str], reader: threading.Thread) -> None:
    process.kill()
    process.wait()
    reader.join(_END_SECONDS)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):  # what it has not read is lost
                pipe.close()


def _decoded(line: str) -> Any:
    """What an answer says; None for a line that is none."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    is_answer = isinstance(found, dict) and any(name in found for name in _ANSWERS)
    return found if is_answer else None
