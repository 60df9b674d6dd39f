"""Values of options that are faults."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click

from mock_server.api.faults.fault import Fault
from mock_server.api.faults.reader import read_faults
from mock_server.api.faults.table import PRESETS
from mock_server.api.operations.declared import ANY_RESPONSE
from mock_server.cli.fault_names import mistake_of, mistake_of_preset
from mock_server.cli.settings import BadValue, place_of
from mock_server.domain.limits import Limits
from mock_server.validation.walk import Mistake, dotted


def faults(
    ctx: click.Context, param: click.Parameter, values: Sequence[str]
) -> list[Fault]:
    """Called by click; the faults of `KIND[:FIELD=VALUE[,...]]` texts.

    Raises BadValue.
    """
    place = place_of(ctx, param)
    found = [fault for text in values for fault in _faults(text, place)]
    if len(found) > Limits.faults:
        expected = f"Expected at most {Limits.faults} faults"
        raise BadValue(f"{expected}, got {len(found)} - at {place}")
    return found


def _faults(text: str, place: str) -> Sequence[Fault]:
    """The fault, or all of the preset, that a text says. Raises BadValue."""
    name, _, rest = text.partition(":")
    name = name.strip()
    several = "one --fault for each" if place == "--fault" else "`;` between faults"
    if mistake := mistake_of(name, several):
        raise BadValue(f"{mistake} - at {place}")
    place = f"{place} {name}"
    fields = _fields(rest, place)
    # They say which it is; as fields they would override that.
    if fields.keys() & {"kind", "preset"}:
        raise BadValue(f"Expected {name} alone, got a kind or preset too - at {place}")
    if mistake := mistake_of_preset(name, fields):
        raise BadValue(f"{mistake} - at {place}")

    def refuse(mistake: Mistake) -> None:
        where = ":" + dotted(mistake.path)[2:] if mistake.path else ""
        raise BadValue(f"{mistake.message} - at {place}{where}")

    kind = "preset" if name in PRESETS else "kind"
    return read_faults({kind: name, **fields}, refuse, responses=ANY_RESPONSE)


_DECODER = json.JSONDecoder()


def _fields(text: str, place: str) -> Mapping[str, Any]:
    """The values of `FIELD=VALUE,...`, each of them JSON or else text, by field.

    Raises BadValue.
    """
    fields: dict[str, Any] = {}
    while text := text.strip():
        name, equals, rest = text.partition("=")
        if not equals:
            raise BadValue(f"Expected FIELD=VALUE, got {text!r} - at {place}")
        name = name.strip()
        if name in fields:
            raise BadValue(f"Expected {name} once, got it again - at {place}")
        fields[name], text = _value(rest)
    return fields


def _value(text: str) -> tuple[Any, str]:
    """The value that a text begins with, and what follows the comma behind it."""
    try:
        value, end = _DECODER.raw_decode(text)
        rest = text[end:].lstrip()
        if not rest or rest[0] == ",":
            return value, rest[1:]
    except (ValueError, RecursionError):
        pass  # no JSON: then it needs no quotes within those of the shell
    plain, _, rest = text.partition(",")
    return plain.strip(), rest
