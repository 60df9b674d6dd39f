"""The clock of a sandbox: read, set, stopped, moved forward."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from mock_server.admin.framework import AdminRoute, Call, Input
from mock_server.domain.clock import format_time, parse_time
from mock_server.domain.errors import InvalidField, describe_value
from mock_server.fixture.document import Time
from mock_server.views import View

_YEARS_IN_SECONDS = 3.2e11


class SetClock(Input):
    """Where time goes to, and whether it stands there; what is null stays."""

    now: Time | None = None
    frozen: bool | None = None


class Advance(Input):
    """How far time goes forward."""

    seconds: Annotated[float, Meta(ge=0, le=_YEARS_IN_SECONDS)]


class ClockView(View):
    """The time of a sandbox, and whether it stands still."""

    now: str
    frozen: bool


def get_clock(call: Call) -> ClockView:
    """`GET clock`."""
    clock = call.sandbox.clock
    return ClockView(format_time(clock.now()), clock.is_frozen)


def put_clock(call: Call) -> ClockView:
    """`PUT clock`."""
    wanted: SetClock = call.body
    now = None if wanted.now is None else _time(wanted.now)
    call.sandbox.clock.set(now, frozen=wanted.frozen)
    return get_clock(call)


def advance(call: Call) -> ClockView:
    """`POST clock/advance`, whether time is running or not."""
    wanted: Advance = call.body
    try:
        call.sandbox.clock.advance(round(wanted.seconds * 1000))
    except ValueError:
        expected = "seconds that lead to a year up to 9999"
        message = (
            f"Expected {expected}, got {describe_value(wanted.seconds)} - at $.seconds"
        )
        raise InvalidField(message) from None
    return get_clock(call)


def _time(text: str) -> int:
    try:
        return parse_time(text)
    except ValueError:
        expected = "a time like 2024-01-31T12:00:00Z"
        message = f"Expected {expected}, got {describe_value(text)} - at $.now"
        raise InvalidField(message) from None


ROUTES = (
    AdminRoute("GET", "/clock", get_clock, ClockView, "The sandbox's time"),
    AdminRoute(
        "PUT", "/clock", put_clock, ClockView, "Set, stop or start it", body=SetClock
    ),
    AdminRoute(
        "POST",
        "/clock/advance",
        advance,
        ClockView,
        "Move it forward, whether it is running or not",
        body=Advance,
    ),
)
