"""Build Choices from the name of a profile, and from single choices by name."""

from collections.abc import Iterable, Mapping
from typing import Any

from mock_server.domain.choices.profiles import PROFILES, Profile
from mock_server.domain.choices.table import (
    Choice,
    Choices,
    UnknownChoice,
    Value,
    table,
)
from mock_server.domain.limits import Published
from mock_server.domain.messages import all_problems, did_you_mean

FORMER_NAMES = {"neighbours": "related_routes"}
"""The current name for each deprecated name of a choice."""


def as_profile(name: str) -> Profile:
    """Return `name` as a profile. Raises UnknownChoice."""
    for profile in PROFILES:
        if profile == name:
            return profile
    names = " or ".join(PROFILES)
    hint = did_you_mean(name, PROFILES)
    raise UnknownChoice(f"Expected the profile to be {names}, got {name!r}{hint}")


def choose(
    profile: str = "documented", choices: Mapping[str, Value] | None = None
) -> Choices:
    """Return the choices of a profile; `choices` replaces some values, by name.

    Raises UnknownChoice for an unknown profile, name or value.
    """
    profile = as_profile(profile)
    values: dict[str, Any] = {
        name: row.profiles[profile] for name, row in table().items()
    }
    return with_choices(Choices(**values), choices or {})


def with_choices(base: Choices, choices: Mapping[str, Value]) -> Choices:
    """Return `base` with the values of `choices`, by name.

    Raises UnknownChoice for unknown names and values; the message lists all of them.
    """
    values: dict[str, Any] = {}
    problems: list[str] = []
    for name, value in choices.items():
        try:
            row = choice(name)
            values[row.name] = row.parse(value)
        except UnknownChoice as error:
            problems.append(str(error))
            # The message does not show more problems, so do not look for them.
            if len(problems) > Published.told_problems:
                break
    if problems:
        raise UnknownChoice(all_problems(problems))
    return base.replaced(**values)


def choice(name: str) -> Choice:
    """Return the choice with this current or deprecated name. Raises UnknownChoice."""
    name = FORMER_NAMES.get(name, name)
    if name in table():
        return table()[name]
    hint = did_you_mean(name, table())
    if name == "profile":
        hint = ": a profile is set beside choices, as `profile`"
    raise UnknownChoice(f"Expected the name of a choice, got {name!r}{hint}")


def deprecations(names: Iterable[str]) -> list[str]:
    """Return a warning for each deprecated name of a choice among `names`."""
    return [
        f"the choice {name} is called {FORMER_NAMES[name]} now; "
        "its former name goes with version 0.3"
        for name in names
        if name in FORMER_NAMES
    ]
