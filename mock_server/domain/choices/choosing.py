"""Choices that are made: a profile, and single choices by name."""

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
"""Names of choices that are deprecated, with those in use."""


def as_profile(name: str) -> Profile:
    """The profile of that name. Raises UnknownChoice."""
    for profile in PROFILES:
        if profile == name:
            return profile
    names = " or ".join(PROFILES)
    raise UnknownChoice(f"Expected the profile to be {names}, got {name!r}")


def choose(
    profile: str = "documented", choices: Mapping[str, Value] | None = None
) -> Choices:
    """The choices of a profile, with single ones replaced, by name.

    Raises UnknownChoice for a profile, a name or a value that does not exist.
    """
    profile = as_profile(profile)
    values: dict[str, Any] = {
        name: known.profiles[profile] for name, known in table().items()
    }
    return with_choices(Choices(**values), choices or {})


def with_choices(base: Choices, choices: Mapping[str, Value]) -> Choices:
    """`base` with single choices replaced, by name.

    Raises UnknownChoice for names and values that do not exist.
    """
    values: dict[str, Any] = {}
    problems: list[str] = []
    for name, value in choices.items():
        try:
            known = choice(name)
            values[known.name] = known.parse(value)
        except UnknownChoice as error:
            problems.append(str(error))
            # Of a thousand, further ones are not even found.
            if len(problems) > Published.told_problems:
                break
    if problems:
        raise UnknownChoice(all_problems(problems))
    return base.but(**values)


def choice(name: str) -> Choice:
    """Return the choice of that name or former name. Raises UnknownChoice."""
    name = FORMER_NAMES.get(name, name)
    if name in table():
        return table()[name]
    hint = did_you_mean(name, table())
    if name == "profile":
        hint = ": a profile is set beside choices, as `profile`"
    raise UnknownChoice(f"Expected the name of a choice, got {name!r}{hint}")


def deprecations(names: Iterable[str]) -> list[str]:
    """Return a sentence for each former name of a choice among `names`."""
    return [
        f"the choice {name} is called {FORMER_NAMES[name]} now; "
        "its former name goes with version 0.3"
        for name in names
        if name in FORMER_NAMES
    ]
