"""A set of integers, stored as spans of consecutive integers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator


class Spans:
    """A set of integers, as spans: each has a first number, and ends before `end`."""

    def __init__(self, bounds: Iterable[int] = ()) -> None:
        self.bounds = list(bounds)
        """The first number of each span and its end (exclusive), ascending."""

    def __len__(self) -> int:
        return sum(self.bounds[1::2]) - sum(self.bounds[::2])

    def __bool__(self) -> bool:
        return bool(self.bounds)

    def __contains__(self, number: int) -> bool:
        return bisect_right(self.bounds, number) % 2 == 1

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self.bounds[::2], self.bounds[1::2], strict=True)

    def __or__(self, other: Spans) -> Spans:
        union = Spans(self.bounds)
        for span in other:
            union.add(*span)
        return union

    def add(self, first: int, end: int) -> None:
        """Add all integers from `first` up to, but without, `end`."""
        self._change(first, end, 0)

    def remove(self, first: int, end: int) -> None:
        """Remove all integers from `first` up to, but without, `end`."""
        self._change(first, end, 1)

    def _change(self, first: int, end: int, parity: int) -> None:
        """Replace all bounds from `first` to `end`.

        `parity` is 0 to add, 1 to remove: a new bound is needed only where the number
        of smaller bounds has this parity.
        """
        start, stop = bisect_left(self.bounds, first), bisect_right(self.bounds, end)
        has_first, has_end = start % 2 == parity, stop % 2 == parity
        self.bounds[start:stop] = [first] * has_first + [end] * has_end
