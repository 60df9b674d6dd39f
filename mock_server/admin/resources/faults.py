"""Faults: added, looked at with their next decisions, taken away."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta, field

from mock_server.admin.framework import AdminRoute, Call, Input, created
from mock_server.api.errors import FaultNotFound
from mock_server.api.faults.fault import read_fault
from mock_server.api.faults.table import KINDS, PRESETS, faults_of
from mock_server.api.response import Response
from mock_server.domain.errors import (
    InvalidField,
    LimitReached,
    describe_value,
    did_you_mean,
)
from mock_server.domain.faults import ActiveFault
from mock_server.domain.limits import LIMITS
from mock_server.validation.convert import convert
from mock_server.views import FaultsView, FaultView, View

_PRESETS = [{"const": name, "title": it.sentence} for name, it in PRESETS.items()]


class AddPreset(Input):
    """A ready list of faults, all with one seed."""

    preset: Annotated[str, Meta(extra_json_schema={"oneOf": _PRESETS})]
    seed: Annotated[int, Meta(ge=-LIMITS.integer, le=LIMITS.integer)] = 0


class PlannedView(View):
    """A decision to come: the number of the match, the draw, whether it fires."""

    index: int
    draw: float
    fires: bool


class PlanView(FaultView):
    """A fault with its next decisions."""

    plan: list[PlannedView] = field(default_factory=list)


class PlanQuery(Input):
    """How many decisions to tell beforehand."""

    plan: Annotated[int, Meta(ge=0, le=LIMITS.fault_plan)] = 0


def get_faults(call: Call) -> dict[str, object]:
    """`GET faults`."""
    return {"faults": [_view(call, each) for each in call.sandbox.faults.all()]}


def post_fault(call: Call) -> Response:
    """`POST faults`: one fault, or all of a preset; a bad one adds nothing."""
    fields, faults = call.body, call.sandbox.faults
    if "preset" not in fields:
        return created(_view(call, faults.add(read_fault(fields))))
    wanted = convert(fields, AddPreset)
    if wanted.preset not in PRESETS:
        expected = f"one of {', '.join(PRESETS)}"
        hint = did_you_mean(wanted.preset, PRESETS)
        got = describe_value(wanted.preset) + hint
        raise InvalidField(f"Expected {expected}, got {got} - at $.preset")
    ready = [read_fault(each) for each in faults_of(wanted.preset, wanted.seed)]
    added = faults.add_all(ready)
    return created({"faults": [_view(call, each) for each in added]})


def delete_faults(call: Call) -> dict[str, object]:
    """`DELETE faults`; the answer is what there was."""
    before = get_faults(call)
    call.sandbox.faults.clear()
    return before


def get_fault(call: Call) -> dict[str, object]:
    """`GET faults/{id}`, with `?plan=50` its next 50 decisions."""
    fault, query = _fault(call), call.query
    shown = _view(call, fault)
    if query.plan:
        shown["plan"] = [PlannedView(*each) for each in fault.plan(query.plan)]
    return shown


def delete_fault(call: Call) -> dict[str, object]:
    """`DELETE faults/{id}`; the answer is what there was."""
    fault = _fault(call)
    call.sandbox.faults.remove(fault)
    return _view(call, fault)


def _fault(call: Call) -> ActiveFault:
    fault = call.sandbox.faults.get(call.path["id"])
    if fault is None:
        raise FaultNotFound(
            "the id of a fault", describe_value(call.path["id"]), "path"
        )
    return fault


def _view(call: Call, fault: ActiveFault) -> dict[str, Any]:
    ends_in = call.sandbox.faults.seconds_left(fault)
    definition: dict[str, Any] = msgspec.to_builtins(fault.definition)
    return {
        "id": fault.id,
        "remaining": fault.remaining,
        "fired": fault.fired,
        "matches": fault.matches,
        "endsIn": round(ends_in, 3),
        **definition,
    }


_UNKNOWN = (FaultNotFound,)
ROUTES = (
    AdminRoute("GET", "/faults", get_faults, FaultsView, "All faults"),
    AdminRoute(
        "POST",
        "/faults",
        post_fault,
        (FaultView, FaultsView),
        "Add a fault, or all of a preset",
        body=(*(kind.definition for kind in KINDS.values()), AddPreset),
        status=201,
        errors=(LimitReached,),
    ),
    AdminRoute("DELETE", "/faults", delete_faults, FaultsView, "Take all faults away"),
    AdminRoute(
        "GET",
        "/faults/{id}",
        get_fault,
        PlanView,
        "A fault, and if asked its next decisions",
        query=PlanQuery,
        errors=_UNKNOWN,
    ),
    AdminRoute(
        "DELETE",
        "/faults/{id}",
        delete_fault,
        FaultView,
        "Take a fault away",
        errors=_UNKNOWN,
    ),
)
