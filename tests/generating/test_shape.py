"""How made-up collections are nested."""

from __future__ import annotations

from itertools import pairwise

import pytest

from mock_server.generating.chance import Chance
from mock_server.generating.shape import shape

SIZES = [
    *((0, 3), (1, 1), (1, 5), (2, 2), (3, 3), (10, 1), (12, 4)),
    *((100, 3), (100, 100), (101, 100), (1_000, 7), (5_000, 2), (20_000, 3)),
]


@pytest.mark.parametrize(("count", "levels"), SIZES)
@pytest.mark.parametrize("seed", range(5))
def test_counts_and_levels_are_exact(count: int, levels: int, seed: int) -> None:
    found = [*shape(count, levels, Chance(seed, "shape"))]
    assert len(found) == count
    assert len({level for level, _ in found}) == min(levels, count)


@pytest.mark.parametrize(("count", "levels"), SIZES)
def test_what_is_below_follows_its_folder(count: int, levels: int) -> None:
    above = (-1, True)
    for each in shape(count, levels, Chance(0, "shape")):
        deepest = above[0] + 1 if above[1] else above[0]
        assert 0 <= each[0] <= deepest
        above = each


@pytest.mark.parametrize(("count", "levels"), SIZES)
def test_no_folder_is_empty(count: int, levels: int) -> None:
    found = [*shape(count, levels, Chance(0, "shape"))]
    assert not any(is_folder for _, is_folder in found[-1:])
    for (level, is_folder), (below, _) in pairwise(found):
        assert not is_folder or below == level + 1
