"""The service as one ASGI application: the story of a request, in order."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from time import perf_counter
from typing import cast

from starlette.types import Receive, Scope, Send

from mock_server.api import headers as request_headers
from mock_server.api import response as responses
from mock_server.api.context import BOUND_TO, DECLARED, ENTERED, RequestContext
from mock_server.api.errors import MissingAuthorization, UnknownKey
from mock_server.api.faults.fault import Fault, FaultContext
from mock_server.api.journaling import Journaling
from mock_server.api.middleware import internal_error
from mock_server.api.operations.declared import Served, declared_at
from mock_server.api.operations.operation import Access, Operation, Operations
from mock_server.api.pause import Interrupted, pause
from mock_server.api.redaction import Secrets
from mock_server.api.request import ClientGone, RequestBody
from mock_server.domain.access import ISSUED_KEY_PREFIX, NOBODY, Caller
from mock_server.domain.errors import Refusal, quoted
from mock_server.domain.faults import Firing, Request
from mock_server.domain.rate_limit import RateLimitStatus
from mock_server.domain.sandbox import Sandbox
from mock_server.domain.sandboxes import Sandboxes
from mock_server.domain.state import State
from mock_server.domain.tolerance import remedies, served_with

_NO_RESPONSE = responses.NoResponse()


class PublicApi:
    """Responds to every request outside `/__admin`, and journals it."""

    def __init__(
        self,
        sandboxes: Sandboxes,
        operations: Operations,
        secrets: Secrets,
        journaling: Journaling | None = None,
    ) -> None:
        """`secrets` are what no journal may show, beside keys.

        `journaling` enters requests in journals, by default without more ado.
        """
        self._sandboxes = sandboxes
        self._operations = operations
        self._limits = sandboxes.limits
        journaling = journaling or Journaling(operations, secrets, self._limits)
        self._journal = journaling
        self._heads = request_headers.Heads(self._limits)
        known = lru_cache(self._limits.cached_heads)
        # With two faults in force this saves 3 µs of what a list takes.
        self._fields_lately = known(_fields_by)
        self._headers_with_marks = known(_headers_with_marks)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The story of a request, from its headers to the last byte of its response."""
        try:
            request = self._context_of(scope, receive)
            refusal = None
            try:
                operation = self._admit(request)
                max_bytes = getattr(self._limits, operation.body_limit)
                request.content = await operation.receive(
                    request.body, max_bytes, self._sandboxes.memory
                )
                if request.sandbox.state is not request.state:
                    operation = self._readmit(request)
                if operation.delay_ms:
                    await pause(request, operation.delay_ms)
                    operation = self._readmit(request)
                firing, limit = (
                    self._decide(request, operation)
                    if request.state.faults.active
                    else (None, None)
                )
                if firing is not None:
                    response = await self._apply(firing, request, operation)
                else:
                    response = operation.respond(
                        request.state, request.caller, request.content
                    )
                if limit is not None:
                    own = responses.rate_limit_headers(limit)
                    response = response.with_headers(*own)
            except Refusal as error:
                # With its traceback it would keep this frame, and the body, in memory.
                refusal = error.with_traceback(None)
                response = responses.error_response(error, request.state.choices)
            except ClientGone:
                response = _NO_RESPONSE
            except Interrupted:
                response = responses.CloseConnection(scope=scope)
            headers = self._headers_of(response, request)
            # Before it is sent: a client that has its response finds it in the journal.
            seq = self._journal.enter(request, response, headers, refusal)
            # The request log, which stands around all applications, makes an id of it.
            scope[ENTERED] = request.sandbox.name, request.state.generation, seq
            if not response.send_whole(headers, request.body, send):
                await response.send(headers, request.body, send)
        except Exception as error:
            # A defect of ours. It is told to the client unless a response has begun.
            response, body = internal_error(error), RequestBody.of(scope, receive)
            if ENTERED not in scope:
                await responses.send_response(response, body, send)

    def _context_of(self, scope: Scope, receive: Receive) -> RequestContext:
        """The context of a request that has just come; its key says whose state."""
        headers = scope.get(request_headers.HEAD) or self._heads.of(scope)
        body = RequestBody.of(scope, receive, headers)
        sandbox = self._sandbox_of(scope, headers)
        # Whatever happens meanwhile, one request sees one state.
        return RequestContext(
            scope, headers, body, perf_counter(), sandbox, sandbox.state
        )

    def _admit(self, request: RequestContext) -> Served:
        """The checks before the body, in their order. Raises Refusal."""
        scope, choices = request.scope, request.state.choices
        operation: Served | None = self._operations.by_path.get(scope["path"])
        if operation is None:
            operation = self._beyond(request)
        request.operation = operation
        method, key = scope["method"], request.headers.key
        if operation.access == "login" and key is not None:
            # A key means nothing here, so neither does it say which sandbox is meant.
            operation = self._led_by_login(request)
            choices = request.state.choices
        if method != operation.method:
            operation.check_method(method, choices)
        if key is not None and operation.access == "caller":
            request.caller = authorize(key, request.state, scope)
        else:
            request.caller = identify(request, operation.access)
        if not request.headers.is_json:
            operation.check_content_type(method, scope["headers"], choices)
        return operation

    def _beyond(self, request: RequestContext) -> Served:
        """What is at a path that the spec does not show: declared, else a neighbour.

        Raises MethodNotAllowed, and RouteNotFound with what may have been meant.
        """
        scope, state = request.scope, request.state
        method, path = scope["method"], scope["path"]
        responses = state.store.generation.responses
        declared = declared_at(method, path, responses, self._operations)
        if declared is None:
            scope.pop(DECLARED, None)  # of a state that has been replaced
            return self._operations.at(path, state.choices)
        # For the request log, which stands around all applications.
        scope[DECLARED] = declared.name
        return declared

    def _led_by_login(self, request: RequestContext) -> Operation:
        """The operation in the sandbox to which the login leads. Raises RouteNotFound.

        A request that is admitted again has its login looked at again.
        """
        token = request.headers.login or ""
        request.sandbox = self._sandboxes.of_login(token) or self._sandboxes.default
        request.state = request.sandbox.state
        request.operation = None
        path, choices = request.scope["path"], request.state.choices
        request.operation = self._operations.at(path, choices)
        return request.operation

    def _readmit(self, request: RequestContext) -> Served:
        """Admit a request again if its state was replaced while it was under way.

        A reset may have come while the body arrived, or while a fault delayed the
        response, which is to be of one moment. Raises Refusal.
        """
        if request.sandbox.state is not request.state or request.operation is None:
            # The sandbox may be gone too, and what the key led to with it.
            request.sandbox = self._sandbox_of(request.scope, request.headers)
            request.state, request.operation = request.sandbox.state, None
            return self._admit(request)
        return request.operation

    def _decide(
        self, request: RequestContext, operation: Served
    ) -> tuple[Firing | None, RateLimitStatus | None]:
        """The fault that fires, else where the first rate limit stands.

        Raises BadJson, for faults look into bodies.
        """
        state, content = request.state, request.content or b""
        keys = (request.headers.key or "", request.caller.key)
        is_short = len(content) <= self._limits.cached_head_bytes
        fields_by = self._fields_lately if is_short else _fields_by
        seen = Request(
            operation.name,
            keys,
            fields_by(operation.fields, content),
            operation.traits,
            content,
            responses.is_on_new_connection(request.scope),
        )
        decision = state.faults.decide(seen, state.clock.now())
        is_limited = decision.limits and decision.firing is None
        return decision.firing, decision.limits[0] if is_limited else None

    async def _apply(
        self, firing: Firing, request: RequestContext, operation: Served
    ) -> responses.Response:
        """The response to a request at which a fault fires."""
        request.firing = firing
        # The request log stands around all applications, and sees the scope only.
        request.scope["mock_server.firing"] = firing
        fault = cast("Fault", firing.fault.definition)
        is_after = fault.phase == "after"
        return await fault.apply(
            FaultContext(
                request, operation, firing, is_after, lambda: self._readmit(request)
            )
        )

    def _sandbox_of(
        self, scope: Scope, headers: request_headers.ParsedHeaders
    ) -> Sandbox:
        """The sandbox that a key, or a login, leads to; else the default one.

        That a key leads nowhere is found out when it is authorized.
        """
        del scope
        found = None
        if headers.key:
            found = self._sandboxes.of_key(headers.key)
        elif headers.login:
            found = self._sandboxes.of_login(headers.login)
        return found or self._sandboxes.default

    def _headers_of(
        self, response: responses.Response, request: RequestContext
    ) -> responses.Headers:
        """The headers to send, and to journal; none where there is no response."""
        if response.status == 0:
            return ()
        return self._headers_with_marks(
            len(response.body),
            response.content_type,
            request.sandbox.name,
            request.state.generation,
            response.headers,
        )


