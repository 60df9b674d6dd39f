"""Reads single fields of a body. What is not as the spec says is an InvalidField."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from mock_server.domain.errors import InvalidField, show
from mock_server.domain.limits import LIMITS

Body = Mapping[str, object]


def text(body: Body, name: str, longest: int, *, shortest: int = 0) -> str:
    """A string of so many characters."""
    value = body.get(name)
    if isinstance(value, str) and shortest <= len(value) <= longest:
        return value
    raise refuse(body, name, f"a string of {shortest} to {longest} characters")


def identifier(body: Body, name: str) -> str:
    """An id, which is compared as it is sent."""
    return text(body, name, LIMITS.id_chars, shortest=1)


def boolean(body: Body, name: str) -> bool:
    """true or false."""
    value = body.get(name)
    if isinstance(value, bool):
        return value
    raise refuse(body, name, "true or false")


def integer(body: Body, name: str, low: int, high: int, *, strings: bool) -> int:
    """An integer, 1.0 being one and true being none; `strings`: "10" is one too."""
    value = body.get(name)
    if strings and isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value) if len(value) <= len(str(LIMITS.integer)) else value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
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


def only(body: Body, known: Collection[str]) -> None:
    """No field but the known ones."""
    for name in body:
        if name not in known:
            names = ", ".join(known)
            raise InvalidField(f"only the fields {names}", show(name), f"$.{name}")


def refuse(body: Body, name: str, expected: str) -> InvalidField:
    """The refusal of a field as it is in the body."""
    got = show(body[name]) if name in body else "nothing"
    return InvalidField(expected, got, f"$.{name}")
