"""The service as one ASGI application: the story of a request, in order."""

from collections.abc import Sequence
from functools import lru_cache
from time import perf_counter
from typing import cast

from starlette.types import Receive, Scope, Send

from mock_server.api.connection import CloseConnection
from mock_server.api.context import RequestContext
from mock_server.api.errors import MethodNotAllowed, UnknownKey
from mock_server.api.faults.fault import Fault, FaultContext, Interrupted
from mock_server.api.headers import (
    AUTHORIZATION,
    Header,
    ParsedHeaders,
    bearer_token,
    check_content_type,
    parse_headers,
)
from mock_server.api.journaling import Journaling
from mock_server.api.middleware import internal_error
from mock_server.api.operations.operation import Operation, Operations
from mock_server.api.redaction import Secrets
from mock_server.api.request import ClientGone, RequestBody, read_json
from mock_server.api.response import (
    Headers,
    NoResponse,
    Response,
    error_response,
    headers_for,
    rate_limit_headers,
    send_response,
)
from mock_server.domain.access import ISSUED_KEY_PREFIX, Caller
from mock_server.domain.errors import Refusal, describe_value
from mock_server.domain.faults import Request
from mock_server.domain.sandbox import Sandbox
from mock_server.domain.sandboxes import Sandboxes
from mock_server.domain.state import State

_NO_RESPONSE = NoResponse()


class PublicApi:
    """Responds to every request outside `/__admin`, and journals it."""

    def __init__(
        self, sandboxes: Sandboxes, operations: Operations, secrets: Secrets
    ) -> None:
        """`secrets` are what no journal may show, beside keys."""
        self._sandboxes = sandboxes
        self._operations = operations
        self._limits = sandboxes.limits
        self._journal = Journaling(operations, secrets, self._limits)
        known = lru_cache(self._limits.cached_heads)
        self._parsed_headers = known(parse_headers)
        self._response_headers = known(_response_headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = self._parse(scope["headers"])
        body = RequestBody(scope, receive, headers)
        sandbox = self._sandbox_of(headers.key)
        request = RequestContext(
            scope, headers, body, perf_counter(), sandbox, sandbox.state
        )
        try:
            await self._handle(request, send)
        except Exception as error:  # a defect; it has been answered if it came late
            response = internal_error(error)
            if request.response is None:
                await send_response(response, body, send)

    async def _handle(self, request: RequestContext, send: Send) -> None:
        """The story of a request, once it is known whose state it is for."""
        refusal = None
        try:
            operation = self._admit(request)
            request.content = await request.body.read(
                self._limits.body_bytes, self._sandboxes.memory
            )
            if request.sandbox.state is not request.state:
                operation = self._readmit(request)
            if request.state.faults.active:
                response = await self._respond_amid_faults(request, operation)
            else:
                response = operation.respond(
                    request.state, request.caller, request.content
                )
        except Refusal as error:
            # With its traceback it would keep this frame, and the body, in memory.
            refusal = error.with_traceback(None)
            response = error_response(error, request.state.choices)
        except ClientGone:
            response = _NO_RESPONSE
        except Interrupted:
            response = CloseConnection(scope=request.scope)
        headers = self._headers_of(response, request)
        request.response = response
        self._journal.enter(request, headers, refusal)
        await response.send(headers, request.body, send)

    def _admit(self, request: RequestContext) -> Operation:
        """The checks before the body, in their order. Raises Refusal."""
        scope, choices = request.scope, request.state.choices
        operation = self._operations.by_path.get(scope["path"])
        if operation is None:
            operation = self._operations.at(
                scope["path"], choices
            )  # or it says why not
        request.operation = operation
        if scope["method"] != operation.method and choices.method_mismatch == "reject":
            raise MethodNotAllowed(operation.method, describe_value(scope["method"]))
        key = request.headers.key
        if key is None:
            key = bearer_token(scope["headers"])  # says what is wrong with it
        request.caller = authorize(key, request.state)
        if not request.headers.is_json:
            check_content_type(scope["headers"], choices)
        return operation

    def _readmit(self, request: RequestContext) -> Operation:
        """Admit a request again if its state was replaced while it was under way.

        A reset may have come while the body arrived, or while a fault delayed the
        response, which is to be of one moment. Raises Refusal.
        """
        if request.sandbox.state is not request.state or request.operation is None:
            request.sandbox = self._sandbox_of(request.headers.key)
            request.state = request.sandbox.state
            return self._admit(request)
        return request.operation

    async def _respond_amid_faults(
        self, request: RequestContext, operation: Operation
    ) -> Response:
        """The response while there are faults, be it the right one or another.

        Raises BadJson, for faults look into bodies.
        """
        state, content = request.state, request.content or b""
        keys = (request.headers.key or "", request.caller.key)
        seen = Request(operation.name, keys, read_json(content), operation.traits)
        decision = state.faults.decide(seen, state.clock.now())
        firing = decision.firing
        if firing is None:
            response = operation.respond(state, request.caller, content)
            for limit in decision.limits[:1]:
                response = response.with_headers(*rate_limit_headers(limit))
            return response
        request.firing = firing
        request.scope["mock_server.firing"] = firing  # for the request log
        fault = cast("Fault", firing.fault.definition)
        is_after = fault.phase == "after"
        return await fault.apply(
            FaultContext(
                request, operation, firing, is_after, lambda: self._readmit(request)
            )
        )

    def _sandbox_of(self, key: str | None) -> Sandbox:
        """The sandbox that a key leads to, the default one for any that leads nowhere.

        That a key leads nowhere is found out when it is authorized.
        """
        found = self._sandboxes.of_key(key) if key else None
        return found or self._sandboxes.default

    def _parse(self, headers: Sequence[Header]) -> ParsedHeaders:
        """What headers say: for those seen lately it is known already."""
        try:
            return self._parsed_headers(tuple(headers))
        except TypeError:  # some servers give lists instead of pairs
            return parse_headers(headers)

    def _headers_of(self, response: Response, request: RequestContext) -> Headers:
        """The headers to send, and to journal; none where there is no response."""
        if response.status == 0:
            return ()
        return self._response_headers(
            len(response.body),
            request.sandbox.name,
            request.state.generation,
            response.headers,
        )


def authorize(key: str, state: State) -> Caller:
    """The holder of a key (spec 5), in the state of the sandbox that it leads to.

    A fixture that declares no keys takes any key as an owner's (choice unknown_key),
    but none that looks as if a sandbox had issued it. Raises UnknownKey.
    """
    caller = state.callers.get(key)
    if caller is not None:
        return caller
    if key.startswith(ISSUED_KEY_PREFIX):
        expected, got = "a key of a sandbox", "one that leads to none"
        raise UnknownKey(expected, got, AUTHORIZATION)
    if state.callers or state.choices.unknown_key == "reject":
        expected, got = "a key that the fixture declares", "an unknown one"
        raise UnknownKey(expected, got, AUTHORIZATION)
    return Caller(key)


def _response_headers(
    length: int, sandbox: str, generation: int, further: Headers
) -> Headers:
    """The headers of a JSON response from a sandbox."""
    marks = (
        (b"x-mock-sandbox", sandbox.encode()),
        (b"x-mock-generation", b"%d" % generation),
    )
    return headers_for(length, b"application/json", (*marks, *further))
