"""Limits of the rate of requests, by key and window of time: what a fault counts."""

from __future__ import annotations  # the counter stands above what it says

from math import ceil

from msgspec import Struct, field

from mock_server.domain.memory import Holding

_WINDOW_BYTES = 256
"""About what a window takes beside its key."""


class RateLimit(Struct):
    """At most `limit` requests in `window` seconds from the first of them, per key.

    The windows of at most `max_keys` keys are kept, and charged to `holding`; where
    there is no room for another, the oldest goes.
    """

    limit: int
    window: int
    holding: Holding
    max_keys: int
    _windows: dict[str, tuple[int, int]] = field(default_factory=dict)

    def count(self, key: str, now: int) -> RateLimitStatus:
        """Count a request at that time in milliseconds, unless it is over the limit."""
        length = self.window * 1000
        start, count = self._windows.get(key, (now, 0))
        # A sandbox's clock can be set back: before its start, a window is over too.
        if not start <= now < start + length:
            start, count = now, 0
        is_allowed = count < self.limit
        if key not in self._windows:
            self._make_room(_WINDOW_BYTES + len(key))
        self._windows[key] = start, count + is_allowed
        left = self.limit - count - is_allowed
        return RateLimitStatus(is_allowed, self.limit, left, start + length - now)

    def _make_room(self, size: int) -> None:
        while self._windows and (
            len(self._windows) >= self.max_keys or not self.holding.fits(size)
        ):
            oldest = next(iter(self._windows))
            del self._windows[oldest]
            self.holding.grow(-_WINDOW_BYTES - len(oldest))
        self.holding.grow(size)


class RateLimitStatus(Struct, frozen=True):
    """Where a limit stands after a request; `reset_ms` is what is left of the window.

    `remaining` is how many requests it will still let pass.
    """

    is_allowed: bool
    limit: int
    remaining: int
    reset_ms: int

    @property
    def reset_seconds(self) -> int:
        """What is left of the window in whole seconds, rounded up."""
        return ceil(self.reset_ms / 1000)
