"""The longest turns of event loops in a run of tests: `pytest --turns`.

A turn is what runs between two looks for other requests, in CPU time of its thread. It
is seen in the processes of the tests, in loops of asyncio: not of uvloop.
"""

from __future__ import annotations

import os
from asyncio.events import Handle
from heapq import nlargest
from time import thread_time
from typing import Any

import pytest

SHOWN = 10


class Turns:
    """A plugin that keeps the longest turn of each test, in seconds, by its name."""

    def __init__(self) -> None:
        self.longest: dict[str, float] = {}
        kind: Any = Handle
        run = kind._run

        def timed(handle: Handle) -> None:
            start = thread_time()
            run(handle)
            took = thread_time() - start
            test = os.environ.get("PYTEST_CURRENT_TEST", "no test").partition(" (")[0]
            if took > self.longest.get(test, 0):
                self.longest[test] = took

        kind._run = timed

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send a worker's turns to the process that prints them."""
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["turns"] = self.longest

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take the turns of a worker that has ended."""
        self.longest |= getattr(node, "workeroutput", {}).get("turns", {})

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        """Print them, the longest first."""
        terminalreporter.section("longest turns of event loops")
        for test in nlargest(SHOWN, self.longest, key=self.longest.__getitem__):
            terminalreporter.line(f"{self.longest[test] * 1e3:8.1f} ms  {test}")