def authorize(key: str, state: State, scope: Scope | None = None) -> Caller:
    """The holder of a key (spec 5), in the state of the sandbox that it leads to.

    A fixture that declares no keys takes any key as an owner's (choice unknown_key),
    but none that looks as if a sandbox had issued it. At a bound address, where keys
    lead nowhere else, declared ones count beside those that are issued for them.
    `scope` is that of the request, which says whether it came so. Raises UnknownKey.
    """
    declared = state.callers
    caller = declared.get(key)
    if caller is not None:
        return caller
    if key.startswith(ISSUED_KEY_PREFIX):
        raise _foreign_key((scope or {}).get(BOUND_TO))
    if declared and scope is not None and BOUND_TO in scope:
        declared = state.store.generation.keys
        caller = declared.get(key)
        if caller is not None:
            return caller
    if declared or state.choices.unknown_key == "reject":
        expected, got = "a key that the fixture declares", "an unknown one"
        # While some are declared, no choice makes others count.
        values = () if declared else remedies(state.choices, "unknown_key")
        hint = served_with(*values)
        raise UnknownKey(expected, got, request_headers.AUTHORIZATION, hint)
    return Caller(key)


def _foreign_key(name: str | None) -> UnknownKey:
    """The refusal of a key that a sandbox has issued, but not this one."""
    expected, got = "a key of a sandbox", "one that leads to none"
    if name is not None:
        expected = f"a key of sandbox {quoted(name)}, to which the address is bound"
        got = "one that it has not issued"
    return UnknownKey(expected, got, request_headers.AUTHORIZATION)


