"""Lines on stdout and stderr, written without blocking the server.

What reads a server's output may be slow, stop reading, or be gone. So a thread of its
own writes the lines; lines over a limit are dropped, and their number is written once
there is room again.
"""

import logging
import os
import select
from contextlib import suppress
from io import FileIO
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import TextIO

from mock_server.domain.limits import Limits

_FLUSH_SECONDS = 0.5


class LineWriter:
    """Writes lines to a stream, in order, without ever blocking the caller.

    At most `max_waiting` lines wait to be written. Nothing is written to a stream that
    is None or has no file descriptor.
    """

    def __init__(
        self, stream: TextIO | None, max_waiting: int = Limits.waiting_lines
    ) -> None:
        self._max_waiting = max_waiting
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._dropped = 0
        self._lock = Lock()
        self._thread: Thread | None = None
        with suppress(AttributeError, OSError, ValueError):
            # Not the stream itself: the interpreter flushes it at exit, and would need
            # the lock that a thread stuck in it holds.
            descriptor = os.dup(stream.fileno())  # type: ignore[union-attr]
            self._thread = Thread(target=self._run, args=(descriptor,), daemon=True)
            self._thread.start()

    def write(self, line: str) -> None:
        """Let a line be written, or drop it if too many are waiting."""
        if self._lines.qsize() < self._max_waiting:
            self._lines.put(line)
            return
        with self._lock:
            self._dropped += 1

    def close(self) -> None:
        """Write what is waiting, for half a second at most."""
        if self._thread is not None:
            self._lines.put(None)
            self._thread.join(_FLUSH_SECONDS)

    def _run(self, descriptor: int) -> None:
        is_last = False
        with suppress(OSError), os.fdopen(descriptor, "wb", buffering=0) as stream:
            while not is_last:
                text, is_last = self._waiting()
                _write_all(stream, text.encode("utf-8", "backslashreplace"))

    def _waiting(self) -> tuple[str, bool]:
        """All lines that are waiting, at least one, and whether they are the last."""
        lines = [self._lines.get()]
        with suppress(Empty):
            while len(lines) < self._max_waiting:
                lines.append(self._lines.get_nowait())
        with self._lock:
            dropped, self._dropped = self._dropped, 0
        text = "".join(f"{line}\n" for line in lines if line is not None)
        return text + f"dropped {dropped} lines\n" * bool(dropped), None in lines


def _write_all(stream: FileIO, content: bytes) -> None:
    """Write to a stream that may take only a part at a time. Raises OSError."""
    while content:
        written = stream.write(content)
        if written is None:  # non-blocking, if another process that has it made it so
            select.select((), (stream,), ())
        content = content[written or 0 :]


class LineHandler(logging.Handler):
    """Passes log records to a LineWriter."""

    def __init__(self, writer: LineWriter) -> None:
        super().__init__()
        self._writer = writer

    def emit(self, record: logging.LogRecord) -> None:
        """Called by `logging`."""
        self._writer.write(self.format(record))
