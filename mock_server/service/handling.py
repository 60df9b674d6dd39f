"""The work on one request: its outcome, how that is committed and delivered, and faults."""

import asyncio
import logging
from asyncio import FIRST_COMPLETED
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from msgspec.structs import replace
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from mock_server import errors
from mock_server.choices import Choices
from mock_server.errors import Refusal
from mock_server.http.connection import (
    TRANSPORT,
    BrokenResponse,
    Connection,
    wait_for_disconnect,
    watch_client,
)
from mock_server.http.request import MAX_BODY, check_body_size
from mock_server.http.responses import error_response
from mock_server.journal import Violation
from mock_server.rules.handlers import Failures, error_in_words, harmless_error, raise_if_cancelled
from mock_server.rules.response_rules import AnswerRule, run_handler
from mock_server.rules.rule import ActiveRule, Candidate, HandlerNotRun, Pick, Rule
from mock_server.service.accepting_choices import accepting_choices
from mock_server.service.call import Call
from mock_server.service.operation import Operation
from mock_server.service.refusal_hints import refusal_hint
from mock_server.service.routes import Routes

log = logging.getLogger(__name__)
UNROUTED = (errors.RouteNotFound, errors.MethodNotAllowed, errors.Moved)
"""The refusals of paths and methods, for which a test may have an answer all the same."""
METHOD_MISMATCH = "method_mismatch"
"""The violation of a request whose method its operation does not have."""
FAVICON_PATH = "/favicon.ico"
"""A path that no client under test is to blame for."""


