"""Faults from plain data, with all mistakes: those of fixtures and of the start."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta, Struct

from mock_server.api.faults.fault import Fault, read_fault
from mock_server.api.faults.table import KINDS, PRESETS, faults_of
from mock_server.api.operations.operation import Operations
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.errors import InvalidField, describe_value, did_you_mean
from mock_server.domain.limits import Limits
from mock_server.validation.walk import Mistake, mistakes

_PRESETS = [{"const": name, "title": it.sentence} for name, it in PRESETS.items()]


class AddPreset(Struct, rename="camel", forbid_unknown_fields=True):
    """A ready list of faults, all with one seed."""

    preset: Annotated[str, Meta(extra_json_schema={"oneOf": _PRESETS})]
    seed: Annotated[int, Meta(ge=-Limits.integer, le=Limits.integer)] = 0


def read_faults(
    fields: Mapping[str, object],
    report: Callable[[Mistake], None],
    operations: Operations = OPERATIONS,
    responses: Collection[str] = (),
) -> Sequence[Fault]:
    """The fault that an object says, or all those of its preset.

    They may be for `operations`, or for the declared `responses` of these names.
    Mistakes are reported, with paths within the object; then there are no faults.
    """
    found = list(_mistakes(fields))
    if not found:
        try:
            return [read_fault(each, operations, responses) for each in _each(fields)]
        except InvalidField as refusal:
            found = [_placed(refusal)]
    for mistake in found:
        report(mistake)
    return ()


def _each(fields: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The faults, one by one, of an object without mistakes."""
    is_preset = "preset" in fields
    return faults_of(fields["preset"], fields.get("seed", 0)) if is_preset else [fields]


def _mistakes(fields: Mapping[str, object]) -> Iterator[Mistake]:
    """What no operation and no rule of a kind is needed to see."""
    names, field = (PRESETS, "preset") if "preset" in fields else (KINDS, "kind")
    name = fields.get(field)
    if not isinstance(name, str) or name not in names:
        got = "nothing" if field not in fields else describe_value(name)
        expected = f"one of {', '.join(names)}"
        hint = did_you_mean(str(name), names)
        if field == "kind" and isinstance(name, str) and name in PRESETS:
            hint = ", which is a preset (send it as preset)"
        yield Mistake((field,), f"Expected {expected}, got {got}{hint}")
        return
    if field == "preset":
        yield from mistakes(dict(fields), AddPreset)
        return
    own = {key: value for key, value in fields.items() if key != "kind"}
    yield from mistakes(own, KINDS[name].definition)


def _placed(refusal: InvalidField) -> Mistake:
    """The mistake of a message that ends with its place, `- at $.match.body`."""
    message, _, place = refusal.message.rpartition(" - at $.")
    return Mistake(tuple(place.split(".")), message)
