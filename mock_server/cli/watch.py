"""Notices that fixture files have changed. Imported only when that is asked for.

The system tells of changes in the folders of the files. As it does not tell of all of
them (network file systems, a folder that is moved away and made anew), the files are
looked at once a second too.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event, Thread

import watchfiles

from mock_server.fixture.files import Stamp, stamp

_LOOK_SECONDS = 1.0
# A program that saves several files, or one in pieces, makes one change.
_DEBOUNCE_MS, _STEP_MS = 400, 50


class Watcher:
    """Calls `on_change` from a thread of its own, once for what changes together."""

    def __init__(self, files: Sequence[str]) -> None:
        """What changes after this is told, however late `start` is called."""
        self._files = files
        self._seen = _stamps(files)
        self._stop = Event()

    def start(self, on_change: Callable[[], object]) -> None:
        """Begin to tell of changes."""
        Thread(target=self._run, args=(on_change,), daemon=True).start()

    def stop(self) -> None:
        """Tell of no more changes."""
        self._stop.set()

    def _run(self, on_change: Callable[[], object]) -> None:
        while not self._stop.is_set():
            try:
                self._watch(on_change)
            except (OSError, RuntimeError):
                # A folder that has just gone, or no more watches to be had.
                self._look(on_change)
                self._stop.wait(_LOOK_SECONDS)

    def _watch(self, on_change: Callable[[], object]) -> None:
        """Tell of changes until there are other folders to watch. Raises OSError."""
        folders = _folders(self._files)
        changes = watchfiles.watch(
            *(path for path, _ in folders),
            watch_filter=None,
            debounce=_DEBOUNCE_MS,
            step=_STEP_MS,
            stop_event=self._stop,
            rust_timeout=int(_LOOK_SECONDS * 1000),
            yield_on_timeout=True,
            raise_interrupt=False,
            recursive=False,
        )
        for _ in changes:
            self._look(on_change)
            if _folders(self._files) != folders:
                return

    def _look(self, on_change: Callable[[], object]) -> None:
        now = _stamps(self._files)
        if now != self._seen:
            self._seen = now
            on_change()


def _stamps(files: Sequence[str]) -> list[Stamp]:
    return list(map(stamp, files))


def _folders(files: Sequence[str]) -> set[tuple[str, int]]:
    """The folders in which files and their links lie, each with its number.

    For one that is not there, the next one above it. Raises OSError.
    """
    found = set()
    for file in files:
        # A link may be replaced as well as what it leads to.
        for place in (os.path.abspath(file), os.path.realpath(file)):
            folder = next(each for each in Path(place).parents if each.is_dir())
            found.add((str(folder), folder.stat().st_ino))
    return found
