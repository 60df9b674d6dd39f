"""Reads fields beyond the spec, and checks what holds for every body."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mock_server.api.departures import as_number
from mock_server.domain.errors import InvalidField, show
from mock_server.domain.limits import LIMITS

_LONG = re.compile(rb"[0-9]{16}")

Body = Mapping[str, object]


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


def check_integers(content: bytes, fields: Body) -> None:
    """No integer anywhere that JSON readers do not all keep exact (RFC 7493 2.2)."""
    if _LONG.search(content):
        _check_integers(fields, "$")


def _check_integers(value: object, at: str) -> None:
    if isinstance(value, dict):
        for name, item in value.items():
            _check_integers(item, f"{at}.{name}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _check_integers(item, f"{at}[{index}]")
    elif isinstance(value, int) and abs(value) > LIMITS.integer:
        expected = f"integers of at most {LIMITS.integer}"
        raise InvalidField(f"Expected {expected}, got {show(value)} - at {at}")


def refuse(body: Body, name: str, expected: str) -> InvalidField:
    """The refusal of a field as it is in the body."""
    got = show(body[name]) if name in body else "nothing"
    return InvalidField(f"Expected {expected}, got {got} - at $.{name}")
