"""Whether a JSON value holds what another one wants, and where it does not.

An object may have more fields than are wanted; an array must be as long as the wanted
one, and hold what is wanted item by item. Booleans are not numbers; 1.0 is 1. What has
no fields is compared as a whole.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

MISSING = "nothing"
"""Stands in a difference for a field that the value does not have."""


class Difference(Struct, frozen=True):
    """A place where a value is not as wanted; `got` is "nothing" if it lacks it."""

    path: str
    expected: Any
    got: Any


def holds(wanted: object, value: object) -> bool:
    """Whether `value` holds what is wanted: the same as having no `differences`."""
    # By itself, since each request is compared with each fault: of a large body,
    # `differences` takes twice as long, for the places that it names.
    if isinstance(wanted, dict) and isinstance(value, dict):
        for name, item in wanted.items():  # half the price of `all`
            if name not in value or not holds(item, value[name]):
                return False
        return True
    if isinstance(wanted, list) and isinstance(value, list):
        return len(wanted) == len(value) and all(map(holds, wanted, value))
    # In Python True equals 1; in JSON it does not.
    return wanted == value and isinstance(wanted, bool) is isinstance(value, bool)


def differences(wanted: object, value: object, path: str = "$") -> Iterator[Difference]:
    """Where `value` does not hold what is wanted, in the order of what is wanted."""
    if isinstance(wanted, dict) and isinstance(value, dict):
        for name, item in wanted.items():
            if name in value:
                yield from differences(item, value[name], f"{path}.{name}")
            else:
                yield Difference(f"{path}.{name}", item, MISSING)
    elif (
        isinstance(wanted, list)
        and isinstance(value, list)
        and len(wanted) == len(value)
    ):
        for index, (item, other) in enumerate(zip(wanted, value, strict=True)):
            yield from differences(item, other, f"{path}[{index}]")
    elif wanted != value or isinstance(wanted, bool) is not isinstance(value, bool):
        yield Difference(path, wanted, value)


# Data of JSON has these and no subtypes. For a million objects, to look a type up takes
# 0.4 s, `isinstance` 0.7.
_CONTAINERS = frozenset((dict, list))


def deeper_than(value: object, depth: int) -> bool:
    """Whether arrays and objects nest deeper than so many levels."""
    # Level by level instead of recursively: data may be nested as an attack.
    level: list[Any] = [value] if type(value) in _CONTAINERS else []
    for _ in range(depth):
        level = [
            child
            for each in level
            for child in (each.values() if isinstance(each, dict) else each)
            if type(child) in _CONTAINERS
        ]
    return bool(level)
