"""The public API as one ASGI application: it admits, runs and journals each request."""

from collections.abc import Callable
from functools import lru_cache, partial
from time import perf_counter
from typing import cast

from msgspec.structs import replace
from starlette.types import Receive, Scope, Send

from mock_server.api import context
from mock_server.api import headers as request_headers
from mock_server.api import response as responses
from mock_server.api.admission import Admission
from mock_server.api.connection import (
    check_connected,
    connection_of,
    is_on_new_connection,
)
from mock_server.api.errors import BadJson, MissingAuthorization, UnknownKey
from mock_server.api.event_stream import EventStream
from mock_server.api.faults.answering import AnsweredRequest, BaseAnswer
from mock_server.api.faults.fault import Fault, FaultContext, apply_answer_delay
from mock_server.api.journaling import Journaling
from mock_server.api.middleware import internal_error
from mock_server.api.operations.answered_path import (
    AnsweredPath,
    Served,
)
from mock_server.api.operations.operation import Distortion, Operation
from mock_server.api.operations.routing import Operations, is_served
from mock_server.api.operations.shares import VISITED
from mock_server.api.redaction import ESCAPED_KEY_BYTES, Secrets
from mock_server.api.request import (
    ClientGone,
    RequestBody,
    WaitInterrupted,
    counting_steps,
)
from mock_server.api.slices import let_others_run, once_ready
from mock_server.domain.call import Call
from mock_server.domain.errors import Refusal
from mock_server.domain.faults.firing import Request
from mock_server.domain.journal import redacted_key
from mock_server.domain.limits import DEFAULT_LIMITS, Published
from mock_server.domain.memory import MemoryCharge
from mock_server.domain.objects.pending import NotReady
from mock_server.domain.sandboxes.registry import Sandboxes, SandboxNotFound
from mock_server.domain.sandboxes.state import State

_NO_RESPONSE = responses.NoResponse()
_FREE_BYTES = Published.free_body_bytes
_FEW_MATCHES = 16
"""Number of faults and answers that are compared without letting others run."""
_MANY_VALUES = 16
"""The parsed fields of a body with this many values or more are not cached."""
_VALUE_BYTES = 100
"""Estimated bytes of a decoded value, which is kept while a fault delays a request."""


