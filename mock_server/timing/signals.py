"""Waiting for news: of the journal, of the end of a state, of a stop, of a rule's removal."""

import asyncio
from asyncio import FIRST_COMPLETED
from contextlib import suppress
from typing import Any


class Signal:
    """A signal: its notification wakes all tasks that wait for it."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()

    def notify(self) -> None:
        """Wake all tasks that wait now. Any thread may call this."""
        waiting = self._waiting
        self._waiting = set()
        # A copy, as a thread that has just found the old set may still add to it.
        for future in list(waiting):
            # This ends the wait, and does nothing after its end. A closed loop raises RuntimeError.
            with suppress(RuntimeError):
                future.get_loop().call_soon_threadsafe(future.cancel)

    def listen(self) -> asyncio.Future[None]:
        """A future that is done after a notification from now on, until it is forgotten."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.add(future)
        return future

    def forget(self, future: asyncio.Future[None]) -> None:
        self._waiting.discard(future)

    async def wait(self, seconds: float | None, *interruptions: asyncio.Future[Any]) -> bool:
        """Wait until a notification, an interruption or the timeout. True if notified."""
        future = self.listen()
        try:
            await asyncio.wait(
                [future, *interruptions], timeout=seconds, return_when=FIRST_COMPLETED
            )
            return future.done()
        finally:
            self.forget(future)
