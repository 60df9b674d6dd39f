"""The table of all kinds of faults, and functions that read faults from plain data.

The documentation, the command line and the console are made from this table.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Raw, Struct

from mock_server.api.faults.alter import Alter
from mock_server.api.faults.answer import Answer
from mock_server.api.faults.answering import BaseAnswer, stays_encoded
from mock_server.api.faults.delay import Delay
from mock_server.api.faults.dribble import Dribble
from mock_server.api.faults.duplicate_item import DuplicateItem
from mock_server.api.faults.empty import Empty
from mock_server.api.faults.error import Error
from mock_server.api.faults.fault import Fault, fault_of, kind_mistake, read_fault
from mock_server.api.faults.garbage import Garbage
from mock_server.api.faults.hang import Hang
from mock_server.api.faults.lost_write import LostWrite
from mock_server.api.faults.malformed_json import MalformedJson
from mock_server.api.faults.page_drift import PageDrift
from mock_server.api.faults.presets import PRESETS, faults_of
from mock_server.api.faults.rate_limit import RateLimited
from mock_server.api.faults.reply import Reply
from mock_server.api.faults.reset import Reset
from mock_server.api.faults.truncate import Truncate
from mock_server.api.faults.wrong_total import WrongTotal
from mock_server.domain.errors import InvalidField
from mock_server.domain.faults.definition import kind_of
from mock_server.domain.limits import Published
from mock_server.domain.messages import describe_value, did_you_mean
from mock_server.domain.validation.walk import Mistake, mistakes

_TABLE: tuple[type[Fault], ...] = (
    Error,
    Delay,
    Hang,
    Reset,
    Empty,
    Garbage,
    Truncate,
    MalformedJson,
    Dribble,
    RateLimited,
    LostWrite,
    PageDrift,
    DuplicateItem,
    WrongTotal,
    Alter,
    Answer,
    Reply,
)
KINDS: Mapping[str, type[Fault]] = {kind_of(each): each for each in _TABLE}
Fault.kinds, Fault.presets = KINDS, PRESETS.keys()

_PRESETS = [
    {"const": name, "title": each.sentence, "x-chinese": each.chinese}
    for name, each in PRESETS.items()
]


class AddPreset(Struct, rename="camel", forbid_unknown_fields=True):
    """A named list of faults, all with one seed."""

    preset: Annotated[str, Meta(extra_json_schema={"oneOf": _PRESETS})]
    seed: Annotated[int, Meta(ge=-Published.integer, le=Published.integer)] = 0


def read_faults(
    fields: Mapping[str, Any],
    report: Callable[[Mistake], None],
    responses: Collection[str] = (),
) -> Sequence[Fault]:
    """Return the fault that `fields` describe, or all faults of the preset they name.

    A fault may name an operation, or one of the static `responses`. Each mistake is
    passed to `report` with its path in `fields`; the result is then empty.
    """
    mistakes = list(_shape_mistakes(fields))
    if not mistakes:
        faults = [fields]
        if "preset" in fields:
            faults = faults_of(fields["preset"], fields.get("seed", 0))
        try:
            mistakes = [each for fault in faults for each in _answer_problems(fault)]
            if not mistakes:
                return [read_fault(each, responses) for each in faults]
        except InvalidField as refusal:
            mistakes = [_split_place(refusal)]
    for mistake in mistakes:
        report(mistake)
    return ()


def decode_fault(packed: bytes) -> Fault:
    """Return a fault of any kind from JSON, without checking it again."""
    encoded = msgspec.json.decode(packed, type=dict[str, Raw])
    fields = {name: _decode_field(name, each) for name, each in encoded.items()}
    fault: Fault = msgspec.convert(fields, KINDS[fields.pop("kind")])
    return fault.to_stored()


def _decode_field(name: str, encoded: Raw) -> Any:
    """Decode a field; a large value of an answer stays JSON, as `Answer` stores it."""
    is_large = name in Answer.json_fields and stays_encoded(bytes(encoded))
    return encoded.copy() if is_large else msgspec.json.decode(encoded)


def _shape_mistakes(fields: Mapping[str, Any]) -> Iterator[Mistake]:
    """Yield mistakes in the names and types of fields.

    Operations, and rules between fields, are checked later.
    """
    if "preset" not in fields:
        copy = dict(fields)
        if mistake := kind_mistake(fields):
            yield Mistake(("kind",), "".join(mistake))
        else:
            yield from mistakes(copy, KINDS[copy.pop("kind")])
    elif (name := fields["preset"]) in (*PRESETS,):
        yield from mistakes(dict(fields), AddPreset)
    else:
        got = describe_value(name) + did_you_mean(str(name), PRESETS)
        yield Mistake(("preset",), f"Expected one of {', '.join(PRESETS)}, got {got}")


def _answer_problems(fields: Mapping[str, Any]) -> Iterator[Mistake]:
    """Yield every problem of an answer; other kinds are checked by `read_fault`."""
    fault = fault_of(fields)
    if isinstance(fault, BaseAnswer):
        yield from (Mistake(*each) for each in fault.problems())


def _split_place(refusal: InvalidField) -> Mistake:
    """Return a refusal as Mistake, with the place at its end (`- at $.match.body`)."""
    message, _, place = refusal.message.rpartition(" - at $.")
    return Mistake(tuple(place.split(".")), message)
