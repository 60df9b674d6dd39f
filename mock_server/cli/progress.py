"""Tells on stderr how far a command has come, when that takes long."""

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


class Telling:
    """Tells `say` what is being done, and for how long, until it is stopped.

    From a thread, once it has taken long, and then ever more seldom: logs are to stay
    short however long it takes.
    """

    def __init__(self, what: str, say: Callable[[str], object]) -> None:
        self.has_told = False
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
        """How long it has taken."""
        return time.monotonic() - self._begun

    def stop(self) -> None:
        """Tell no more."""
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        for pause in self._pauses:
            if self._over.wait(pause):
                return
            self.has_told = True
            self._say(one_line(f"{self._what} ... {self.seconds:.0f} s"))


def loaded(
    files: Sequence[str], load: Callable[[], Generation], say: Callable[[str], object]
) -> Generation:
    """What `load` makes of files; where that takes long, it is told. Raises as it."""
    telling = Telling(f"loading {', '.join(files)} ({_size(files)})", say)
    try:
        generation = load()
    finally:
        telling.stop()
    if telling.has_told:
        collections = generation.counts()["collections"]
        say(f"loaded {collections:,} collections in {telling.seconds:.1f} s")
    return generation


def counting(what: str) -> Callable[[int], None]:
    """A function that is told how many of `what` there are, and tells it seldom."""
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
            continue  # the load itself tells that
    return size_text(size)
