"""One request on its way to the target, and its answer on the way back."""

import asyncio
from collections.abc import AsyncIterator

from starlette.types import Message

from mock_server.api.headers import Header
from mock_server.api.request import RequestBody
from mock_server.domain.errors import Refusal
from mock_server.domain.memory import Memory
from mock_server.recording.bodies import Kept, Plain
from mock_server.recording.journaling import Passed
from mock_server.recording.target import lowered

_ENDLESS = 2**63


class Passage:
    """What is known of it; `sent` and `answered` keep the beginnings of the bodies.

    The status is 0 until the target has answered.
    """

    def __init__(self, request: Passed, sent: Kept, answered: Kept) -> None:
        self.request = request
        self.sent = sent
        self.answered = answered
        self.status = 0
        self.headers: list[Header] = []
        self.is_entered = False
        self._has_arrived = asyncio.Event()

    @property
    def is_whole(self) -> bool:
        """Whether all of the request's body has come, and has been kept."""
        return self.sent.is_whole and self._has_arrived.is_set()

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body of the request as it comes. Raises ClientGone."""
        async for piece in self.request.body.pieces(_ENDLESS):
            self.sent.add(piece)
            if piece:
                yield piece
        self._has_arrived.set()

    async def client_gone(self) -> None:
        """Wait until the client has gone; until its body has come `pieces` tells."""
        await self._has_arrived.wait()
        await self.request.body.gone()

    async def content(self, max_bytes: int, memory: Memory) -> bytes | None:
        """The request's fields as its operation finds them, or the body as it came."""
        request, content = self.request, bytes(self.sent.content)
        operation = request.operation
        if operation is None:
            return content or None
        if not self.is_whole:
            return content

        async def replay() -> Message:
            return {"type": "http.request", "body": content}

        body = RequestBody.of(request.scope, replay, request.headers)
        try:
            return await operation.receive(body, max_bytes, memory)
        except Refusal:
            return content

    def answer(self) -> Plain:
        """The body of the answer as far as it was kept, its encoding undone."""
        return Plain(self.answered, lowered(self.headers))
