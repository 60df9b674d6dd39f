"""Long sequences in blocks: a changed copy shares all unchanged blocks."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import Generic, TypeVar, overload

T = TypeVar("T")
_BLOCK_ITEMS = 512
"""Usual number of items in a block."""


class ComputedSequence(Sequence[T], Generic[T]):
    """A sequence that computes its items on access.

    Subclasses define `_item`, and `_slice` if several items can be computed faster.
    """

    __slots__ = ()

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        selected = range(len(self))[index]
        if isinstance(selected, int):
            return self._item(selected)
        if selected.step == 1:
            return self._slice(selected.start, selected.stop)
        return [self._item(each) for each in selected]

    @abstractmethod
    def _item(self, index: int) -> T:
        """Return the item at a valid index."""

    def _slice(self, start: int, stop: int) -> Sequence[T]:
        return [self._item(index) for index in range(start, stop)]


class Blocks(ComputedSequence[T]):
    """A sequence of items that never changes; `replaced` returns a new one."""

    __slots__ = ("_blocks", "_ends")

    def __init__(self, blocks: list[Sequence[T]]) -> None:
        """Store the blocks: no block may be empty, and none may change later."""
        self._blocks = blocks
        self._ends = list(accumulate(map(len, blocks)))

    @staticmethod
    def from_items(items: Sequence[T]) -> Blocks[T]:
        """Return `items` in blocks; return a `Blocks` unchanged."""
        return items if isinstance(items, Blocks) else Blocks(list(_cut(items)))

    def replaced(self, start: int, stop: int, items: Sequence[T]) -> Blocks[T]:
        """Return a sequence with `items` in place of the items `start` to `stop`.

        `stop` is exclusive.
        """
        if not self._blocks:
            return Blocks(list(_cut(items)))
        # Items that are added at the end go into the last block.
        first = min(bisect_right(self._ends, start), len(self._blocks) - 1)
        last = max(first, bisect_right(self._ends, stop - 1)) if stop > start else first
        begin = self._ends[first] - len(self._blocks[first])
        old = [*chain.from_iterable(self._blocks[first : last + 1])]
        old[start - begin : stop - begin] = items
        blocks = self._blocks.copy()
        is_block = 0 < len(old) <= 2 * _BLOCK_ITEMS
        blocks[first : last + 1] = [old] if is_block else _cut(old)
        return Blocks(blocks)

    def with_items(self, by_place: Mapping[int, T]) -> Blocks[T]:
        """Return a sequence with the items of `by_place` at these indexes."""
        copies: dict[int, list[T]] = {}
        for index, item in by_place.items():
            number = bisect_right(self._ends, index)
            if number not in copies:
                copies[number] = [*self._blocks[number]]
            # A negative index, from the end of the block.
            copies[number][index - self._ends[number]] = item
        return Blocks([copies.get(n, block) for n, block in enumerate(self._blocks)])

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[T]:
        return chain.from_iterable(self._blocks)

    def _item(self, index: int) -> T:
        number = bisect_right(self._ends, index)
        block = self._blocks[number]
        return block[index - self._ends[number] + len(block)]

    def _slice(self, start: int, stop: int) -> Sequence[T]:
        if start >= stop:
            return []
        first = bisect_right(self._ends, start)
        last = bisect_right(self._ends, stop - 1)
        begin = self._ends[first] - len(self._blocks[first])
        items = [*chain.from_iterable(self._blocks[first : last + 1])]
        return items[start - begin : stop - begin]


class ReverseView(ComputedSequence[T]):
    """A sequence in reverse order, as a view that copies nothing."""

    __slots__ = ("_items",)

    def __init__(self, items: Sequence[T]) -> None:
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    def _item(self, index: int) -> T:
        return self._items[-1 - index]


def _cut(items: Iterable[T]) -> Iterator[Sequence[T]]:
    items = list(items)
    for start in range(0, len(items), _BLOCK_ITEMS):
        yield items[start : start + _BLOCK_ITEMS]
