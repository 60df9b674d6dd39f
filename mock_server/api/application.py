"""The service as one ASGI application: the story of a request, in order."""

from asyncio import sleep
from collections.abc import Callable
from functools import lru_cache, partial
from time import perf_counter
from typing import cast

from msgspec.structs import replace
from starlette.types import Receive, Scope, Send

from mock_server.api import context
from mock_server.api import headers as request_headers
from mock_server.api import response as responses
from mock_server.api.bound import bound_sandbox
from mock_server.api.connection import connection_of, is_on_new_connection
from mock_server.api.errors import MissingAuthorization, UnknownKey
from mock_server.api.event_stream import EventStream
from mock_server.api.faults.answering import Answering, Sent
from mock_server.api.faults.fault import Fault, FaultContext, hold_up
from mock_server.api.journaling import Journaling
from mock_server.api.middleware import internal_error
from mock_server.api.operations import shares
from mock_server.api.operations.answered_path import (
    AnsweredPath,
    Served,
    answered_at,
)
from mock_server.api.operations.operation import Distort, Operation
from mock_server.api.operations.routing import Operations, is_served
from mock_server.api.operations.shares import TAKES_KEYS, VISITED
from mock_server.api.redaction import ESCAPED_KEY_BYTES, Secrets
from mock_server.api.request import ClientGone, Interrupted, RequestBody
from mock_server.api.slices import once_ready
from mock_server.domain.access import ISSUED_KEY_PREFIX, NOBODY, Caller
from mock_server.domain.call import Call
from mock_server.domain.choices.reading import remedies, served_with
from mock_server.domain.errors import Refusal
from mock_server.domain.faults.firing import Request
from mock_server.domain.limits import Published
from mock_server.domain.memory import Holding
from mock_server.domain.messages import quoted
from mock_server.domain.objects.pending import NotReady
from mock_server.domain.sandboxes.registry import Sandboxes, SandboxNotFound
from mock_server.domain.sandboxes.sandbox import Sandbox
from mock_server.domain.sandboxes.state import State
from mock_server.domain.versions import facts_of

_NO_RESPONSE = responses.NoResponse()
_FEW = 16
"""Values of a body from which on its parsed form is not kept."""


