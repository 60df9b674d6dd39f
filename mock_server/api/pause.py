"""Waits of requests in real time, which end early when nobody waits any more."""

import asyncio
from functools import partial

from mock_server.api.context import RequestContext
from mock_server.api.request import ClientGone


class Interrupted(Exception):
    """A reset has ended a wait: nothing that was pending is answered."""


async def pause(request: RequestContext, ms: float) -> None:
    """Hold a request up in real time, whatever its sandbox's clock says.

    Its body has come. Raises ClientGone if the client goes first, Interrupted after a
    reset.
    """
    loop = asyncio.get_running_loop()
    over: asyncio.Future[type[Exception] | None] = loop.create_future()

    def end(reason: type[Exception] | None) -> None:
        if not over.done():
            over.set_result(reason)

    timer = loop.call_later(ms / 1000, end, None)
    gone = asyncio.create_task(request.body.gone())
    gone.add_done_callback(lambda _: end(ClientGone))
    # Tests reset sandboxes from the thread that they run in.
    cancel = partial(loop.call_soon_threadsafe, end, Interrupted)
    state, sandbox = request.state, request.sandbox
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
