"""A request that a fault fires at: what the effects of all kinds work with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from starlette.types import Send

from mock_server.api.connection import Connection, NeedsConnection, connection_of
from mock_server.api.exchange import Exchange
from mock_server.api.faults.definitions import Fault
from mock_server.api.headers import Header
from mock_server.api.performer import Distort, perform
from mock_server.api.request import ClientGone
from mock_server.api.response import Response
from mock_server.domain.faults import Firing

Record = Callable[..., Sequence[Header]]
"""Enters an answer in the journal, and gives the headers to send with it."""


class Closed(Exception):
    """There is to be no answer: a reset has ended the wait, or it was too long."""


class Hit(Struct, frozen=True):
    """An exchange and the fault that fires at it.

    `record` enters an answer in the journal and gives the headers to send with it.
    """

    exchange: Exchange
    firing: Firing
    fault: Any
    record: Record
    send: Send

    @property
    def is_after(self) -> bool:
        """Whether the operation is carried out before anything is spoiled."""
        fault: Fault = self.fault
        return fault.phase == "after"

    def perform(self, distort: Distort | None = None) -> Response:
        """Carry the operation out; `distort` may change its data before it is shown."""
        return perform(self.exchange, self.exchange.state, distort)

    def rehearse(self) -> Response:
        """The answer that the operation would have; nothing is changed."""
        state = self.exchange.state
        aside = replace(state, store=state.store.copy())
        return perform(self.exchange, aside)

    def spoilt(self) -> Response:
        """The answer to spoil, of an operation carried out if the phase says so."""
        return self.perform() if self.is_after else self.rehearse()

    def perform_if_after(self) -> None:
        """Carry the operation out, if the phase says so; its answer is lost."""
        if self.is_after:
            self.perform()

    def draw(self, purpose: str) -> float:
        """A number from 0 up to 1, always the same for the same match."""
        return self.firing.draw_for(purpose)

    def connection(self) -> Connection:
        """The connection itself. Raises NeedsConnection in process."""
        connection = connection_of(self.exchange.scope)
        if connection is None:
            raise NeedsConnection(
                f"the fault {self.fault.kind!r} needs a connection: serve the "
                "application on a socket (MockServer), it cannot be had in process"
            )
        return connection

    async def pause(self, ms: float) -> None:
        """Wait in real time. Raises ClientGone, or Closed after a reset."""
        loop = asyncio.get_running_loop()
        over: asyncio.Future[type[Exception] | None] = loop.create_future()

        def end(reason: type[Exception] | None) -> None:
            if not over.done():
                over.set_result(reason)

        timer = loop.call_later(ms / 1000, end, None)
        gone = asyncio.create_task(self.exchange.body.gone())
        gone.add_done_callback(lambda _: end(ClientGone))
        # A reset may come from another thread.
        cancel = partial(loop.call_soon_threadsafe, end, Closed)
        waits = self.exchange.state.waits
        waits.add(cancel)
        if self.exchange.has_outlived_its_state():
            cancel()
        try:
            reason = await over
            if reason is not None:
                raise reason
        finally:
            waits.discard(cancel)
            timer.cancel()
            gone.cancel()
