"""Passes requests on to a real service, and its answers back: the story of a request.

Bodies pass piece by piece, in both directions: no more of them is held than what is on
its way, and the beginning that the journal and the record are made of.
"""

import asyncio
from collections.abc import Callable
from time import perf_counter

import httpx2
from starlette.types import Receive, Scope, Send

from mock_server.api import response as responses
from mock_server.api.headers import Header, Heads, values
from mock_server.api.middleware import internal_error
from mock_server.api.operations.operation import Operations
from mock_server.api.redaction import ESCAPED_KEY_BYTES, Secrets
from mock_server.api.request import ClientGone, RequestBody
from mock_server.domain.journal import Note
from mock_server.domain.sandboxes import Sandboxes
from mock_server.recording.bodies import Kept, Plain
from mock_server.recording.journaling import Answer, Passed, PassedJournaling
from mock_server.recording.passage import Passage
from mock_server.recording.target import NoAnswer, Target, end_to_end

_BODILESS = (204, 304)
_BROKEN_OFF = "the target broke its answer off"
_CLOSE = (b"connection", b"close")

Take = Callable[[Passage, Plain], object]
"""Takes a passage to an operation, with what was kept of the answer's body."""


class Proxy:
    """ASGI application: every request is the target's, and enters the journal."""

    def __init__(
        self,
        target: Target,
        sandboxes: Sandboxes,
        operations: Operations,
        take: Take | None = None,
    ) -> None:
        """The journal is that of the default one of the `sandboxes`."""
        self._target = target
        self._sandboxes = sandboxes
        self._operations = operations
        self._limits = sandboxes.limits
        self._journal = PassedJournaling(operations, Secrets(), self._limits)
        self._take = take
        self._heads = Heads(self._limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        passage = self._begin(scope, receive)
        work = asyncio.ensure_future(self._pass_on(passage, send))
        gone = asyncio.ensure_future(passage.client_gone())
        try:
            await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
            is_over = work.done()
        finally:
            # Without a client the request to the target ends too.
            work.cancel()
            gone.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)
        if is_over and not isinstance(work.exception(), ClientGone):
            work.result()
        else:
            await self._enter(passage)

    def _begin(self, scope: Scope, receive: Receive) -> Passage:
        """A request that has just come, with room for what is to be kept of it."""
        path = scope["raw_path"].partition(b"?")[0].decode("latin-1")
        scope = {**scope, "path": path}
        head = self._heads.of(scope)
        sandbox = self._sandboxes.default
        request = Passed(
            scope,
            head,
            RequestBody.of(scope, receive, head),
            perf_counter(),
            sandbox,
            sandbox.state,
            self._operations.meant_by(path),
        )
        # The journal cuts what it is given; before, secrets are taken out.
        few = self._limits.journal_body_bytes + ESCAPED_KEY_BYTES
        is_known, many = request.operation is not None, self._limits.recorded_bytes
        sent = Kept(many if is_known else few)
        return Passage(request, sent, Kept(many if is_known and self._take else few))

    async def _pass_on(self, passage: Passage, send: Send) -> None:
        """Pass a request on, and back what comes. Raises ClientGone."""
        request = passage.request
        try:
            response = await self._target.send(
                request.scope, request.headers, passage.pieces()
            )
        except NoAnswer as failure:
            await self._answer_instead(passage, failure, send)
            return
        try:
            await self._pass_back(passage, response, send)
        finally:
            await response.aclose()

    async def _answer_instead(
        self, passage: Passage, failure: NoAnswer, send: Send
    ) -> None:
        """Say that the target has not answered."""
        body = responses.error_envelope(
            failure.status, failure.status_text, str(failure)
        )
        answer = responses.Response(failure.status, body)
        headers = responses.response_headers(answer)
        passage.status, passage.headers = failure.status, list(headers)
        passage.answered.add(body)
        await self._enter(passage)
        await answer.send(headers, passage.request.body, send)

    async def _pass_back(
        self, passage: Passage, response: httpx2.Response, send: Send
    ) -> None:
        """Pass an answer back, piece by piece as it comes.

        A client that has the whole answer finds it in the journal: so it is entered
        before the last byte is sent.
        """
        body, status = passage.request.body, response.status_code
        headers = end_to_end(response.headers.raw)
        passage.status, passage.headers = status, headers
        left = _length(headers)
        if (
            left == 0
            or status in _BODILESS
            or passage.request.scope["method"] == "HEAD"
        ):
            await self._enter(passage)
        # The target has answered before it had read the request.
        is_early = not body.arrived
        start = [*headers, _CLOSE] if is_early else headers
        await send(responses.Response(status, b"").start(start))
        try:
            async for piece in response.aiter_raw():
                passage.answered.add(piece)
                left -= len(piece)
                if left == 0:
                    await self._enter(passage)
                message = {"type": "http.response.body", "body": piece}
                await send(message | {"more_body": True})
        except httpx2.TransportError:
            await self._break_off(passage)
            return
        await self._enter(passage)
        if is_early:
            await responses.discard(body)
        await send({"type": "http.response.body", "body": b""})

    async def _break_off(self, passage: Passage) -> None:
        """End the connection amid an answer, as the target has."""
        await self._enter(passage, _BROKEN_OFF)
        connection = responses.connection_of(passage.request.scope)
        if connection is None:
            raise responses.NeedsConnection(_BROKEN_OFF)
        await connection.close(passage.request.body)

    async def _enter(self, passage: Passage, hint: str | None = None) -> None:
        """Journal and record what has passed, once."""
        if passage.is_entered:
            return
        passage.is_entered = True
        request, plain = passage.request, passage.answer()
        most, memory = self._limits.recorded_bytes, self._sandboxes.memory
        request.content = await passage.content(most, memory)
        request.is_cut = not passage.is_whole
        note = None if hint is None else Note(hint)
        answer = Answer(
            passage.status, plain.content, note=note, is_cut=not plain.is_whole
        )
        self._journal.enter(request, answer, passage.headers, None)
        if self._take is not None and request.operation is not None and hint is None:
            try:
                self._take(passage, plain)
            except Exception as error:
                internal_error(error)  # in the log; the answer passes all the same


def _length(headers: list[Header]) -> int:
    """The announced length of an answer's body, -1 if there is none."""
    lengths = values(
        ((name.lower(), value) for name, value in headers), b"content-length"
    )
    return int(lengths[0]) if lengths and lengths[0].isdigit() else -1
