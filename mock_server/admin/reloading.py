"""Reloads the server's own fixture files, and replaces the baseline.

A broken, missing, empty or half-written file never replaces the baseline. One reload
runs at a time; calls of `request_reload` meanwhile cause one more reload.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import PurePath
from threading import Thread
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from mock_server.admin.loading import MAX_PROBLEMS, Loader
from mock_server.api.redaction import Secrets, redacted_text
from mock_server.domain.errors import Refusal
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.printable import one_line
from mock_server.domain.sandboxes.registry import Sandboxes
from mock_server.fixture.load import digest_of
from mock_server.fixture.problems import FixtureError, Problem
from mock_server.fixture.source.files import Content, Stamp, read_content, stamp

R = TypeVar("R")
_NS_IN_MS = 1_000_000


class Reload(Struct, frozen=True):
    """The result of a reload: its end (`time`, in ms), and all problems if it failed.

    `is_new` is False if the baseline stayed, after problems or with unchanged files.
    """

    time: int
    problems: Sequence[Problem] = ()
    is_new: bool = False


class Reloader:
    """Reloads `files` when `request_reload` is called; use it on the server's event
    loop."""

    def __init__(self, sandboxes: Sandboxes, loader: Loader, secrets: Secrets) -> None:
        self.files: Sequence[str] = ()
        """The files of the default sandbox's baseline."""
        self.add_data: Callable[[FixtureData], FixtureData] = lambda loaded: loaded
        """Adds data that is not in the files, such as faults. May raise ValueError."""
        self.on_end: Callable[[Reload], object] = lambda _: None
        """Called with the result of each reload, unless nothing has changed."""
        self.on_begin: Callable[[], object] = lambda: None
        """Called before changed files are loaded."""
        self.last: Reload | None = None
        """The last reload, with some problems, which contain no secrets."""
        self._sandboxes = sandboxes
        self._loader = loader
        self._secrets = secrets
        self._served_digest = sandboxes.default.baseline.sha256
        self._refused_digest: str | None = None
        self._task: asyncio.Task[None] | None = None
        self._reader: Thread | None = None
        # Is a reload requested, and also for unchanged files?
        self._is_requested = self._is_forced = self._is_closed = False

    def request_reload(self, *, is_forced: bool = False) -> None:
        """Request a reload: only of changed files, unless `is_forced`."""
        if self._is_closed:
            return
        self._is_requested, self._is_forced = True, self._is_forced or is_forced
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._run())

    def close(self) -> None:
        """Cancel the running reload, and start no more."""
        self._is_closed = True
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        """Reload until no reload is requested; report each result."""
        while self._is_requested:
            is_forced = self._is_forced
            self._is_requested = self._is_forced = False
            try:
                result = await self._reload(is_forced=is_forced)
            except FixtureError as error:
                result = Reload(_now(), error.problems)
            except Refusal as refusal:
                result = Reload(_now(), [self._problem(str(refusal))])
            if result is not None:
                self._report(result)

    async def _reload(self, *, is_forced: bool) -> Reload | None:
        """Reload; return an unreported result, if any. Raises FixtureError, Refusal."""
        try:
            contents = await self._read_stable()
        except FixtureError:
            self._refused_digest = None
            raise
        # Hashed in a thread, because other requests must not wait for 256 MiB.
        digest = await asyncio.to_thread(digest_of, contents)
        if not is_forced and digest == self._served_digest:
            self._refused_digest = None
            return Reload(_now()) if self.last and self.last.problems else None
        if not is_forced and digest == self._refused_digest:
            return None
        self._refused_digest = digest
        default = self._sandboxes.default
        order = default.start_choices.list_order
        self.on_begin()
        file_data = await self._loader.load_files(contents, order)
        try:
            fixture = self.add_data(file_data)
        except ValueError as error:
            raise FixtureError([self._problem(str(error))]) from None
        self._served_digest, self._refused_digest = digest, None
        default.put_baseline(fixture)
        self._report(Reload(_now(), is_new=True))
        return None

    def _report(self, result: Reload) -> None:
        """Store a result without secrets and folders, and pass it to `on_end`."""
        default = self._sandboxes.default
        secrets = self._secrets.for_request([default.state.store.fixture])
        problems = [
            # Without the line, which may have passwords.
            replace(each, message=redacted_text(each.message, secrets), source_part="")
            for each in result.problems
        ]
        shown = [
            replace(
                each,
                # Without folders, which callers must not see.
                file=one_line(PurePath(each.file).name),
                message=one_line(each.message),
            )
            for each in problems[:MAX_PROBLEMS]
        ]
        self.last = replace(result, problems=shown)
        self.on_end(replace(result, problems=problems))
        default.count_change()

    async def _read_stable(self) -> Sequence[Content]:
        """Return the files' content after all writes ended. Raises FixtureError."""
        limits = self._sandboxes.limits
        loop = asyncio.get_running_loop()
        end = loop.time() + limits.settle_seconds
        stamps_before = await self._with_timeout(self._stamps)
        while True:
            await asyncio.sleep(limits.quiet_seconds)
            contents, problems, stamps_after = await self._with_timeout(self._read)
            # Equal stamps mean that no program wrote before or during the reading.
            if stamps_after == stamps_before:
                break
            if loop.time() > end:
                seconds = f"{limits.settle_seconds:g} s"
                message = f"still being written after {seconds}: write it at once"
                raise FixtureError([self._problem(message)])
            stamps_before = stamps_after
        if problems:
            raise FixtureError(problems)
        return contents

    async def _with_timeout(self, read_files: Callable[[], R]) -> R:
        """Return the result of `read_files`. Raises FixtureError if it takes too long.

        A file system may never respond, so a daemon thread calls `read_files`, which
        does not stop the process from exiting. Only one such thread runs at a time.
        """
        seconds, result = self._sandboxes.limits.settle_seconds, Future[R]()
        problem = self._problem(f"cannot be read within {seconds:g} s")
        timeout_error = FixtureError([problem])
        if self._reader is not None and self._reader.is_alive():
            raise timeout_error
        result.set_running_or_notify_cancel()
        self._reader = Thread(
            target=lambda: result.set_result(read_files()), daemon=True
        )
        self._reader.start()
        try:
            return await asyncio.wait_for(asyncio.wrap_future(result), seconds)
        except TimeoutError:
            raise timeout_error from None

    def _read(self) -> tuple[list[Content], list[Problem], list[Stamp]]:
        """Return the files' content, the problems, and the stamps afterwards."""
        contents: list[Content] = []
        problems: list[Problem] = []
        for file in self.files:
            try:
                content = read_content(file, self._sandboxes.limits)
            except FixtureError as error:
                problems += error.problems
                continue
            contents.append(content)
            # An empty fixture is valid, but editors empty a file before they write it.
            if not content.content or content.content.isspace():
                message = "empty: write {} for a fixture that holds nothing"
                problems.append(Problem(content.name, 0, 0, message))
        return contents, problems, self._stamps()

    def _stamps(self) -> list[Stamp]:
        return list(map(stamp, self.files))

    def _problem(self, message: str) -> Problem:
        count = len(self.files)
        name = self.files[0] if count == 1 else f"{count} files"
        return Problem(name, 0, 0, message)


def _now() -> int:
    return time.time_ns() // _NS_IN_MS
