"""What commands write: messages, files, and how they end."""

import os
import sys
from pathlib import Path
from typing import NoReturn

import click

BROKEN_FIXTURE = 2
UNREACHABLE = 3
"""An address to listen on, or a server."""
TIMED_OUT = 4
NO_SERVICE = 5
"""Exit codes. 1 is wrong usage, or that what was checked is false."""


def say(message: str) -> None:
    click.echo(message, err=True)


def fail(message: str, code: int = 1) -> NoReturn:
    """End the command with a message on stderr."""
    say(message)
    raise SystemExit(code)


def show_progress(text: str) -> None:
    """Show a line on a terminal, which the next one replaces."""
    if sys.stderr.isatty():
        click.echo(f"\x1b[2K{text}\r", err=True, nl=False)


def write_out(text: str, output: Path | None) -> None:
    """Write a text to a file, whole or not at all, or to stdout."""
    try:
        if output is None:
            click.echo(text, nl=False)
        else:
            replace_file(output, text)
    except OSError as error:
        fail(f"cannot write {output or 'to stdout'}: {error.strerror}")


def replace_file(path: Path, text: str) -> None:
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        unfinished.write_text(text, "utf-8")
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
