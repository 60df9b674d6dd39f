"""Placeholders in JSON values, such as `{{body.appId}}`: never evaluated twice."""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

import msgspec
from msgspec import UNSET, Raw

from mock_server.domain.errors import LimitReached
from mock_server.domain.limits import Published
from mock_server.domain.validation.json_match import values_in

_PLACEHOLDER = re.compile(
    r"\{\{(count|now|(?:body|query|path)(?:\.[^.{}]{1,256}){1,64})\}\}"
)
_BEGINNING = re.compile(rb"\{\{(?:count|now|body|query|path)")


def are_in(value: Any) -> bool:
    """Whether a JSON value has any, in its texts."""
    return _may_be_in(value) and any(True for _ in _found_in(value))


def _may_be_in(value: Any) -> bool:
    """Whether its JSON looks like it, which is found fast in a large one."""
    return value is not UNSET and bool(_BEGINNING.search(msgspec.json.encode(value)))


def _found_in(value: Any) -> Iterator[str]:
    """The placeholders in the texts of a JSON value."""
    match value:
        case Raw():
            yield from _found_in(msgspec.json.decode(value))
        case str():
            yield from (each[1] for each in _PLACEHOLDER.finditer(value))
        case list():
            yield from chain.from_iterable(map(_found_in, value))
        case dict():
            yield from chain.from_iterable(map(_found_in, value.values()))


def problem_in(value: Any) -> str:
    """What is wrong with the placeholders of a JSON value; "" if nothing is."""
    if not _may_be_in(value):
        return ""
    most, encoded = Published.placeholders, msgspec.json.encode(value)
    # At most as many as there are commas and brackets: to go through all takes long.
    is_large = sum(map(encoded.count, (b",", b"[", b"{"))) > Published.json_values
    if is_large and (count := values_in(value)) > Published.json_values:
        expected = f"at most {Published.json_values} fields and items around {{{{"
        return f"Expected {expected}, got {count}"
    are_many = len(_BEGINNING.findall(encoded)) > most
    if are_many and len([*islice(_found_in(value), most + 1)]) > most:
        return f"Expected at most {most} placeholders, got more"
    return ""


def filled(value: Any, known: Mapping[str, Any], most: int) -> Any:
    """The value with what its placeholders stand for, at most so many bytes of it.

    One that is the whole of a text gives a value of its own type, null if there is
    none; inside a text it gives a text. Raises LimitReached.
    """
    room = most

    def found(placeholder: str) -> Any:
        nonlocal room
        found: Any = known
        for name in placeholder.split("."):
            found = found.get(name) if isinstance(found, dict) else None
        room -= len(msgspec.json.encode(found))
        if room < 0:
            expected = f"placeholders that stand for at most {most} bytes"
            raise LimitReached(expected, "more", "the answer")
        return found

    return _filled(value, found)


def _filled(value: Any, found: Callable[[str], Any]) -> Any:
    match value:
        case Raw():
            return _filled(msgspec.json.decode(value), found)
        case str():
            if whole := _PLACEHOLDER.fullmatch(value):
                return found(whole[1])
            return _PLACEHOLDER.sub(lambda each: _text_of(found(each[1])), value)
        case list():
            return [_filled(each, found) for each in value]
        case dict():
            return {name: _filled(each, found) for name, each in value.items()}
    return value


def _text_of(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