class Handling:
    """The work on one request, as the service does it and as faults change it."""

    def __init__(
        self,
        call: Call,
        routes: Routes,
        failures: Failures,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        self.call = call
        """The call as it came; its performed copies are outcomes."""
        self._routes = routes
        self._failures = failures
        self._scope = scope
        self._receive = receive
        self._send = send
        self._operation: Operation | None = None
        """The operation that the request is for, None if the service has none."""
        self._unrouted: Refusal | None = None
        """Why the service has no operation for the request, if a test may answer it."""
        self._evaluated: Call | None = None
        """The outcome that the current call of `evaluate` has found."""
        self._committed: Call | None = None
        self._ended = call.state.rules.ended.listen()
        """Done once the sandbox is reset or removed, or the server stops."""
        call.sandbox.requests_in_progress += 1

    def admit(self) -> None:
        """Find the operation and the caller, and check the request.

        Raises the refusals that no fault and no answer of a test can change.
        """
        call = self.call
        exchange = call.exchange
        try:
            self._operation = self._routes.resolve(call)
        except UNROUTED as refusal:
            # A test may have an answer for a path that the service does not have.
            if not call.state.rules.answers_path(exchange):
                exchange.operation_name = call.operation_name
                refusal.message += call.state.rules.missed_answers(exchange)
                path = exchange.request.path
                if isinstance(refusal, errors.RouteNotFound) and path != FAVICON_PATH:
                    call.note_violation(
                        "unknown_route", "", f"{path} is not served{refusal.suggestion}"
                    )
                raise
            self._unrouted = refusal
            check_body_size(exchange.request.body, MAX_BODY)
            return
        exchange.operation_name = call.operation_name
        self._operation.admit(call)
        exchange.member = call.caller.member
        exchange.violations = call.violations

    @property
    def choices(self) -> Choices:
        """The choices in force now."""
        return self.call.state.moment.choices

    @property
    def connection(self) -> Connection:
        """The client's connection. Raises NeedsConnection in process, where there is none."""
        transport = self._scope.get(TRANSPORT)
        if transport is None:
            raise errors.NeedsConnection(
                "a connection to break (call the server by its URL), got none"
            )
        return Connection(transport)

    async def evaluate(self, function: Callable[[], Any]) -> Any:
        """The result of a pure function; the handler of a rule runs first, if it depends on one.

        Nothing is awaited after the result is found, so it is still true when it is used.
        """
        while True:
            self._evaluated = None
            try:
                return function()
            except HandlerNotRun as error:
                pick, handler = error.args
            # The rule has fired by now: other requests count on while its handler runs.
            pick.count()
            # The journal notes that the client leaves only while a task listens to the client.
            pick.firing.active.held += 1
            try:
                with watch_client(self.receive):
                    fired = await run_handler(pick.firing, handler)
            finally:
                pick.firing.active.held -= 1
            self.call.handler_picks[type(fired.rule)] = Pick(firing=fired)

    def outcome(self) -> Call:
        """The outcome of the request; after `commit`, the committed one. Nothing changes.

        Raises HandlerNotRun if it depends on a handler that has not run: see `evaluate`.
        """
        if self._committed is not None:
            return self._committed
        # All faults that may fire see one outcome, which is performed once.
        if self._evaluated is None:
            self._evaluated = self._performed()
        return self._evaluated

    def _performed(self) -> Call:
        """The outcome at this moment: an answer of a test, the operation's response, a refusal."""
        call = self.call.restarted(self.call.state.moment)
        firing = call.pick_rule(AnswerRule)
        if firing is not None:
            call.response = firing.handler_response or firing.rule.response(
                firing, call.moment.clock
            )
            call.violations = self.violations(firing.rule)
            return call
        if self._unrouted is not None:
            return self.refused_outcome(self._unrouted, call)
        assert self._operation is not None  # `admit` has found it
        try:
            call.response = self._operation.perform(call)
        except Refusal as refusal:
            return self.refused_outcome(refusal, call)
        return call

    def violations(self, rule: Rule) -> list[Violation]:
        """The violations of the request, which a rule of a test does not change."""
        trial = self.call.restarted(self.call.state.moment)
        # A path, or a method of it, that the test itself answers is the test's own.
        is_own = " " in rule.operation and any(
            violation.name == METHOD_MISMATCH for violation in trial.violations
        )
        if self._operation is None or is_own:
            return []
        with suppress(HandlerNotRun, Refusal):
            self._operation.perform(trial)
        return trial.violations

    def refused_outcome(self, refusal: Refusal, call: Call) -> Call:
        """The outcome of a refusal. It may name choices that would accept it."""
        operation = self._operation
        suggestion = ""
        # No choice serves a path that no operation has. The refusal of a related route names no
        # choices, although some would accept it.
        names_choices = self._routes.has_path(call.request.path)
        if operation is not None:
            # A key with an app may have been meant as one that is bound to it.
            may_be_bound = operation.takes_bound_keys and call.caller.app_id is not None
            names_choices = operation.section is not None or may_be_bound
        if names_choices:
            suggestion = " or ".join(accepting_choices(refusal, call, self._routes))
        if suggestion:
            suggestion = f" (accepted with {suggestion})"
        return call.refused(
            self.refusal_response(refusal, call, suggestion), refusal_hint(refusal, call, operation)
        )

    def refusal_response(self, refusal: Refusal, call: Call, suggestion: str = "") -> Response:
        """The response to a refusal; if the client wants a stream, the operation may send one."""
        if not call.release.has_error_types:
            refusal.is_user_error = False
        response = error_response(refusal, call.choices, suggestion)
        if self._operation is not None and self._operation.stream_refusal:
            response = self._operation.stream_refusal(refusal, response, call)
        return response

    async def commit_outcome(self, *, stores_account: bool = True) -> Response:
        """Make the outcome real, and return its response; see `commit`."""
        return self.commit(await self.evaluate(self.outcome), stores_account=stores_account)

    def commit(self, outcome: Call, *, stores_account: bool = True) -> Response:
        """Make an outcome real, and return its response: only the first outcome counts.

        Without `stores_account`, it stays as it is, but its new ids count as given.
        """
        if self._committed is not None:
            return self._committed.response
        self._committed = outcome
        state = outcome.state
        if outcome.changes_account:
            store = outcome.store
            # No id is given twice, even if the object that had it is lost.
            if not stores_account:
                store = replace(state.moment.store, last_number=store.last_number)
            clock = replace(state.moment.clock, written_ms=outcome.time_ms)
            state.moment = replace(state.moment, store=store, clock=clock)
        if outcome.stopped_chat is not None:
            state.stop_reply(outcome.stopped_chat)
        for pick in outcome.picks:
            pick.count()
        exchange = outcome.exchange
        exchange.violations = outcome.violations
        exchange.hint = outcome.hint
        exchange.fired_rule = exchange.fired_rule or outcome.fired_rule
        return outcome.response

    async def apply_fault(self, firing: Candidate[Any]) -> Response:
        """Apply a fault. Returns the response in place of that of the outcome."""
        self.call.exchange.fired_rule = firing.as_fired_rule()
        # A fault that has evaluated the outcome commits it, with its violations.
        if self._evaluated is None:
            self.call.exchange.violations = self.violations(firing.rule)
        # The operation is performed before the fault: only its response is lost.
        if firing.rule.phase == "after":
            await self.commit_outcome()
        try:
            response: Response = await firing.rule.apply(firing, self)
            return response
        except errors.NeedsConnection as refusal:
            return error_response(refusal, self.choices)

    def failure_response(self, error: BaseException) -> Response:
        """Note that the server, or a function in it, has failed. Returns the response."""
        request = self.call.request
        self._failures.note(error)
        log.error("%s %s", request.method, request.path, exc_info=error)
        refusal = errors.ServerError(
            f"no failure of the server, got {error_in_words(error)} (its log says more)"
        )
        return error_response(refusal, Choices())

    async def pause(
        self, ms: float, holder: ActiveRule[Any] | None = None, *, for_client: bool = False
    ) -> bool:
        """Wait in real time, or until a holding rule is removed.

        It goes on if the client leaves, unless it is for the client alone. False if a reset, a
        restore or the stop of the server ends the wait.
        """
        rules = self.call.state.rules
        # The journal notes that the client leaves only while a task listens to the client.
        with watch_client(self.receive) as client_left:
            interruptions = [self._ended]
            if for_client:
                interruptions.append(client_left)
            if holder is not None:
                goes_on = await rules.hold(holder, ms / 1000, *interruptions)
            else:
                goes_on = not await rules.waits_ended.wait(ms / 1000, self._ended)
        # A state that was replaced has ended before, and does not notify again.
        return goes_on and not self._ended.done()

    async def delayed_response(self, ms: float, holder: ActiveRule[Any] | None = None) -> Response:
        """The response of the outcome after a `pause`, or none if the pause is broken off."""
        if await self.pause(ms, holder):
            return await self.commit_outcome()
        return BrokenResponse(self.connection.close)

    async def deliver(self, response: Response) -> None:
        """Send a response; if it stays incomplete, close its connection.

        In process, where there is none, raises NeedsConnection if the response has begun.
        """
        exchange = self.call.exchange
        try:
            await response(self._scope, self.receive, self._forward)
        # A handler may have returned a response of its own that raises anything.
        except BaseException as error:
            raise_if_cancelled()
            refusal = self.failure_response(harmless_error(error, "a response"))
            if not exchange.status:
                await refusal(self._scope, self.receive, self._forward)
        if exchange.has_ended:
            return
        # The server has broken off the response.
        try:
            connection = self.connection
        except errors.NeedsConnection as refusal:
            if exchange.status:
                raise
            response = error_response(refusal, self.choices)
            await response(self._scope, self.receive, self._forward)
            return
        exchange.note_end()
        connection.close()
        # uvicorn would send a 500 if this returned before the connection is lost.
        await wait_for_disconnect(self._receive)

    async def receive(self) -> Message:
        """The next message of the client; a disconnection is noted in the journal.

        A reset and the stop of the server look to the response like a disconnection.
        """
        next_message = asyncio.ensure_future(self._receive())
        try:
            ends: list[asyncio.Future[Any]] = [self._ended, next_message]
            await asyncio.wait(ends, return_when=FIRST_COMPLETED)
            if self._ended.done():
                return {"type": "http.disconnect"}
            message = await next_message
        finally:
            next_message.cancel()
        if message["type"] == "http.disconnect":
            self.call.exchange.note_end(client_left=True)
            self.call.state.journal.changed.notify()
        return message

    def end(self) -> None:
        """End the entry of the journal."""
        self.call.sandbox.end_request()
        self.call.state.rules.ended.forget(self._ended)
        self.call.state.journal.complete(self.call.exchange)

    async def _forward(self, message: Message) -> None:
        # The journal is first: a client that has the response must find it there.
        self.call.exchange.note_sent(message)
        await self._send(message)
