"""How far a command has come, on stderr: one line that changes, or few of them."""

import os
import sys
import time

import click

from mock_server.cli.output import tell

_TERMINAL_SECONDS, _LOG_SECONDS = 0.2, 10.0
# To the start of the line, and the line cleared (ECMA-48 8.3.41).
_AGAIN = "\r\x1b[2K"


class Counting:
    """Tells counts of `what`, such as items, and lines of text in between."""

    def __init__(self, what: str) -> None:
        self._what = what
        is_able = os.name != "nt" and os.environ.get("TERM", "dumb") != "dumb"
        self._is_terminal = is_able and sys.stderr.isatty()
        self._pause = _TERMINAL_SECONDS if self._is_terminal else _LOG_SECONDS
        self._last = time.monotonic()

    def count(self, number: int) -> None:
        """There are so many now; told from time to time."""
        if time.monotonic() - self._last < self._pause:
            return
        self._last = time.monotonic()
        text = f"{number:,} {self._what} ..."
        if self._is_terminal:
            click.echo(f"{_AGAIN}{text}", err=True, nl=False)
        else:
            tell(text)

    def line(self, text: str) -> None:
        """Tell a line, above that of the count."""
        self.clear()
        tell(text)

    def clear(self) -> None:
        """Leave no count behind."""
        if self._is_terminal:
            click.echo(_AGAIN, err=True, nl=False)
