"""A request that a fault fires at: what the effects of all kinds work with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from mock_server.api.connection import Connection, NeedsConnection, connection_of
from mock_server.api.context import RequestContext
from mock_server.api.operations.operation import Distort, Operation
from mock_server.api.request import ClientGone
from mock_server.api.response import Response
from mock_server.domain.faults import Firing


class Interrupted(Exception):
    """A reset has ended a wait: there is to be no response."""


class FaultContext(Struct, frozen=True):
    """A request and the fault that fires at it.

    `readmit` admits the request again if its state was replaced meanwhile.
    """

    request: RequestContext
    operation: Operation
    firing: Firing
    is_after: bool
    """Whether the operation is carried out before anything is spoiled."""
    readmit: Callable[[], Operation]

    def perform(self, distort: Distort | None = None) -> Response:
        """Carry the operation out; `distort` may change its data before it is shown."""
        request = self.request
        content = request.content or b""
        return self.operation.respond(request.state, request.caller, content, distort)

    def perform_if_after(self) -> None:
        """Carry the operation out if the phase says so; its response is lost."""
        if self.is_after:
            self.perform()

    def rehearse(self) -> Response:
        """The response that the operation would have; nothing is changed."""
        state = self.request.state
        aside = replace(state, store=state.store.copy())
        content = self.request.content or b""
        return self.operation.respond(aside, self.request.caller, content)

    def spoilable(self) -> Response:
        """The response to spoil, of an operation carried out if the phase says so."""
        return self.perform() if self.is_after else self.rehearse()

    def draw(self, purpose: str) -> float:
        """A number from 0 up to 1, always the same for the same match."""
        return self.firing.draw_for(purpose)

    def connection(self) -> Connection:
        """The connection itself. Raises NeedsConnection in process."""
        connection = connection_of(self.request.scope)
        if connection is None:
            kind = self.firing.fault.definition.kind
            raise NeedsConnection(
                f"the fault {kind!r} needs a connection: serve the application on a "
                "socket (MockServer), it cannot be had in process"
            )
        return connection

    async def pause(self, ms: float) -> None:
        """Wait in real time. Raises ClientGone, or Interrupted after a reset."""
        loop = asyncio.get_running_loop()
        over: asyncio.Future[type[Exception] | None] = loop.create_future()

        def end(reason: type[Exception] | None) -> None:
            if not over.done():
                over.set_result(reason)

        timer = loop.call_later(ms / 1000, end, None)
        gone = asyncio.create_task(self.request.body.gone())
        gone.add_done_callback(lambda _: end(ClientGone))
        # A reset may come from another thread.
        cancel = partial(loop.call_soon_threadsafe, end, Interrupted)
        state, sandbox = self.request.state, self.request.sandbox
        state.waits.add(cancel)
        if sandbox.state.generation != state.generation:
            cancel()  # the reset came before there was anything to cancel
        try:
            reason = await over
            if reason is not None:
                raise reason
        finally:
            state.waits.discard(cancel)
            timer.cancel()
            gone.cancel()
