"""Stories one after the other: as fast as they go, or at a rate that is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic

Begin = Callable[[], Awaitable[None]]
MOST_AT_ONCE = 64
"""Stories; one that would be more begins late, and is begun all the same."""


async def closed(begin: Begin, seconds: float, workers: int) -> int:
    """How many stories so many workers get through."""
    end, done = monotonic() + seconds, 0

    async def work() -> None:
        nonlocal done
        while monotonic() < end:
            await begin()
            done += 1

    await asyncio.gather(*(work() for _ in range(workers)))
    return done


async def opened(begin: Begin, per_second: float, seconds: float) -> float:
    """Begin stories at a steady rate, whether those before are over or not.

    Gives how late the latest one began, in seconds.
    """
    room, latest, start = asyncio.Semaphore(MOST_AT_ONCE), 0.0, monotonic()
    async with asyncio.TaskGroup() as group:

        async def one() -> None:
            try:
                await begin()
            finally:
                room.release()

        for number in range(round(per_second * seconds)):
            due = start + number / per_second
            await asyncio.sleep(max(0.0, due - monotonic()))
            await room.acquire()
            latest = max(latest, monotonic() - due)
            if monotonic() > start + seconds:
                break
            group.create_task(one())
    return latest
