"""The service's HTTP API: one request, from top to bottom."""

from asyncio import CancelledError
from collections.abc import Iterable
from itertools import count
from uuid import uuid4

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from mock_server.errors import Refusal
from mock_server.faults.fault import Fault
from mock_server.http.request import ClientRequest, header_texts, read_body
from mock_server.journal import Exchange
from mock_server.sandbox import Sandboxes
from mock_server.service.call import Call
from mock_server.service.callers import sandbox_key
from mock_server.service.handling import Handling
from mock_server.service.operation import Operation
from mock_server.service.operations import OPERATIONS
from mock_server.service.routes import Routes


class Service:
    """The ASGI application of all operations."""

    def __init__(self, sandboxes: Sandboxes, operations: Iterable[Operation] = OPERATIONS) -> None:
        self._sandboxes = sandboxes
        self._routes = Routes(operations)
        # The ids of requests are UUIDs that differ in their last 12 digits: it costs much less
        # than a random one for each.
        self._id_prefix = str(uuid4())[:-12].encode()
        self._request_numbers = count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit = self._routes.max_body_of(scope["path"])
        try:
            body = await read_body(receive, limit)
        except ClientDisconnect:
            # A request whose client leaves before the body is complete does not count.
            return
        # The request counts from here on, whatever becomes of the response.
        call = self._start_call(scope, body, is_whole=len(body) <= limit)
        handling = Handling(call, self._routes, self._sandboxes.failures, scope, receive, send)
        try:
            response = await self._response_with_headers(call, handling)
            await handling.deliver(response)
        except CancelledError:
            # In process, a client leaves by cancelling the request.
            call.exchange.note_end(client_left=True)
            raise
        finally:
            handling.end()

    def _start_call(self, scope: Scope, body: bytes, *, is_whole: bool) -> Call:
        """Make the call of a request in the sandbox of its key, and add it to the journal."""
        headers = header_texts(scope["headers"])
        sandbox_of_key = self._sandboxes.find_by_key(sandbox_key(headers))
        sandbox = sandbox_of_key or self._sandboxes.default
        # A reset makes a new state; a request in progress ends in the old one.
        state = sandbox.state
        moment = state.advance_training()
        request = ClientRequest.of(scope, headers, body, moment.choices, is_whole=is_whole)
        exchange = Exchange(request)
        key = request.api_key
        exchange.declared_key = sandbox.issued_keys.get(key or "", key)
        state.journal.add(exchange, moment.clock.now_ms(), sandbox.generation)
        return Call(
            exchange=exchange,
            request=request,
            sandbox=sandbox,
            state=state,
            moment=moment,
            sandbox_is_gone=sandbox_of_key is None,
            store=moment.store,
        )

    async def _response_with_headers(self, call: Call, handling: Handling) -> Response:
        """The response to a request, with the headers that all responses have."""
        try:
            response = await self._respond(call, handling)
        except CancelledError:
            raise
        # The function of a rule may raise anything. A test fails by it that does not look.
        except BaseException as error:
            response = handling.failure_response(error)
        # Name the request, as FastGPT does; its sandbox and state: a client may mix them up.
        own_headers = [
            (b"x-request-id", b"%b%012x" % (self._id_prefix, next(self._request_numbers))),
            (b"x-mock-sandbox", call.sandbox.name.encode()),
            (b"x-mock-generation", b"%d" % call.exchange.generation),
        ]
        # The answer of a test may have set any of them.
        set_headers = dict(response.raw_headers)
        added = [it for it in own_headers if it[0] not in set_headers]
        # A new list, as a function may return a response with the old one again.
        response.raw_headers = response.raw_headers + added
        return response

    async def _respond(self, call: Call, handling: Handling) -> Response:
        """The response of the outcome of a request, or what a fault makes of it."""
        # Find the operation and the caller. No fault fires on a request that is refused here.
        try:
            handling.admit()
        except Refusal as refusal:
            return handling.commit(handling.refused_outcome(refusal, call))
        # Picking a fault counts nothing, so the request is counted after it.
        pick = await handling.evaluate(
            lambda: call.state.rules.pick(Fault, call.exchange, lambda it: it.can_fire(handling))
        )
        headers = pick.count()
        # The outcome is an answer of a test, the response of the operation, or a refusal.
        if pick.firing is None:
            response = await handling.commit_outcome()
        else:
            response = await handling.apply_fault(pick.firing)
        if headers:
            response.headers.update(headers)
        return response
