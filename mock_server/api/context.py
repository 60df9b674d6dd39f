"""Data about one request on its way to a response.

Applications exchange it in the scope, which all of them share; the request log around
the others reads it last.
"""

import asyncio
from functools import partial

from msgspec import Struct
from starlette.types import Scope

from mock_server.api.headers import ParsedHeaders, parse_headers
from mock_server.api.operations.answered_path import Served
from mock_server.api.request import ClientGone, Interrupted, RequestBody
from mock_server.domain.access import NOBODY, Caller
from mock_server.domain.errors import Refusal
from mock_server.domain.faults.firing import Firing, Request
from mock_server.domain.memory import Holding
from mock_server.domain.sandboxes.sandbox import Sandbox
from mock_server.domain.sandboxes.state import State

NOTES = "mock_server"
"""Key of the notes in a scope."""


class ScopeNotes(Struct, eq=False, gc=False):
    """Notes on one request.

    `headers` are the parsed headers, `bound_to` is the sandbox of a bound address,
    `answered` the name that answers replace, `firing` the fault that fires, `place` its
    journal entry once it has a response: sandbox, generation and number (0 without an
    entry). `refused_preflight` says why a page may not send the request.
    """

    headers: ParsedHeaders
    bound_to: str | None = None
    answered: str | None = None
    firing: Firing | None = None
    place: tuple[str, int, int] | None = None
    refused_preflight: Refusal | None = None


def notes_of(scope: Scope) -> ScopeNotes:
    """Return the notes of a request, new ones with its parsed headers."""
    notes: ScopeNotes | None = scope.get(NOTES)
    if notes is None:
        notes = scope[NOTES] = ScopeNotes(parse_headers(scope["headers"]))
    return notes


class RequestContext(Struct):
    """A request, and what is known of it so far.

    `started` is in seconds of a monotonic clock. `sandbox` is that of a bound address,
    else of the key, else the default one; `state` is its state when the request was
    admitted. `operation` and `caller` are set on admission (`unidentified` says why
    there is no caller yet, unless a share link names one), `content` when the body has
    come, `firing` if a fault fires, `answer` if an answer fires; both have matched
    `seen`. `has_decided` is True once answers were matched. `holding` charges a
    response that waits, or is sent for long. `unread` is the start of a body that was
    not read, and whether it is complete. `is_beyond` is True if the path is not an
    operation's.
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
    seen: Request | None = None
    has_decided: bool = False
    unread: tuple[bytes, bool] | None = None
    is_beyond: bool = False
    holding: Holding | None = None


async def pause(request: RequestContext, ms: float) -> None:
    """Delay a request in real time, not on its sandbox's clock.

    Its body has come. Raises ClientGone if the client disconnects first, Interrupted
    after a reset.
    """
    loop = asyncio.get_running_loop()
    over: asyncio.Future[type[Exception] | None] = loop.create_future()

    def end(reason: type[Exception] | None) -> None:
        if not over.done():
            over.set_result(reason)

    timer = loop.call_later(ms / 1000, end, None)
    gone = asyncio.create_task(request.body.gone())
    gone.add_done_callback(lambda _: end(ClientGone))
    # Tests reset sandboxes from their own thread.
    cancel = partial(loop.call_soon_threadsafe, end, Interrupted)
    state, sandbox = request.state, request.sandbox
    state.waits.add(cancel)
    if sandbox.state.generation != state.generation:
        cancel()  # the reset came before there was anything to cancel
    try:
        reason = await over
        if reason is not None:
            raise reason
    finally:
        state.waits.discard(cancel)
        timer.cancel()
        gone.cancel()
