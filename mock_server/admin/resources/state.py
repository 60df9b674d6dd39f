"""Reads, replaces and resets the state of a sandbox; takes and restores snapshots."""

from functools import partial

from mock_server.admin import framework
from mock_server.admin.loading import SentFixture
from mock_server.admin.streaming import Download, in_parts
from mock_server.admin.views import ResetView, SnapshotsView, SnapshotView
from mock_server.api.errors import BadFixture, ServerBusy
from mock_server.api.headers import media_type, values
from mock_server.api.response import Response
from mock_server.domain.errors import LimitReached
from mock_server.domain.sandboxes.sandbox import Sandbox
from mock_server.domain.sandboxes.state import SnapshotNotFound
from mock_server.fixture.document import Document
from mock_server.fixture.dump import to_json, to_yaml

routes = framework.Routes()

JSON, YAML = "application/json", "application/yaml"
_ONE = "/snapshots/{name}"
_UNKNOWN = (SnapshotNotFound,)
_SMALL = {
    "clock": "2026-01-01T00:00:00Z",
    "apps": [{"id": "app", "name": "Support"}],
    "responses": [{"method": "GET", "path": "/api/user/{id}", "json": {"name": "Ann"}}],
}


class EmptyObject(framework.Input):
    """An empty object; an empty body counts as one."""


@routes.add("POST", "/reset", body=EmptyObject)
def reset(call: framework.Call) -> ResetView:
    """Reset to the baseline; empty the journal, remove added faults."""
    call.sandbox.reset()
    return _reset_view(call.sandbox)


def _reset_view(sandbox: Sandbox) -> ResetView:
    return ResetView(sandbox.name, sandbox.state.generation)


@routes.add(
    "GET",
    "/state",
    response_type=Document,
    errors=(LimitReached,),
    media_types=(JSON, YAML),
)
def get_state(call: framework.Call) -> Response | Download:
    """Read the state as a fixture document.

    A short fixture is returned as one Response, a longer one as a Download.
    """
    state = call.sandbox.state
    frozen_at = state.clock.now() if state.clock.is_frozen else None
    # JSON unless YAML is named, because browsers and curl accept anything.
    accepted = b",".join(values(call.scope["headers"], b"accept"))
    is_yaml = YAML.encode() in accepted
    content_type = (YAML if is_yaml else JSON).encode()
    to_text = to_yaml if is_yaml else to_json
    # A copy, because the original may change while a large fixture is sent.
    state.train_due_rows()
    make_parts = partial(to_text, state.store.copy("streams"), frozen_at)
    response = in_parts(make_parts, call.services.downloads, content_type)
    if isinstance(response, Download):
        call.services.downloads.check_room()
    return response


@routes.add(
    "PUT",
    "/state",
    raw_body=Document,
    errors=(BadFixture, LimitReached, ServerBusy),
    has_fixture_body=True,
    body_media_types=(JSON, YAML),
    examples=(framework.Example(_SMALL),),
)
async def put_state(call: framework.Call) -> ResetView:
    """Replace the baseline by a fixture document, and reset.

    A fixture that cannot be loaded changes nothing.
    """
    sandbox = call.sandbox
    is_json = media_type(call.scope["headers"]) != YAML
    content = call.content.strip() or b"{}"
    # The order of the start choices, which the reset below restores.
    order = sandbox.start_choices.list_order
    upload = SentFixture(content, is_json, order, call.wait_for_disconnect)
    baseline = await call.services.loader.load(upload)
    # During the load, the sandbox may have been deleted and its name reused.
    call.check_sandbox()
    sandbox.put_baseline(baseline)
    return _reset_view(sandbox)


@routes.add("GET", "/snapshots")
def get_snapshots(call: framework.Call) -> SnapshotsView:
    """List the snapshots."""
    sandbox = call.sandbox
    return SnapshotsView([_view(sandbox, name) for name in sandbox.snapshots])


@routes.add("GET", _ONE, errors=_UNKNOWN)
def get_snapshot(call: framework.Call) -> SnapshotView:
    """Read a snapshot."""
    return _view(call.sandbox, call.path["name"])


@routes.add("PUT", _ONE, body=EmptyObject, errors=(LimitReached,))
def put_snapshot(
    call: framework.Call,
) -> SnapshotView | framework.Created[SnapshotView]:
    """Take a snapshot of data, clock and choices."""
    sandbox, name = call.sandbox, call.path["name"]
    framework.check_name(name, "path")
    is_new = name not in sandbox.snapshots
    sandbox.take_snapshot(name)
    view = _view(sandbox, name)
    return framework.Created(view) if is_new else view


@routes.add(
    "POST", _ONE + "/restore", body=EmptyObject, errors=(*_UNKNOWN, LimitReached)
)
def restore(call: framework.Call) -> ResetView:
    """Restore a snapshot; baseline, faults and journal stay."""
    call.sandbox.restore(call.path["name"])
    return _reset_view(call.sandbox)


@routes.add("DELETE", _ONE, errors=_UNKNOWN)
def delete_snapshot(call: framework.Call) -> SnapshotView:
    """Delete a snapshot."""
    # Created before the deletion; `_view` raises if the snapshot is unknown.
    view = _view(call.sandbox, call.path["name"])
    del call.sandbox.snapshots[view.name]
    return view


def _view(sandbox: Sandbox, name: str) -> SnapshotView:
    return SnapshotView(name, sandbox.snapshots[name].generation)
