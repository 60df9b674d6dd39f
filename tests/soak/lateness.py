"""How late the event loop of a server is."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import Counter
from time import perf_counter

PAUSE_SECONDS = 0.005


class Lateness:
    """How late an event loop comes to a timer, every 5 ms since it was first asked.

    What the thread waited for a core meanwhile is left out: the system says how long
    that was, and that others use the cores is no stall of the loop.
    """

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._due = self._waited = 0.0

    def counts(self) -> Counter[int]:
        """How often it was how many tenths of a millisecond late since last asked."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            thread = threading.get_native_id()
            self._file = os.open(f"/proc/self/task/{thread}/schedstat", os.O_RDONLY)
            self._next()
        counts, self._counts = self._counts, Counter()
        return counts

    def _next(self) -> None:
        assert self._loop is not None
        self._due, self._waited = perf_counter() + PAUSE_SECONDS, self._waiting()
        self._loop.call_later(PAUSE_SECONDS, self._look)

    def _look(self) -> None:
        late = perf_counter() - self._due - (self._waiting() - self._waited)
        self._counts[max(0, round(late * 1e4))] += 1
        self._next()

    def _waiting(self) -> float:
        """Seconds that the thread was ready to run and had no core."""
        return int(os.pread(self._file, 100, 0).split()[1]) / 1e9
