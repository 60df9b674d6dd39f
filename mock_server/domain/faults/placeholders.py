"""Placeholders in JSON values, such as `{{body.appId}}`: never evaluated twice."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from mock_server.domain.errors import LimitReached

_PLACEHOLDER = re.compile(
    r"\{\{(count|now|(?:body|query|path)(?:\.[^.{}]{1,256})+)\}\}"
)


def are_in(value: Any) -> bool:
    """Whether a JSON value has any, in its texts."""
    match value:
        case str():
            return _PLACEHOLDER.search(value) is not None
        case list():
            return any(map(are_in, value))
        case dict():
            return any(map(are_in, value.values()))
    return False


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
