"""A sandbox's clock: real time as it is handed in, shifted, or standing still."""

from __future__ import annotations

from collections.abc import Callable

from mock_server.domain.times import MAX_TIME, MIN_TIME


class Clock:
    """Tells the sandbox's time in milliseconds since 1970 UTC."""

    def __init__(
        self, real: Callable[[], int], frozen_at: int | None = None, *, ahead: int = 0
    ) -> None:
        """Stands at `frozen_at`, or runs `ahead` milliseconds before real time."""
        self._real = real
        self._frozen_at = frozen_at
        self._ahead = ahead

    def copy(self) -> Clock:
        """A clock that tells the same and is set on its own."""
        return Clock(self._real, self._frozen_at, ahead=self._ahead)

    @property
    def is_frozen(self) -> bool:
        """Whether time stands still."""
        return self._frozen_at is not None

    def now(self) -> int:
        """The sandbox's time."""
        if self._frozen_at is not None:
            return self._frozen_at
        now = self._real() + self._ahead
        if MIN_TIME <= now <= MAX_TIME:
            return now
        return MIN_TIME if now < MIN_TIME else MAX_TIME

    def set(self, now: int | None = None, *, frozen: bool | None = None) -> None:
        """Go to a time, and stand still or run from there; None leaves it as it is.

        Raises ValueError for a time that cannot be written.
        """
        time = self.now() if now is None else now
        if not MIN_TIME <= time <= MAX_TIME:
            raise ValueError("a year outside 1 to 9999")
        stands = self.is_frozen if frozen is None else frozen
        self._frozen_at = time if stands else None
        self._ahead = time - self._real()

    def advance(self, ms: int) -> None:
        """Go that many milliseconds forward. Raises ValueError as `set` does."""
        self.set(self.now() + ms)
