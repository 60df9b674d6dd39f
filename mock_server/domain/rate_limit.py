"""Rate limits: fixed windows, one per key, on the sandbox's clock."""

from __future__ import annotations

from math import ceil

from msgspec import Struct, field

from mock_server.domain.limits import LIMITS
from mock_server.domain.memory import Holding

_FIXED_BYTES = 256


class Pass(Struct, frozen=True):
    """Where a limit stands after a request; `reset_ms` is the rest of the window."""

    is_allowed: bool
    limit: int
    remaining: int
    reset_ms: int

    @property
    def reset_seconds(self) -> int:
        """What is left of the window in whole seconds, rounded up."""
        return ceil(self.reset_ms / 1000)


class RateLimit(Struct):
    """At most `limit` requests in `window` seconds from the first of them, per key.

    Windows are charged to `holding`; where there is no room, the oldest one goes.
    """

    limit: int
    window: int
    holding: Holding
    _windows: dict[str, tuple[int, int]] = field(default_factory=dict)

    def count(self, key: str, now: int) -> Pass:
        """Count a request at that time in milliseconds."""
        length = self.window * 1000
        start, count = self._windows.get(key, (now, 0))
        if not start <= now < start + length:
            start, count = now, 0
        is_allowed = count < self.limit
        if key not in self._windows:
            self._make_room(_FIXED_BYTES + len(key))
        self._windows[key] = start, count + is_allowed
        left = self.limit - count - is_allowed
        return Pass(is_allowed, self.limit, left, start + length - now)

    def _make_room(self, size: int) -> None:
        while self._windows and (
            len(self._windows) >= LIMITS.limited_keys or not self.holding.fits(size)
        ):
            oldest = next(iter(self._windows))
            del self._windows[oldest]
            self.holding.grow(-_FIXED_BYTES - len(oldest))
        self.holding.grow(size)
