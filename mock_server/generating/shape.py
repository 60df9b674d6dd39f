"""How collections are nested: folders in folders, as deep as is asked for."""

from collections.abc import Iterator
from itertools import accumulate, pairwise

from mock_server.generating.chance import Chance


def shape(
    count: int, levels: int, chance: Chance, level: int = 0
) -> Iterator[tuple[int, bool]]:
    """The level, from 0, of so many collections, and whether each is a folder.

    Depth first, folders before others. Every folder leads down to the last of the
    levels; there are fewer of them only if there are fewer collections. What is kept
    meanwhile grows with the entries of a folder, not with `count`.
    """
    levels = min(levels, count)
    leaves = count
    if levels > 1:
        # As many in each folder as there are folders in the one above.
        folders = min(round(count ** (1 / levels)), count // levels)
        spare = count - folders * levels
        leaves = min(chance.below(folders + 1), spare)
        for more in _shares(spare - leaves, folders, chance):
            yield level, True
            yield from shape(levels + more - 1, levels - 1, chance, level + 1)
    for _ in range(leaves):
        yield level, False


def _shares(total: int, parts: int, chance: Chance) -> Iterator[int]:
    """A number as a sum of so many unequal ones."""
    # Not `sum`, which rounds otherwise since Python 3.12.
    ends = [*accumulate(0.5 + chance.draw() for _ in range(parts))]
    cuts = [0, *(round(total * (end / ends[-1])) for end in ends)]
    return (high - low for low, high in pairwise(cuts))
