"""Long sequences in blocks: a changed copy shares all unchanged blocks."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import Generic, TypeVar, overload

from mock_server.domain.objects.pending import Steps

T = TypeVar("T")
_BLOCK_ITEMS = 512
"""Usual number of items in a block; twice as many are not divided."""
_ITEMS_PER_STEP, _BLOCKS_PER_STEP = 512, 16


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
    """A sequence of items that never changes; its methods return new ones."""

    __slots__ = ("_blocks", "_ends")

    def __init__(self, blocks: list[Sequence[T]]) -> None:
        """Store the blocks: no block may be empty, and none may change later."""
        self._blocks = blocks
        self._ends = list(accumulate(map(len, blocks)))

    @staticmethod
    def from_items(items: Sequence[T]) -> Blocks[T]:
        """Return `items`, which never change, in blocks; return a `Blocks` unchanged.

        The blocks are views, because copies of a million items take long.
        """
        if isinstance(items, Blocks):
            return items
        starts = range(0, len(items), _BLOCK_ITEMS)
        return Blocks([_BlockView(items, start) for start in starts])

    @property
    def blocks(self) -> Sequence[Sequence[T]]:
        """The blocks in order."""
        return self._blocks

    def appended(self, items: Sequence[T]) -> Blocks[T]:
        """Return a sequence with `items` at its end."""
        last_blocks = self._blocks[-1:]
        return Blocks([*self._blocks[:-1], *_divide(chain(*last_blocks, items))])

    def merged(
        self,
        old: Iterable[T],
        new: Iterable[T],
        index_of: Callable[[T, Sequence[T]], int],
        sort: Callable[[Iterable[T]], Sequence[T]],
    ) -> Steps[Blocks[T]]:
        """Return a sorted sequence without the items `old` and with the items `new`.

        `index_of` returns the index where an item is, or would be, in sorted items;
        `sort` returns items sorted.
        """
        if not self._blocks:
            return Blocks(list(_divide(sort(new))))
        last_items = [block[-1] for block in self._blocks]
        # By number of the block: the identities of old items, and new items.
        removed: defaultdict[int, set[int]] = defaultdict(set)
        added: defaultdict[int, list[T]] = defaultdict(list)
        for count, item in enumerate(old, 1):
            removed[index_of(item, last_items)].add(id(item))
            if not count % _ITEMS_PER_STEP:
                yield
        for count, item in enumerate(new, 1):
            # Items that are added at the end go into the last block.
            number = min(index_of(item, last_items), len(last_items) - 1)
            added[number].append(item)
            if not count % _ITEMS_PER_STEP:
                yield
        blocks = self._blocks.copy()
        numbers = sorted(removed.keys() | added.keys(), reverse=True)
        for count, number in enumerate(numbers, 1):
            block = chain(*blocks[number : number + 1])
            kept = [item for item in block if id(item) not in removed[number]]
            blocks[number : number + 1] = _divide(sort([*kept, *added[number]]))
            if not count % _BLOCKS_PER_STEP:
                yield
        return Blocks(blocks)

    def with_items(self, by_index: Mapping[int, T]) -> tuple[Blocks[T], list[T]]:
        """Return a sequence with the items of `by_index` at these indexes.

        The second value has the items that they replace.
        """
        copies: dict[int, list[T]] = {}
        replaced: list[T] = []
        for index, item in by_index.items():
            number = bisect_right(self._ends, index)
            if number not in copies:
                copies[number] = [*self._blocks[number]]
            # A negative index, from the end of the block.
            place = index - self._ends[number]
            replaced.append(copies[number][place])
            copies[number][place] = item
        blocks = [
            copies.get(number, block) for number, block in enumerate(self._blocks)
        ]
        return Blocks(blocks), replaced

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


class _BlockView(ComputedSequence[T]):
    """The items of a sequence from index `start` on that make a block."""

    __slots__ = ("_items", "_start", "_stop")

    def __init__(self, items: Sequence[T], start: int) -> None:
        self._items, self._start = items, start
        self._stop = min(start + _BLOCK_ITEMS, len(items))

    def __len__(self) -> int:
        return self._stop - self._start

    def __iter__(self) -> Iterator[T]:
        return iter(self._items[self._start : self._stop])

    def _item(self, index: int) -> T:
        return self._items[self._start + index]


class ReverseView(ComputedSequence[T]):
    """A sequence in reverse order, as a view that copies nothing."""

    __slots__ = ("_items",)

    def __init__(self, items: Sequence[T]) -> None:
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    def _item(self, index: int) -> T:
        return self._items[-1 - index]


class SelectionView(ComputedSequence[T]):
    """The items of a sequence at some indexes, as a view that copies no items."""

    __slots__ = ("_indexes", "_items")

    def __init__(self, items: Sequence[T], indexes: Sequence[int]) -> None:
        self._items, self._indexes = items, indexes

    def __len__(self) -> int:
        return len(self._indexes)

    def _item(self, index: int) -> T:
        return self._items[self._indexes[index]]


def _divide(items: Iterable[T]) -> Iterator[Sequence[T]]:
    items = list(items)
    if 0 < len(items) <= 2 * _BLOCK_ITEMS:
        yield items
        return
    for start in range(0, len(items), _BLOCK_ITEMS):
        yield items[start : start + _BLOCK_ITEMS]
