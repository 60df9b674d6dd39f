"""Durations as callers may give them: a number, or a `timedelta`."""

from datetime import timedelta
from typing import Any

__tracebackhide__ = True

Duration = float | timedelta
"""Seconds, or a timedelta."""
# Of the fields of faults that are durations, these are in milliseconds.
_IN_MILLISECONDS = ("ms", "min", "max", "median")


def seconds(duration: object) -> float:
    """A duration in seconds. Raises TypeError for what is none."""
    if isinstance(duration, timedelta):
        return duration.total_seconds()
    if isinstance(duration, bool) or not isinstance(duration, int | float):
        raise TypeError(f"Expected seconds or a timedelta, got {duration!r}")
    return duration


def of_field(name: str, value: Any) -> Any:
    """The value of a fault's field: a timedelta in the unit that the field has."""
    if not isinstance(value, timedelta):
        return value
    count = value.total_seconds() * (1000 if name in _IN_MILLISECONDS else 1)
    # `retryAfter` and `window` take whole numbers only.
    return int(count) if count == int(count) else count
