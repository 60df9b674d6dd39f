"""Tells on stderr how far a command has come, when that takes long."""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import count
from threading import Event, Thread
from typing import Self, TextIO

import click

from mock_server.cli.output import LineWriter, tell
from mock_server.domain.generation import Generation
from mock_server.domain.printable import one_line, size_text

QUIET_SECONDS = 1.0
_LOG_SECONDS = 10.0
_TERMINAL_SECONDS = 0.2
# One line up, and the line cleared (ECMA-48 8.3.22, 8.3.41).
_AGAIN = "\x1b[1A\x1b[2K"
# To the start of the line, and the line cleared.
_LINE_AGAIN = "\r\x1b[2K"


class Loading:
    """Tells, while the context lasts, that files are being loaded, and for how long.

    A terminal shows one line that changes; elsewhere there are few. Whoever reads
    `stream` may be slow: nothing waits for that.
    """

    def __init__(
        self,
        files: Sequence[str],
        stream: TextIO | None = None,
        quiet_seconds: float = QUIET_SECONDS,
        term: str | None = None,
    ) -> None:
        """`stream` is stderr by default, `term` the variable TERM."""
        self._files = files
        self._stream = stream or sys.stderr
        self._quiet_seconds = quiet_seconds
        self._term = os.environ.get("TERM", "dumb") if term is None else term
        self._over = Event()
        self._begun = time.monotonic()
        self._loaded: Generation | None = None
        # A daemon: an interrupt must not wait for it.
        self._thread = Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._over.set()
        self._thread.join()

    def done(self, generation: Generation) -> None:
        """What has come of it, to be told at the end."""
        self._loaded = generation

    def _run(self) -> None:
        if self._over.wait(self._quiet_seconds):
            return
        is_terminal = _is_terminal(self._stream, self._term)
        again = _AGAIN if is_terminal else ""
        out = LineWriter(self._stream)
        what = f"loading {', '.join(self._files)} ({_size(self._files)})"
        out.write(_fitting(f"{what} ...", is_terminal))
        for pause in pauses(is_terminal):
            if self._over.wait(pause):
                break
            seconds = f"{time.monotonic() - self._begun:.0f} s"
            out.write(again + _fitting(f"{what} ... {seconds}", is_terminal))
        if self._loaded is not None:
            collections = self._loaded.counts()["collections"]
            seconds = f"{time.monotonic() - self._begun:.1f} s"
            out.write(f"{again}loaded {collections:,} collections in {seconds}")
        out.close()


class Counting:
    """Tells how many of `what`, such as collections, there are, and other lines.

    A terminal shows one line that changes; elsewhere there are few.
    """

    def __init__(self, what: str, total: int | None = None) -> None:
        """`total` is how many there are to be, if that is known."""
        self._what = what if total is None else f"of {total:,} {what}"
        self._is_terminal = _is_terminal(sys.stderr, os.environ.get("TERM", "dumb"))
        self._pause = _TERMINAL_SECONDS if self._is_terminal else _LOG_SECONDS
        self._last = time.monotonic()

    def count(self, number: int) -> None:
        """There are so many now; told from time to time."""
        now = time.monotonic()
        if now - self._last < self._pause:
            return
        self._last = now
        text = f"{number:,} {self._what} ..."
        if self._is_terminal:
            click.echo(f"{_LINE_AGAIN}{text}", err=True, nl=False)
        else:
            tell(text)

    def line(self, text: str) -> None:
        """Tell a line, above that of the count."""
        self.clear()
        tell(text)

    def clear(self) -> None:
        """Leave no count behind."""
        if self._is_terminal:
            click.echo(_LINE_AGAIN, err=True, nl=False)


def pauses(is_terminal: bool) -> Iterator[float]:
    """Seconds between two lines: logs are to stay short however long it takes."""
    for number in count(1):
        yield QUIET_SECONDS if is_terminal else _LOG_SECONDS * number


def _is_terminal(stream: TextIO | None, term: str) -> bool:
    """Whether a line of it can be changed."""
    is_able = os.name != "nt" and term != "dumb"
    return bool(is_able and stream and stream.isatty())


def _fitting(text: str, is_terminal: bool) -> str:
    """A line of its own; on a terminal one that needs no second."""
    text = one_line(text)
    # The end says most: how large it is, and how long it has taken.
    return text[-_columns() + 1 :] if is_terminal else text


def _columns() -> int:
    """The width of the terminal; to import `shutil`, which knows it, takes 3 ms."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        return 80


def _size(files: Sequence[str]) -> str:
    size = 0
    for file in files:
        try:
            size += os.stat(file).st_size
        except (OSError, ValueError):
            continue  # the load itself tells that
    return size_text(size)
