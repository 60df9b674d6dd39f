"""What pages have shown of one list: what stands where, and how long it is."""

from collections.abc import Mapping, Sequence


class Shown:
    """The positions of a list that have been seen, as far as they are of one moment.

    `began` and `ended` are the numbers of the first and the last exchange of these.
    """

    def __init__(self) -> None:
        self.total = 0
        self.began = self.ended = 0
        self._ids: dict[int, str] = {}
        self._positions: dict[str, int] = {}

    def show(self, offset: int, ids: Sequence[str], total: int, now: int) -> None:
        """A page was seen in the exchange of the number `now`."""
        page = dict(enumerate(ids, offset))
        if not self._ids or total != self.total or self._has_moved(page):
            self._ids.clear()
            self._positions.clear()
            self.began = now
        self.total, self.ended = total, now
        self._ids.update(page)
        self._positions.update((each, at) for at, each in page.items())

    def forget(self, item: str) -> None:
        """An item has gone: those behind it stand one place further up."""
        gone = self._positions.pop(item, None)
        if gone is None:
            return
        self.total = max(0, self.total - 1)
        for each, at in self._positions.items():
            self._positions[each] = at - (at > gone)
        self._ids = {at: each for each, at in self._positions.items()}

    def _has_moved(self, page: Mapping[int, str]) -> bool:
        """Whether the list has changed since: another item here, or one elsewhere."""
        return any(
            self._ids.get(at, each) != each or self._positions.get(each, at) != at
            for at, each in page.items()
        )

    @property
    def positions(self) -> Mapping[str, int]:
        """Where each item stands."""
        return self._positions

    @property
    def is_whole(self) -> bool:
        """Whether all of its items have been seen."""
        return len(self._positions) >= self.total

    def lacks(self, item: str, seen_at: int) -> bool:
        """Whether an item last seen in that exchange is no longer in the list."""
        return self.is_whole and seen_at < self.began and item not in self._positions
