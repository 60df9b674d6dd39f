"""The clock of a sandbox, and durations: a number of seconds, or a `timedelta`."""

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
# Durations of faults in milliseconds; all others are in seconds.
_IN_MILLISECONDS = ("ms", "delay_ms", "min", "max", "median")


def in_seconds(text: str) -> int | None:
    """Return the seconds of an integer with a unit, such as `30s`, else None."""
    found = _WITH_UNIT.fullmatch(text)
    return int(found[1]) * _UNITS[found[2]] if found else None


def seconds(duration: object) -> float:
    """Return a duration in seconds. Raises TypeError for any other type."""
    if isinstance(duration, timedelta):
        return duration.total_seconds()
    if isinstance(duration, bool) or not isinstance(duration, int | float):
        meant = in_seconds(duration) if isinstance(duration, str) else None
        hint = "" if meant is None else f"write {meant}"
        raise WrongValue(f"Expected seconds or a timedelta, got {duration!r}", hint)
    return duration


def zoned(time: datetime, place: str) -> datetime:
    """Return the time. Raises ValueError if it has no time zone."""
    if time.utcoffset() is None:
        expected = f"Expected a datetime with a time zone, got {time!r}"
        how = f"write {time.replace(tzinfo=UTC)!r}"
        raise ValueError(f"{expected} - at {place} ({how})")
    return time


def of_field(name: str, value: Any) -> Any:
    """Return the value of a fault's field; a timedelta in the field's unit."""
    if not isinstance(value, timedelta):
        return value
    count = value.total_seconds() * (1000 if name in _IN_MILLISECONDS else 1)
    # `retryAfter` and `window` take whole numbers only.
    return int(count) if count == int(count) else count


@explained
class SandboxClock(ReadOnly):
    """The clock of a sandbox."""

    def __init__(self, client: AdminClient) -> None:
        self._client = client

    @property
    def now(self) -> str:
        """Return the time, as `2026-01-01T00:00:00.000Z`."""
        return str(self._client.json(ClockView, "GET", "/clock")["now"])

    def freeze(self, now: str | datetime | None = None) -> None:
        """Stop the clock, at `now` (`2026-01-01T00:00:00Z`) or at its present time.

        Raises ValueError for a datetime without a time zone.
        """
        if now is not None and not isinstance(now, str | datetime):
            expected = "a time such as '2026-01-01T00:00:00Z', or a datetime"
            raise TypeError(f"Expected {expected}, got {now!r}")
        if isinstance(now, datetime):
            now = zoned(now, "freeze").isoformat()
        self._client.json(ClockView, "PUT", "/clock", now=now, frozen=True)

    def run(self) -> None:
        """Let the clock run."""
        self._client.json(ClockView, "PUT", "/clock", frozen=False)

    def advance(self, duration: Duration) -> None:
        """Set the clock forward, whether it is running or frozen."""
        ahead = seconds(duration)
        self._client.json(ClockView, "POST", "/clock/advance", seconds=ahead)
