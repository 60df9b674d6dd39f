"""The state of a sandbox: as a document, reset, replaced."""

from functools import partial
from itertools import islice

from mock_server.admin.framework import AdminRoute, Call, Input
from mock_server.admin.loading import Upload, forget, held_by
from mock_server.admin.streaming import Download
from mock_server.api.errors import BadFixture, ServerBusy
from mock_server.api.headers import media_type, values
from mock_server.api.response import Response
from mock_server.domain.errors import LimitReached, SandboxNotFound
from mock_server.domain.sandbox import Sandbox
from mock_server.fixture.document import Document
from mock_server.fixture.dump import to_json, to_yaml
from mock_server.views import (
    ResetView,
)

JSON, YAML = "application/json", "application/yaml"


class EmptyObject(Input):
    """An empty object; an empty body counts as one."""


def reset(call: Call) -> ResetView:
    """`POST reset`."""
    call.sandbox.reset()
    return reset_view(call.sandbox)


def reset_view(sandbox: Sandbox) -> ResetView:
    """The name of a sandbox and the number of its generation, to answer a reset."""
    return ResetView(sandbox.name, sandbox.state.generation)


def get_state(call: Call) -> Response | Download:
    """`GET state`: a document that loads to what there is now, in JSON or YAML.

    It is a Download unless it is short.
    """
    state = call.sandbox.state
    frozen_at = state.clock.now() if state.clock.is_frozen else None
    # JSON unless YAML is named: browsers and curl accept anything.
    accepted = b",".join(values(call.scope["headers"], b"accept"))
    is_yaml = YAML.encode() in accepted
    content_type = (YAML if is_yaml else JSON).encode()
    write = to_yaml if is_yaml else to_json
    # A copy: the original changes while a large document is on its way.
    state.settle()
    make = partial(write, state.store.copy("streams"), frozen_at)
    # Two parts, to see whether the first is all: a short answer takes no room among the
    # downloads.
    first, *others = islice(make(), 2)
    if not others:
        return Response(200, first, content_type=content_type)
    call.services.downloads.check_room()
    return Download(make, content_type, call.services.downloads)


async def put_state(call: Call) -> ResetView:
    """`PUT state`: replaces the baseline; what cannot be loaded changes nothing."""
    sandbox = call.sandbox
    is_json = media_type(call.scope["headers"]) != YAML
    content = call.content.strip() or b"{}"
    # Not of the choices in force: the reset below ends those.
    order = sandbox.start_choices.list_order
    upload = Upload(content, is_json, order, call.disconnected)
    baseline = await call.services.loader.load(upload, has_slot=call.has_slot)
    # While it was loaded, the sandbox may have ended, and another taken its name.
    if call.sandboxes.get(sandbox.name) is not sandbox:
        expected = "the sandbox that there was"
        raise SandboxNotFound(expected, "another one of its name", "path")
    old = held_by(sandbox.baseline)
    sandbox.put_baseline(baseline)
    # Before others are served: one of them may reset the sandbox again.
    view = reset_view(sandbox)
    await forget(old)
    return view


ROUTES = (
    AdminRoute(
        "POST",
        "/reset",
        reset,
        ResetView,
        "Reset to the baseline; journal and faults are emptied, snapshots stay",
        body=EmptyObject,
    ),
    AdminRoute(
        "GET",
        "/state",
        get_state,
        Document,
        "Read the state as a fixture document",
        errors=(LimitReached,),
        gives=(JSON, YAML),
    ),
    AdminRoute(
        "PUT",
        "/state",
        put_state,
        ResetView,
        "Replace the baseline by a fixture document, and reset",
        raw_body=Document,
        errors=(BadFixture, LimitReached, ServerBusy),
        takes_fixture=True,
        takes=(JSON, YAML),
    ),
)
