"""Whether a JSON value holds what another one wants, and where it does not.

An object may have more fields than are wanted; an array must be as long as the wanted
one, and hold what is wanted item by item. Booleans are not numbers; 1.0 is 1. What has
no fields is compared as a whole. `{"contains": "..."}` wants a text with that part (in
its first 4,096 characters), and `{"absent": true}` that there is no such field.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import UNSET, Struct

from mock_server.domain.limits import Published

MISSING = "nothing"
"""Stands in a difference for a field that the value does not have."""
TESTS: tuple[Mapping[str, Any], ...] = tuple(
    {"type": "object", "properties": {name: of}, "required": [name], "maxProperties": 1}
    for name, of in {"contains": {"type": "string"}, "absent": {"const": True}}.items()
)
"""JSON Schemas of what may be wanted in the place of a text."""


class Difference(Struct, frozen=True):
    """A place where a value is not as wanted; `got` is "nothing" if it lacks it."""

    path: str
    expected: Any
    got: Any


def holds(wanted: object, value: object) -> bool:
    """Whether `value` holds what is wanted: the same as having no `differences`."""
    # By itself, since each request is compared with each fault: of a large body,
    # `differences` takes twice as long, for the places that it names.
    if isinstance(wanted, dict):
        if len(wanted) == 1 and is_test(wanted):
            return _passes(wanted, value)
        if isinstance(value, dict):
            for name, item in wanted.items():  # half the price of `all`
                if not holds(item, value.get(name, UNSET)):
                    return False
            return True
    if isinstance(wanted, list) and isinstance(value, list):
        return len(wanted) == len(value) and all(map(holds, wanted, value))
    # In Python True equals 1; in JSON it does not.
    return wanted == value and isinstance(wanted, bool) is isinstance(value, bool)


def is_test(wanted: object) -> bool:
    """Whether what is wanted is `{"contains": "..."}` or `{"absent": true}`."""
    if not isinstance(wanted, dict) or len(wanted) != 1:
        return False
    return isinstance(wanted.get("contains"), str) or wanted.get("absent") is True


def tests_in(wanted: object) -> int:
    """How many texts have to have a part."""
    if isinstance(wanted, dict):
        if is_test(wanted):
            return "contains" in wanted
        return sum(map(tests_in, wanted.values()))
    return sum(map(tests_in, wanted)) if isinstance(wanted, list) else 0


def values_in(wanted: object) -> int:
    """How many fields and items it has, with those of what is in it."""
    if isinstance(wanted, dict):
        wanted = list(wanted.values())
    return len(wanted) + sum(map(values_in, wanted)) if isinstance(wanted, list) else 0


def contains(text: str, part: str) -> bool:
    """Whether a text has a part, in as many of its characters as are looked at."""
    looked_at = text[: Published.searched_chars]
    # Python looks through a long text in linear time, and through a short one in that
    # of the product of both lengths.
    padded = looked_at.ljust(_LONG, "\0") if len(part) > _SHORT else looked_at
    return 0 <= padded.find(part) <= len(looked_at) - len(part)


_SHORT, _LONG = 32, 30_000


def _passes(test: Mapping[str, Any], value: object) -> bool:
    """Whether a value, UNSET if there is none, is as such a test wants it."""
    if "absent" in test:
        return value is UNSET
    return isinstance(value, str) and contains(value, test["contains"])


def differences(wanted: object, value: object, path: str = "$") -> Iterator[Difference]:
    """Where `value` does not hold what is wanted, in the order of what is wanted."""
    got = MISSING if value is UNSET else value
    if is_test(wanted):
        if not holds(wanted, value):
            yield Difference(path, wanted, got)
    elif isinstance(wanted, dict) and isinstance(value, dict):
        for name, item in wanted.items():
            yield from differences(item, value.get(name, UNSET), f"{path}.{name}")
    elif (
        isinstance(wanted, list)
        and isinstance(value, list)
        and len(wanted) == len(value)
    ):
        for index, (item, other) in enumerate(zip(wanted, value, strict=True)):
            yield from differences(item, other, f"{path}[{index}]")
    elif not holds(wanted, value):
        yield Difference(path, wanted, got)


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
