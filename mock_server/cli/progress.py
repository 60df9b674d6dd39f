"""Print the progress of a command on stderr if it takes long."""

import os
import time
from collections.abc import Callable, Sequence
from itertools import chain, count
from threading import Event, Thread

from mock_server.cli.output import tell
from mock_server.domain.objects.fixture_data import Generation
from mock_server.domain.printable import one_line, size_text

_QUIET_SECONDS = 1.0
_LOG_SECONDS = 10.0


class Progress:
    """Prints by `say` what is being done, and for how long, until it is stopped.

    A thread prints after one second, then ever more seldom, so that logs stay short.
    """

    def __init__(self, what: str, say: Callable[[str], object]) -> None:
        self.has_printed = False
        self._what = what
        self._say = say
        self._pauses = chain([_QUIET_SECONDS], count(_LOG_SECONDS, _LOG_SECONDS))
        self._over = Event()
        self._begun = time.monotonic()
        # A daemon: an interrupt must not wait for it.
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def seconds(self) -> float:
        """Return the seconds since the beginning."""
        return time.monotonic() - self._begun

    def stop(self) -> None:
        """Print no more."""
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        for pause in self._pauses:
            if self._over.wait(pause):
                return
            self.has_printed = True
            self._say(one_line(f"{self._what} ... {self.seconds:.0f} s"))


def loaded(
    files: Sequence[str], load: Callable[[], Generation], say: Callable[[str], object]
) -> Generation:
    """Return the result of `load`, and print its progress. Raises as `load`."""
    progress = Progress(f"loading {', '.join(files)} ({_size(files)})", say)
    try:
        generation = load()
    finally:
        progress.stop()
    if progress.has_printed:
        collections = generation.counts()["collections"]
        say(f"loaded {collections:,} collections in {progress.seconds:.1f} s")
    return generation


def counting(what: str) -> Callable[[int], None]:
    """Return a function that gets the number of `what`, and prints it now and then."""
    last = time.monotonic()

    def count(number: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _LOG_SECONDS:
            last = now
            tell(f"{number:,} {what} ...")

    return count


def _size(files: Sequence[str]) -> str:
    size = 0
    for file in files:
        try:
            size += os.stat(file).st_size
        except (OSError, ValueError):
            continue  # the load itself reports that
    return size_text(size)
