"""Adds, shows and removes faults and answers; lists static responses."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, cast

import msgspec
from msgspec import Meta
from msgspec.structs import asdict, replace

from mock_server.admin import views
from mock_server.admin.framework import Call, Example, Input, Routes, require
from mock_server.api.errors import FaultNotFound
from mock_server.api.faults.answer import Answer
from mock_server.api.faults.fault import Fault, read_fault
from mock_server.api.faults.presets import PRESETS, faults_of
from mock_server.api.faults.table import KINDS, AddPreset
from mock_server.api.items import items_in_slices
from mock_server.domain import errors
from mock_server.domain.faults.firing import ActiveFault
from mock_server.domain.limits import Published
from mock_server.domain.messages import describe_value, did_you_mean
from mock_server.domain.validation.convert import convert

routes = Routes()
_UNKNOWN = (FaultNotFound,)


class PresetQuery(Input):
    """The preset of the faults."""

    preset: Annotated[str, Meta(extra_json_schema={"enum": [*PRESETS]})] | None = None

    @classmethod
    def unknown_field_hint(cls, name: str, given: Mapping[str, object]) -> str:
        """Return a hint for the id of a fault, which is part of the path."""
        hint = " (write /faults/ID for one of them)" if name == "id" else ""
        return hint or super().unknown_field_hint(name, given)


class PlanQuery(Input):
    """Number of next decisions to include."""

    plan: Annotated[int, Meta(ge=0, le=Published.fault_plan)] = 0


@cache
def _view_type(definition: type[Fault]) -> type[views.FaultView]:
    """Return FaultView with the additional fields of a kind of fault.

    The type is created on first use, because creating those of all kinds would slow
    down every start.
    """
    fields = msgspec.structs.fields(definition)
    kind = msgspec.defstruct(
        f"{definition.__name__}View",
        [(each.name, each.type) for each in fields],
        bases=(views.FaultView,),
        rename={each.name: each.encode_name for each in fields},
    )
    return cast(type[views.FaultView], kind)


@routes.add("GET", "/faults", errors=(errors.LimitReached,))
async def get_faults(call: Call) -> views.FaultsView:
    """List the faults."""
    return await _views(call, call.sandbox.faults.all(), "read them one by one")


@routes.add(
    "POST",
    "/faults",
    body=(*KINDS.values(), AddPreset),
    status=201,
    errors=(errors.LimitReached,),
    examples=(Example({"kind": "error", "status": 502, "times": 2}),),
)
async def post_fault(
    call: Call, fields: dict[str, Any], query: PresetQuery
) -> views.FaultView | views.FaultsView:
    """Add a fault, or all faults of a preset."""
    faults, preset = call.sandbox.faults, query.preset
    if preset is not None:
        _check_preset(preset, "query.preset")
    # A fault has no field `preset`, and a preset no `kind`.
    if "preset" not in fields:
        definition = _read(fields, call)
        return _view(call, faults.add(definition, preset, [*definition.warnings()]))
    request = convert(fields, AddPreset)
    added = faults.add_all(_read_preset(request, call), preset or request.preset)
    return await _views(call, added)


@routes.add("DELETE", "/faults")
async def delete_faults(call: Call, query: PresetQuery) -> views.FaultsView:
    """Remove all faults, or all faults of a preset.

    The first 8 MiB of them are returned.
    """
    faults, preset = call.sandbox.faults, query.preset
    deleted = faults.all()
    if preset is not None:
        _check_preset(preset, "query.preset")
        deleted = [each for each in deleted if each.preset == preset]
    for each in deleted:
        faults.remove(each)
    return await _views(call, deleted)


@routes.add("GET", "/faults/{id}", errors=_UNKNOWN, examples=(Example(query="plan=2"),))
def get_fault(call: Call, query: PlanQuery) -> views.FaultView:
    """Read a fault, and with `plan` its next decisions."""
    fault = _fault(call)
    view = _view(call, fault)
    if query.plan:
        decisions = [views.PlannedView(*each) for each in fault.plan(query.plan)]
        view = replace(view, plan=decisions)
    return view


@routes.add("DELETE", "/faults/{id}", errors=_UNKNOWN)
def delete_fault(call: Call) -> views.FaultView:
    """Remove a fault."""
    fault = _fault(call)
    call.sandbox.faults.remove(fault)
    return _view(call, fault)


@routes.add("GET", "/responses")
async def get_responses(call: Call) -> views.ResponsesView:
    """List the static responses."""
    answers = cast(Sequence[Answer], call.sandbox.store.fixture.answers)
    # To get the size of a body may take a millisecond for each 100 KB.
    return views.ResponsesView(await items_in_slices(map(_response_view, answers)))


async def _views(
    call: Call, faults: Iterable[ActiveFault], hint: str | None = None
) -> views.FaultsView:
    """Return the views of faults. With a hint, too many bytes raise LimitReached."""
    items = (_view(call, each) for each in faults)  # an answer can have megabytes
    return views.FaultsView(await items_in_slices(items, hint))


def _response_view(answer: Answer) -> views.ResponseView:
    method, _, path = answer.operation.partition(" ")
    return views.ResponseView(
        operation=answer.operation,
        method=method,
        path=path,
        status=answer.status,
        content_type=answer.content_type.decode() or None,
        bytes=len(answer.body),
        delay_ms=answer.delay_ms,
        times=answer.times,
    )


def _read(fields: Mapping[str, Any], call: Call) -> Fault:
    return read_fault(fields, call.routes)


def _read_preset(request: AddPreset, call: Call) -> list[Fault]:
    _check_preset(request.preset, "$.preset")
    faults = faults_of(request.preset, request.seed)
    return [_read(each, call) for each in faults]


def _check_preset(name: str, place: str) -> None:
    if name not in PRESETS:
        expected = f"one of {', '.join(PRESETS)}"
        got = describe_value(name) + did_you_mean(name, PRESETS)
        raise errors.InvalidField(expected, got, place)


def _fault(call: Call) -> ActiveFault:
    faults = call.sandbox.faults
    ids = (each.id for each in faults.all())
    fault = faults.get(call.path["id"])
    return require(fault, call, "id", FaultNotFound, "the id of a fault", ids)


def _view(call: Call, fault: ActiveFault) -> views.FaultView:
    # The domain, a lower layer, does not know the type of definitions.
    definition = cast(Fault, fault.definition)
    seconds_left = call.sandbox.faults.seconds_left(fault)
    return _view_type(type(definition))(
        id=fault.id,
        kind=definition.kind,
        remaining=fault.remaining,
        fired=fault.fired,
        matches=fault.matches,
        ends_in=None if seconds_left is None else round(seconds_left, 3),
        preset=fault.preset,
        warnings=fault.warnings,
        **asdict(definition),
    )
