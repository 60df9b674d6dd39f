"""Order, split and search the collections of a dataset.

The data for searches are computed at the first search, or for large listings at
loading, and kept with the listing.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from itertools import compress, count
from operator import attrgetter
from typing import Any, Final, Literal, Protocol

from msgspec import Struct
from msgspec.structs import replace

from mock_server.domain.objects.blocks import Sliced
from mock_server.domain.objects.haystack import Haystack, fold
from mock_server.domain.objects.models import Collection
from mock_server.domain.objects.pending import STEP, Steps, complete, made, pieces

Order = Literal["update_time_desc", "name", "fixture"]
SortedOrder = Literal["update_time_desc", "name"]
SearchFields = Literal["name_and_tags", "name"]


class Anywhere(Enum):
    """Type of ANYWHERE: every collection of a dataset, at any depth."""

    ANYWHERE = "anywhere"

    # The hash of an Enum runs Python code, which is slower than the look-up.
    __hash__ = object.__hash__


ANYWHERE: Final = Anywhere.ANYWHERE
Within = str | None | Anywhere
"""A folder's id, the top level (None), or ANYWHERE."""


def listings(everything: Listing) -> Steps[dict[Within, Listing]]:
    """Return each part of a dataset that has collections, in the given order."""
    parts: dict[Within, Listing] = {ANYWHERE: everything}
    # One pass over all, so each folder gets its collections in order.
    folders: dict[str | None, tuple[list[Collection], array[int]]] = {}
    for start, some in pieces(everything.items):
        for place, item in enumerate(some, start):
            folder = folders.get(item.parent_id)
            if folder is None:
                folder = folders[item.parent_id] = [], array("I")
            folder[0].append(item)
            folder[1].append(place)
        yield
    if len(folders) == 1:
        return parts | dict.fromkeys(folders, everything)
    return parts | {at: Listing(*of) for at, of in folders.items()}


def in_order(collections: Sequence[Collection], order: Order) -> Sequence[Collection]:
    """Sort collections that are in fixture order; `_id` decides ties."""
    if order == "fixture":
        return collections
    # Stable sorts, ties first: the directions differ, and one sort by pairs of a
    # negated time and an id takes 1.14 times as long.
    ordered = sorted(collections, key=attrgetter("id"))
    if order == "name":
        ordered.sort(key=attrgetter("name"))
    else:
        ordered.sort(key=attrgetter("update_time"), reverse=True)
    return ordered


SORT_KEYS: dict[SortedOrder, Callable[[Collection], Any]] = {
    "update_time_desc": lambda item: (-item.update_time, item.id),
    "name": attrgetter("name", "id"),
}
"""Sort keys, to find the place of a single collection."""


Condition = Callable[[Collection], bool]
"""A test of a collection: a function of a module, as results are cached by it."""


def is_folder(item: Collection) -> bool:
    return item.type == "folder"


class Search(Struct, frozen=True):
    """A search: a `term` in these `fields`, all `conditions`, and any of the `tags`.

    Empty fields do not restrict the search; one field is not empty. With `every_tag` a
    collection needs all tags.
    """

    term: str = ""
    fields: SearchFields = "name_and_tags"
    conditions: tuple[Condition, ...] = ()
    tags: tuple[str, ...] = ()
    every_tag: bool = False

    @property
    def restricts(self) -> bool:
        return replace(self, fields="name") != Search(fields="name")

    def parts(self) -> Iterator[tuple[str, Search, Search]]:
        """Yield each stage: its name, it alone, and it with the stages before.

        Conditions other than folder and tags belong to the stage `search`.
        """
        others = tuple(each for each in self.conditions if each is not is_folder)
        text = replace(self, conditions=others, tags=())
        yield "search", text, text
        folders = (is_folder,) if is_folder in self.conditions else ()
        yield "selectFolder", Search(conditions=folders), replace(self, tags=())
        yield "filterTags", Search(tags=self.tags), self

    def matches(self, item: Collection, folded: Sequence[str]) -> bool:
        """Return True if a collection matches; `folded` has its name and tags."""
        if not all(is_met(item) for is_met in self.conditions):
            return False
        if self.every_tag:
            if not set(self.tags).issubset(item.tags):
                return False
        elif self.tags and set(self.tags).isdisjoint(item.tags):
            return False
        if not self.term:
            return True
        term = fold(self.term)
        return any(
            term in text for text in (folded[:1] if self.fields == "name" else folded)
        )


class Listed(Protocol):
    """A part of a dataset in an order."""

    @property
    def items(self) -> Sequence[Collection]:
        """The collections."""

    def find(self, search: Search, kept: int) -> Sequence[Collection]:
        """Return the matches in order; the results of `kept` searches are cached."""


