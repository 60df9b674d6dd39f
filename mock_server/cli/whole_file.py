"""Files that commands write: whole, or not at all."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from mock_server.cli.output import USAGE, Stop, discard
from mock_server.domain.printable import one_line


@contextmanager
def whole_file(path: str | None) -> Iterator[BinaryIO]:
    """What is to become a file at `path`, or stdout if there is none.

    The file takes its place when the block ends; one that is there already stays as it
    is until then, and for good if the block raises. Raises Stop, with the reason, if
    it cannot be written; before the block if that shows at once.
    """
    if path is None:
        with _standard_output() as stream:
            yield stream
        return
    target = Path(path).resolve()
    # A device or a pipe takes what it gets, and cannot be replaced.
    is_special = target.exists() and not target.is_file() and not target.is_dir()
    own = target.parent / f".{target.name}.{os.getpid()}"
    part = target if is_special else own
    try:
        if target.is_dir():
            raise IsADirectoryError(0, "it is a directory")
        try:
            with part.open("wb" if is_special else "xb") as file:
                yield file
            if not is_special:
                with suppress(FileNotFoundError):
                    part.chmod(target.stat().st_mode & 0o777)
                part.replace(target)
        finally:
            if not is_special:
                part.unlink(missing_ok=True)
    except OSError as error:
        message = f"cannot write {path}: {error.strerror}"
        raise Stop(one_line(message), USAGE) from None


def check_writable(path: str) -> None:
    """Raises Stop, with the reason, for a path at which no file can be written."""
    with suppress(_NotMeant), whole_file(path):
        raise _NotMeant  # so that what is there stays


class _NotMeant(Exception):
    """Ends the writing of a file that is not to be."""


@contextmanager
def _standard_output() -> Iterator[BinaryIO]:
    """stdout as bytes. Whoever reads it may go, which is no error. Raises Stop."""
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        discard(sys.stdout)
    except OSError as error:
        raise Stop(f"cannot write: {error.strerror}", USAGE) from None
