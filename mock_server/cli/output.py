"""Lines on stdout and stderr that nobody has to wait for.

Whoever reads a server's output may be slow, stop reading, or be gone. Lines are written
by a thread of their own, so that nothing else notices; what does not fit is dropped,
and the drop is told once there is room again.
"""

from __future__ import annotations

import logging
import os
import select
from contextlib import suppress
from io import FileIO
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import TextIO

from mock_server.domain.limits import LIMITS

_FLUSH_SECONDS = 0.5


class LineWriter:
    """Writes lines to a stream, in order, without ever holding up the caller."""

    def __init__(self, stream: TextIO | None) -> None:
        """A `stream` that is None or has no descriptor takes every line, and none."""
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._dropped = 0
        self._lock = Lock()
        self._thread: Thread | None = None
        with suppress(AttributeError, OSError, ValueError):
            # The descriptor itself: a thread that is stuck in it holds no lock that the
            # interpreter needs at its end.
            descriptor = os.dup(stream.fileno())  # type: ignore[union-attr]
            self._thread = Thread(target=self._run, args=(descriptor,), daemon=True)
            self._thread.start()

    def write(self, line: str) -> None:
        """Have a line written; it is dropped where too many wait already."""
        if self._lines.qsize() < LIMITS.waiting_lines:
            self._lines.put(line)
            return
        with self._lock:
            self._dropped += 1

    def close(self) -> None:
        """Write what waits, for a moment at most."""
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
        """All lines that wait now, at least one, and whether no more are to come."""
        lines = [self._lines.get()]
        with suppress(Empty):
            while len(lines) < LIMITS.waiting_lines:
                lines.append(self._lines.get_nowait())
        with self._lock:
            dropped, self._dropped = self._dropped, 0
        text = "".join(f"{line}\n" for line in lines if line is not None)
        return text + f"dropped {dropped} lines\n" * bool(dropped), None in lines


def _write_all(stream: FileIO, content: bytes) -> None:
    """Write to a stream that may take a part at a time. Raises OSError."""
    while content:
        written = stream.write(content)
        if written is None:  # another process has made the descriptor non-blocking
            select.select((), (stream,), ())
        content = content[written or 0 :]


class LineHandler(logging.Handler):
    """Hands the records of loggers to a writer of lines."""

    def __init__(self, writer: LineWriter) -> None:
        super().__init__()
        self._writer = writer

    def emit(self, record: logging.LogRecord) -> None:
        """Called by a logger."""
        self._writer.write(self.format(record))
