"""How much of what is seen is kept."""

import msgspec

from mock_server.domain.limits import Limits


class Room:
    """Counts what is kept against its limits; `was_full` once something was not."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._items = 0
        self._bytes = 0
        self.was_full = False

    def swap(self, old: object, new: object) -> bool:
        """Whether there is room for a value in place of another; None is no value."""
        items = self._items + (old is None) - (new is None)
        size = self._bytes + _size(new) - _size(old)
        fits = items <= self._limits.seen_items and size <= self._limits.seen_bytes
        if fits or new is None:
            self._items, self._bytes = items, size
            return True
        self.was_full = True
        return False


def _size(value: object) -> int:
    return 0 if value is None else len(msgspec.json.encode(value))
