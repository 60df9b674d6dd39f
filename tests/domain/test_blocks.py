"""Sequences in blocks, next to lists."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.objects.blocks import Blocks, ReverseView

SIZES = st.sampled_from([0, 1, 511, 512, 513, 2_000])
indexes = st.integers(0, 2_100)
steps = st.lists(st.tuples(indexes, indexes, st.sampled_from([0, 1, 3, 1_200])))
slices = st.slices(1_500)


@given(SIZES, steps, slices)
def test_what_is_replaced_is_as_in_a_list(
    size: int, steps: list[tuple[int, int, int]], part: slice
) -> None:
    model = list(range(size))
    blocks = Blocks.from_items(model)
    for one, other, count in steps:
        start, stop = sorted(min(each, len(model)) for each in (one, other))
        before, items = list(blocks), list(range(-count, 0))
        changed = blocks.replaced(start, stop, items)
        assert list(blocks) == before
        model[start:stop] = items
        blocks = changed
    assert list(blocks) == model
    assert len(blocks) == len(model)
    assert list(blocks[part]) == model[part]
    assert list(ReverseView(blocks)[part]) == model[::-1][part]
    assert [blocks[at] for at in range(0, len(model), 97)] == model[::97]


@given(SIZES, st.sets(indexes))
def test_what_is_changed_is_as_in_a_list(size: int, places: set[int]) -> None:
    model = list(range(size))
    blocks, before = Blocks.from_items(model), model.copy()
    by_place = {at: -at for at in places if at < size}
    for at, item in by_place.items():
        model[at] = item
    assert list(blocks.with_items(by_place)) == model
    assert list(blocks) == before
