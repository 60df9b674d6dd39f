"""The answer to what must not happen: an envelope, a trace id, a line in the log."""

from __future__ import annotations

import logging
import traceback
from uuid import uuid4

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mock_server.api.answers import Answer
from mock_server.api.body import RequestBody
from mock_server.api.connection import NeedsConnection
from mock_server.api.envelope import failure
from mock_server.api.writing import write

_LOGGER = logging.getLogger("mock_server")


def unexpected(error: Exception) -> Answer:
    """The 500 for an exception; what happened is only in the log, under its trace id.

    Raises NeedsConnection again: whoever calls in process is to see it.
    """
    if isinstance(error, NeedsConnection):
        raise error
    trace_id = uuid4().hex
    *_, last = traceback.extract_tb(error.__traceback__)
    where = f"{last.filename}:{last.lineno}"
    _LOGGER.error("unexpected %r at %s, trace id %s", error, where, trace_id)
    message = f"Expected no error, got one - at trace id {trace_id}"
    return Answer(500, failure(500, "internalError", message))


class LastResort:
    """Turns any unexpected exception of an application into a 500."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception as error:
            answer = unexpected(error)
            if not started:
                await write(answer, RequestBody(scope, receive), send)
