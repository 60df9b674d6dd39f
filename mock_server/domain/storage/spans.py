"""A set of integers, stored as spans."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator


class Spans:
    """Spans of integers, each from a first number up to an end."""

    def __init__(self, bounds: Iterable[int] = ()) -> None:
        self.bounds = list(bounds)
        """The first number and the end of each span, ascending."""

    def __len__(self) -> int:
        return sum(self.bounds[1::2]) - sum(self.bounds[::2])

    def __bool__(self) -> bool:
        return bool(self.bounds)

    def __contains__(self, number: int) -> bool:
        return bisect_right(self.bounds, number) % 2 == 1

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self.bounds[::2], self.bounds[1::2], strict=True)

    def add(self, first: int, end: int) -> None:
        self._set(first, end, 0)

    def remove(self, first: int, end: int) -> None:
        self._set(first, end, 1)

    def _set(self, first: int, end: int, inside: int) -> None:
        """Set the numbers from `first` to `end`: add bounds where the value changes."""
        at, upto = bisect_left(self.bounds, first), bisect_right(self.bounds, end)
        begins, ends = at % 2 == inside, upto % 2 == inside
        self.bounds[at:upto] = [first] * begins + [end] * ends
