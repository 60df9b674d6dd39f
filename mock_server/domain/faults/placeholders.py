"""Fill placeholders such as `{{body.appId}}` in JSON values, and check them."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

import msgspec
from msgspec import UNSET, Raw

from mock_server.domain.errors import LimitReached
from mock_server.domain.limits import Published
from mock_server.domain.messages import cut, most_alike
from mock_server.domain.validation.json_match import (
    count_above,
    count_long_digits,
    count_values,
)

_PLACEHOLDER = re.compile(
    r"\{\{(count|now|(?:body|query|path)(?:\.[^.{}]{1,256}){1,64})\}\}"
)
_NEAR_MISS = re.compile(r"\$?\{\{? {0,9}([A-Za-z_][\w.\[\]-]{0,256}) {0,9}\}\}?")
_BRACED = re.compile(r"\{\{ ?[\w.]{1,60} ?\}\}")
_MAX_NEAR_MISSES = 100
_ROOTS = "body", "query", "path", "count", "now"
_IN_NAME = re.compile(
    r'(\{\{(?:count|now|body|query|path)[^"{}\\]{0,64}\}\})[^"{}\\]{0,64}":'
)
_BEGINNINGS = tuple(f"{{{{{root}".encode() for root in _ROOTS)
_WARNED_CHARS = 65_536
"""Number of characters, from the beginning of a value, that warnings are about."""


def are_in(value: Any) -> bool:
    """Return True if a text in a JSON value has a placeholder."""
    return _may_be_in(value) and any(True for _ in _placeholders(value))


def _may_be_in(value: Any) -> bool:
    """Return False if a value has no placeholder; this is fast for large values."""
    return value is not UNSET and _count_beginnings(msgspec.json.encode(value)) > 0


def _count_beginnings(encoded: bytes) -> int:
    return sum(map(encoded.count, _BEGINNINGS))


def _placeholders(value: Any) -> Iterator[str]:
    """Yield the placeholders in the texts of a JSON value."""
    match value:
        case Raw():
            yield from _placeholders(msgspec.json.decode(value))
        case str():
            yield from (each[1] for each in _PLACEHOLDER.finditer(value))
        case list():
            yield from chain.from_iterable(map(_placeholders, value))
        case dict():
            yield from chain.from_iterable(map(_placeholders, value.values()))


def json_warnings(value: Any, route: str) -> Iterator[str]:
    """Yield warnings of near misses of placeholders, and of unknown path parameters.

    The encoded value is searched, because no JSON punctuation looks like a placeholder.
    """
    encoded = b"" if value is UNSET else msgspec.json.encode(value)
    text = encoded.decode()[:_WARNED_CHARS]
    if key := _IN_NAME.search(text):
        reason = "placeholders are filled in values, not in names of fields"
        yield f"{cut(key[1])!r} is sent as it is: {reason}"
    names = re.findall(r"/\{([^{}]*)\}", route)
    near_misses = islice(_NEAR_MISS.finditer(text), _MAX_NEAR_MISSES)
    for near_miss, name in {each[0]: each[1] for each in near_misses}.items():
        root, dot, rest = name.partition(".")
        literal = f"{cut(near_miss)!r} is no placeholder, and is sent as it is"
        if _PLACEHOLDER.fullmatch(near_miss):
            if root == "path" and rest not in names:
                hint = f" (it has {', '.join(names)})" if names else ""
                yield f"{cut(near_miss)!r} is null: the path has no {rest}{hint}"
        elif _PLACEHOLDER.fullmatch(correction := f"{{{{{name}}}}}"):
            if dot or near_miss.startswith("{{"):
                yield f"{literal}: write {correction}"
        elif name in names:
            yield f"{literal}: write {{{{path.{name}}}}}"
        elif root in _ROOTS and not dot and near_miss.startswith("{{"):
            yield f"{literal}: write {{{{{root}.NAME}}}}, with the name of a field"
        elif near_miss.startswith("{{") and (dot or most_alike(root, _ROOTS, 0.75)):
            yield f"{literal}: there are {', '.join(_ROOTS)}"


def text_warnings(texts: Iterable[str]) -> Iterator[str]:
    """Yield a warning if a text or header has placeholders, which are not filled."""
    beginnings = [each[:_WARNED_CHARS] for each in texts]
    fields = (name for name in _placeholders(beginnings) if "." in name)
    for name in islice(fields, 1):
        reason = "placeholders are filled in data and json only"
        yield f"'{{{{{cut(name)}}}}}' is sent as it is: {reason}"


def reply_warnings(parts: Any) -> Iterator[str]:
    """Yield a warning if the parts of a reply have a text such as `{{name}}`."""
    text = msgspec.json.encode(parts).decode()[:_WARNED_CHARS]
    if found := _BRACED.search(text):
        yield f"{found[0]!r} is sent as it is: texts of replies have no placeholders"


def problem_in(value: Any) -> str:
    """Return the message of the problem with a JSON value's placeholders, or ""."""
    if not _may_be_in(value):
        return ""
    limit, encoded = Published.placeholders, msgspec.json.encode(value)
    if count := count_above(Published.json_values, value, encoded):
        expected = f"at most {Published.json_values} fields and items around {{{{"
        return f"Expected {expected}, got {count}"
    are_many = _count_beginnings(encoded) > limit
    if are_many and len([*islice(_placeholders(value), limit + 1)]) > limit:
        return f"Expected at most {limit} placeholders, got more"
    return ""


def fill(value: Any, values: Mapping[str, Any], limit: int) -> Any:
    """Return the value with its placeholders filled from `values`.

    A text that is a single placeholder becomes the value with its type, or null. Inside
    a longer text, a placeholder becomes text. Raises LimitReached if all filled values
    have more than `limit` bytes, or too many fields, items and digits of long numbers.
    """
    room, room_for_values = limit, Published.json_values

    def lookup(placeholder: str) -> Any:
        nonlocal room, room_for_values
        value: Any = values
        for name in placeholder.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        encoded = msgspec.json.encode(value)
        room -= len(encoded)
        if room >= 0 and not isinstance(value, str):
            # Numbers are short, but slow to encode, long ones most of all.
            room_for_values -= count_values(value) + count_long_digits(encoded)
        if room < 0 or room_for_values < 0:
            most = f"{limit} bytes and {Published.json_values} fields, items and digits"
            expected = f"placeholders that stand for at most {most}"
            raise LimitReached(expected, "more", "the answer")
        return value

    return _fill(value, lookup)


def _fill(value: Any, lookup: Callable[[str], Any]) -> Any:
    match value:
        case Raw():
            return _fill(msgspec.json.decode(value), lookup)
        case str():
            if single := _PLACEHOLDER.fullmatch(value):
                return lookup(single[1])
            return _PLACEHOLDER.sub(lambda each: _text_of(lookup(each[1])), value)
        case list():
            return [_fill(each, lookup) for each in value]
        case dict():
            return {name: _fill(each, lookup) for name, each in value.items()}
    return value


def _text_of(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
