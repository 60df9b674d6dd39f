"""Reads and sets the clock and the choices of a sandbox."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated

from msgspec import Meta, field

from mock_server.admin.framework import Call, Example, Input, Routes
from mock_server.admin.resources.apps import refuse
from mock_server.admin.views import ChoicesView, Chosen, ClockView
from mock_server.domain.choices import choosing
from mock_server.domain.choices import table as choice_table
from mock_server.domain.choices.profiles import Profile
from mock_server.domain.clock import format_time
from mock_server.domain.errors import InvalidField, InvalidFields
from mock_server.fixture.builders.parts import read_time
from mock_server.fixture.document import Time

routes = Routes()

# A limit, because `round` in `advance` would raise OverflowError for 1e308.
_YEARS_IN_SECONDS = 3.2e11
"""More than the 9,999 years that a time can have."""


class SetClock(Input):
    """The time to set, and whether the clock is frozen; null changes nothing."""

    now: Time | None = None
    frozen: bool | None = None


class Advance(Input):
    """Number of seconds to move the clock forward."""

    seconds: Annotated[float, Meta(ge=0, le=_YEARS_IN_SECONDS)]


@routes.add("GET", "/clock")
def get_clock(call: Call) -> ClockView:
    """Read the sandbox's clock."""
    clock = call.sandbox.clock
    return ClockView(format_time(clock.now()), clock.is_frozen)


_FREEZE = Example({"now": "2026-01-01T00:00:00Z", "frozen": True})


@routes.add("PUT", "/clock", examples=(_FREEZE,))
def put_clock(call: Call, fields: SetClock) -> ClockView:
    """Set, freeze or unfreeze the clock."""
    now = None if fields.now is None else read_time(fields.now, ("now",), refuse)
    call.sandbox.clock.set(now, frozen=fields.frozen)
    return get_clock(call)


@routes.add("POST", "/clock/advance", examples=(Example({"seconds": 3600}),))
def advance(call: Call, fields: Advance) -> ClockView:
    """Move the clock forward, whether it is frozen or running."""
    try:
        call.sandbox.clock.advance(round(fields.seconds * 1000))
    except ValueError:
        expected = "seconds that lead to a year up to 9999"
        raise InvalidField.of(fields.seconds, expected, "$.seconds") from None
    return get_clock(call)


class Choose(Input):
    """A profile, by default the current one, and the choices that differ from it."""

    profile: Profile | None = None
    choices: Chosen = field(default_factory=dict)

    @classmethod
    def unknown_field_hint(cls, name: str, fields: Mapping[str, object]) -> str:
        """Return a hint for a choice that should be in `choices`."""
        if name in choice_table.table():
            return f' (write {{"choices": {{"{name}": ...}}}})'
        return super().unknown_field_hint(name, fields)


@routes.add("GET", "/choices")
def get_choices(call: Call) -> ChoicesView:
    """Read the choices in force."""
    state = call.sandbox.state
    return ChoicesView(
        state.profile, asdict(state.choices), list(choice_table.table().values())
    )


_CLAMP = Example({"choices": {"page_size_over_limit": "clamp"}})


@routes.add("PUT", "/choices", examples=(_CLAMP,))
def put_choices(call: Call, fields: Choose) -> ChoicesView:
    """Set choices until the next reset.

    Choices left out take the profile's values.
    """
    profile = fields.profile or call.sandbox.state.profile
    choices = with_choices(choosing.choose(profile), fields.choices)
    call.sandbox.choose(profile, choices)
    return get_choices(call)


def with_choices(
    other_choices: choice_table.Choices, choices: dict[str, choice_table.Value]
) -> choice_table.Choices:
    """Return `other_choices` with `choices` replaced. Raises InvalidField."""
    try:
        return choosing.with_choices(other_choices, choices)
    except choice_table.UnknownChoice as error:
        raise InvalidFields(f"{error} - at $.choices") from None
