"""The way of a response to its client, which the journal follows."""

from asyncio import CancelledError
from typing import Self

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from mock_server.journal import Exchange, Journal


class Delivery:
    """What comes from the client and goes to it, once its request has come.

    The end of a `with` block is the end of the journal's entry.
    """

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, exchange: Exchange, journal: Journal
    ) -> None:
        self.scope = scope
        self._receive = receive
        self._send = send
        self._exchange = exchange
        self._journal = journal

    async def receive(self) -> Message:
        """What comes. Whoever waits for it, the journal learns that the client has left."""
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self._exchange.note_left()
            self._journal.changed.fire()
        return message

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # In process, a client leaves by cancelling the request.
        if kind is CancelledError:
            self._exchange.note_left()
        self._exchange.trim()
        self._journal.changed.fire()

    async def deliver(self, response: Response) -> None:
        """Send a response."""
        await response(self.scope, self.receive, self._send_on)

    async def _send_on(self, message: Message) -> None:
        # First the journal: a client that has the response finds it there.
        exchange = self._exchange
        if message["type"] == "http.response.start":
            exchange.note_start(message["status"], message["headers"])
        else:
            exchange.note_sent(message.get("body", b""))
            if not message.get("more_body"):
                exchange.note_end()
        await self._send(message)
