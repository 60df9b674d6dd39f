"""Runs long work in slices of 5 ms, so that other requests are served in between."""

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable, Iterable
from time import perf_counter
from typing import Any, TypeVar

from mock_server.domain.objects.pending import NotReady, Pending

T = TypeVar("T")
_SLICE_SECONDS = 0.005


async def in_slices(items: Iterable[T]) -> AsyncIterator[T]:
    """Yield the items; let other requests run after each slice of time."""
    end = perf_counter() + _SLICE_SECONDS
    for item in items:
        yield item
        if perf_counter() >= end:
            await asyncio.sleep(0)
            end = perf_counter() + _SLICE_SECONDS


async def once_ready(work: Callable[[], T]) -> T:
    """Return the result of `work`; call it again as long as it raises NotReady."""
    # The last value of each kind: others are of data that has changed since.
    values: dict[Hashable, Pending[Any]] = {}
    while True:
        try:
            return work()
        except NotReady as error:
            pending = error.pending
        values[pending.key] = pending
        await asyncio.sleep(0)  # `work` may have taken long
        async for _ in in_slices(pending):
            pass
        await asyncio.sleep(0)  # so may the last step
