"""Long work in slices, between which other requests are served."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import AsyncIterator, Iterable
from time import perf_counter
from typing import TypeVar

T = TypeVar("T")
_SLICE_SECONDS = 0.005


async def in_slices(items: Iterable[T]) -> AsyncIterator[T]:
    """The items, with a pause for others whenever a slice of time is used up."""
    end = perf_counter() + _SLICE_SECONDS
    for item in items:
        yield item
        if perf_counter() >= end:
            await sleep(0)
            end = perf_counter() + _SLICE_SECONDS
