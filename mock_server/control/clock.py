"""Controls the clock of a sandbox; converts durations (seconds, or a `timedelta`)."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from mock_server.admin.views import ClockView
from mock_server.control.client import AdminClient
from mock_server.domain.wrong_calls import ReadOnly, WrongValue, explained

__tracebackhide__ = True

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_WITH_UNIT = re.compile("([0-9]{1,9})([smhd])", re.ASCII)
Duration = float | timedelta
"""Seconds, or a timedelta."""
# Fields of faults in milliseconds. All other durations are in seconds.
_MILLISECOND_FIELDS = ("ms", "delay_ms", "min", "max", "median")


def in_seconds(text: str) -> int | None:
    """Return the seconds of an integer with a unit, such as `30s`, else None."""
    match = _WITH_UNIT.fullmatch(text)
    return int(match[1]) * _UNITS[match[2]] if match else None


def seconds(duration: object) -> float:
    """Return a duration in seconds. Raises TypeError for values of other types."""
    if isinstance(duration, timedelta):
        return duration.total_seconds()
    if isinstance(duration, bool) or not isinstance(duration, int | float):
        number = in_seconds(duration) if isinstance(duration, str) else None
        hint = "" if number is None else f"write {number}"
        raise WrongValue(f"Expected seconds or a timedelta, got {duration!r}", hint)
    return duration


def check_zone(time: datetime, place: str) -> datetime:
    """Return the time. Raises ValueError if it has no time zone."""
    if time.utcoffset() is None:
        expected = f"Expected a datetime with a time zone, got {time!r}"
        fix = f"write {time.replace(tzinfo=UTC)!r}"
        raise ValueError(f"{expected} - at {place} ({fix})")
    return time


def field_value(name: str, value: Any) -> Any:
    """Return the value of a fault's field; convert a timedelta to the field's unit."""
    if not isinstance(value, timedelta):
        return value
    number = value.total_seconds() * (1000 if name in _MILLISECOND_FIELDS else 1)
    # `retryAfter` and `window` must be integers.
    return int(number) if number == int(number) else number


@explained
class SandboxClock(ReadOnly):
    """The clock of a sandbox."""

    def __init__(self, client: AdminClient) -> None:
        self._client = client

    @property
    def now(self) -> str:
        """The time, such as `2026-01-01T00:00:00.000Z`."""
        return str(self._client.json(ClockView, "GET", "/clock")["now"])

    def freeze(self, now: str | datetime | None = None) -> None:
        """Stop the clock, at `now` (`2026-01-01T00:00:00Z`) or at its current time.

        Raises ValueError for a datetime without a time zone.
        """
        if now is not None and not isinstance(now, str | datetime):
            expected = "a time such as '2026-01-01T00:00:00Z', or a datetime"
            raise TypeError(f"Expected {expected}, got {now!r}")
        if isinstance(now, datetime):
            now = check_zone(now, "freeze").isoformat()
        self._client.json(ClockView, "PUT", "/clock", now=now, frozen=True)

    def run(self) -> None:
        """Let the clock run."""
        self._client.json(ClockView, "PUT", "/clock", frozen=False)

    def advance(self, duration: Duration) -> None:
        """Set the clock forward, whether it is running or frozen."""
        step = seconds(duration)
        self._client.json(ClockView, "POST", "/clock/advance", seconds=step)
