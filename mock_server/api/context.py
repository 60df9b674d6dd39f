"""Data about one request, from its arrival to its response.

The applications of the server share the notes on a request in its ASGI scope; the
request log reads the notes last.
"""

import asyncio
from collections.abc import Hashable
from contextlib import suppress
from typing import Any

from msgspec import Struct
from starlette.types import Scope

from mock_server.api.headers import ParsedHeaders, parse_headers
from mock_server.api.operations.answered_path import Served
from mock_server.api.request import ClientGone, RequestBody, WaitInterrupted
from mock_server.domain.access import NOBODY, Caller, bare_key
from mock_server.domain.errors import Refusal
from mock_server.domain.faults.firing import Firing, Request
from mock_server.domain.memory import MemoryCharge
from mock_server.domain.objects.pending import Pending
from mock_server.domain.sandboxes.sandbox import Sandbox
from mock_server.domain.sandboxes.state import State

NOTES = "mock_server"
"""Key of the notes in a scope."""


class ScopeNotes(Struct, eq=False, gc=False):
    """Notes on one request.

    `headers` are the parsed headers, `bound_to` names the sandbox of a bound address.
    `answered_name` is that of the operation or route whose response an answer replaces,
    `firing` the firing of a fault. `entry_place` is the journal entry of the request
    once it has a response: sandbox, generation and number (0 without an entry).
    `refused_preflight` is the refusal of a preflight whose origin is not allowed,
    `hint` says what may be wrong, though the response is right.
    """

    headers: ParsedHeaders
    bound_to: str | None = None
    answered_name: str | None = None
    firing: Firing | None = None
    entry_place: tuple[str, int, int] | None = None
    refused_preflight: Refusal | None = None
    hint: str | None = None


def notes_of(scope: Scope) -> ScopeNotes:
    """Return the notes of a request; create them from its headers if necessary."""
    notes: ScopeNotes | None = scope.get(NOTES)
    if notes is None:
        notes = scope[NOTES] = ScopeNotes(parse_headers(scope["headers"]))
    return notes


class RequestContext(Struct):
    """A request, and the facts about it that are known so far.

    `start_seconds` is the time of arrival, in seconds of a monotonic clock. `sandbox`
    is selected by a bound address, key, login token or share link; `state` is its state
    when the request was admitted. Admission sets `operation` and `caller`;
    `credential_refusal` is the refusal of a request that only a share link can
    identify. `content` is the body once it has arrived. `firing` is set if a fault
    fires, `answer` if an answer fires; `match_input` are the parts of the request that
    both match. `has_matched_answers` is True once answers were matched. `charge` is for
    the memory of a response that is delayed or sent slowly. `results` are those of
    `Call.compute`. `unread_beginning` is the start of a body that was not read, and
    whether it is complete. `former_secrets` are the keys to redact of states that were
    replaced during the request. `is_outside_spec` is True if the spec has no operation
    at the path.
    """

    scope: Scope
    notes: ScopeNotes
    headers: ParsedHeaders
    body: RequestBody
    start_seconds: float
    sandbox: Sandbox
    state: State
    operation: Served | None = None
    caller: Caller = NOBODY
    credential_refusal: Refusal | None = None
    content: bytes | None = None
    firing: Firing | None = None
    answer: Firing | None = None
    match_input: Request | None = None
    has_matched_answers: bool = False
    unread_beginning: tuple[bytes, bool] | None = None
    former_secrets: tuple[bytes, ...] = ()
    is_outside_spec: bool = False
    charge: MemoryCharge | None = None
    results: dict[Hashable, Pending[Any]] = {}

    @property
    def key(self) -> str | None:
        """The API key that was sent, without the app id that followed it."""
        key = self.headers.key
        return bare_key(key) if key and self.caller.named_app else key

    @property
    def has_begun_change(self) -> bool:
        """True if the operation has begun to change data, in steps."""
        return any(each.is_change for each in self.results.values())


async def pause(request: RequestContext, ms: float) -> None:
    """Delay a request by `ms` milliseconds of real time, not of its sandbox's clock.

    The body must have arrived. Raises ClientGone if the client disconnects first,
    WaitInterrupted after a reset.
    """
    loop = asyncio.get_running_loop()
    end_reason: asyncio.Future[type[Exception] | None] = loop.create_future()

    def set_reason(reason: type[Exception] | None) -> None:
        if not end_reason.done():
            end_reason.set_result(reason)

    timer = loop.call_later(ms / 1000, set_reason, None)
    disconnect_task = asyncio.create_task(request.body.wait_for_disconnect())
    disconnect_task.add_done_callback(lambda _: set_reason(ClientGone))

    def interrupt() -> None:
        # Tests reset sandboxes from their own thread, or after the loop was closed.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(set_reason, WaitInterrupted)

    state, sandbox = request.state, request.sandbox
    state.waits.add(interrupt)
    if sandbox.state.generation != state.generation:
        interrupt()  # the reset came before this wait was in `state.waits`
    try:
        reason = await end_reason
        if reason is not None:
            raise reason
    finally:
        sandbox.end_wait(state, interrupt)
        timer.cancel()
        disconnect_task.cancel()
