"""The delivery of a response to its client, which is noted in the journal."""

import asyncio
from contextlib import suppress
from typing import Self

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from mock_server.errors import NeedsConnection
from mock_server.scripting.connection import Connection, wait_for_disconnect
from mock_server.service.call import Call


class Delivery:
    """The messages between the server and a client once its request has come.

    The end of a `with` block ends the journal's entry.
    """

    def __init__(self, scope: Scope, receive: Receive, send: Send, call: Call) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self._exchange = call.exchange
        self._journal = call.state.journal
        self._ended = call.state.script.ended
        self._is_whole = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # In process, a client leaves by cancelling the request.
        if kind is asyncio.CancelledError:
            self._exchange.note_client_left()
        self._journal.close(self._exchange)

    @property
    def connection(self) -> Connection:
        """The client's connection. Raises NeedsConnection in process, where there is none."""
        server = getattr(self._scope["app"].state, "server", None)
        connection: Connection | None = server and server.connection_of(self._scope)
        if connection is None:
            raise NeedsConnection("a connection to break (call the server by its URL)", "none")
        return connection

    async def deliver(self, response: Response) -> None:
        """Send a response; if it stays incomplete, close its connection."""
        await response(self._scope, self.receive, self._forward)
        if self._is_whole:
            return
        # The server has broken off the response, if the client had not left before.
        self._exchange.note_end()
        with suppress(NeedsConnection):
            self.connection.close()
            # uvicorn would send a 500 if this returned before the connection is lost.
            await wait_for_disconnect(self._receive)

    async def receive(self) -> Message:
        """The next message of the client; a disconnection is noted in the journal.

        A reset and the stop of the server look to the response like a disconnection.
        """
        next_message = asyncio.ensure_future(self._receive())
        try:
            if await self._ended.wait(None, next_message):
                return {"type": "http.disconnect"}
            message = await next_message
        finally:
            next_message.cancel()
        if message["type"] == "http.disconnect":
            self._exchange.note_client_left()
            self._journal.changed.notify()
        return message

    async def _forward(self, message: Message) -> None:
        # The journal is first: a client that has the response must find it there.
        self._exchange.note_sent(message)
        if message["type"] == "http.response.body" and not message.get("more_body"):
            self._is_whole = True
            self._exchange.note_end()
        await self._send(message)