class PublicApi:
    """Serves and journals all requests, except those to the server's own paths."""

    def __init__(
        self, sandboxes: Sandboxes, operations: Operations, secrets: Secrets
    ) -> None:
        """`secrets` are redacted in the journal, in addition to API keys."""
        self._sandboxes = sandboxes
        self._operations = operations
        self._admission = Admission(sandboxes, operations)
        self._limits, self._memory = sandboxes.limits, sandboxes.memory
        self._journal = Journaling(operations, secrets, self._limits)
        self._max_unread_bytes = self._limits.journal_body_bytes + ESCAPED_KEY_BYTES
        cache = lru_cache(self._limits.cached_heads)
        # Used only for faults and answers, which match the fields of each request.
        self._cached_fields = cache(lambda read, content: read(content))
        self._headers = cache(responses.headers_with_sandbox)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, from its headers to the last byte of its response."""
        notes: context.ScopeNotes = scope[context.NOTES]
        try:
            head, refusal = notes.headers, None
            sandbox = self._admission.sandbox_of(notes)
            has_arrived = not head.has_body and scope["http_version"][0] == "1"
            body = RequestBody(scope, receive, head.length, has_arrived)
            # The request keeps this state, unless a reset replaces the state before
            # the response: then `admit_again` may take the new one.
            request = context.RequestContext(
                scope, notes, head, body, perf_counter(), sandbox, sandbox.state
            )
            try:
                operation = self._admission.admit(request)
                max_bytes = self._limits.body_bytes
                if operation.read_fields is None:
                    request.content = await body.read(max_bytes, self._memory)
                else:
                    if operation.max_body_bytes is not None:
                        max_bytes = operation.max_body_bytes(self._limits)
                    try:
                        request.content = await operation.read_fields(
                            body, max_bytes, self._memory
                        )
                    except Refusal as mistake:  # no share link can be read either
                        raise request.credential_refusal or mistake from None
                if operation.access in VISITED:
                    operation = self._admission.admit_visitor(request, operation)
                if body.charge is not None:  # the body is large, and took long to read
                    await let_others_run()
                is_json = isinstance(operation, Operation)  # an answer takes any body
                if is_json and len(request.content) > _FREE_BYTES:
                    await _check_large_body(request, request.content)
                if request.sandbox.state is not request.state:
                    operation = self._admission.admit_again(request)
                state = request.state
                if state.faults.active or operation.is_scripted:
                    response = await self._respond_with_faults(request, operation)
                else:
                    call = Call.for_caller(state, request.caller, request.results)
                    try:
                        response = operation.respond(call, request.content)
                    except NotReady as error:
                        # Many requests may wait, so they keep no results of reads.
                        if not request.has_begun_change:
                            request.results.clear()
                        again = partial(self._respond_unless_gone, request)
                        queue = request.sandbox.name
                        response = await once_ready(again, queue, error.take())
                size = len(response.body)
                if size > _FREE_BYTES and request.charge is None:
                    request.charge = self._memory.charge_response(size)
            except Refusal as error:
                # Drop the traceback: it would keep this frame and the body in memory.
                refusal = error.with_traceback(None)
                response = responses.error_response(error, request.state.choices)
                response = await self._shaped_refusal(request, response, error)
            except ClientGone:
                response = _NO_RESPONSE
            except WaitInterrupted:
                response = responses.interrupted_response(scope)
            if response.status >= 400:
                response = self._add_key_hint(request, response)
            if request.content is None:
                request.unread_beginning = await body.read_beginning(
                    self._max_unread_bytes
                )
            sandbox_name, generation = request.sandbox.name, request.state.generation
            headers: responses.Headers = ()
            if response.status:  # 0 if there is no response
                length = len(response.body) if response.is_framed else None
                content_type = response.content_type
                own_headers = response.headers
                make_headers: Callable[..., responses.Headers] = self._headers
                if request.answer is not None:  # its headers may be too large to cache
                    make_headers = responses.headers_with_sandbox
                headers = make_headers(
                    length, content_type, sandbox_name, generation, own_headers
                )
            if body.charge is not None:
                await let_others_run()  # finding violations in a large body takes long
            # Write the journal entry before the response is sent: a client that has a
            # response finds its entry.
            time = request.state.clock.now()
            number = self._journal.enter(request, response, headers, refusal, time)
            notes.entry_place = sandbox_name, generation, number
            await response.send(headers, body, send)
        except SandboxNotFound as error:
            # No journal may show the request: its sandbox does not exist.
            response = responses.error_response(error, self._sandboxes.default.choices)
            body = RequestBody.of(scope, receive, notes.headers)
            await responses.send_response(response, body, send)
        except Exception as error:
            # A bug of this server: report it to the client, unless it has a response.
            response = internal_error(error)
            if notes.entry_place is None:
                body = RequestBody.of(scope, receive, notes.headers)
                await responses.send_response(response, body, send)

    def _add_key_hint(
        self, request: context.RequestContext, response: responses.Response
    ) -> responses.Response:
        """Return `response`, with a hint on its API key if there is one."""
        is_unscripted = request.answer is None and request.firing is None
        if not is_unscripted or request.notes.bound_to is not None:
            return response
        hint = self._sandboxes.key_hint(redacted_key(request.headers.key or ""))
        if not hint:
            return response
        return responses.with_hint(response, hint, request.state.choices)

    async def _shaped_refusal(
        self,
        request: context.RequestContext,
        response: responses.Response,
        refusal: Refusal,
    ) -> responses.Response:
        """Return the response to a refusal, in the form that the body requests.

        Only an operation with `shape_refusal` has other forms, and only for a missing
        or unknown credential; else return `response`.
        """
        operation = request.operation
        if not isinstance(operation, Operation) or operation.shape_refusal is None:
            return response
        if not isinstance(refusal, MissingAuthorization | UnknownKey):
            return response
        try:
            max_bytes = self._limits.body_bytes
            # If the operation accepts share links, the body is already read.
            if request.content is None:
                request.content = await request.body.read(max_bytes, self._memory)
        except Refusal:  # the body is too large: return the usual form
            return response
        except ClientGone:
            return _NO_RESPONSE
        content, state = request.content or b"", request.state
        return operation.shape_refusal(response, refusal, content, state)

    async def _respond_with_faults(
        self, request: context.RequestContext, operation: Served
    ) -> responses.Response:
        """Return the response of the fault that fires, else of the answer or operation.

        Add the headers of a rate limit in force. Raises Refusal (such as BadJson),
        NeedsConnection, ClientGone, WaitInterrupted.
        """
        state = request.state
        match_input = self._matchable_parts(request, operation)
        decision = state.faults.decide(match_input, state.clock.now())
        firing = request.firing = request.notes.firing = decision.firing
        respond = partial(self._respond_in_turns, request)
        if firing is not None:
            fault = cast("Fault", firing.fault.definition)
            return await fault.apply(FaultContext(request, operation, firing, respond))
        response = await respond()
        if decision.limits:
            own_headers = responses.rate_limit_headers(decision.limits[0])
            return response.with_headers(*own_headers)
        return response

    def _matchable_parts(
        self, request: context.RequestContext, operation: Served
    ) -> Request:
        """Return the parts of a request that faults can match. Raises BadJson."""
        content = request.content or b""
        sent = request.key or "", request.headers.key or ""
        keys = *sent, request.caller.key
        # Do not cache many values: in memory they take up to a hundred times the bytes
        # of their JSON, and the budget does not count them.
        value_count = sum(map(content.count, (b"[", b"{", b",")))
        is_short = (
            len(content) <= self._limits.cached_head_bytes
            and value_count < _MANY_VALUES
        )
        if value_count >= _MANY_VALUES:
            size = 0 if request.body.charge is None else request.body.charge.size
            request.body.charge_bytes(size + _VALUE_BYTES * value_count, self._memory)
        read = operation.fields
        request.match_input = Request(
            operation.names,
            keys,
            self._cached_fields(read, content) if is_short else read(content),
            operation.traits,
            content,
            is_on_new_connection(request.scope),
            partial(request_headers.head_of, request.scope),
        )
        return request.match_input

    def _respond_unless_gone(
        self, request: context.RequestContext
    ) -> responses.Response:
        """Return the response of `_respond`.

        Raises ClientGone.
        """
        check_connected(request.scope)
        return self._respond(request)

    async def _respond_in_turns(
        self,
        request: context.RequestContext,
        distortion: Distortion | None = None,
        state_copy: State | None = None,
    ) -> responses.Response:
        """Return the response of `_respond`, after the delay of an answer.

        A long request is compared with the answers in a turn of its own. Raises
        Refusal, ClientGone, WaitInterrupted.
        """
        is_long = len(request.content or b"") > _FREE_BYTES
        if is_long or request.state.faults.count > _FEW_MATCHES:
            # The faults were compared before; the operation reads the body after.
            await let_others_run()
            operation = self._admission.admit_again(request)
            self._match_answers(request, operation, request.state)
            await let_others_run()
        respond = partial(self._respond, request, distortion, state_copy)
        response = await once_ready(respond, request.sandbox.name)
        await apply_answer_delay(request)
        return response

    def _respond(
        self,
        request: context.RequestContext,
        distortion: Distortion | None = None,
        state_copy: State | None = None,
    ) -> responses.Response:
        """Run the operation on the request's state, or on `state_copy`.

        If a scripted answer fires, its response replaces that of the operation. Raises
        Refusal, NotReady.
        """
        operation = self._admission.admit_again(request)
        content = request.content or b""
        state = request.state if state_copy is None else state_copy
        call = Call.for_caller(state, request.caller, request.results)
        is_plain = not (state.faults.active or operation.is_scripted)
        if is_plain and request.answer is None:  # it may have been the last one
            return operation.respond(call, content, distortion)
        match_input = self._match_answers(request, operation, state)
        if operation.is_scripted:
            call = replace(call, request=match_input)
        if request.answer is not None:
            request.notes.answered_name = operation.name
            answer = cast("BaseAnswer", request.answer.fault.definition)
            answer_parts = call, content, match_input, request.answer
            answered_request = AnsweredRequest(operation, *answer_parts)
            is_delayed = bool(answer.answer_delay_ms or request.firing)
            if is_delayed:  # refuse for lack of memory before the answer changes data
                size = request.answer.fault.charge.size
                self._memory.check_room(size, "path")
            response = answer.respond(answered_request, distortion)
            if is_delayed:
                request.charge = self._charge(response)
        elif isinstance(operation, AnsweredPath) or self._is_switched_off(
            request, operation
        ):
            request.operation = request.notes.answered_name = None
            path, method = request.scope["path"], request.scope["method"]
            raise self._operations.unknown_route(path, method, state.choices)
        else:
            response = operation.respond(call, content, distortion)
        if isinstance(response, EventStream):
            request.charge = self._charge(response)
            connection = connection_of(request.scope)
            return response.with_connection(connection, partial(context.pause, request))
        return response

    def _match_answers(
        self, request: context.RequestContext, operation: Served, state: State
    ) -> Request:
        """Set the answer that fires on a request, once for all; return what it matches.

        Raises BadJson.
        """
        match_input = request.match_input or self._matchable_parts(request, operation)
        if not request.has_matched_answers:
            request.answer = state.faults.answer(match_input, state.clock.now())
            request.has_matched_answers = True
        return match_input

    def _charge(self, response: responses.Response) -> MemoryCharge:
        """Charge the memory of a response. This is never refused."""
        charge = self._memory.charge("requests")
        charge.add_unchecked(response.size)
        return charge

    def _is_switched_off(
        self, request: context.RequestContext, operation: Operation
    ) -> bool:
        """Return whether only scripted answers respond here, not the operation.

        This is so if choices, or the version, switch the operation off at this path.
        """
        path, choices = request.scope["path"], request.state.choices
        return request.is_outside_spec and not is_served(operation, path, choices)


async def _check_large_body(request: context.RequestContext, content: bytes) -> None:
    """Raise BadJson for too many values or levels.

    Such a body is not decoded, because decoding would delay all other requests. If it
    is very large, the journal keeps only its beginning, and finds no violations.
    """
    try:
        for _ in counting_steps(content):
            await let_others_run()
    except BadJson:
        if len(content) > DEFAULT_LIMITS.body_bytes:
            request.content = None
        raise
