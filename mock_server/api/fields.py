"""Reads fields beyond the spec, and checks what holds for every body."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from mock_server.api.departures import as_number
from mock_server.domain.errors import InvalidField, cut, show
from mock_server.domain.limits import LIMITS
from mock_server.fixture.problems import dotted

# No fraction and no exponent; a string can look like one too.
_LONG = re.compile(rb"(?<![0-9.eE+-])-?[0-9]{16,}(?![0-9.eE])")

Body = Mapping[str, object]
Found = tuple[int, list[str | int]]


def text(body: Body, name: str, longest: int) -> str:
    """A string of at most so many characters."""
    value = body.get(name)
    if isinstance(value, str) and len(value) <= longest:
        return value
    raise refuse(body, name, f"a string of up to {longest} characters")


def boolean(body: Body, name: str) -> bool:
    """true or false."""
    value = body.get(name)
    if isinstance(value, bool):
        return value
    raise refuse(body, name, "true or false")


def integer(body: Body, name: str, low: int, high: int, *, strings: bool) -> int:
    """An integer in bounds; 1.0 is one, true is none, with `strings` "10" is one."""
    value = body.get(name)
    if strings or not isinstance(value, str):
        value = as_number(value)
    if type(value) is int and low <= value <= high:
        return value
    raise refuse(body, name, f"an integer from {low} to {high}")


def texts(body: Body, name: str) -> tuple[str, ...]:
    """An array of strings."""
    value = body.get(name)
    if isinstance(value, list) and len(value) <= LIMITS.tags:
        strings = [item for item in value if isinstance(item, str)]
        if len(strings) == len(value):
            return tuple(strings)
    raise refuse(body, name, f"an array of at most {LIMITS.tags} strings")


def check_integers(content: bytes, fields: dict[str, object]) -> None:
    """No integer anywhere that JSON readers do not all keep exact (RFC 7493 2.2)."""
    found = _find_long(fields) if _LONG.search(content) else None
    if found is not None:
        value, path = found
        at = dotted(tuple(reversed(path)))
        expected = f"integers of at most {LIMITS.integer}"
        raise InvalidField(f"Expected {expected}, got {show(value)} - at {at}")


def _find_long(value: dict[str, object] | list[object]) -> Found | None:
    """The first integer over the limit, and the way to it from the inside out."""
    items: Iterable[tuple[str | int, object]]
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for part, item in items:
        if isinstance(item, dict | list):
            found = _find_long(item)
            if found is not None:
                found[1].append(_named(part))
                return found
        elif isinstance(item, int) and abs(item) > LIMITS.integer:
            return item, [_named(part)]
    return None


def _named(part: str | int) -> str | int:
    return cut(part) if isinstance(part, str) else part


def refuse(body: Body, name: str, expected: str) -> InvalidField:
    """The refusal of a field as it is in the body."""
    got = show(body[name]) if name in body else "nothing"
    return InvalidField(f"Expected {expected}, got {got} - at $.{name}")
