"""Compare a JSON value with a wanted value, and find the differences.

An object may have more fields than the wanted one. An array needs the wanted length,
and a matching item at each index. Other values must be equal; booleans are not numbers,
and 1.0 equals 1. `{"contains": "..."}` matches a text with this part in its first 4,096
characters, and `{"absent": true}` matches a missing field.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import UNSET, Struct, to_builtins

from mock_server.domain.limits import Published
from mock_server.domain.messages import cut

MISSING = "nothing"
"""The value of `Difference.got` for a missing field."""
TESTS: tuple[Mapping[str, Any], ...] = tuple(
    {"type": "object", "properties": {name: of}, "required": [name], "maxProperties": 1}
    for name, of in {"contains": {"type": "string"}, "absent": {"const": True}}.items()
)
"""JSON Schemas of the tests `contains` and `absent`."""
DIGIT_RUN = b"0" * 32
DIGITS_AS_ZEROS = bytes.maketrans(b"123456789", b"0" * 9)


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


def is_match(expected: object, value: object) -> bool:
    """Return True if `value` matches `expected`: there are no `differences`."""
    # A function of its own, because each request is compared with each fault, and
    # `differences` is slower: it names the places.
    if isinstance(expected, dict):
        if len(expected) == 1 and is_test(expected):
            return _passes(expected, value)
        if isinstance(value, dict):
            for name, item in expected.items():  # takes half as long as `all`
                if not is_match(item, value.get(name, UNSET)):
                    return False
            return True
    if isinstance(expected, list) and isinstance(value, list):
        return len(expected) == len(value) and all(map(is_match, expected, value))
    # In Python True equals 1, in JSON it does not.
    return expected == value and isinstance(expected, bool) is isinstance(value, bool)


def is_test(expected: object) -> bool:
    """Return True for the tests `{"contains": "..."}` and `{"absent": true}`."""
    if not isinstance(expected, dict) or len(expected) != 1:
        return False
    return isinstance(expected.get("contains"), str) or expected.get("absent") is True


def count_tests(value: object) -> int:
    """Return the number of `contains` tests in an expected value."""
    if isinstance(value, dict):
        if is_test(value):
            return "contains" in value
        return sum(map(count_tests, value.values()))
    return sum(map(count_tests, value)) if isinstance(value, list) else 0


def count_values(value: object) -> int:
    """Return the number of fields and items, including nested ones."""
    if isinstance(value, dict):
        value = list(value.values())
    return len(value) + sum(map(count_values, value)) if isinstance(value, list) else 0


def count_above(limit: int, value: object, encoded: bytes | bytearray) -> int:
    """Return the number of fields and items if it is above `limit`, else 0.

    `encoded` is the value as JSON.
    """
    # Counting values is slow; commas and brackets give an upper bound.
    if sum(map(encoded.count, (b",", b"[", b"{"))) <= limit:
        return 0
    count = count_values(to_builtins(value))
    return count if count > limit else 0


def count_slow_numbers(value: object) -> int:
    """Return how many numbers take long to read; a very long one counts more often.

    A decoder takes 8 us for a number such as 1e300, and 80 us for one of 4,000 digits.
    """
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return sum(map(count_slow_numbers, value))
    if isinstance(value, float):
        return int(value != 0 and not 1 / _SLOW_SIZE < abs(value) < _SLOW_SIZE)
    return value.bit_length() // _SLOW_BITS if isinstance(value, int) else 0


_SLOW_SIZE, _SLOW_BITS = 1e280, 1_000


def count_long_digits(text: bytes) -> int:
    """Return about how many digits of long numbers, and of such texts, JSON has."""
    return len(DIGIT_RUN) * text.translate(DIGITS_AS_ZEROS).count(DIGIT_RUN)


def contains(text: str, part: str) -> bool:
    """Return True if a text contains `part`, in linear time.

    Python's `find` takes linear time in long texts. Searching a short text for a long
    part may take quadratic time, so the text is made long.
    """
    is_quick = len(part) * (len(text) - len(part)) < _QUICK_COMPARISONS
    if is_quick or len(part) <= _SHORT_PART:
        return part in text
    return 0 <= text.ljust(_LONG_TEXT, "\0").find(part) <= len(text) - len(part)


_SHORT_PART, _LONG_TEXT = 32, 30_000
_QUICK_COMPARISONS = 4_096
"""Comparisons of characters that take less time than making a text long."""


def _passes(test: Mapping[str, Any], value: object) -> bool:
    """Return True if a value passes a test; UNSET stands for a missing field."""
    if "absent" in test:
        return value is UNSET
    return isinstance(value, str) and contains(
        value[: Published.searched_chars], test["contains"]
    )


def differences(
    expected: object, value: object, path: str = "$"
) -> Iterator[Difference]:
    """Yield the differences of `value` from `expected`, in the order of `expected`.

    `path` is the place of `value`.
    """
    got = MISSING if value is UNSET else value
    if is_test(expected):
        if not is_match(expected, value):
            yield Difference(path, expected, got)
    elif isinstance(expected, dict) and isinstance(value, dict):
        for name, item in expected.items():
            place = f"{path}.{cut(name)}"
            yield from differences(item, value.get(name, UNSET), place)
    elif (
        isinstance(expected, list)
        and isinstance(value, list)
        and len(expected) == len(value)
    ):
        for index, (item, actual) in enumerate(zip(expected, value, strict=True)):
            yield from differences(item, actual, f"{path}[{index}]")
    elif not is_match(expected, value):
        yield Difference(path, expected, got)


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
