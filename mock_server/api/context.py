"""Data about one request, from its arrival to its response.

The applications of the server share the notes on a request in its ASGI scope; the
request log reads the notes last.
"""

import asyncio
from collections.abc import Hashable
from functools import partial
from typing import Any

from msgspec import Struct
from starlette.types import Scope

from mock_server.api.headers import ParsedHeaders, parse_headers
from mock_server.api.operations.answered_path import Served
from mock_server.api.request import ClientGone, RequestBody, WaitInterrupted
from mock_server.domain.access import NOBODY, Caller
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
    `firing` the firing of a fault. `place` is the journal entry of the request once it
    has a response: sandbox, generation and number (0 without an entry).
    `refused_preflight` is the refusal of a preflight whose origin is not allowed.
    """

    headers: ParsedHeaders
    bound_to: str | None = None
    answered_name: str | None = None
    firing: Firing | None = None
    place: tuple[str, int, int] | None = None
    refused_preflight: Refusal | None = None


def notes_of(scope: Scope) -> ScopeNotes:
    """Return the notes of a request; create them from its headers if necessary."""
    notes: ScopeNotes | None = scope.get(NOTES)
    if notes is None:
        notes = scope[NOTES] = ScopeNotes(parse_headers(scope["headers"]))
    return notes


class RequestContext(Struct):
    """A request, and the facts about it that are known so far.

    `started` is in seconds of a monotonic clock. `sandbox` is selected by a bound
    address, key, login token or share link; `state` is its state when the request was
    admitted. Admission sets `operation` and `caller`; `unidentified` is the refusal of
    a request that only a share link can identify. `content` is the body once it has
    arrived. `firing` is set if a fault fires, `answer` if an answer fires; `matchable`
    are the parts of the request that both match. `has_decided` is True once answers
    were matched. `charge` is for the memory of a response that is delayed or sent
    slowly. `results` are those of `Call.compute`. `unread` is the start of a body that
    was not read, and whether it is complete. `is_outside_spec` is True if the spec has
    no operation at the path.
    """

    scope: Scope
    notes: ScopeNotes
    headers: ParsedHeaders
    body: RequestBody
    started: float
    sandbox: Sandbox
    state: State
    operation: Served | None = None
    caller: Caller = NOBODY
    unidentified: Refusal | None = None
    content: bytes | None = None
    firing: Firing | None = None
    answer: Firing | None = None
    matchable: Request | None = None
    has_decided: bool = False
    unread: tuple[bytes, bool] | None = None
    is_outside_spec: bool = False
    charge: MemoryCharge | None = None
    results: dict[Hashable, Pending[Any]] = {}


async def pause(request: RequestContext, ms: float) -> None:
    """Delay a request by `ms` milliseconds of real time, not of its sandbox's clock.

    The body must have arrived. Raises ClientGone if the client disconnects first,
    WaitInterrupted after a reset.
    """
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[type[Exception] | None] = loop.create_future()

    def end(reason: type[Exception] | None) -> None:
        if not ended.done():
            ended.set_result(reason)

    timer = loop.call_later(ms / 1000, end, None)
    gone = asyncio.create_task(request.body.gone())
    gone.add_done_callback(lambda _: end(ClientGone))
    # Tests reset sandboxes from their own thread.
    cancel = partial(loop.call_soon_threadsafe, end, WaitInterrupted)
    state, sandbox = request.state, request.sandbox
    state.waits.add(cancel)
    if sandbox.state.generation != state.generation:
        cancel()  # the reset came before this wait was in `state.waits`
    try:
        reason = await ended
        if reason is not None:
            raise reason
    finally:
        state.waits.discard(cancel)
        timer.cancel()
        gone.cancel()
