"""The documented operations as one ASGI application, around all sandboxes."""

from __future__ import annotations

from functools import cached_property
from time import perf_counter

import msgspec
from starlette.types import Receive, Scope, Send

from mock_server import __version__
from mock_server.api.answers import Answer, headers_of, write
from mock_server.api.body import ClientGone, RequestBody
from mock_server.api.envelope import success
from mock_server.api.errors import MethodNotAllowed, refused
from mock_server.api.exchange import Exchange
from mock_server.api.openapi import public_document
from mock_server.api.operations import OPERATIONS
from mock_server.api.recording import Recorder
from mock_server.domain.choices import Choices
from mock_server.domain.errors import Refusal, show
from mock_server.domain.sandboxes import Sandboxes


class PublicApi:
    """Answers every request outside `/__admin`, and enters it in a journal."""

    def __init__(self, sandboxes: Sandboxes) -> None:
        self._sandboxes = sandboxes
        self._writers = {name: each.writer() for name, each in OPERATIONS.items()}
        self._record = Recorder()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = perf_counter()
        exchange = Exchange(scope, receive, self._sandboxes)
        refusal = None
        try:
            answer = Answer(200, success(await self._perform(exchange)))
        except Refusal as error:
            refusal = error
            answer = refused(error, exchange.state.choices)
        except ClientGone:
            self._record(exchange, Answer(0, b""), [], started)
            return
        headers = headers_of(
            answer,
            (b"x-mock-sandbox", exchange.sandbox.name.encode()),
            (b"x-mock-generation", b"%d" % exchange.state.number),
        )
        self._record(exchange, answer, headers, started, refusal)
        await write(answer, exchange.body, send, headers)

    async def _perform(self, exchange: Exchange) -> bytes:
        """The data of a success, as JSON. Raises Refusal or ClientGone."""
        operation, caller = await exchange.receive()
        # From here on nothing awaits: what is read and what is written is one moment.
        state, content = exchange.state, exchange.content or b""
        request = operation.read(content, state.choices)
        data = operation.perform(state, caller, request)
        return self._writers[operation.name](data, state.choices)


class Description:
    """Answers `GET /openapi.json`; the document is made when it is first asked for."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] in ("GET", "HEAD"):
            answer = Answer(200, self._document)
        else:
            refusal = MethodNotAllowed("GET", show(scope["method"]))
            answer = refused(refusal, Choices())
        await write(answer, RequestBody(scope, receive), send)

    @cached_property
    def _document(self) -> bytes:
        return msgspec.json.encode(public_document(__version__))