def identify(request: RequestContext, access: Access) -> Caller:
    """Who sends a request without a key that could be used, or one that needs none.

    In the service's order: a key where one counts, else a login (choice credentials).
    Raises MissingAuthorization and UnknownKey.
    """
    headers, state, key = request.scope["headers"], request.state, request.headers.key
    if access == "guest" and key is not None:
        return _guest(key, state, request.scope)
    keys = request_headers.values(headers, b"authorization")
    token, takes_logins = request.headers.login, state.choices.credentials != "bearer"
    known = state.logins.get(token or "")
    values = remedies(state.choices, "credentials") if known else ()
    if access == "caller" and (keys or not (token and takes_logins)):
        if not keys:
            raise request_headers.missing_authorization(keys, *values)
        # Without one that could be read, the refusal says what is wrong.
        return authorize(request_headers.bearer_token(headers), state, request.scope)
    caller = known if takes_logins else None
    if caller is None and access in ("caller", "login"):
        expected = "a login token, in header `token` or cookie `fastgpt_token`"
        got = "one that no login has given" if token else "nothing"
        if known:
            got = "one that does not count"
        hint = served_with(*values)
        raise MissingAuthorization(expected, got, "headers", hint)
    return caller or NOBODY


def _guest(key: str, state: State, scope: Scope) -> Caller:
    """The holder of a key where none is needed; one that is unknown is nobody's.

    Raises UnknownKey for one of a sandbox that is gone: nobody is served by another.
    """
    known = state.callers.get(key)
    if known is None and key.startswith(ISSUED_KEY_PREFIX):
        raise _foreign_key(scope.get(BOUND_TO))
    if known is None and BOUND_TO in scope:
        known = state.store.generation.keys.get(key)
    return known or NOBODY


def _fields_by(
    read: Callable[[bytes], Mapping[str, object]], content: bytes
) -> Mapping[str, object]:
    """The fields of a body, for faults to look at. Raises BadJson."""
    return read(content)


def _headers_with_marks(
    length: int,
    content_type: bytes,
    sandbox: str,
    generation: int,
    further: responses.Headers,
) -> responses.Headers:
    """The headers of a response, among them the marks that name its sandbox."""
    marks = (
        (b"x-mock-sandbox", sandbox.encode()),
        (b"x-mock-generation", b"%d" % generation),
    )
    return responses.headers_for(length, content_type, (*marks, *further))
