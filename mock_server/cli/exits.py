"""How commands end: the exit codes, and ending with a message."""

from __future__ import annotations

from typing import Any

import click

USAGE, BROKEN_FIXTURE, UNREACHABLE, TIMED_OUT = 1, 2, 3, 4


def say(text: str) -> None:
    """Write to stdout. Raises Stop if it is full or gone."""
    try:
        click.echo(text)
    except OSError as error:
        raise Stop(f"cannot write: {error.strerror}", USAGE) from None


class Stop(click.ClickException):
    """Ends the command with a message, which says all there is, and an exit code."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status

    def show(self, file: Any = None) -> None:
        """Print the message as it is; without one, all has been said."""
        if self.message:
            click.echo(self.message, file=file, err=True)
