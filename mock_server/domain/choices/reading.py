"""Find the choices that a function reads, and the violations that choices tolerate.

A violation has the name of the choice that can tolerate it. No choice tolerates a
violation with another name, such as `invalid_field`.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, cast

from mock_server.domain.choices.table import Choices, Value, table
from mock_server.domain.errors import Refusal


def choices_read(function: Callable[[Choices], object], choices: Choices) -> list[str]:
    """Return the names of the choices that `function` reads, in order of reading."""
    names: dict[str, None] = {}
    with suppress(Refusal):
        function(cast(Choices, ReadRecorder(choices, names.setdefault)))
    return [name for name in names if name in table()]


class ReadRecorder:
    """A wrapper of Choices or Facts; `note_name` gets each name that is read."""

    def __init__(self, value: object, note_name: Callable[[str], object]) -> None:
        self._value, self._note_name = value, note_name

    def __getattr__(self, name: str) -> Any:
        self._note_name(name)
        return getattr(self._value, name)


def other_values(choices: Choices, names: Iterable[str]) -> Iterator[tuple[str, Value]]:
    """Yield the name and each other value, not the one in force, of these choices."""
    for name in names:
        for value in table()[name].values:
            if value != getattr(choices, name):
                yield name, value


def choices_text(choices: Choices, names: Iterable[str]) -> str:
    """Return ` (choice a=b)` with the values in force; "" without names."""
    values = [f"{name}={getattr(choices, name)}" for name in names]
    return f" (choice {' and '.join(values)})" if values else ""


def tolerant_values(name: str) -> tuple[Value, ...]:
    """Return the values of the choice `name` that tolerate its violation."""
    row = Choices.__dataclass_fields__.get(name)
    return () if row is None else row.metadata["tolerates"]


def tolerates(choices: Choices, name: str) -> bool:
    """Return True if the choices in force tolerate the violation `name`."""
    return getattr(choices, name, None) in tolerant_values(name)


def remedies(choices: Choices, *names: str) -> tuple[str, ...]:
    """Return `name=value` for each value of these choices that would tolerate more.

    The values in force are left out.
    """
    return tuple(
        f"{name}={value}"
        for name in names
        for value in tolerant_values(name)
        if value != getattr(choices, name)
    )


def choices_hint(*needed: str) -> str:
    """Return the hint that any one of the `needed` choices helps; "" without any."""
    return f"served with the choice {' or '.join(needed)}" if needed else ""