class PublicApi:
    """Responds to every request outside `/__admin`, and journals it."""

    def __init__(
        self, sandboxes: Sandboxes, operations: Operations, secrets: Secrets
    ) -> None:
        """`secrets` are what no journal may show, beside keys."""
        self._sandboxes = sandboxes
        self._operations = operations
        self._limits, self._memory = sandboxes.limits, sandboxes.memory
        self._journal = Journaling(operations, secrets, self._limits)
        self._kept_unread = self._limits.journal_body_bytes + ESCAPED_KEY_BYTES
        known = lru_cache(self._limits.cached_heads)
        # With two faults in force this saves 3 µs of what a list takes.
        self._fields_lately = known(lambda read, content: read(content))
        self._headers = known(responses.headers_with_marks)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The story of a request, from its headers to the last byte of its response."""
        notes: context.ScopeNotes = scope[context.NOTES]
        try:
            head, refusal = notes.headers, None
            sandbox = self._sandbox_of(notes)
            arrived = not head.has_body and scope["http_version"][0] == "1"
            body = RequestBody(scope, receive, head.length, arrived)
            # Whatever happens meanwhile, one request sees one state.
            request = context.RequestContext(
                scope, notes, head, body, perf_counter(), sandbox, sandbox.state
            )
            try:
                operation = self._admit(request)
                most = self._limits.body_bytes
                if operation.gather is None:
                    request.content = await body.read(most, self._memory)
                else:
                    if operation.most_bytes is not None:
                        most = operation.most_bytes(self._limits)
                    request.content = await operation.gather(body, most, self._memory)
                if operation.access in VISITED:
                    operation = self._visit(request, operation)
                if body.holding is not None:  # it is not small
                    await sleep(0)  # to receive it takes long, and to read it
                if request.sandbox.state is not request.state:
                    operation = self._readmit(request)
                state = request.state
                if state.faults.active or operation.is_scripted:
                    response = await self._respond_amid_faults(request, operation)
                else:
                    call = Call(state, request.caller, state.store)
                    try:
                        response = operation.respond(call, request.content)
                    except NotReady:
                        response = await once_ready(partial(self._respond, request))
            except Refusal as error:
                # With its traceback it would keep this frame, and the body, in memory.
                refusal = error.with_traceback(None)
                response = responses.error_response(error, request.state.choices)
            except ClientGone:
                response = _NO_RESPONSE
            except Interrupted:
                response = responses.interrupted(scope)
            if request.content is None:
                request.unread = await body.beginning(self._kept_unread)
            mark, generation = request.sandbox.name, request.state.generation
            headers: responses.Headers = ()
            if response.status:  # none where there is no response
                length = len(response.body) if response.is_framed else None
                kind = response.content_type
                own = response.headers
                with_marks: Callable[..., responses.Headers] = self._headers
                if request.answer is not None:  # its headers may be large, and new
                    with_marks = responses.headers_with_marks
                headers = with_marks(length, kind, mark, generation, own)
            if body.holding is not None:
                await sleep(0)  # what is wrong with it takes as long again to find
            # Before it is sent: a client that has its response finds it in the journal.
            time = request.state.clock.now()
            number = self._journal.enter(request, response, headers, refusal, time)
            notes.place = mark, generation, number
            await response.send(headers, body, send)
        except SandboxNotFound as error:
            # In no journal: it is none of the other sandboxes' business.
            response = responses.error_response(error, self._sandboxes.default.choices)
            body = RequestBody.of(scope, receive, notes.headers)
            await responses.send_response(response, body, send)
        except Exception as error:
            # A defect of ours. It is told to the client unless a response has begun.
            response = internal_error(error)
            if notes.place is None:
                body = RequestBody.of(scope, receive, notes.headers)
                await responses.send_response(response, body, send)

    def _admit(self, request: context.RequestContext) -> Served:
        """The checks before the body, in their order. Raises Refusal."""
        scope, key = request.scope, request.headers.key
        operation: Served | None = self._operations.by_path.get(scope["path"])
        if operation is None or scope["method"] != operation.method:
            operation = self._other(request, operation)
        request.operation = operation
        request.unidentified = None
        try:
            if key is not None and operation.access in TAKES_KEYS:
                request.caller = authorize(key, request.state, request.notes.bound_to)
            else:
                request.caller = identify(request, operation)
        except (MissingAuthorization, UnknownKey) as refusal:
            if operation.access != "visitor":
                raise
            request.unidentified = refusal.with_traceback(None)
            request.caller = NOBODY
        if not request.headers.is_json:
            choices = request.state.choices
            try:
                operation.check_content_type(scope["method"], scope["headers"], choices)
            except Refusal as refusal:
                raise request.unidentified or refusal from None
        return operation

    def _visit(self, request: context.RequestContext, operation: Served) -> Served:
        """The operation for who names a share link, which leads to its sandbox.

        Whatever key is sent then. Raises MissingAuthorization, UnknownKey if neither
        counts, and RouteNotFound.
        """
        content, scope = request.content or b"", request.scope
        refusal, bound_to = request.unidentified, request.notes.bound_to
        if refusal is None and not shares.may_name(content):
            return operation
        sandbox, link = request.sandbox, shares.issued_in(content)
        if link:
            self._follow(request, self._sandboxes.of_key(link))
        state = request.state
        if request.sandbox is not sandbox:
            path, method = scope["path"], scope["method"]
            operation = self._operations.at(path, method, state.choices)
            # A key of another sandbox does not count in this one.
            refusal = refusal or request_headers.missing_authorization(())
        request.operation = operation
        is_nested = facts_of(state.choices.version).shares_are_nested
        named = shares.named_in(content, is_nested)
        if named is not None:
            ids = named.out_link_uid, named.share_id
            request.caller = state.visitor(*ids, is_bound=bound_to is not None)
        elif refusal is not None and operation.access == "visitor":
            raise shares.in_other_form(content, is_nested) or refusal
        return operation

    def _other(
        self, request: context.RequestContext, operation: Served | None
    ) -> Served:
        """What serves a request that is no plain one of the spec. Raises Refusal.

        `operation` is the spec's at its path.
        """
        scope, refusal = request.scope, request.notes.refused_preflight
        if refusal is not None:
            raise refusal
        request.operation = operation = operation or self._beyond(request)
        if operation.access == "login" and request.headers.key is not None:
            # A key means nothing here, so neither does it say which sandbox is meant.
            operation = self._led_by_login(request)
        if scope["method"] != operation.method:
            choices = request.state.choices
            operation.check_method(scope["method"], choices, scope["headers"])
        return operation

    def _beyond(self, request: context.RequestContext) -> Served:
        """Return what a path serves that the spec lacks: answers, or a related route.

        An operation that is not served has answers yet. Raises MethodNotAllowed, and
        RouteNotFound with what may have been meant.
        """
        scope, state = request.scope, request.state
        path, method, notes = scope["path"], scope["method"], request.notes
        request.is_beyond = True
        notes.answered = None  # perhaps that of a state that has been replaced
        meant = self._operations.meant_by(path)
        if meant is not None and meant.access == "address":
            self._follow(request, self._sandboxes.of_token(path.rpartition("/")[2]))
            state = request.state
        if meant is None:
            found = answered_at(method, path, state.faults.routes)
            if found is not None:
                notes.answered = found.name
                return found
        elif state.faults.active and not state.faults.answered.keys().isdisjoint(
            meant.names
        ):
            return meant
        return self._operations.at(path, method, state.choices)

    def _led_by_login(self, request: context.RequestContext) -> Operation:
        """The operation in the sandbox to which the login leads. Raises RouteNotFound.

        A request that is admitted again has its login looked at again. A bound address
        leads to its sandbox whatever the login.
        """
        token = request.headers.login or ""
        self._follow(request, self._sandboxes.of_login(token))
        path, method = request.scope["path"], request.scope["method"]
        request.operation = self._operations.at(path, method, request.state.choices)
        return request.operation

    def _follow(self, request: context.RequestContext, found: Sandbox | None) -> None:
        """Go to the sandbox that a token leads to, else to the default one."""
        if request.notes.bound_to is None:
            request.sandbox = found or self._sandboxes.default
            request.state = request.sandbox.state
            request.operation = None

    def _readmit(self, request: context.RequestContext) -> Served:
        """Admit a request again if its state was replaced while it was under way.

        A reset may have come while the body arrived, or while a fault delayed the
        response, which is to be of one moment. Raises Refusal.
        """
        if request.sandbox.state is not request.state or request.operation is None:
            # The sandbox may be gone too, and what the key led to with it.
            request.sandbox = self._sandbox_of(request.notes)
            request.state, request.operation = request.sandbox.state, None
            request.answer, request.seen, request.has_decided = None, None, False
            operation = self._admit(request)
            if operation.access in VISITED and request.content is not None:
                operation = self._visit(request, operation)
            return operation
        return request.operation

    async def _respond_amid_faults(
        self, request: context.RequestContext, operation: Served
    ) -> responses.Response:
        """The response of the fault that fires, else of an answer or the operation.

        That says where the first rate limit stands. Raises BadJson, for faults look
        into bodies.
        """
        state = request.state
        seen = self._seen(request, operation)
        decision = state.faults.decide(seen, state.clock.now())
        firing = request.firing = request.notes.firing = decision.firing
        respond = partial(self._respond, request)
        if firing is not None:
            fault = cast("Fault", firing.fault.definition)
            return await fault.apply(FaultContext(request, operation, firing, respond))
        if len(seen.content) > Published.free_body_bytes:
            await sleep(0)  # it is to be read once more
        response = await once_ready(respond)
        await hold_up(request)
        if decision.limits:
            own = responses.rate_limit_headers(decision.limits[0])
            return response.with_headers(*own)
        return response

    def _seen(self, request: context.RequestContext, operation: Served) -> Request:
        """What faults and answers may match of a request. Raises BadJson."""
        content = request.content or b""
        keys = (request.headers.key or "", request.caller.key)
        # Parsed values take up to a hundred times the bytes of their JSON, uncharged.
        values = sum(map(content.count, (b"[", b"{", b",")))
        is_short = len(content) <= self._limits.cached_head_bytes and values < _FEW
        read = operation.fields
        request.seen = Request(
            operation.names,
            keys,
            self._fields_lately(read, content) if is_short else read(content),
            operation.traits,
            content,
            is_on_new_connection(request.scope),
            partial(request_headers.head_of, request.scope),
        )
        return request.seen

    def _respond(
        self,
        request: context.RequestContext,
        distort: Distort | None = None,
        copy: State | None = None,
    ) -> responses.Response:
        """Carry an operation out, under the state that there is by now, or a copy.

        An answer that fires does in its place. Raises Refusal, NotReady.
        """
        operation, content = self._readmit(request), request.content or b""
        state = request.state if copy is None else copy
        call = Call.of(state, request.caller)
        if not (state.faults.active or operation.is_scripted):
            return operation.respond(call, content, distort)
        seen = request.seen or self._seen(request, operation)
        if operation.is_scripted:
            call = replace(call, sent=seen)
        if not request.has_decided:
            request.answer = state.faults.answer(seen, state.clock.now())
            request.has_decided = True
        if request.answer is not None:
            request.notes.answered = operation.name
            answer = cast("Answering", request.answer.fault.definition)
            sent = Sent(operation, call, content, seen, request.answer)
            waits = bool(answer.held_up_ms or request.firing)
            if waits:  # before it may write
                size = request.answer.fault.holding.size
                self._memory.check_room(size, "path")
            response = answer.respond(sent, distort)
            if waits:
                request.holding = self._charged(response)
        elif isinstance(operation, AnsweredPath) or self._is_off(request, operation):
            request.operation = request.notes.answered = None
            path, method = request.scope["path"], request.scope["method"]
            raise self._operations.unknown_route(path, method, state.choices)
        else:
            response = operation.respond(call, content, distort)
        if isinstance(response, EventStream):
            request.holding = self._charged(response)
            connection = connection_of(request.scope)
            return response.on(connection, partial(context.pause, request))
        return response

    def _charged(self, response: responses.Response) -> Holding:
        """Charge a response, for which there was room before it was made."""
        holding = self._memory.hold("requests")
        holding.grow(response.size)
        return holding

    def _is_off(self, request: context.RequestContext, operation: Operation) -> bool:
        """Whether an operation is there for the sake of its answers alone."""
        path, choices = request.scope["path"], request.state.choices
        return request.is_beyond and not is_served(operation, path, choices)

    def _sandbox_of(self, notes: context.ScopeNotes) -> Sandbox:
        """The sandbox of a bound address, or that a key leads to, or else a login.

        Else it is the default one: that a key leads nowhere is found out when it is
        authorized. Raises SandboxNotFound.
        """
        head, found = notes.headers, None
        if notes.bound_to is not None:
            return bound_sandbox(notes.bound_to, self._sandboxes)
        if head.key:
            found = self._sandboxes.of_key(head.key)
        elif head.login:
            found = self._sandboxes.of_login(head.login)
        return found or self._sandboxes.default


def authorize(key: str, state: State, bound_to: str | None = None) -> Caller:
    """The holder of a key (spec 5), in the state of the sandbox that it leads to.

    A fixture that declares no keys takes any key as an owner's (choice unknown_key),
    but none that looks as if a sandbox had issued it. At an address that is `bound_to`
    a sandbox, where keys lead nowhere else, declared ones count beside those that are
    issued for them. Raises UnknownKey.
    """
    caller = state.callers.get(key)
    if caller is None and (bound_to is not None or key.startswith(ISSUED_KEY_PREFIX)):
        caller = _known(key, state, bound_to)
    if caller is not None:
        return caller
    declared = state.callers if bound_to is None else state.store.generation.keys
    if declared or state.choices.unknown_key == "reject":
        expected, got = "a key that the fixture declares", "an unknown one"
        # While some are declared, no choice makes others count.
        values = () if declared else remedies(state.choices, "unknown_key")
        hint = served_with(*values)
        raise UnknownKey(expected, got, request_headers.AUTHORIZATION, hint)
    return Caller(key)


def _known(key: str, state: State, bound_to: str | None) -> Caller | None:
    """The holder of a key that is declared, issued or created.

    Raises UnknownKey for one that a sandbox has issued, but not this one: nobody is
    served by another.
    """
    caller = state.callers.get(key)
    if caller is None and key.startswith(ISSUED_KEY_PREFIX):
        caller = state.holder_of(key)
        if caller is not None:
            return caller
        expected, got = "a key of a sandbox", "one that leads to none"
        if bound_to is not None:
            name = quoted(bound_to)
            expected = f"a key of sandbox {name}, to which the address is bound"
            got = "one that it has not issued"
        raise UnknownKey(expected, got, request_headers.AUTHORIZATION)
    if caller is None and bound_to is not None:
        return state.store.generation.keys.get(key)
    return caller


def identify(request: context.RequestContext, operation: Served) -> Caller:
    """Who sends a request without a key that could be used, or one that needs none.

    In the service's order: a key where one counts, else a login, which the spec's
    operations take by choice (credentials). Raises MissingAuthorization and UnknownKey.
    """
    access, choices = operation.access, request.state.choices
    headers, state, key = request.scope["headers"], request.state, request.headers.key
    bound_to = request.notes.bound_to
    if access == "guest" and key is not None:
        return _known(key, state, bound_to) or NOBODY
    keys = request_headers.values(headers, b"authorization")
    token, known = request.headers.login, state.login_of(request.headers.login or "")
    takes_logins = bool(operation.related) or choices.credentials != "bearer"
    values = remedies(choices, "credentials") if known and not takes_logins else ()
    if access in TAKES_KEYS and (keys or not (token and takes_logins)):
        if not keys:
            raise request_headers.missing_authorization(keys, *values)
        # Without one that could be read, the refusal says what is wrong.
        return authorize(request_headers.bearer_token(headers), state, bound_to)
    caller = known if takes_logins else None
    if caller is None and access in ("caller", "login", "visitor"):
        expected = "a login token, in header `token` or cookie `fastgpt_token`"
        got = "one that no login has given" if token else "nothing"
        if known:
            got = "one that does not count"
        raise MissingAuthorization(expected, got, "headers", served_with(*values))
    return caller or NOBODY
