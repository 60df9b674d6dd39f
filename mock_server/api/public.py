"""The documented operations as one ASGI application, around all sandboxes."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from time import perf_counter

import msgspec
from starlette.types import Receive, Scope, Send

from mock_server import __version__
from mock_server.api.answers import Answer, headers_of, rate_limit_headers, write
from mock_server.api.body import ClientGone, RequestBody
from mock_server.api.connection import NeedsConnection, connection_of
from mock_server.api.errors import MethodNotAllowed, refused
from mock_server.api.exchange import Exchange
from mock_server.api.faults.hit import Closed, Hit, Record
from mock_server.api.faults.on_connections import NO_ANSWER
from mock_server.api.faults.table import KINDS
from mock_server.api.headers import Header
from mock_server.api.openapi import public_document
from mock_server.api.performer import Performer
from mock_server.api.recording import Recorder
from mock_server.api.requests import read_json
from mock_server.api.secrets import Secrets
from mock_server.domain.choices import Choices
from mock_server.domain.errors import Refusal, show
from mock_server.domain.faults import Request
from mock_server.domain.sandboxes import Sandboxes


class PublicApi:
    """Answers every request outside `/__admin`, and enters it in a journal."""

    def __init__(self, sandboxes: Sandboxes, secrets: Secrets) -> None:
        self._sandboxes = sandboxes
        self._secrets = secrets
        self._performer = Performer()
        self._recorder = Recorder()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = perf_counter()
        exchange = Exchange(scope, receive, self._sandboxes, self._secrets)
        record = partial(self._record, exchange, started)
        try:
            await exchange.ready()
            if exchange.state.faults.active:
                answer = await self._amid_faults(exchange, record, send)
            else:
                answer = self._performer.answer(exchange, exchange.state)
        except Refusal as refusal:
            answer = refused(refusal, exchange.state.choices)
            await write(answer, exchange.body, send, record(answer, refusal))
        except ClientGone:
            if not exchange.is_recorded:
                record(NO_ANSWER)
        except Closed:
            await self._close(exchange, record)
        else:
            if answer is not None:
                await write(answer, exchange.body, send, record(answer))

    async def _amid_faults(
        self, exchange: Exchange, record: Record, send: Send
    ) -> Answer | None:
        """The answer while there are faults; None if one has sent what there is.

        Raises BadJson, and Closed where there is to be no answer.
        """
        state, key = exchange.state, exchange.key or ""
        body = read_json(exchange.content or b"")
        keys = (key, exchange.caller.key)
        request = Request(exchange.operation.name, keys, body)
        decision = state.faults.decide(request, state.clock.now())
        firing = exchange.firing = decision.firing
        if firing is not None:
            fault = firing.fault.definition
            hit = Hit(exchange, firing, fault, self._performer, record, send)
            return await KINDS[fault.kind].effect(hit)
        answer = self._performer.answer(exchange, state)
        for limit in decision.limits[:1]:
            more = rate_limit_headers(limit)
            answer = replace(answer, headers=(*answer.headers, *more))
        return answer

    def _record(
        self,
        exchange: Exchange,
        started: float,
        answer: Answer,
        refusal: Refusal | None = None,
    ) -> list[Header]:
        """Enter an answer in the journal; gives the headers to send with it."""
        headers: list[Header] = []
        if answer is not NO_ANSWER:
            sandbox = exchange.sandbox.name.encode()
            number = b"%d" % exchange.state.number
            own = (b"x-mock-sandbox", sandbox), (b"x-mock-generation", number)
            headers = headers_of(answer, *own)
        self._recorder(exchange, answer, headers, started, refusal)
        return headers

    async def _close(self, exchange: Exchange, record: Record) -> None:
        """End a request without an answer."""
        if not exchange.is_recorded:
            record(NO_ANSWER)
        connection = connection_of(exchange.scope)
        if connection is None:
            raise NeedsConnection("a reset has ended what a fault was holding up")
        await connection.close(exchange.body)


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
