"""The whole state of a sandbox: reset, read as a document, replaced by one."""

from __future__ import annotations

import asyncio
from functools import partial
from itertools import islice

from mock_server.admin.framework import AdminRoute, Call, Input
from mock_server.admin.loads import Document
from mock_server.admin.sending import LongResponse
from mock_server.api.errors import BadFixture, ServerBusy
from mock_server.api.headers import media_type, values
from mock_server.api.response import Response
from mock_server.domain.errors import LimitReached, SandboxNotFound
from mock_server.domain.limits import LIMITS
from mock_server.fixture.document import Document as Fixture
from mock_server.fixture.dump import to_json, to_yaml
from mock_server.views import ResetView

_FREED_AT_ONCE = 10_000
JSON, YAML = "application/json", "application/yaml"


class Nothing(Input):
    """An empty object; an empty body counts as one."""


def reset(call: Call) -> ResetView:
    """`POST reset`."""
    call.sandbox.reset()
    return reset_view(call)


def reset_view(call: Call) -> ResetView:
    """The answer of everything that makes a new generation."""
    return ResetView(call.sandbox.name, call.sandbox.state.generation)


def get_state(call: Call) -> Response | LongResponse:
    """`GET state`: a document that loads to what there is now."""
    state = call.sandbox.state
    frozen_at = state.clock.now() if state.clock.is_frozen else None
    accepted = b",".join(values(call.scope["headers"], b"accept"))
    is_yaml = YAML.encode() in accepted
    content_type = (YAML if is_yaml else JSON).encode()
    # Others change the original while a large document is on its way.
    write = to_yaml if is_yaml else to_json
    parts = partial(write, state.store.copy("streams"), frozen_at)
    begin = list(islice(parts(), 2))
    if len(begin) == 1:
        return Response(200, begin[0], content_type=content_type)
    call.sendings.check_room()
    return LongResponse(parts, content_type, call.sendings)


async def put_state(call: Call) -> ResetView:
    """`PUT state`: another baseline; what cannot be loaded changes nothing."""
    sandbox = call.sandbox
    is_json = media_type(call.scope["headers"]) != YAML
    content = call.content.strip() or b"{}"
    order = sandbox.start_choices.list_order
    document = Document(content, is_json, order, call.gone)
    baseline = await call.loads.load(document, has_place=call.has_place)
    if call.sandboxes.get(sandbox.name) is not sandbox:
        expected = "the sandbox that there was"
        raise SandboxNotFound(expected, "another one of its name", "path")
    old = list(sandbox.baseline.records(_FREED_AT_ONCE))
    sandbox.put_baseline(baseline)
    done = ResetView(sandbox.name, sandbox.state.generation)
    while old:  # to let go of a million records takes long: others go between
        del old[-1]
        await asyncio.sleep(0)
    return done


ROUTES = (
    AdminRoute(
        "POST",
        "/reset",
        reset,
        ResetView,
        "Back to the baseline; journal and faults are emptied, snapshots stay",
        body=Nothing,
    ),
    AdminRoute(
        "GET",
        "/state",
        get_state,
        Fixture,
        "The state as a fixture document",
        errors=(LimitReached,),
        gives=(JSON, YAML),
    ),
    AdminRoute(
        "PUT",
        "/state",
        put_state,
        ResetView,
        "Replace the baseline by a fixture document, and reset",
        raw_body=Fixture,
        errors=(BadFixture, LimitReached, ServerBusy),
        loads=True,
        max_bytes=LIMITS.fixture_bytes,
        takes=(JSON, YAML),
    ),
)
