"""How commands write and end: printable text, exit codes, a last message."""

import os
import sys
from typing import Any

import click

from mock_server.domain.printable import lines

USAGE, BROKEN_FIXTURE, UNREACHABLE, TIMED_OUT = 1, 2, 3, 4


def say(text: str) -> None:
    """Write lines to stdout, made printable. Raises Stop if stdout is full or gone."""
    write(lines(text))


def write(text: str) -> None:
    """Write text that is printable already. Raises Stop if stdout is full or gone."""
    try:
        click.echo(text)
    except OSError as error:
        raise Stop(f"cannot write: {error.strerror}", USAGE) from None


def tell(text: str) -> None:
    """Write lines to stderr, made printable."""
    click.echo(lines(text), err=True)


class Stop(click.ClickException):
    """Ends a command with a message, or none if all has been said, and an exit code."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status

    def show(self, file: Any = None) -> None:
        """Called by `main`; prints the message without click's "Error: "."""
        if self.message:
            click.echo(lines(self.message), file=file, err=True)


def open_standard_streams() -> None:
    """Open the null device in place of standard streams that are closed.

    Else the next socket would get the number of the stream, and what is printed would
    be sent over it. Reading stdin remains an error: its null device is write-only.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        mode = "r" if name == "stdin" else "w"
        place: str | int = os.devnull
        try:
            os.fstat(number)
        except OSError:
            # Takes the lowest number that is free, which is this one.
            place = os.open(os.devnull, os.O_WRONLY if mode == "r" else os.O_RDWR)
        if getattr(sys, name) is None:
            is_path = isinstance(place, str)
            setattr(sys, name, open(place, mode, closefd=is_path))  # noqa: SIM115