class Listing:
    """Collections in one order (`items`), and data to search them."""

    def __init__(
        self,
        items: Sequence[Collection],
        places: Sequence[int] = (),
        haystack: Haystack | None = None,
    ) -> None:
        """Use `haystack`, if `fold` has made it already."""
        self.items = items
        self.places = places
        """Index of each item in the whole dataset, in the same order, if known.

        For the whole dataset: in fixture order.
        """
        self._haystack = haystack
        # The latest results, by age: a client that pages repeats its search.
        self._results: dict[Search, Hits] = {}
        self._meeting: dict[Condition, array[int]] = {}
        self._by_tag: dict[str, array[int]] | None = None

    def find(self, search: Search, kept: int) -> Hits:
        """Return the matches in order; the results of `kept` searches are cached.

        Raises NotReady.
        """
        hits = self._results.pop(search, None)
        if hits is None:
            hits = Hits(self.items, made(self, search, self._matching(search)))
            if len(self._results) >= kept:
                del self._results[next(iter(self._results))]
        self._results[search] = hits
        return hits

    def fold(self) -> Haystack:
        """Fold the names and tags of all collections, once."""
        return complete(self._folding())

    def _folding(self) -> Steps[Haystack]:
        if self._haystack is None:
            texts = ((item.name, *item.tags) for item in self.items)
            self._haystack = yield from Haystack.of(texts)
        return self._haystack

    def _matching(self, search: Search) -> Steps[Sequence[int]]:
        """Return the indices of matching collections, ascending."""
        # A match is in at least one sequence of every part.
        parts: list[list[Sequence[int]]] = []
        for condition in search.conditions:
            parts.append([(yield from self._that_meet(condition))])
        if search.term:
            haystack = yield from self._folding()
            names_only = search.fields == "name"
            found = yield from haystack.find(search.term, names_only=names_only)
            parts.append([found])
        if search.tags:
            by_tag = yield from self._tagged()
            tagged: list[Sequence[int]] = [by_tag.get(each, ()) for each in search.tags]
            parts += [[each] for each in tagged] if search.every_tag else [tagged]
        if len(parts) == 1 and len(parts[0]) == 1:
            return parts[0][0]
        return (yield from _common(parts, len(self.items)))

    # Arrays take four bytes for an index, a list of integers nine times as much, and
    # there may be millions.

    def _that_meet(self, condition: Condition) -> Steps[array[int]]:
        """Return the indices of the collections that meet a condition, ascending."""
        if condition not in self._meeting:
            indices = array("I")
            for start, some in pieces(self.items):
                indices.extend(compress(count(start), map(condition, some)))
                yield
            self._meeting[condition] = indices
        return self._meeting[condition]

    def _tagged(self) -> Steps[dict[str, array[int]]]:
        """Return the indices of the collections with each tag, ascending."""
        if self._by_tag is None:
            indices: dict[str, array[int]] = {}
            for start, some in pieces(self.items):
                for at, tags in enumerate(map(attrgetter("tags"), some), start):
                    # A collection may have the same tag twice.
                    for tag in tags if len(tags) < 2 else dict.fromkeys(tags):
                        if tag not in indices:
                            indices[tag] = array("I")
                        indices[tag].append(at)
                yield
            self._by_tag = indices
        return self._by_tag


class Renumbered(Listing):
    """A listing that searches another one (`found_in`) with the same collections.

    `numbers` are the indices here of the other listing's collections.
    """

    def __init__(
        self, items: Sequence[Collection], found_in: Listing, numbers: Sequence[int]
    ) -> None:
        super().__init__(items)
        self._found_in = found_in
        self._numbers = numbers

    def _matching(self, search: Search) -> Steps[Sequence[int]]:
        found = yield from self._found_in._matching(search)
        if len(found) <= STEP:
            return array("I", sorted(map(self._numbers.__getitem__, found)))
        marks, indices = bytearray(len(self.items)), array("I")
        for _, some in pieces(found):
            for number in map(self._numbers.__getitem__, some):
                marks[number] = 1
            yield
        for start, marked in pieces(marks):
            indices.extend(compress(count(start), marked))
            yield
        return indices


def _common(parts: Sequence[Sequence[Sequence[int]]], end: int) -> Steps[array[int]]:
    """Return the indices below `end`, ascending, in some sequence of each part."""
    found = array("I")
    for start in range(0, end, STEP):
        bounds = start, start + STEP
        near = []
        for part in parts:
            cuts = [(each, [bisect_left(each, at) for at in bounds]) for each in part]
            near.append(set().union(*(each[slice(*cut)] for each, cut in cuts)))
        found.extend(sorted(set.intersection(*near)))
        yield
    return found


class Hits(Sliced[Collection]):
    """Collections that a search found: indices, and collections on access.

    A search may match a million collections, of which a page shows thirty.
    """

    def __init__(self, items: Sequence[Collection], indices: Sequence[int]) -> None:
        self.indices = indices
        """Indices in the searched sequence, ascending."""
        self._items = items

    def __len__(self) -> int:
        return len(self.indices)

    def __iter__(self) -> Iterator[Collection]:
        return map(self._items.__getitem__, self.indices)

    def _item(self, at: int) -> Collection:
        return self._items[self.indices[at]]
