"""Reload a server's files at SIGHUP or when they change, and print each reload."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event, Thread

from mock_server.admin.reloading import Reload
from mock_server.app import Application
from mock_server.cli.output import counted
from mock_server.cli.progress import Progress
from mock_server.cli.reports import report_text
from mock_server.domain.printable import one_line
from mock_server.fixture.source.files import stamp

_NO_FILES = "no fixture file was named, so there is none to"
_LOOK_SECONDS = 0.25
# A program that saves several files, or one in pieces, makes one change.
_TOGETHER_SECONDS = 0.3


class Watcher:
    """Checks files four times a second, and reports when they have changed.

    It has its own thread: a check may take long, as over a network. Links and folders
    may be replaced, and missing files may appear.
    """

    def __init__(self, files: Sequence[str]) -> None:
        """Report changes from now on, however late `start` is called."""
        self._files = files
        self._seen = list(map(stamp, files))
        self._stop = Event()

    def start(self, on_change: Callable[[], object]) -> None:
        """Start the thread, which calls `on_change`."""
        Thread(target=self._run, args=(on_change,), daemon=True).start()

    def stop(self) -> None:
        """Report no more changes."""
        self._stop.set()

    def _run(self, on_change: Callable[[], object]) -> None:
        while not self._stop.wait(_LOOK_SECONDS):
            if list(map(stamp, self._files)) != self._seen:
                if self._stop.wait(_TOGETHER_SECONDS):
                    return
                self._seen = list(map(stamp, self._files))
                on_change()


class Following:
    """Reloads the files of `app`, and prints each reload by `say`, in lines."""

    def __init__(
        self, app: Application, watcher: Watcher | None, say: Callable[[str], object]
    ) -> None:
        self._app = app
        self._watcher = watcher
        self._say = say
        self._progress: Progress | None = None
        app.reloader.on_begin = self._begin
        app.reloader.on_end = self._print

    def start(self) -> None:
        """Start; call this, as the other methods, on the event loop."""
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
        """Stop watching, and close the application."""
        if self._watcher is not None:
            self._watcher.stop()
        self._end()
        self._app.close()

    def hang_up(self) -> None:
        """Load the files again, changed or not."""
        if self._app.reloader.files:
            self._app.reloader.ask(always=True)
        else:
            self._say(f"SIGHUP: {_NO_FILES} load again")

    def _begin(self) -> None:
        self._end()
        files = ", ".join(self._app.reloader.files)
        self._progress = Progress(f"loading {files} again", self._say)

    def _end(self) -> None:
        if self._progress is not None:
            self._progress.stop()

    def _print(self, done: Reload) -> None:
        self._end()
        if done.problems:
            self._say(report_text(done.problems))
            self._say("not reloaded: what was loaded before is served")
        elif done.is_new:
            baseline = self._app.sandbox.baseline
            counts, files = counted(baseline.contents()), ", ".join(baseline.files)
            number = self._app.sandbox.state.generation
            self._say(one_line(f"reloaded {counts} from {files}: generation {number}"))
        else:
            self._say("not reloaded: the files are as they were loaded before")
