"""Reloads a server's fixture files on SIGHUP or when they change, and logs that."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event, Thread

from mock_server.admin.reloading import Reload
from mock_server.app import Application
from mock_server.cli.output import count_text
from mock_server.cli.progress import Progress
from mock_server.cli.reports import report_text
from mock_server.domain.printable import one_line
from mock_server.fixture.source.files import stamp

_NO_FILES = "no fixture file was named, so there is none to"
_CHECK_SECONDS = 0.25
# Wait for a program that saves several files, or one file in pieces.
_SAVE_SECONDS = 0.3


class Watcher:
    """Checks files four times a second, and reports when they have changed.

    A thread of its own does this, because a check may take long, as over a network.
    Links and folders may be replaced, and missing files may appear.
    """

    def __init__(self, files: Sequence[str]) -> None:
        """Note the state of the files; `start` reports all changes since then."""
        self._files = files
        self._stamps = list(map(stamp, files))
        self._stop = Event()

    def start(self, on_change: Callable[[], object]) -> None:
        """Start the thread, which calls `on_change`."""
        Thread(target=self._run, args=(on_change,), daemon=True).start()

    def stop(self) -> None:
        """End the thread."""
        self._stop.set()

    def _run(self, on_change: Callable[[], object]) -> None:
        while not self._stop.wait(_CHECK_SECONDS):
            if list(map(stamp, self._files)) != self._stamps:
                if self._stop.wait(_SAVE_SECONDS):
                    return
                self._stamps = list(map(stamp, self._files))
                on_change()


class ReloadLog:
    """Reloads the files of `app`, and calls `log` with the lines of each reload."""

    def __init__(
        self, app: Application, watcher: Watcher | None, log: Callable[[str], object]
    ) -> None:
        self._app = app
        self._watcher = watcher
        self._log = log
        self._progress: Progress | None = None
        app.reloader.on_begin = self._start_progress
        app.reloader.on_end = self._log_result

    def start(self) -> None:
        """Start watching. Call this and the other methods on the event loop."""
        if self._watcher is None:
            return
        if not self._app.reloader.files:
            self._log(f"--watch: {_NO_FILES} watch")
            return
        names = ", ".join(self._app.reloader.files)
        self._log(one_line(f"watching {names}"))
        loop = asyncio.get_running_loop()

        def on_change() -> None:
            with suppress(RuntimeError):  # the loop may be closed
                loop.call_soon_threadsafe(self._app.reloader.request_reload)

        self._watcher.start(on_change)

    def stop(self) -> None:
        """Stop watching, and close the application."""
        if self._watcher is not None:
            self._watcher.stop()
        self._stop_progress()
        self._app.close()

    def reload(self) -> None:
        """Load the files again, even if they have not changed."""
        if self._app.reloader.files:
            self._app.reloader.request_reload(is_forced=True)
        else:
            self._log(f"SIGHUP: {_NO_FILES} load again")

    def _start_progress(self) -> None:
        self._stop_progress()
        files = ", ".join(self._app.reloader.files)
        self._progress = Progress(f"loading {files} again", self._log)

    def _stop_progress(self) -> None:
        if self._progress is not None:
            self._progress.stop()

    def _log_result(self, result: Reload) -> None:
        self._stop_progress()
        if result.problems:
            self._log(report_text(result.problems))
            self._log("not reloaded: what was loaded before is served")
        elif result.is_new:
            baseline = self._app.sandbox.baseline
            counts, files = count_text(baseline.contents()), ", ".join(baseline.files)
            number = self._app.sandbox.state.generation
            self._log(one_line(f"reloaded {counts} from {files}: generation {number}"))
        else:
            self._log("not reloaded: the files are as they were loaded before")
