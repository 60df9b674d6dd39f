"""The time of a sandbox: real, moved, or frozen. All times are of the years 1 to 9999 in UTC."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from mock_server.timing.system_time import RealTime

ZonedTime = Annotated[RealTime.Datetime, Meta(tz=True)]


class Clock(Struct, frozen=True):
    """A clock that a test can freeze and advance, up to the end of 9999. It is immutable."""

    frozen_ms: int | None = None
    ahead_ms: int = 0
    written_ms: int | None = None
    """The time of the last write, unless the clock was set after it."""

    def now_ms(self) -> int:
        """Milliseconds since 1970, UTC."""
        if self.frozen_ms is not None:
            return self.frozen_ms
        ms = min(RealTime.time_ns() // 1_000_000 + self.ahead_ms, LAST_MS)
        # Writes that come faster than milliseconds run ahead of the real time.
        return max(ms, self.written_ms or ms)

    def next_write_ms(self) -> int:
        """The time of a write: later than that of the last one, unless the clock is frozen."""
        ms = self.now_ms()
        if self.frozen_ms is None and ms == self.written_ms:
            ms = min(ms + 1, LAST_MS)
        return ms

    def now(self) -> str:
        """The time as FastGPT writes it: 2024-01-31T12:00:00.000Z."""
        return format_ms(self.now_ms())

    def advance(self, seconds: float) -> "Clock":
        ms = round(seconds * 1000)
        if self.frozen_ms is not None:
            return replace(self, frozen_ms=min(self.frozen_ms + ms, LAST_MS))
        return replace(self, ahead_ms=self.ahead_ms + ms)


_EPOCH = RealTime.Datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_MS = -62_135_596_800_000
LAST_MS = 253_402_300_799_999
A_TIME = "a time such as 2026-01-01T00:00:00Z (in UTC, of the years 1 to 9999)"


def format_ms(ms: int) -> str:
    time = _EPOCH + timedelta(milliseconds=ms)
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def ms_of(time: datetime) -> int:
    """A time (UTC by default) in ms since 1970. Raises ValueError outside the years 1 to 9999."""
    ms = (time.replace(tzinfo=time.tzinfo or UTC) - _EPOCH) // timedelta(milliseconds=1)
    if not _FIRST_MS <= ms <= LAST_MS:
        raise ValueError(f"Expected {A_TIME}")
    return ms
