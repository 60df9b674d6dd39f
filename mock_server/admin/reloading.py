"""Loads the server's own fixture files again, and replaces the baseline if good.

A broken, missing, empty or half-written file never replaces the baseline. One reload
runs at a time; requests for a reload meanwhile cause one more.
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

from mock_server.admin.loading import SHOWN_PROBLEMS, Loader, put_baseline
from mock_server.api.redaction import Secrets, redacted_text
from mock_server.domain.errors import Refusal
from mock_server.domain.objects.fixture_data import Generation
from mock_server.domain.printable import one_line
from mock_server.domain.sandboxes.registry import Sandboxes
from mock_server.fixture.load import digest_of
from mock_server.fixture.problems import FixtureError, Problem
from mock_server.fixture.source.files import Content, Stamp, read_content, stamp

R = TypeVar("R")
_NS_IN_MS = 1_000_000


class Reload(Struct, frozen=True):
    """Result of a reload: when it ended, and all problems if it failed.

    `time` is in milliseconds. `is_new` is False if the baseline stayed: after problems,
    and if the files were as loaded.
    """

    time: int
    problems: Sequence[Problem] = ()
    is_new: bool = False


class Reloader:
    """Loads `files` again on request; use it on the server's event loop."""

    def __init__(self, sandboxes: Sandboxes, loader: Loader, secrets: Secrets) -> None:
        self.files: Sequence[str] = ()
        """The files of the default sandbox's baseline."""
        self.complete: Callable[[Generation], Generation] = lambda it: it
        """Adds to a generation what is not in the files. May raise ValueError."""
        self.on_end: Callable[[Reload], object] = lambda _: None
        """Called after each reload that had something to do."""
        self.on_begin: Callable[[], object] = lambda: None
        """Called before changed files are loaded."""
        self.last: Reload | None = None
        """The last reload, with problems safe to show: few, and without secrets."""
        self._sandboxes = sandboxes
        self._loader = loader
        self._secrets = secrets
        self._served = sandboxes.default.baseline.sha256
        self._refused: str | None = None
        self._task: asyncio.Task[None] | None = None
        self._looking: Thread | None = None
        # Whether a reload is wanted, and whether even if the files are unchanged.
        self._wanted = self._always = self._closed = False

    def ask(self, *, always: bool = False) -> None:
        """Load the files if they have changed, or `always`."""
        if self._closed:
            return
        self._wanted, self._always = True, self._always or always
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._run())

    def close(self) -> None:
        """Cancel the running reload, and start no more."""
        self._closed = True
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        while self._wanted:
            always, self._wanted, self._always = self._always, False, False
            try:
                done = await self._reload(always=always)
            except FixtureError as error:
                done = Reload(_now(), error.problems)
            except Refusal as refusal:
                done = Reload(_now(), [self._problem(str(refusal))])
            if done is not None:
                self._ended(done)

    async def _reload(self, *, always: bool) -> Reload | None:
        """Reload, or return None if nothing is to do. Raises FixtureError, Refusal."""
        try:
            contents = await self._settled()
        except FixtureError:
            self._refused = None
            raise
        # In a thread, so that other requests are served: hashing 256 MiB takes long.
        digest = await asyncio.to_thread(digest_of, contents)
        if not always and digest == self._served:
            self._refused = None
            return Reload(_now()) if self.last and self.last.problems else None
        if not always and digest == self._refused:
            return None
        self._refused = digest
        default = self._sandboxes.default
        order = default.start_choices.list_order
        self.on_begin()
        loaded = await self._loader.load_files(contents, order)
        try:
            generation = self.complete(loaded)
        except ValueError as error:
            raise FixtureError([self._problem(str(error))]) from None
        self._served, self._refused = digest, None
        freeing = put_baseline(default, generation)
        done = Reload(_now(), is_new=True)
        # Reported at once: freeing the former baseline may take long.
        self._ended(done)
        await freeing
        return None

    def _ended(self, done: Reload) -> None:
        default = self._sandboxes.default
        secrets = self._secrets.for_request(default.state, None)
        shown = [
            replace(
                each,
                # As in `fixture.files`: callers must not see folders.
                file=one_line(PurePath(each.file).name),
                message=one_line(redacted_text(each.message, secrets)),
                source_part="",
            )
            for each in done.problems[:SHOWN_PROBLEMS]
        ]
        self.last = replace(done, problems=shown)
        self.on_end(done)
        default.count_change()

    async def _settled(self) -> Sequence[Content]:
        """Return the files' content when nobody writes them. Raises FixtureError."""
        limits = self._sandboxes.limits
        loop = asyncio.get_running_loop()
        end = loop.time() + limits.settle_seconds
        seen = await self._with_timeout(self._stamps)
        while True:
            await asyncio.sleep(limits.quiet_seconds)
            contents, problems, now = await self._with_timeout(self._read)
            # Equal stamps: nobody wrote before or while the files were read.
            if now == seen:
                break
            if loop.time() > end:
                seconds = f"{limits.settle_seconds:g} s"
                message = f"still being written after {seconds}: write it at once"
                raise FixtureError([self._problem(message)])
            seen = now
        if problems:
            raise FixtureError(problems)
        return contents

    async def _with_timeout(self, look: Callable[[], R]) -> R:
        """Return the result of `look`. Raises FixtureError if it takes too long.

        A file system may never answer. A daemon thread waits for it, which cannot keep
        the process from ending; only one runs at a time.
        """
        seconds, found = self._sandboxes.limits.settle_seconds, Future[R]()
        slow = FixtureError([self._problem(f"cannot be read within {seconds:g} s")])
        if self._looking is not None and self._looking.is_alive():
            raise slow
        found.set_running_or_notify_cancel()
        self._looking = Thread(
            target=lambda: found.set_result(look()), name="look at files", daemon=True
        )
        self._looking.start()
        try:
            return await asyncio.wait_for(asyncio.wrap_future(found), seconds)
        except TimeoutError:
            raise slow from None

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
            # Editors empty a file before they write it. Empty fixtures are valid.
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
