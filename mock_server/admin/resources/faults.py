"""Faults: added, looked at with their next decisions, taken away."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, cast

import msgspec
from msgspec import Meta
from msgspec.structs import asdict, replace

from mock_server.admin.framework import AdminRoute, Call, Input
from mock_server.api.errors import FaultNotFound
from mock_server.api.faults.fault import Fault, read_fault
from mock_server.api.faults.reader import AddPreset
from mock_server.api.faults.table import KINDS, PRESETS, faults_of
from mock_server.domain import errors
from mock_server.domain.faults import ActiveFault
from mock_server.domain.limits import Limits
from mock_server.validation.convert import convert
from mock_server.views import FaultsView, FaultView, PlannedView


class PresetQuery(Input):
    """Of which preset; without a name, all faults are meant."""

    preset: Annotated[str, Meta(extra_json_schema={"enum": [*PRESETS]})] | None = None


class PlanQuery(Input):
    """How many of the next decisions to tell."""

    plan: Annotated[int, Meta(ge=0, le=Limits.fault_plan)] = 0


@cache
def _view_type(definition: type[Fault]) -> type[FaultView]:
    """FaultView with the fields of one kind of fault beside the common ones.

    They are read from the definition, so a further field of a kind is shown too. Made
    when first needed: those of all kinds would take 3 ms of every start.
    """
    own = msgspec.structs.fields(definition)
    made = msgspec.defstruct(
        f"{definition.__name__}View",
        [(each.name, each.type) for each in own],
        bases=(FaultView,),
        rename={each.name: each.encode_name for each in own},
    )
    return cast(type[FaultView], made)


def get_faults(call: Call) -> FaultsView:
    """`GET faults`."""
    return FaultsView([_view(call, each) for each in call.sandbox.faults.all()])


def post_fault(call: Call) -> FaultView | FaultsView:
    """`POST faults`: one fault, or all of a preset; a bad one adds nothing."""
    fields, faults = call.body, call.sandbox.faults
    kind = fields.get("kind")
    if isinstance(kind, str) and kind in PRESETS:
        got = f"{errors.quoted(kind)}, which is a preset"
        message = f"Expected a kind of fault, got {got} - at $.kind"
        raise errors.InvalidField(f"{message} (send it as preset)")
    # A fault has no field of that name, and a preset no kind.
    if "preset" not in fields:
        return _view(call, faults.add(_read(fields, call)))
    wanted = convert(fields, AddPreset)
    added = faults.add_all(_read_preset(wanted, call), wanted.preset)
    return FaultsView([_view(call, each) for each in added])


def delete_faults(call: Call) -> FaultsView:
    """`DELETE faults`, with `?preset=flaky` those of one: the faults as they were."""
    faults, preset = call.sandbox.faults, call.query.preset
    gone = faults.all()
    if preset is not None:
        _check_preset(preset, "query.preset")
        gone = [each for each in gone if each.preset == preset]
    before = FaultsView([_view(call, each) for each in gone])
    for each in gone:
        faults.remove(each)
    return before


def get_fault(call: Call) -> FaultView:
    """`GET faults/{id}`, with `?plan=50` its next 50 decisions."""
    fault, query = _fault(call), call.query
    view = _view(call, fault)
    if query.plan:
        decisions = [PlannedView(*each) for each in fault.plan(query.plan)]
        view = replace(view, plan=decisions)
    return view


def delete_fault(call: Call) -> FaultView:
    """`DELETE faults/{id}`: the fault as it was."""
    fault = _fault(call)
    call.sandbox.faults.remove(fault)
    return _view(call, fault)


def _read(fields: Mapping[str, Any], call: Call) -> Fault:
    return read_fault(fields, call.operations, call.responses)


def _read_preset(wanted: AddPreset, call: Call) -> list[Fault]:
    """The faults of a preset. Raises InvalidField."""
    _check_preset(wanted.preset, "$.preset")
    faults = faults_of(wanted.preset, wanted.seed)
    return [_read(each, call) for each in faults]


def _check_preset(name: str, at: str) -> None:
    """Raises InvalidField for what is no preset."""
    if name not in PRESETS:
        expected = f"one of {', '.join(PRESETS)}"
        got = errors.describe_value(name) + errors.did_you_mean(name, PRESETS)
        raise errors.InvalidField(f"Expected {expected}, got {got} - at {at}")


def _fault(call: Call) -> ActiveFault:
    fault_id = call.path["id"]
    fault = call.sandbox.faults.get(fault_id)
    if fault is None:
        ids = [each.id for each in call.sandbox.faults.all()]
        hint = errors.which_there_are(fault_id, ids, len(ids))
        got = errors.describe_value(fault_id)
        raise FaultNotFound("the id of a fault", got, "path", hint)
    return fault


def _view(call: Call, fault: ActiveFault) -> FaultView:
    # The domain, a lower floor, holds definitions without knowing this type.
    definition = cast(Fault, fault.definition)
    return _view_type(type(definition))(
        id=fault.id,
        kind=definition.kind,
        remaining=fault.remaining,
        fired=fault.fired,
        matches=fault.matches,
        ends_in=round(call.sandbox.faults.seconds_left(fault), 3),
        preset=fault.preset,
        **asdict(definition),
    )


_UNKNOWN = (FaultNotFound,)
ROUTES = (
    AdminRoute("GET", "/faults", get_faults, FaultsView, "List the faults"),
    AdminRoute(
        "POST",
        "/faults",
        post_fault,
        (FaultView, FaultsView),
        "Add a fault, or all faults of a preset",
        body=(*(kind.definition for kind in KINDS.values()), AddPreset),
        status=201,
        errors=(errors.LimitReached,),
    ),
    AdminRoute(
        "DELETE",
        "/faults",
        delete_faults,
        FaultsView,
        "Remove all faults, or all of a preset",
        query=PresetQuery,
    ),
    AdminRoute(
        "GET",
        "/faults/{id}",
        get_fault,
        FaultView,
        "Read a fault, and on request its next decisions",
        query=PlanQuery,
        errors=_UNKNOWN,
    ),
    AdminRoute(
        "DELETE",
        "/faults/{id}",
        delete_fault,
        FaultView,
        "Remove a fault",
        errors=_UNKNOWN,
    ),
)
