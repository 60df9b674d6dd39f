"""The pages of a pull that is not over, in a file from which it can go on.

A line of JSON for what was asked for, then one for each page. The key is not in it. A
process may end at any moment: what follows the last whole line is ignored.
"""

from __future__ import annotations

import os
from collections import defaultdict, deque
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw, Struct

from mock_server.domain.limits import Limits
from mock_server.pull.branches import PAGES, Branch, Wanted
from mock_server.service import ServicePage


class Asked(Struct, frozen=True):
    """What a pull asks for, and from which service; the first line."""

    url: str
    wanted: Wanted
    version: int = 1


class Kept(Struct):
    """A page; the other lines."""

    branch: Branch
    offset: int
    size: int
    page: Raw


class OtherPull(Exception):
    """The file is there, and is not of this pull."""


class PartFile:
    """What is kept of a pull at `path`, or nothing at all without a path.

    The file is made when there is a page to keep. Raises OtherPull and OSError.
    """

    def __init__(self, path: Path | None, asked: Asked) -> None:
        self._path = path
        self._head = msgspec.json.encode(asked) + b"\n"
        self._pages: dict[Branch, deque[Kept]] = defaultdict(deque)
        self._file: FileIO | None = None
        self.count = 0
        """How many pages an earlier run has left."""
        if path is not None and path.exists():
            self._read(path)

    @property
    def is_there(self) -> bool:
        """Whether there is something to go on from."""
        return self._path is not None and self._path.exists()

    def take(self, branch: Branch, offset: int, size: int) -> ServicePage[Any] | None:
        """The page that an earlier run got at this point, if it did."""
        waiting = self._pages.get(branch)
        if not waiting:
            return None
        kept = waiting.popleft()
        if (kept.offset, kept.size) == (offset, size):
            # What no pull has written is asked for again.
            with suppress(msgspec.MsgspecError):
                kind: Any = PAGES[branch.kind]
                page: ServicePage[Any] = msgspec.json.decode(kept.page, type=kind)
                return page
        waiting.clear()
        return None

    def waits(self, branch: Branch) -> bool:
        """Whether an earlier run has got further pages of a list."""
        return bool(self._pages.get(branch))

    def add(
        self, branch: Branch, offset: int, size: int, page: ServicePage[Any]
    ) -> None:
        """Keep a page. Raises OSError."""
        if self._path is None:
            return
        raw = Raw(msgspec.json.encode(page))
        line = msgspec.json.encode(Kept(branch, offset, size, raw)) + b"\n"
        if self._file is None:
            # Nobody else is to read it: texts are not anonymous in it.
            opened = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            self._file = os.fdopen(opened, "ab", buffering=0)
            if os.fstat(opened).st_size == 0:
                line = self._head + line
        view = memoryview(line)
        while view:
            view = view[self._file.write(view) :]

    def close(self) -> None:
        """Leave the file as it is."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def remove(self) -> None:
        """Remove the file: the pull is over. Raises OSError."""
        self.close()
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _read(self, path: Path) -> None:
        """Read the whole lines, and cut off what follows them."""
        end = 0
        with path.open("rb") as file:
            head = file.readline(len(self._head) + 1)
            if not head.endswith(b"\n") and self._head.startswith(head):
                head = b""
            elif head != self._head:
                raise OtherPull(f"{path} is of another pull, or is none")
            end += len(head)
            while line := file.readline(Limits.answer_bytes * 2):
                if not line.endswith(b"\n"):
                    break
                try:
                    kept = msgspec.json.decode(line, type=Kept)
                except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                    break
                self._pages[kept.branch].append(kept)
                self.count += 1
                end += len(line)
        os.truncate(path, end)
