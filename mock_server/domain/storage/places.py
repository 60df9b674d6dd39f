"""Where changed collections belong in the sorted listings of a base tree.

The *number* of a collection is its index in fixture order, its *place* the index in a
sorted listing.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import compress, count
from typing import Any

from mock_server.domain.objects.dataset import Tree
from mock_server.domain.objects.index import SORT_KEYS, Listing, Order
from mock_server.domain.objects.models import Collection
from mock_server.domain.objects.pending import STEP, Steps, pieces

_LOOKUPS_PER_STEP = 512
"""Maximum number of indexes in a base listing that are looked up in one step."""


class Places:
    """Sort keys of collections, and their places in the listings of `base`."""

    def __init__(self, base: Tree) -> None:
        self._base = base

    def key(self, order: Order, item: Collection, numbers: Mapping[str, int]) -> Any:
        """Return the sort key of a collection: in fixture order its number.

        `numbers` has the numbers, by id, of collections that come after all of the
        base. All others have the number of the base's collection with their id.
        """
        if order != "fixture":
            return SORT_KEYS[order](item)
        if item.id in numbers:
            return numbers[item.id]
        return self._base.number(self._base.by_id[item.id])

    def place(self, order: Order, listing: Listing, key: Any) -> int:
        """Return the index in a base listing of the collection with this sort key."""
        items = listing.items
        if order != "fixture":
            return bisect_left(items, key, key=SORT_KEYS[order])
        # Two cases need no search: an item after all of the base, and a listing of the
        # whole base.
        number: int = key
        if number >= len(self._base):
            return len(items)
        if len(items) == len(self._base):
            return number
        return bisect_left(listing.places, number)

    def all_in_steps(
        self,
        order: Order,
        listing: Listing,
        items: Sequence[Collection],
        numbers: Mapping[str, int],
    ) -> Steps[tuple[list[Any], array[int]]]:
        """Return the sort key of each item, and its place in a base listing."""
        keys: list[Any] = []
        places = array("I")
        for start, chunk in pieces(items, _LOOKUPS_PER_STEP):
            if start:
                yield
            keys += [self.key(order, each, numbers) for each in chunk]
            places.extend(self.place(order, listing, key) for key in keys[start:])
        return keys, places


def sorted_places(places: array[int], marks: bytearray, size: int) -> Steps[array[int]]:
    """Return the places in ascending order, together with those that have marks.

    `marks` has one byte for each of `size` places, or is empty.
    """
    if not marks and len(places) <= STEP:
        return array("I", sorted(places))
    marks = marks or bytearray(size)
    for start, chunk in pieces(places):
        if start:
            yield
        for place in chunk:
            marks[place] = 1
    in_order = array("I")
    for start, chunk in pieces(marks):
        if start:
            yield
        in_order.extend(compress(count(start), chunk))
    return in_order
