"""The clock and the choices of a sandbox."""

from typing import Annotated

from msgspec import Meta, field
from msgspec.structs import replace

from mock_server.admin.route import AdminCall, Input, Output, route
from mock_server.choices import Choices, ProfileName, profile_choices
from mock_server.decoding.json_values import JsonObject
from mock_server.errors import BadChoice, InvalidField
from mock_server.timing.clock import A_TIME, Clock, ZonedTime, ms_of


class ClockView(Output):
    """The time of a sandbox."""

    now: str
    frozen: bool


class SetClock(Input):
    """The time to set, and whether the clock stands still; a missing field changes nothing."""

    now: ZonedTime | None = None
    frozen: bool | None = None


class Advance(Input):
    """How far to move the clock forward."""

    seconds: Annotated[float, Meta(ge=0, le=1e11)]


@route("GET", "/clock")
def get_clock(call: AdminCall) -> ClockView:
    """Read the clock."""
    clock = call.state.moment.clock
    return ClockView(clock.now(), clock.frozen_ms is not None)


@route("PUT", "/clock")
def put_clock(call: AdminCall, body: SetClock) -> ClockView:
    """Set, freeze or start the clock."""
    clock = call.state.moment.clock
    is_frozen = body.frozen
    if is_frozen is None:
        is_frozen = clock.frozen_ms is not None
    ms = clock.now_ms()
    if body.now is not None:
        # Writes may have later times than the one that is set.
        clock = Clock()
        try:
            ms = ms_of(body.now)
        except ValueError:
            raise InvalidField(A_TIME, str(body.now), "$.now") from None
    if is_frozen:
        return set_clock(call, replace(clock, frozen_ms=ms))
    # A running clock is stored as its distance from the real time.
    return set_clock(call, replace(clock, frozen_ms=None, ahead_ms=ms - Clock().now_ms()))


@route("POST", "/clock/advance")
def advance_clock(call: AdminCall, body: Advance) -> ClockView:
    """Move the clock forward, whether it is frozen or running."""
    return set_clock(call, call.state.moment.clock.advance(body.seconds))


def set_clock(call: AdminCall, clock: Clock) -> ClockView:
    call.state.moment = replace(call.state.moment, clock=clock)
    return get_clock(call)


class ChoicesInput(Input):
    """A profile, by default the present one, and the choices that differ from it."""

    profile: ProfileName | None = None
    choices: JsonObject = field(default_factory=dict)


class ChoicesView(Output):
    """The choices in force."""

    profile: str
    choices: Choices


@route("GET", "/choices")
def get_choices(call: AdminCall) -> ChoicesView:
    """Read the choices in force."""
    moment = call.state.moment
    return ChoicesView(moment.profile, moment.choices)


@route("PUT", "/choices")
def put_choices(call: AdminCall, body: ChoicesInput) -> ChoicesView:
    """Set choices until the next reset; all others take the profile's values."""
    moment = call.state.moment
    profile = body.profile or moment.profile
    choices = parse_choices(profile, body.choices)
    call.state.moment = replace(moment, choices=choices, profile=profile)
    return get_choices(call)


def parse_choices(profile_name: str, choices: JsonObject) -> Choices:
    """The choices of a profile with some replaced. Raises InvalidField."""
    try:
        return profile_choices(profile_name, **choices)
    except BadChoice as wrong:
        where = "$.profile"
        if wrong.where != "profile":
            where = f"$.choices.{wrong.where}"
        raise InvalidField(wrong.expectation, where=where, suggestion=wrong.suggestion) from None
