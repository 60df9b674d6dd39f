"""The clock of a sandbox: read, set, frozen, moved forward."""

from typing import Annotated

from msgspec import Meta

from mock_server.admin.framework import AdminRoute, Call, Input
from mock_server.domain.clock import format_time, parse_time
from mock_server.domain.errors import InvalidField, describe_value
from mock_server.fixture.document import Time
from mock_server.views import View

# Without a bound, `round` in `advance` would raise OverflowError for 1e308.
_YEARS_IN_SECONDS = 3.2e11
"""More than the 9,999 years that can be written."""


class SetClock(Input):
    """The time to set, and whether the clock is frozen; null leaves either as it is."""

    now: Time | None = None
    frozen: bool | None = None


class Advance(Input):
    """How many seconds to move the clock forward."""

    seconds: Annotated[float, Meta(ge=0, le=_YEARS_IN_SECONDS)]


class ClockView(View):
    """The time of a sandbox, and whether it is frozen."""

    now: str
    frozen: bool


def get_clock(call: Call) -> ClockView:
    """`GET clock`."""
    clock = call.sandbox.clock
    return ClockView(format_time(clock.now()), clock.is_frozen)


def put_clock(call: Call) -> ClockView:
    """`PUT clock`."""
    wanted: SetClock = call.body
    now = None if wanted.now is None else _milliseconds(wanted.now)
    call.sandbox.clock.set(now, frozen=wanted.frozen)
    return get_clock(call)


def advance(call: Call) -> ClockView:
    """`POST clock/advance`, whether the clock is frozen or running."""
    wanted: Advance = call.body
    try:
        call.sandbox.clock.advance(round(wanted.seconds * 1000))
    except ValueError:
        expected, got = "seconds that lead to a year up to 9999", wanted.seconds
        message = f"Expected {expected}, got {describe_value(got)} - at $.seconds"
        raise InvalidField(message) from None
    return get_clock(call)


def _milliseconds(text: str) -> int:
    try:
        return parse_time(text)
    except ValueError:
        expected = "a time like 2024-01-31T12:00:00Z"
        message = f"Expected {expected}, got {describe_value(text)} - at $.now"
        raise InvalidField(message) from None


ROUTES = (
    AdminRoute("GET", "/clock", get_clock, ClockView, "Read the sandbox's clock"),
    AdminRoute(
        "PUT",
        "/clock",
        put_clock,
        ClockView,
        "Set, freeze or unfreeze the clock",
        body=SetClock,
    ),
    AdminRoute(
        "POST",
        "/clock/advance",
        advance,
        ClockView,
        "Move the clock forward, whether it is frozen or running",
        body=Advance,
    ),
)
