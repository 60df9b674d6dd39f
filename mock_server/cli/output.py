"""Writes the output, log and files of commands; defines the errors that end them."""

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
from mock_server.domain.printable import one_line, safe_lines, without_credentials

USAGE, BROKEN_FIXTURE, UNREACHABLE, TIMED_OUT, UNFIT = 1, 2, 3, 4, 5
log_formatter: ContextVar[Callable[[str], str]] = ContextVar("log", default=safe_lines)
"""Formats a text as the lines that `log` writes."""


def echo(text: str) -> bool:
    """Write lines to stdout like `write`, with control characters escaped."""
    return write(safe_lines(text))


def write(text: str) -> bool:
    """Write printable text to stdout; return False if its reader is gone.

    That is no error: `head` exits when it has enough lines. Raises Stop if the disk is
    full.
    """
    with _output_errors():
        click.echo(text)
        return True
    return False


@contextmanager
def _output_errors() -> Iterator[None]:
    """End a block that writes to stdout if the reader is gone. Raises Stop."""
    try:
        yield
    except BrokenPipeError:
        discard(sys.stdout)
    except OSError as error:
        raise Stop(f"cannot write: {error.strerror}", USAGE) from None


def log(text: str) -> None:
    """Write lines to stderr, with control characters escaped; ignore a lost reader."""
    try:
        click.echo(log_formatter.get()(text), err=True)
    except BrokenPipeError:
        discard(sys.stderr)


def discard(stream: TextIO) -> None:
    """Redirect a stream whose reader is gone to the null device."""
    # The descriptor is redirected, because the interpreter flushes the object at exit.
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


@contextmanager
def click_output_errors() -> Iterator[None]:
    """Exit quietly if the reader of click's own output, such as help, is gone.

    Raises Stop if the disk is full.
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


def count_text(counts: Mapping[str, int]) -> str:
    """Return numbers with nouns, such as `1 dataset, 0 chats`."""
    singulars = {"replies": "reply"}
    return ", ".join(
        f"{count} {singulars.get(name, name.removesuffix('s')) if count == 1 else name}"
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
            log(without_credentials(self.message))


class BadValue(Stop):
    """The value of an option or a variable is invalid."""

    def __init__(self, message: str) -> None:
        place = message.rpartition(" - at ")[2].partition(":")[0]
        value = os.environ.get(place, "")
        if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
            reason = "env files of containers keep them"
            message += f" (leave out the quotes within the value: {reason})"
        super().__init__(message, USAGE)


def open_standard_streams() -> None:
    """Open the null device in place of standard streams that are closed.

    Otherwise the next socket would get the stream's number, and output would go to the
    socket. Reading stdin remains an error: its null device is write-only.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        mode = "r" if name == "stdin" else "w"
        target: str | int = os.devnull
        try:
            os.fstat(number)
        except OSError:
            # `open` uses the lowest free descriptor, which is the one of the stream.
            target = os.open(os.devnull, os.O_WRONLY if mode == "r" else os.O_RDWR)
        if getattr(sys, name) is None:
            # The descriptor must stay open even after this file object is gone.
            is_path = isinstance(target, str)
            setattr(sys, name, open(target, mode, closefd=is_path))  # noqa: SIM115


@contextmanager
def atomic_file(path: str | None) -> Iterator[BinaryIO]:
    """Yield a file that replaces `path` when the block ends.

    Yield stdout if `path` is None or `-`. If the block raises, an existing file stays
    unchanged. Raises Stop if the file cannot be written, before the block runs if
    possible.
    """
    if path in (None, "-"):
        with _output_errors():
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    try:
        named, target = Path(path), Path(os.path.realpath(path))
        # A device or a pipe is written directly, because it cannot be replaced. Of
        # `/dev/stdout` that is a pipe, only the name itself leads to the pipe.
        is_special = named.exists() and not named.is_file() and not named.is_dir()
        # A fixed name, because the target's name with a suffix may be too long.
        temporary = target.parent / f".mock-server.{os.getpid()}"
        written_file = named if is_special else temporary
        if target.is_dir():
            raise IsADirectoryError(0, "it is a directory")
        try:
            with written_file.open("wb" if is_special else "xb") as file:
                yield file
            if not is_special:
                with suppress(FileNotFoundError):
                    written_file.chmod(target.stat().st_mode & 0o777)
                written_file.replace(target)
        finally:
            if not is_special:
                written_file.unlink(missing_ok=True)
    except OSError as error:
        raise Stop(one_line(f"cannot write {path}: {error.strerror}"), USAGE) from None


