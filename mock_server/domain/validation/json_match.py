"""Compare a JSON value with a wanted value, and find the differences.

An object may have more fields than the wanted one. An array needs the wanted length,
and a matching item at each index. Other values must be equal; booleans are not numbers,
and 1.0 equals 1. `{"contains": "..."}` matches a text with this part in its first 4,096
characters, and `{"absent": true}` matches a missing field.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import UNSET, Struct

from mock_server.domain.limits import Published

MISSING = "nothing"
"""The value of `Difference.got` for a missing field."""
TESTS: tuple[Mapping[str, Any], ...] = tuple(
    {"type": "object", "properties": {name: of}, "required": [name], "maxProperties": 1}
    for name, of in {"contains": {"type": "string"}, "absent": {"const": True}}.items()
)
"""JSON Schemas of the tests `contains` and `absent`."""


class Difference(Struct, frozen=True):
    """A difference at a place in a value; `got` is MISSING for a missing field."""

    path: str
    expected: Any
    got: Any


def difference_text(difference: Mapping[str, Any]) -> str:
    """Return the JSON of a difference in words."""
    got = difference["got"]
    got = got if got == MISSING else repr(got)
    return f"{difference['path']}: expected {difference['expected']!r}, got {got}"


def is_match(wanted: object, value: object) -> bool:
    """Return True if `value` matches `wanted`: there are no `differences`."""
    # A function of its own, because each request is compared with each fault, and
    # `differences` is slower: it names the places.
    if isinstance(wanted, dict):
        if len(wanted) == 1 and is_test(wanted):
            return _passes(wanted, value)
        if isinstance(value, dict):
            for name, item in wanted.items():  # takes half as long as `all`
                if not is_match(item, value.get(name, UNSET)):
                    return False
            return True
    if isinstance(wanted, list) and isinstance(value, list):
        return len(wanted) == len(value) and all(map(is_match, wanted, value))
    # In Python True equals 1, in JSON it does not.
    return wanted == value and isinstance(wanted, bool) is isinstance(value, bool)


def is_test(wanted: object) -> bool:
    """Return True for the tests `{"contains": "..."}` and `{"absent": true}`."""
    if not isinstance(wanted, dict) or len(wanted) != 1:
        return False
    return isinstance(wanted.get("contains"), str) or wanted.get("absent") is True


def count_tests(wanted: object) -> int:
    """Return the number of `contains` tests in a wanted value."""
    if isinstance(wanted, dict):
        if is_test(wanted):
            return "contains" in wanted
        return sum(map(count_tests, wanted.values()))
    return sum(map(count_tests, wanted)) if isinstance(wanted, list) else 0


def count_values(wanted: object) -> int:
    """Return the number of fields and items, including nested ones."""
    if isinstance(wanted, dict):
        wanted = list(wanted.values())
    return (
        len(wanted) + sum(map(count_values, wanted)) if isinstance(wanted, list) else 0
    )


def contains(text: str, part: str) -> bool:
    """Return True if a text contains `part`, in linear time.

    Python's `find` takes linear time in long texts. Searching a short text for a long
    part may take quadratic time, so the text is made long.
    """
    padded = text.ljust(_LONG_TEXT, "\0") if len(part) > _SHORT_PART else text
    return 0 <= padded.find(part) <= len(text) - len(part)


_SHORT_PART, _LONG_TEXT = 32, 30_000


def _passes(test: Mapping[str, Any], value: object) -> bool:
    """Return True if a value passes a test; UNSET stands for a missing field."""
    if "absent" in test:
        return value is UNSET
    return isinstance(value, str) and contains(
        value[: Published.searched_chars], test["contains"]
    )


def differences(wanted: object, value: object, path: str = "$") -> Iterator[Difference]:
    """Yield the differences of `value` from `wanted`, in the order of `wanted`.

    `path` is the place of `value`.
    """
    got = MISSING if value is UNSET else value
    if is_test(wanted):
        if not is_match(wanted, value):
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
    elif not is_match(wanted, value):
        yield Difference(path, wanted, got)


# JSON data has no subtypes of these types, and a look-up is faster than `isinstance`.
_CONTAINERS = frozenset((dict, list))


def deeper_than(value: object, depth: int) -> bool:
    """Return True if arrays and objects nest deeper than `depth` levels."""
    # Walk level by level: recursion would fail if an attacker sends deep nesting.
    level: list[Any] = [value] if type(value) in _CONTAINERS else []
    for _ in range(depth):
        level = [
            child
            for each in level
            for child in (each.values() if isinstance(each, dict) else each)
            if type(child) in _CONTAINERS
        ]
    return bool(level)
