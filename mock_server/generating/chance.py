"""Chance that a seed decides, alike in every process and every release of Python."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Chance:
    """Draws for one subject of a fixture, so that others do not change with it."""

    def __init__(self, seed: int, subject: str) -> None:
        # Of all that Random offers, Python promises only of `random` that it stays.
        self.draw = Random(f"{seed}/{subject}").random  # noqa: S311 - no secret
        """A number from 0 to below 1."""

    def below(self, end: int) -> int:
        """An integer from 0 to below `end`."""
        return int(self.draw() * end)

    def pick(self, values: Sequence[T]) -> T:
        """One of the values."""
        return values[int(self.draw() * len(values))]
