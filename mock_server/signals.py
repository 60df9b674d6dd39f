"""A signal that wakes whoever waits for it, in whatever event loop that is."""

import asyncio
from contextlib import suppress
from typing import Any


class Signal:
    """Waiting ends with a notification, or after a time."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()

    def notify(self) -> None:
        """Wake all who wait now. Any thread may call this."""
        waiting = self._waiting
        self._waiting = set()
        for future in waiting:
            # To cancel it ends the wait, and does nothing if that is over, its loop maybe closed.
            with suppress(RuntimeError):
                future.get_loop().call_soon_threadsafe(future.cancel)

    async def wait(self, seconds: float | None, *rivals: asyncio.Future[Any]) -> bool:
        """Whether a notification has come within this time, and before a rival is done."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.add(future)
        try:
            first = asyncio.FIRST_COMPLETED
            await asyncio.wait([future, *rivals], timeout=seconds, return_when=first)
            return future.done()
        finally:
            self._waiting.discard(future)
