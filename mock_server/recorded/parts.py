"""Items of answers become parts of a fixture document: what does not fit stays out."""

from functools import cache
from typing import Any, NamedTuple

import msgspec
from msgspec import structs

from mock_server.domain.clock import parse_time
from mock_server.fixture import document as schema
from mock_server.fixture.parts import DOTS

Plain = dict[str, Any]


class Sighting(NamedTuple):
    """A part of a document, and the number of the exchange that showed it last."""

    part: Plain
    at: int


def id_of(value: object) -> str | None:
    """The id that a value is, None if it is none that a fixture can have."""
    try:
        found = msgspec.convert(value, schema.Id)
    except msgspec.ValidationError:
        return None
    return None if found in DOTS else found


def part_of(item: Plain, kind: type[schema.Part], without: frozenset[str]) -> Plain:
    """The fields of an item that such a part of a document can have, in its order.

    Those `without` which it is wanted are left out, as is null: what may be null in a
    document is so by default.
    """
    found: Plain = {}
    for name, wanted in _types(kind):
        value = item.get(name)
        if value is None or name in without or not _fits(value, wanted):
            continue
        found[name] = value
    return found


@cache
def _types(kind: type[schema.Part]) -> tuple[tuple[str, Any], ...]:
    """The fields of a part as documents name them, with their types."""
    return tuple((each.encode_name, each.type) for each in structs.fields(kind))


def _fits(value: object, wanted: Any) -> bool:
    try:
        msgspec.convert(value, wanted)
        if schema.holds(wanted, schema.Time):
            parse_time(str(value))
    except ValueError:  # msgspec's is one
        return False
    return True
