"""What is known of one request on its way to a response: data, and nothing else.

What applications tell one another stands in the scope, which all of them share; the
request log, which stands around the others, reads it in the end.
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
"""The key under which the notes stand in a scope."""


class ScopeNotes(Struct, eq=False, gc=False):
    """What is known of a request.

    `headers` are what its headers say, `bound_to` is the sandbox that its address
    names, `answered` what an answer takes the place of, by name, `firing` what
    spoils its response, `place` its journal entry once a response has been found: by
    sandbox, generation and number (0 where there is none). `refused_preflight` says why
    a page may not send what this request asks about.
    """

    headers: ParsedHeaders
    bound_to: str | None = None
    answered: str | None = None
    firing: Firing | None = None
    place: tuple[str, int, int] | None = None
    refused_preflight: Refusal | None = None


def notes_of(scope: Scope) -> ScopeNotes:
    """The notes of a request; they begin with what its headers say."""
    notes: ScopeNotes | None = scope.get(NOTES)
    if notes is None:
        notes = scope[NOTES] = ScopeNotes(parse_headers(scope["headers"]))
    return notes


class RequestContext(Struct):
    """A request, and what has been found out about it so far.

    `started` is in seconds, by a clock that never jumps. `sandbox` is that of a bound
    address, else the one that the key leads to, else the default one; `state` is what
    that was in when the request was admitted. `operation` and `caller` are known once
    it is admitted (`unidentified` says why nobody is, unless the fields name a share
    link), `content` once its body has come, `firing` if a fault fires, and
    `answer` if an answer does; both have matched what is `seen` of it. Which
    answer that is, if any, has been found out once it `has_decided`.
    `holding` is what a response is charged to that waits, or is sent for long.
    `unread` is what had arrived of a body that was not read as a whole, and whether
    that is all of it. `is_beyond` says that its path is none of the spec's operations.
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
    """Hold a request up in real time, whatever its sandbox's clock says.

    Its body has come. Raises ClientGone if the client goes first, Interrupted after a
    reset.
    """
    loop = asyncio.get_running_loop()
    over: asyncio.Future[type[Exception] | None] = loop.create_future()

    def end(reason: type[Exception] | None) -> None:
        if not over.done():
            over.set_result(reason)

    timer = loop.call_later(ms / 1000, end, None)
    gone = asyncio.create_task(request.body.gone())
    gone.add_done_callback(lambda _: end(ClientGone))
    # Tests reset sandboxes from the thread that they run in.
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
