"""Which departures from the spec the choices let pass, and which choices would.

A departure has the name of the choice that lets it pass, or one of its own, such as
`invalid_field`, which none does.
"""

from collections.abc import Mapping
from dataclasses import fields
from functools import cache

from mock_server.domain.choices import Choices, Value


@cache
def _tolerated() -> Mapping[str, tuple[Value, ...]]:
    return {entry.name: entry.metadata["tolerates"] for entry in fields(Choices)}


def tolerated(name: str) -> tuple[Value, ...]:
    """The values of a choice under which something is served that others refuse."""
    return _tolerated().get(name, ())


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
