"""The documented operations as one ASGI application, around all sandboxes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial

from starlette.types import Receive, Scope, Send

from mock_server.api.connection import NeedsConnection, connection_of
from mock_server.api.exchange import Exchange
from mock_server.api.faults.hit import Closed, Hit
from mock_server.api.faults.on_connections import NO_ANSWER
from mock_server.api.faults.table import KINDS
from mock_server.api.headers import Header, ParsedHeaders, parse_headers
from mock_server.api.journaling import Recorder
from mock_server.api.middleware import unexpected
from mock_server.api.performer import perform
from mock_server.api.redaction import Secrets
from mock_server.api.request import ClientGone
from mock_server.api.requests import read_json
from mock_server.api.response import (
    Response,
    error_response,
    headers_for,
    rate_limit_headers,
    send_response,
)
from mock_server.domain.errors import Refusal
from mock_server.domain.faults import Request
from mock_server.domain.limits import LIMITS
from mock_server.domain.sandboxes import Sandboxes


class PublicApi:
    """Answers every request outside `/__admin`, and enters it in a journal."""

    def __init__(self, sandboxes: Sandboxes, secrets: Secrets) -> None:
        self._sandboxes = sandboxes
        self._secrets = secrets
        self._recorder = Recorder()
        self._headers = lru_cache(LIMITS.cached_heads)(_headers)
        self._known_heads = lru_cache(LIMITS.cached_heads)(parse_headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        head = self._head(scope["headers"])
        exchange = Exchange(scope, receive, head, self._sandboxes, self._secrets)
        try:
            await self._answer(exchange, send)
        except Exception as error:
            answer = unexpected(error)
            if not exchange.is_recorded:
                await send_response(answer, exchange.body, send)

    def _head(self, headers: Sequence[Header]) -> ParsedHeaders:
        try:
            return self._known_heads(tuple(headers))
        except TypeError:  # some servers give lists instead of pairs
            return parse_headers(headers)

    async def _answer(self, exchange: Exchange, send: Send) -> None:
        """Answer, or close the connection where there is to be no answer."""
        try:
            await exchange.ready()
            if exchange.state.faults.active:
                answer = await self._amid_faults(exchange, send)
            else:
                answer = perform(exchange, exchange.state)
            if answer is not None:
                await send_response(
                    answer, exchange.body, send, self._record(exchange, answer)
                )
        except Refusal as refusal:
            answer = error_response(refusal, exchange.state.choices)
            headers = self._record(exchange, answer, refusal)
            await send_response(answer, exchange.body, send, headers)
        except ClientGone:
            if not exchange.is_recorded:
                self._record(exchange, NO_ANSWER)
        except Closed:
            await self._close(exchange)

    async def _amid_faults(self, exchange: Exchange, send: Send) -> Response | None:
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
            exchange.scope["mock_server.firing"] = firing  # for the request log
            fault = firing.fault.definition
            record = partial(self._record, exchange)
            hit = Hit(exchange, firing, fault, record, send)
            return await KINDS[fault.kind].effect(hit)
        answer = perform(exchange, state)
        for limit in decision.limits[:1]:
            answer = answer.with_headers(*rate_limit_headers(limit))
        return answer

    def _record(
        self, exchange: Exchange, answer: Response, refusal: Refusal | None = None
    ) -> Sequence[Header]:
        """Enter an answer in the journal; gives the headers to send with it."""
        headers: Sequence[Header] = ()
        if answer is not NO_ANSWER:
            place = exchange.sandbox.name, exchange.state.generation
            headers = self._headers(len(answer.body), *place, answer.headers)
        self._recorder(exchange, answer, headers, refusal)
        exchange.is_recorded = True
        return headers

    async def _close(self, exchange: Exchange) -> None:
        """End a request without an answer."""
        if not exchange.is_recorded:
            self._record(exchange, NO_ANSWER)
        connection = connection_of(exchange.scope)
        if connection is None:
            raise NeedsConnection("a reset has ended what a fault was holding up")
        await connection.close(exchange.body)


def _headers(
    length: int, sandbox: str, generation: int, further: Sequence[Header]
) -> Sequence[Header]:
    """The headers of an answer from a sandbox."""
    own = (
        (b"x-mock-sandbox", sandbox.encode()),
        (b"x-mock-generation", b"%d" % generation),
    )
    return headers_for(length, b"application/json", (*own, *further))
