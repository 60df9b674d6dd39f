"""Find the choices that a function reads, and the violations that each one tolerates.

A violation has the name of the choice that tolerates it, or a name of its own, such as
`invalid_field`, which no choice tolerates.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, cast

from mock_server.domain.choices.table import Choices, Value, table
from mock_server.domain.errors import Refusal


def read_by(function: Callable[[Choices], object], choices: Choices) -> list[str]:
    """Return the names of the choices that `function` reads, in order."""
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
    """Yield the values of these choices that are not in force, with their names."""
    for name in names:
        for value in table()[name].values:
            if value != getattr(choices, name):
                yield name, value


def in_words(choices: Choices, names: Iterable[str]) -> str:
    """Return ` (choice a=b)` with the values in force, or "" for no names."""
    values = [f"{name}={getattr(choices, name)}" for name in names]
    return f" (choice {' and '.join(values)})" if values else ""


def tolerated(name: str) -> tuple[Value, ...]:
    """Return the values of a choice that tolerate a violation."""
    row = Choices.__dataclass_fields__.get(name)
    return () if row is None else row.metadata["tolerates"]


def tolerates(choices: Choices, name: str) -> bool:
    """Return True if the choices tolerate the violation of that name."""
    return getattr(choices, name, None) in tolerated(name)


def remedies(choices: Choices, *names: str) -> tuple[str, ...]:
    """Return `name=value` for each value that tolerates what is refused now."""
    return tuple(
        f"{name}={value}"
        for name in names
        for value in tolerated(name)
        if value != getattr(choices, name)
    )


def served_with(*needed: str) -> str:
    """Return a hint that any one of the `needed` choices helps; "" for none."""
    return f"served with the choice {' or '.join(needed)}" if needed else ""
