"""Write the output and the files of commands, and end commands.

The reader of a server's output may be slow, stop reading, or be gone. So a thread
writes the lines; lines over a limit are dropped, and their number is written once there
is room again.
"""

import os
import select
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from errno import ENOSPC
from io import FileIO
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import Any, BinaryIO, TextIO

import click

from mock_server.domain.limits import Published
from mock_server.domain.printable import lines, one_line

USAGE, BROKEN_FIXTURE, UNREACHABLE, TIMED_OUT, UNFIT = 1, 2, 3, 4, 5
told_as: ContextVar[Callable[[str], str]] = ContextVar("told_as", default=lines)
"""Turns a text into the lines that `tell` writes."""


def say(text: str) -> bool:
    """Write lines to stdout, made printable; as `write`."""
    return write(lines(text))


def write(text: str) -> bool:
    """Write printable text to stdout; return False if the reader has gone.

    A lost reader is no error: `head` stops when it has enough. Raises Stop if stdout is
    full.
    """
    with _reader_may_go():
        click.echo(text)
        return True
    return False


@contextmanager
def _reader_may_go() -> Iterator[None]:
    """End a block that writes to stdout if its reader has gone. Raises Stop."""
    try:
        yield
    except BrokenPipeError:
        discard(sys.stdout)
    except OSError as error:
        raise Stop(f"cannot write: {error.strerror}", USAGE) from None


def tell(text: str) -> None:
    """Write lines to stderr, made printable; ignore a lost reader."""
    try:
        click.echo(told_as.get()(text), err=True)
    except BrokenPipeError:
        discard(sys.stderr)


def discard(stream: TextIO) -> None:
    """Send the further output of a stream nowhere, as its reader has gone."""
    # The descriptor, not the object: the interpreter flushes at exit what is left.
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


@contextmanager
def piped() -> Iterator[None]:
    """End quietly if the reader of click's own output, such as help, has gone.

    Raises Stop if stdout is full.
    """
    try:
        yield
    except BrokenPipeError:
        discard(sys.stdout)
        raise click.exceptions.Exit(0) from None
    except OSError as error:
        if error.errno != ENOSPC:
            raise
        raise Stop(f"cannot write: {error.strerror}", USAGE) from None


def counted(counts: Mapping[str, int]) -> str:
    """Return numbers with their names, such as `1 dataset, 0 chats`."""
    one = {"replies": "reply"}
    return ", ".join(
        f"{count} {one.get(name, name.removesuffix('s')) if count == 1 else name}"
        for name, count in counts.items()
    )


class Stop(click.ClickException):
    """Ends a command with an exit code, and with a message unless it is empty."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status

    def show(self, file: Any = None) -> None:
        """Called by `main`; prints the message without click's "Error: "."""
        del file
        if self.message:
            tell(self.message)


class BadValue(Stop):
    """The value of an option or a variable is invalid."""

    def __init__(self, message: str) -> None:
        place = message.rpartition(" - at ")[2].partition(":")[0]
        value = os.environ.get(place, "")
        if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
            why = "env files of containers keep them"
            message += f" (leave out the quotes within the value: {why})"
        super().__init__(message, USAGE)


def open_standard_streams() -> None:
    """Open the null device in place of standard streams that are closed.

    Otherwise the next socket would get the number of the stream, and output would be
    sent over it. Reading stdin remains an error: its null device is write-only.
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
            # The descriptor stays taken even when the object made here is gone.
            is_path = isinstance(place, str)
            setattr(sys, name, open(place, mode, closefd=is_path))  # noqa: SIM115


@contextmanager
def whole_file(path: str | None) -> Iterator[BinaryIO]:
    """Yield a file that appears at `path` when the block ends; stdout without a path.

    An existing file stays as it is until then, and for good if the block raises. Raises
    Stop, with the reason, if the file cannot be written; before the block if that shows
    at once.
    """
    if path is None:
        with _reader_may_go():
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    try:
        target = Path(os.path.realpath(path))
        # A device or a pipe is written directly, as it cannot be replaced.
        is_special = target.exists() and not target.is_file() and not target.is_dir()
        # Not the name with a suffix: that may be too long where the name is not.
        own = target.parent / f".mock-server.{os.getpid()}"
        part = target if is_special else own
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
        raise Stop(one_line(f"cannot write {path}: {error.strerror}"), USAGE) from None


_FLUSH_SECONDS = 0.5
_PAUSE_SECONDS = 0.01


class LineWriter:
    """Writes lines to a stream, in order, without ever blocking the caller.

    A line after a quiet moment is written at once, then the lines of 10 ms together:
    waking the thread and writing takes as long as making several lines.

    At most `Published.waiting_lines` wait to be written. Nothing is written to a stream
    that is None or has no file descriptor.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._dropped = 0
        self._formatted = told_as.get()
        self._is_closing = Event()
        self._lock = Lock()
        self._thread: Thread | None = None
        with suppress(AttributeError, OSError, ValueError):
            # Not the stream itself: the interpreter flushes it at exit, and would need
            # the lock that a thread stuck in it holds.
            descriptor = os.dup(stream.fileno())  # type: ignore[union-attr]
            # A daemon: a write that nobody reads must not keep the process from ending.
            self._thread = Thread(target=self._run, args=(descriptor,), daemon=True)
            self._thread.start()

    def write(self, line: str) -> None:
        """Queue a line, or drop it if too many are waiting."""
        # The limit is kept here and not by the queue: a full queue would block `close`.
        if self._is_full():
            with self._lock:
                # Look again: of a line dropped after the thread has read the number,
                # nobody would be told until the next one.
                if self._is_full():
                    self._dropped += 1
                    return
        self._lines.put(line)

    def _is_full(self) -> bool:
        return self._lines.qsize() >= Published.waiting_lines

    def close(self) -> None:
        """Write the waiting lines, for half a second at most."""
        if self._thread is not None:
            self._is_closing.set()
            self._lines.put(None)
            self._thread.join(_FLUSH_SECONDS)

    def _run(self, descriptor: int) -> None:
        is_last = False
        # When the reader is gone the thread ends; `write` then drops further lines.
        with suppress(OSError), os.fdopen(descriptor, "wb", buffering=0) as stream:
            while not is_last:
                text, is_last = self._waiting()
                # A lone surrogate must not end the thread, and with it all output.
                _write_all(stream, text.encode("utf-8", "backslashreplace"))
                self._is_closing.wait(_PAUSE_SECONDS)

    def _waiting(self) -> tuple[str, bool]:
        """Return all waiting lines, at least one, and whether they are the last."""
        lines = [self._lines.get()]
        with suppress(Empty):
            # Bounded: callers may add lines as fast as these are taken out.
            while len(lines) < Published.waiting_lines:
                lines.append(self._lines.get_nowait())
        with self._lock:
            dropped, self._dropped = self._dropped, 0
        # The number comes last: lines are dropped only while these are waiting.
        text = "".join(f"{line}\n" for line in lines if line is not None)
        note = f"{self._formatted(f'dropped {dropped} lines')}\n" if dropped else ""
        return text + note, None in lines


def _write_all(stream: FileIO, content: bytes) -> None:
    """Write to a stream that may take only a part at a time. Raises OSError."""
    while content:
        written = stream.write(content)
        if written is None:  # non-blocking, if another process that has it made it so
            select.select((), (stream,), ())
        content = content[written or 0 :]
