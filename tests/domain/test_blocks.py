"""Sequences in blocks, next to lists."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.objects.blocks import Blocks, ComputedSequence, ReverseView
from mock_server.domain.objects.pending import complete

SIZES = st.sampled_from([0, 1, 511, 512, 513, 2_000])
indexes = st.integers(0, 2_100)
# Single items, and so many that blocks end or are divided.
items: st.SearchStrategy[set[int]] = st.sets(indexes) | st.builds(
    set, st.builds(range, indexes, indexes)
)
slices = st.slices(1_500)


@given(SIZES, st.lists(st.tuples(items, items)), slices)
def test_a_merge_is_sorting_what_stays_and_what_is_new(
    size: int, steps: list[tuple[set[int], set[int]]], part: slice
) -> None:
    model = list(range(size))
    blocks = Blocks.from_items(model)
    for old, new in steps:
        before, new = list(blocks), new - {*blocks}
        olds = [item for item in blocks if item in old]
        changed = complete(blocks.merged(olds, new, _place, sorted))
        assert list(blocks) == before
        model = sorted({*model} - old | new)
        blocks = changed
    assert list(blocks) == model
    assert len(blocks) == len(model)
    assert list(blocks[part]) == model[part]
    assert list(ReverseView(blocks)[part]) == model[::-1][part]
    assert [blocks[at] for at in range(0, len(model), 97)] == model[::97]


def _place(item: int, items: Sequence[int]) -> int:
    return bisect_left(items, item)


@given(SIZES, st.lists(SIZES))
def test_items_are_appended_as_to_a_list(size: int, counts: list[int]) -> None:
    model = list(range(size))
    blocks = Blocks.from_items(model.copy())
    for count in counts:
        model += range(count)
        blocks = blocks.appended(range(count))
    assert list(blocks) == model


@given(SIZES, st.sets(indexes))
def test_what_is_changed_is_as_in_a_list(size: int, places: set[int]) -> None:
    model = list(range(size))
    blocks, before = Blocks.from_items(model.copy()), model.copy()
    by_place = {at: -at for at in places if at < size}
    for at, item in by_place.items():
        model[at] = item
    changed, replaced = blocks.with_items(by_place)
    assert list(changed) == model
    assert replaced == [before[at] for at in by_place]
    assert list(blocks) == before


def test_an_item_is_changed_in_its_own_block() -> None:
    blocks, _ = Blocks.from_items(range(2_000)).with_items({600: -1})
    assert [blocks[at] for at in (0, 599, 600, 601, 1_999)] == [0, 599, -1, 601, 1_999]


class Counted(ComputedSequence[int]):
    """The even numbers below two million; it counts how often one is read."""

    def __init__(self) -> None:
        self.reads = 0

    def __len__(self) -> int:
        return 1_000_000

    def _item(self, index: int) -> int:
        self.reads += 1
        return 2 * index


def test_a_merge_reads_few_of_a_million_items() -> None:
    items = Counted()
    blocks = complete(Blocks.from_items(items).merged([], [999], _place, sorted))
    assert items.reads < 3_000
    assert (len(blocks), blocks[499:502]) == (1_000_001, [998, 999, 1_000])
