"""Compare a JSON value with a wanted one, and find the differences.

An object may have more fields than wanted; an array needs the wanted length, and each
wanted item in its place. Booleans are not numbers; 1.0 is 1. Other values are compared
as a whole. `{"contains": "..."}` wants a text with that part (in its first 4,096
characters), and `{"absent": true}` wants no such field.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import UNSET, Struct

from mock_server.domain.limits import Published

MISSING = "nothing"
"""In a difference: the value does not have the field."""
TESTS: tuple[Mapping[str, Any], ...] = tuple(
    {"type": "object", "properties": {name: of}, "required": [name], "maxProperties": 1}
    for name, of in {"contains": {"type": "string"}, "absent": {"const": True}}.items()
)
"""JSON Schemas of the tests that may replace a text."""


class Difference(Struct, frozen=True):
    """A place where a value differs; `got` is "nothing" for a missing field."""

    path: str
    expected: Any
    got: Any


def in_words(difference: Mapping[str, Any]) -> str:
    """Return the JSON of a difference in words."""
    got = difference["got"]
    got = got if got == MISSING else repr(got)
    return f"{difference['path']}: expected {difference['expected']!r}, got {got}"


def holds(wanted: object, value: object) -> bool:
    """Return True if `value` has no `differences` to `wanted`."""
    # Separate, as each request is compared with each fault: for a large body,
    # `differences` takes twice as long, to name the places.
    if isinstance(wanted, dict):
        if len(wanted) == 1 and is_test(wanted):
            return _passes(wanted, value)
        if isinstance(value, dict):
            for name, item in wanted.items():  # takes half as long as `all`
                if not holds(item, value.get(name, UNSET)):
                    return False
            return True
    if isinstance(wanted, list) and isinstance(value, list):
        return len(wanted) == len(value) and all(map(holds, wanted, value))
    # In Python True equals 1, in JSON it does not.
    return wanted == value and isinstance(wanted, bool) is isinstance(value, bool)


def is_test(wanted: object) -> bool:
    """Return True for `{"contains": "..."}` and `{"absent": true}`."""
    if not isinstance(wanted, dict) or len(wanted) != 1:
        return False
    return isinstance(wanted.get("contains"), str) or wanted.get("absent") is True


def tests_in(wanted: object) -> int:
    """Return the number of `contains` tests."""
    if isinstance(wanted, dict):
        if is_test(wanted):
            return "contains" in wanted
        return sum(map(tests_in, wanted.values()))
    return sum(map(tests_in, wanted)) if isinstance(wanted, list) else 0


def values_in(wanted: object) -> int:
    """Return the number of fields and items, nested ones included."""
    if isinstance(wanted, dict):
        wanted = list(wanted.values())
    return len(wanted) + sum(map(values_in, wanted)) if isinstance(wanted, list) else 0


def contains(text: str, part: str) -> bool:
    """Return True if a text has a part within its searched characters."""
    looked_at = text[: Published.searched_chars]
    # `find` is linear for long texts, but quadratic for short ones with long parts.
    padded = looked_at.ljust(_LONG, "\0") if len(part) > _SHORT else looked_at
    return 0 <= padded.find(part) <= len(looked_at) - len(part)


_SHORT, _LONG = 32, 30_000


def _passes(test: Mapping[str, Any], value: object) -> bool:
    """Return True if a value (UNSET: missing) passes a test."""
    if "absent" in test:
        return value is UNSET
    return isinstance(value, str) and contains(value, test["contains"])


def differences(wanted: object, value: object, path: str = "$") -> Iterator[Difference]:
    """Yield the places where `value` differs, in the order of `wanted`."""
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


# JSON data has no subtypes of these. For a million objects, a look-up of the type takes
# 0.4 s, `isinstance` 0.7 s.
_CONTAINERS = frozenset((dict, list))


def deeper_than(value: object, depth: int) -> bool:
    """Return True if arrays and objects nest deeper than `depth` levels."""
    # Level by level, not recursively: deep nesting may be an attack.
    level: list[Any] = [value] if type(value) in _CONTAINERS else []
    for _ in range(depth):
        level = [
            child
            for each in level
            for child in (each.values() if isinstance(each, dict) else each)
            if type(child) in _CONTAINERS
        ]
    return bool(level)
