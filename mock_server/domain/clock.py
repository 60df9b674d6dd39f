"""The clock of a sandbox, times as text, and the environment of a server.

Times are integers: milliseconds since 1970 UTC. A function that the caller passes
returns the real time; no module of the domain reads the machine's clock.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Self

from msgspec import Struct

from mock_server.domain.limits import Limits
from mock_server.domain.replies import NO_PACE, Pace

DEFAULT_TIME = 1704067200000
"""2024-01-01T00:00:00.000Z: the time of objects that declare none."""
MIN_TIME = -62135596800000
"""0001-01-01T00:00:00.000Z, the first time that Python's dates can represent."""
MAX_TIME = 253402300799999
"""9999-12-31T23:59:59.999Z, the last time that Python's dates can represent."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
_NS_IN_MS = 1_000_000
_RFC3339 = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)


class Environment(Struct, frozen=True):
    """The inputs of a server from outside, which a test can control.

    `time_ns` returns the real time in nanoseconds, as `time.time_ns` does; `seconds`
    returns monotonic seconds, for durations; `secret` returns a new text that nobody
    can guess. `limits` are the limits in force; `pace` is the pace of streamed replies
    that declare none.
    """

    time_ns: Callable[[], int]
    seconds: Callable[[], float]
    secret: Callable[[], str]
    limits: Limits = Limits()
    pace: Pace = NO_PACE


class Clock:
    """The time of a sandbox: real, shifted or frozen."""

    def __init__(
        self,
        time_ns: Callable[[], int],
        frozen_at: int | None = None,
        *,
        offset_ms: int = 0,
    ) -> None:
        """Freeze the clock at `frozen_at` (ms), or run it `offset_ms` ms of real time.

        `time_ns` returns the real time in nanoseconds.
        """
        self._time_ns = time_ns
        self._frozen_at = frozen_at
        self._offset_ms = offset_ms

    def copy(self) -> Self:
        """Return an independent clock with the same time."""
        return type(self)(self._time_ns, self._frozen_at, offset_ms=self._offset_ms)

    @property
    def is_frozen(self) -> bool:
        return self._frozen_at is not None

    def now(self) -> int:
        """Return the time in milliseconds, from MIN_TIME to MAX_TIME."""
        if self._frozen_at is not None:
            return self._frozen_at
        now = self._time_ns() // _NS_IN_MS
        if self._offset_ms or now > MAX_TIME:
            # Other times cannot be written as text.
            return min(max(now + self._offset_ms, MIN_TIME), MAX_TIME)
        return now

    def set(self, now: int | None = None, *, frozen: bool | None = None) -> None:
        """Set the time to `now` (ms), and freeze the clock or let it run.

        None leaves the time or the state unchanged. Raises ValueError for a year
        outside 1 to 9999.
        """
        time = self.now() if now is None else now
        if not MIN_TIME <= time <= MAX_TIME:
            raise ValueError("a year outside 1 to 9999")
        is_frozen = self.is_frozen if frozen is None else frozen
        self._frozen_at = time if is_frozen else None
        self._offset_ms = time - self._time_ns() // _NS_IN_MS

    def advance(self, ms: int) -> None:
        """Move the time by `ms` milliseconds. Raises ValueError as `set` does."""
        self.set(self.now() + ms)


def parse_time(text: str) -> int:
    """Return an RFC 3339 date-time, with seconds and an offset, in milliseconds.

    Digits below a millisecond are cut off. Raises ValueError for other forms and for
    years outside 1 to 9999.
    """
    if not _RFC3339.fullmatch(text):
        raise ValueError("not an RFC 3339 date-time")
    ms = (datetime.fromisoformat(text.upper()) - _EPOCH) // _MS
    # A time in the year 1 may be before MIN_TIME because of its offset.
    if not MIN_TIME <= ms <= MAX_TIME:
        raise ValueError("a year outside 1 to 9999")
    return ms


def is_time(text: str) -> bool:
    """Return True if `parse_time` accepts the text."""
    try:
        parse_time(text)
    except ValueError:
        return False
    return True


def format_time(ms: int) -> str:
    """Return `YYYY-MM-DDTHH:MM:SS.mmmZ`, the only form in which times are written."""
    moment = (_EPOCH + ms * _MS).replace(tzinfo=None)
    return moment.isoformat(timespec="milliseconds") + "Z"
