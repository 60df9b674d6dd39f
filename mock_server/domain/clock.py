"""A sandbox's clock: real time as it is handed in, or time that stands still."""

from __future__ import annotations

from collections.abc import Callable


class Clock:
    """Tells the sandbox's time in milliseconds since 1970 UTC."""

    def __init__(self, real: Callable[[], int], frozen_at: int | None = None) -> None:
        self._real = real
        self._frozen_at = frozen_at

    def now(self) -> int:
        """The time by which chats are updated, in milliseconds."""
        return self._real() if self._frozen_at is None else self._frozen_at
