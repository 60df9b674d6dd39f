"""Logs the progress of a command if it takes long."""

import os
import time
from collections.abc import Callable, Sequence
from itertools import chain, count
from threading import Event, Thread

from mock_server.cli.output import log
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.printable import one_line, size_text

_QUIET_SECONDS = 1.0
_LOG_SECONDS = 10.0


class Progress:
    """Logs the name of a task and its duration, until `stop` is called.

    A thread calls `log` after one second, then after growing pauses.
    """

    def __init__(self, task: str, log: Callable[[str], object]) -> None:
        self.has_logged = False
        self._task = task
        self._log = log
        self._pauses = chain([_QUIET_SECONDS], count(_LOG_SECONDS, _LOG_SECONDS))
        self._is_stopped = Event()
        self._start = time.monotonic()
        # A daemon, because an interrupt must not wait for the thread.
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def seconds(self) -> float:
        """The duration until now."""
        return time.monotonic() - self._start

    def stop(self) -> None:
        """End the calls of `log`."""
        self._is_stopped.set()
        self._thread.join()

    def _run(self) -> None:
        for pause in self._pauses:
            if self._is_stopped.wait(pause):
                return
            self.has_logged = True
            self._log(one_line(f"{self._task} ... {self.seconds:.0f} s"))


def load_with_progress(
    files: Sequence[str], load: Callable[[], FixtureData], log: Callable[[str], object]
) -> FixtureData:
    """Return the result of `load`, and log its progress. Raises what `load` raises."""
    progress = Progress(f"loading {', '.join(files)} ({_size(files)})", log)
    try:
        fixture = load()
    finally:
        progress.stop()
    if progress.has_logged:
        collections = fixture.counts()["collections"]
        log(f"loaded {collections:,} collections in {progress.seconds:.1f} s")
    return fixture


def count_logger(objects: str) -> Callable[[int], None]:
    """Return a function that takes a number of `objects`, and logs it every 10 s."""
    last = time.monotonic()

    def count(number: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _LOG_SECONDS:
            last = now
            log(f"{number:,} {objects} ...")

    return count


def _size(files: Sequence[str]) -> str:
    size = 0
    for file in files:
        try:
            size += os.stat(file).st_size
        except (OSError, ValueError):
            continue  # loading reports this file
    return size_text(size)
