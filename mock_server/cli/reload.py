"""Has a server load its files again, at SIGHUP or when they change, and tells it."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Protocol

from mock_server.admin.reloading import Reload
from mock_server.app import Application
from mock_server.cli.output import USAGE, Stop, counted
from mock_server.cli.progress import QUIET_SECONDS, pauses
from mock_server.cli.reports import report_text
from mock_server.domain.printable import one_line

_NO_FILES = "no fixture file was named, so there is none to"


class Watcher(Protocol):
    """Tells of changes of files."""

    def start(self, on_change: Callable[[], object]) -> None:
        """Begin to; `on_change` is called by another thread."""

    def stop(self) -> None:
        """End it."""


def watcher_of(files: Sequence[str]) -> Watcher:
    """What watches files. Raises Stop without the library that it needs."""
    try:
        # A start without it must not take longer, nor need the library.
        module = import_module("mock_server.cli.watch")
    except ImportError as error:
        needed = "pip install 'fastgpt-mock-server[watch]'"
        raise Stop(f"--watch needs the library {error.name}: {needed}", USAGE) from None
    watcher: Watcher = module.Watcher(files)
    return watcher


class Following:
    """Has `app` follow its files, and tells each reload by `say`, in lines."""

    def __init__(
        self, app: Application, watcher: Watcher | None, say: Callable[[str], object]
    ) -> None:
        self._app = app
        self._watcher = watcher
        self._say = say
        self._timer: asyncio.TimerHandle | None = None
        app.reloader.on_begin = self._begin
        app.reloader.on_end = self._tell

    def start(self) -> None:
        """Begin; to be called on the event loop, as the others are."""
        if self._watcher is None:
            return
        if not self._app.reloader.files:
            self._say(f"--watch: {_NO_FILES} watch")
            return
        names = ", ".join(self._app.reloader.files)
        self._say(one_line(f"watching {names}"))
        loop = asyncio.get_running_loop()

        def changed() -> None:
            with suppress(RuntimeError):  # the loop may be closed
                loop.call_soon_threadsafe(self._app.reloader.ask)

        self._watcher.start(changed)

    def stop(self) -> None:
        """End it, and all that the application has under way."""
        if self._watcher is not None:
            self._watcher.stop()
        self._end()
        self._app.close()

    def hang_up(self) -> None:
        """Load the files, be they changed or not."""
        if self._app.reloader.files:
            self._app.reloader.ask(always=True)
        else:
            self._say(f"SIGHUP: {_NO_FILES} load again")

    def _begin(self) -> None:
        """Tell of a reload once it takes long, and then from time to time."""
        loop, waits = asyncio.get_running_loop(), pauses(is_terminal=False)
        files, begun = ", ".join(self._app.reloader.files), loop.time()

        def tell() -> None:
            self._say(
                one_line(f"loading {files} again ... {loop.time() - begun:.0f} s")
            )
            self._timer = loop.call_later(next(waits), tell)

        self._end()
        self._timer = loop.call_later(QUIET_SECONDS, tell)

    def _end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _tell(self, done: Reload) -> None:
        self._end()
        if done.problems:
            self._say(report_text(done.problems))
            self._say("not reloaded: what was loaded before is served")
        elif done.is_new:
            baseline = self._app.sandbox.baseline
            counts, files = counted(baseline.counts()), ", ".join(baseline.files)
            number = self._app.sandbox.state.generation
            self._say(one_line(f"reloaded {counts} from {files}: generation {number}"))
        else:
            self._say("not reloaded: the files are as they were loaded before")
