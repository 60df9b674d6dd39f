"""Time: read and written, the clock of a sandbox, and what else comes from outside.

Times are milliseconds since 1970 UTC, as integers. Nothing here asks the machine's
clock: real time is a function that is handed in.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Self

from msgspec import Struct

from mock_server.domain.limits import Limits
from mock_server.domain.replies import AT_ONCE, Pace

DEFAULT_TIME = 1704067200000
"""2024-01-01T00:00:00.000Z: the time of everything that declares none."""
MIN_TIME = -62135596800000
"""0001-01-01T00:00:00.000Z, the first time that Python's dates can hold."""
MAX_TIME = 253402300799999
"""9999-12-31T23:59:59.999Z, the last one."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
_NS_IN_MS = 1_000_000
_RFC3339 = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)


class Environment(Struct, frozen=True):
    """What is handed in from outside, so that a test can control it.

    `time_ns` gives the real time in nanoseconds, as `time.time_ns` does; `seconds` a
    monotonic clock, for what must not jump when the machine's time is set; `secret` a
    new unguessable text; `limits` are the bounds in force, `pace` is that of replies
    where the data has none.
    """

    time_ns: Callable[[], int]
    seconds: Callable[[], float]
    secret: Callable[[], str]
    limits: Limits = Limits()
    pace: Pace = AT_ONCE


class Clock:
    """The time of a sandbox: real, shifted or frozen."""

    def __init__(
        self,
        time_ns: Callable[[], int],
        frozen_at: int | None = None,
        *,
        ahead: int = 0,
    ) -> None:
        """Stands at `frozen_at`, or runs `ahead` milliseconds before real time.

        `time_ns` gives the real time in nanoseconds.
        """
        self._time_ns = time_ns
        self._frozen_at = frozen_at
        self._ahead = ahead

    def copy(self) -> Self:
        """A clock that shows the same time and is set on its own."""
        return type(self)(self._time_ns, self._frozen_at, ahead=self._ahead)

    @property
    def is_frozen(self) -> bool:
        return self._frozen_at is not None

    def now(self) -> int:
        if self._frozen_at is not None:
            return self._frozen_at
        now = self._time_ns() // _NS_IN_MS
        if self._ahead or now > MAX_TIME:
            # A clock near the end of time runs on: what it shows must stay writable.
            return min(max(now + self._ahead, MIN_TIME), MAX_TIME)
        return now

    def set(self, now: int | None = None, *, frozen: bool | None = None) -> None:
        """Go to a time, and stand still or run from there; None leaves it as it is.

        Raises ValueError for a time that cannot be written.
        """
        time = self.now() if now is None else now
        if not MIN_TIME <= time <= MAX_TIME:
            raise ValueError("a year outside 1 to 9999")
        stands = self.is_frozen if frozen is None else frozen
        self._frozen_at = time if stands else None
        self._ahead = time - self._time_ns() // _NS_IN_MS

    def advance(self, ms: int) -> None:
        """Go that many milliseconds forward. Raises ValueError as `set` does."""
        self.set(self.now() + ms)


def parse_time(text: str) -> int:
    """Milliseconds of an RFC 3339 date-time with seconds and an offset.

    Digits below a millisecond are cut off. Raises ValueError for every other form and
    for years outside 1 to 9999.
    """
    if not _RFC3339.fullmatch(text):
        raise ValueError("not an RFC 3339 date-time")
    ms = (datetime.fromisoformat(text.upper()) - _EPOCH) // _MS
    # The year 1 with an offset is a date that Python reads, and is before MIN_TIME.
    if not MIN_TIME <= ms <= MAX_TIME:
        raise ValueError("a year outside 1 to 9999")
    return ms


def is_time(text: str) -> bool:
    """Whether `parse_time` reads it."""
    try:
        parse_time(text)
    except ValueError:
        return False
    return True


def format_time(ms: int) -> str:
    """`YYYY-MM-DDTHH:MM:SS.mmmZ`, the one form in which times are written."""
    moment = (_EPOCH + ms * _MS).replace(tzinfo=None)
    return moment.isoformat(timespec="milliseconds") + "Z"
