"""Snapshots: store, clock and choices under a name, to come back to."""

from mock_server.admin.framework import AdminRoute, Call, Created, check_name
from mock_server.admin.resources.state import EmptyObject, reset_view
from mock_server.domain.errors import LimitReached, SnapshotNotFound
from mock_server.domain.sandbox import Sandbox
from mock_server.views import ResetView, View


class SnapshotView(View):
    """A snapshot, and the generation number that it was taken at."""

    name: str
    generation: int


class SnapshotsView(View):
    """All snapshots of a sandbox, the oldest first."""

    snapshots: list[SnapshotView]


def get_snapshots(call: Call) -> SnapshotsView:
    """`GET snapshots`."""
    sandbox = call.sandbox
    return SnapshotsView([_view(sandbox, name) for name in sandbox.snapshots])


def get_snapshot(call: Call) -> SnapshotView:
    """`GET snapshots/{name}`."""
    return _view(call.sandbox, call.path["name"])


def put_snapshot(call: Call) -> SnapshotView | Created[SnapshotView]:
    """`PUT snapshots/{name}`: takes one, in place of one of the same name."""
    sandbox, name = call.sandbox, call.path["name"]
    check_name(name, "path")
    is_new = name not in sandbox.snapshots
    sandbox.take_snapshot(name)
    view = _view(sandbox, name)
    return Created(view) if is_new else view


def restore(call: Call) -> ResetView:
    """`POST snapshots/{name}/restore`."""
    call.sandbox.restore(call.path["name"])
    return reset_view(call.sandbox)


def delete_snapshot(call: Call) -> SnapshotView:
    """`DELETE snapshots/{name}`: the snapshot as it was."""
    # The view first: there is nothing to show afterwards, or nothing to drop.
    view = _view(call.sandbox, call.path["name"])
    call.sandbox.snapshots.drop(view.name)
    return view


def _view(sandbox: Sandbox, name: str) -> SnapshotView:
    """Raises SnapshotNotFound."""
    return SnapshotView(name, sandbox.snapshots.get(name).generation)


_ONE = "/snapshots/{name}"
_UNKNOWN = (SnapshotNotFound,)
ROUTES = (
    AdminRoute("GET", "/snapshots", get_snapshots, SnapshotsView, "List the snapshots"),
    AdminRoute(
        "GET", _ONE, get_snapshot, SnapshotView, "Read a snapshot", errors=_UNKNOWN
    ),
    AdminRoute(
        "PUT",
        _ONE,
        put_snapshot,
        SnapshotView,
        "Take a snapshot of store, clock and choices",
        body=EmptyObject,
        further={201: SnapshotView},
        errors=(LimitReached,),
    ),
    AdminRoute(
        "DELETE",
        _ONE,
        delete_snapshot,
        SnapshotView,
        "Delete a snapshot",
        errors=_UNKNOWN,
    ),
    AdminRoute(
        "POST",
        _ONE + "/restore",
        restore,
        ResetView,
        "Restore a snapshot; baseline, faults and journal stay",
        body=EmptyObject,
        errors=(*_UNKNOWN, LimitReached),
    ),
)