_FLUSH_SECONDS = 0.5
_PAUSE_SECONDS = 0.01


class LineWriter:
    """Writes lines to a stream, in order, without ever blocking the caller.

    A thread writes the first line immediately, and then all lines of 10 ms together,
    because waking the thread for each line is slow. The process that reads the stream
    may be slow or gone: if too many lines wait, further lines are dropped, and their
    number is written later.

    At most `Published.waiting_lines` wait to be written. Nothing is written to a stream
    that is None or has no file descriptor.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._dropped = 0
        self._format = log_formatter.get()
        self._is_closing = Event()
        self._lock = Lock()
        self._thread: Thread | None = None
        with suppress(AttributeError, OSError, ValueError):
            # A copy, because the interpreter flushes the stream itself at exit, which
            # would wait for the lock of a thread that is blocked in a write.
            descriptor = os.dup(stream.fileno())  # type: ignore[union-attr]
            # A daemon, because a blocked write must not stop the process from exiting.
            self._thread = Thread(target=self._run, args=(descriptor,), daemon=True)
            self._thread.start()

    def write(self, line: str) -> None:
        """Queue a line, or drop it if too many are waiting."""
        # The queue itself has no limit, because `close` must be able to put its mark.
        if self._is_full():
            with self._lock:
                # Check again: the thread may just have written the number of dropped
                # lines, and would report this line only with the next one.
                if self._is_full():
                    self._dropped += 1
                    return
        self._lines.put(line)

    def _is_full(self) -> bool:
        return self._lines.qsize() >= Published.waiting_lines

    def close(self) -> None:
        """Write the waiting lines, but wait at most half a second."""
        if self._thread is not None:
            self._is_closing.set()
            self._lines.put(None)
            self._thread.join(_FLUSH_SECONDS)

    def _run(self, descriptor: int) -> None:
        is_last = False
        # If the reader is gone the thread ends, and `write` drops lines over the limit.
        with suppress(OSError), os.fdopen(descriptor, "wb", buffering=0) as stream:
            while not is_last:
                text, is_last = self._next_text()
                # Escape lone surrogates, which would end the thread with an error.
                _write_all(stream, text.encode("utf-8", "backslashreplace"))
                self._is_closing.wait(_PAUSE_SECONDS)

    def _next_text(self) -> tuple[str, bool]:
        """Wait for a line; return all waiting lines, and whether they are the last."""
        waiting_lines = [self._lines.get()]
        with suppress(Empty):
            # Bounded, because callers may add lines as fast as this loop takes them.
            while len(waiting_lines) < Published.waiting_lines:
                waiting_lines.append(self._lines.get_nowait())
        with self._lock:
            dropped, self._dropped = self._dropped, 0
        # The number follows these lines, because it counts lines that came later.
        text = "".join(f"{line}\n" for line in waiting_lines if line is not None)
        note = f"{self._format(f'dropped {dropped} lines')}\n" if dropped else ""
        return text + note, None in waiting_lines


def _write_all(stream: FileIO, content: bytes) -> None:
    """Write all bytes, even if the stream accepts only a part. Raises OSError."""
    while content:
        written = stream.write(content)
        if written is None:  # another process has made the stream non-blocking
            select.select((), (stream,), ())
        content = content[written or 0 :]
