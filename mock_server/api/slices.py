"""Runs long work in slices of 5 ms, so that other requests are served in between.

However many requests do long work, the event loop runs one slice before it serves the
others.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable, Iterable
from time import perf_counter
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from mock_server.domain.objects.pending import NotReady, Pending

T = TypeVar("T")
_SLICE_SECONDS = 0.005
# The holder of a loop's lock runs the next slice. Module state, like the tasks of
# asyncio, because slices of all applications share the loop.
_slice_locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock]
_slice_locks = WeakKeyDictionary()


async def let_others_run() -> None:
    """Wait until other requests have been served, and earlier slices have run."""
    loop = asyncio.get_running_loop()
    async with _slice_locks.setdefault(loop, asyncio.Lock()):
        await asyncio.sleep(0)


async def in_slices(items: Iterable[T]) -> AsyncIterator[T]:
    """Yield the items; let other requests run before each slice of time."""
    await let_others_run()
    end = perf_counter() + _SLICE_SECONDS
    for item in items:
        yield item
        if perf_counter() >= end:
            await let_others_run()
            end = perf_counter() + _SLICE_SECONDS


async def once_ready(work: Callable[[], T]) -> T:
    """Return the result of `work`; call it again as long as it raises NotReady."""
    # The last value of each kind: others are of data that has changed since.
    pending_by_key: dict[Hashable, Pending[Any]] = {}
    while True:
        try:
            return work()
        except NotReady as error:
            pending = error.pending
        pending_by_key[pending.key] = pending
        async for _ in in_slices(pending):
            pass
        await let_others_run()  # the last step may have taken long
