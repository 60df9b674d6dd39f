"""Choices as they are read: which a function depends on, and what each lets pass.

A departure from the spec has the name of the choice that lets it pass, or one of its
own, such as `invalid_field`, which none does.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, cast

from mock_server.domain.choices.table import Choices, Value, table
from mock_server.domain.errors import Refusal


def read_by(function: Callable[[Choices], object], choices: Choices) -> list[str]:
    """The names of the choices that a function reads, in order, even if it refuses."""
    names: dict[str, None] = {}
    with suppress(Refusal):
        function(cast(Choices, Watched(choices, names.setdefault)))
    return [name for name in names if name in table()]


class Watched:
    """Choices or facts; `note` is called with the name of each that is read."""

    def __init__(self, value: object, note: Callable[[str], object]) -> None:
        self._value, self._note = value, note

    def __getattr__(self, name: str) -> Any:
        self._note(name)
        return getattr(self._value, name)


def others(choices: Choices, names: Iterable[str]) -> Iterator[tuple[str, Value]]:
    """The values of these choices that are not in force, with their names."""
    for name in names:
        for value in table()[name].values:
            if value != getattr(choices, name):
                yield name, value


def in_words(choices: Choices, names: Iterable[str]) -> str:
    """The choices of these names as they are in force: ` (choice a=b)`, or nothing."""
    values = [f"{name}={getattr(choices, name)}" for name in names]
    return f" (choice {' and '.join(values)})" if values else ""


def tolerated(name: str) -> tuple[Value, ...]:
    """The values of a choice under which something is served that others refuse."""
    row = Choices.__dataclass_fields__.get(name)
    return () if row is None else row.metadata["tolerates"]


def tolerates(choices: Choices, name: str) -> bool:
    """Whether the choices let a departure of that name pass."""
    return getattr(choices, name, None) in tolerated(name)


def remedies(choices: Choices, *names: str) -> tuple[str, ...]:
    """The values of these choices that serve what those in force refuse.

    Each is written `name=value`; values that are in force already are left out.
    """
    return tuple(
        f"{name}={value}"
        for name in names
        for value in tolerated(name)
        if value != getattr(choices, name)
    )


def served_with(*needed: str) -> str:
    """The end of a refusal's message: with which choices it would be served instead.

    Any one of them will do; an empty text where there is none.
    """
    return f"served with the choice {' or '.join(needed)}" if needed else ""
