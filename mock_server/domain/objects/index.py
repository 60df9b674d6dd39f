"""Sort the collections of a dataset, split them by folder, and search them.

A listing stores the data for its searches. They are computed at the first search, or
for large listings at loading.
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
from msgspec.structs import force_setattr, replace

from mock_server.domain.objects.blocks import ComputedSequence
from mock_server.domain.objects.haystack import Haystack, fold
from mock_server.domain.objects.models import Collection
from mock_server.domain.objects.pending import (
    STEP,
    Steps,
    complete,
    compute,
    pieces,
    select_in_steps,
)

Order = Literal["update_time_desc", "name", "fixture"]
SortedOrder = Literal["update_time_desc", "name"]
SearchFields = Literal["name_and_tags", "name"]
TextField = Literal["name", "file_id", "raw_link", "external_file_id"]
"""The fields by whose whole text requests look for a collection."""


class Anywhere(Enum):
    """The type of ANYWHERE, which stands for the whole dataset, at any depth."""

    ANYWHERE = "anywhere"

    # The hash function of Enum is Python code, and slower than the look-up itself.
    __hash__ = object.__hash__


ANYWHERE: Final = Anywhere.ANYWHERE
Scope = str | None | Anywhere
"""The scope of a listing: a folder's id, the top level (None), or ANYWHERE."""


def listings_by_folder(all_items: Listing) -> Steps[dict[Scope, Listing]]:
    """Return a listing for each folder that has collections, and for ANYWHERE.

    All listings have the order of `all_items`.
    """
    by_folder: dict[Scope, Listing] = {ANYWHERE: all_items}
    # A single pass over all items keeps the order in each folder.
    folders: dict[str | None, tuple[list[Collection], array[int]]] = {}
    for start, chunk in pieces(all_items.items):
        for place, item in enumerate(chunk, start):
            folder = folders.get(item.parent_id)
            if folder is None:
                folder = folders[item.parent_id] = [], array("I")
            folder[0].append(item)
            folder[1].append(place)
        yield
    if len(folders) == 1:
        return by_folder | dict.fromkeys(folders, all_items)
    return by_folder | {folder: Listing(*lists) for folder, lists in folders.items()}


def sorted_order(order: Order) -> SortedOrder:
    """Return the order in which a dataset is sorted first, so that all have numbers."""
    return "update_time_desc" if order == "fixture" else order


def sorted_listing(collections: Sequence[Collection], order: SortedOrder) -> Listing:
    """Sort collections that are in fixture order; `_id` decides ties."""
    # Sort by id first, then by the main field with a stable sort: their directions
    # differ, and a single sort by pairs is slower.
    ids = [each.id for each in collections]
    numbers = sorted(range(len(ids)), key=ids.__getitem__)
    if order == "name":
        names = [each.name for each in collections]
        numbers.sort(key=names.__getitem__)
    else:
        times = [each.update_time for each in collections]
        numbers.sort(key=times.__getitem__, reverse=True)
    return Listing([collections[each] for each in numbers], array("I", numbers))


SORT_KEYS: dict[SortedOrder, Callable[[Collection], Any]] = {
    "update_time_desc": lambda item: (-item.update_time, item.id),
    "name": attrgetter("name", "id"),
}
"""For each order, the function that returns the sort key of a collection."""


Condition = Callable[[Collection], bool]
"""A test of a collection.

Results are cached by the condition, so it has to be a function of a module.
"""


def is_folder(item: Collection) -> bool:
    return item.type == "folder"


class Search(Struct, frozen=True):
    """A search. A match has `term` in one of the `fields`, and meets all `conditions`.

    It also has one of the `tags`, or all tags with `needs_every_tag`, and the text of
    the `value` in its field. An empty `term`, `conditions` or `tags`, or no `value`,
    restricts nothing; at least one of them is set. `term` is folded.
    """

    term: str = ""
    fields: SearchFields = "name_and_tags"
    conditions: tuple[Condition, ...] = ()
    tags: tuple[str, ...] = ()
    needs_every_tag: bool = False
    value: tuple[TextField, str] | None = None

    def __post_init__(self) -> None:
        # Once, because a term is compared with each changed collection.
        force_setattr(self, "term", fold(self.term))

    @property
    def has_restriction(self) -> bool:
        """False if every collection is a match."""
        return replace(self, fields="name") != Search(fields="name")

    def stages(self) -> Iterator[tuple[str, Search, Search]]:
        """Yield the name of each stage, its own search, and the search up to here.

        Conditions other than `is_folder` belong to the stage `search`.
        """
        conditions = tuple(each for each in self.conditions if each is not is_folder)
        text = replace(self, conditions=conditions, tags=())
        yield "search", text, text
        folders = (is_folder,) if is_folder in self.conditions else ()
        yield "selectFolder", Search(conditions=folders), replace(self, tags=())
        yield "filterTags", Search(tags=self.tags), self

    def has_value(self, item: Collection) -> bool:
        """Return True if a collection has the `value`, or there is none."""
        return self.value is None or bool(getattr(item, self.value[0]) == self.value[1])

    def matches(self, item: Collection, folded: Sequence[str]) -> bool:
        """Return True if a collection matches.

        `folded` are its name and its tags, folded; they are needed for a `term`.
        """
        if not all(is_met(item) for is_met in (self.has_value, *self.conditions)):
            return False
        if self.needs_every_tag:
            if not set(self.tags).issubset(item.tags):
                return False
        elif self.tags and set(self.tags).isdisjoint(item.tags):
            return False
        if not self.term:
            return True
        texts = folded[:1] if self.fields == "name" else folded
        return any(self.term in text for text in texts)


class AnyListing(Protocol):
    """Sorted collections that can be searched: a `Listing`, or a changed one."""

    @property
    def items(self) -> Sequence[Collection]:
        """The collections."""

    def find(self, search: Search, max_cached: int) -> Sequence[Collection]:
        """Return the matches in order; cache the results of `max_cached` searches.

        Raises NotReady.
        """


class Listing:
    """Collections in one order (`items`), and the data to search them."""

    def __init__(
        self,
        items: Sequence[Collection],
        places: Sequence[int] = (),
        haystack: Haystack | None = None,
    ) -> None:
        """Store the items; `haystack` is the result of `fold`, if it is known."""
        self.items = items
        self.places = places
        """Index of each item in the listing of the whole dataset; empty if unknown.

        In a sorted listing of the whole dataset: the number of each item, its index in
        fixture order.
        """
        self._haystack = haystack
        # The latest results, oldest first: a client that pages repeats its search.
        self._results: dict[Search, Hits] = {}
        self._by_condition: dict[Condition, array[int]] = {}
        self._by_tag: TagIndex | None = None

    def find(self, search: Search, max_cached: int) -> Hits:
        """Return the matches in order; cache the results of `max_cached` searches.

        Raises NotReady.
        """
        hits = self.cached(search)
        if hits is None:
            hits = Hits(self.items, compute(self, search, self._matches(search)))
            if len(self._results) >= max_cached:
                del self._results[next(iter(self._results))]
            self._results[search] = hits
        return hits

    def cached(self, search: Search) -> Hits | None:
        """Return the matches if they are cached, and make them the latest."""
        hits = self._results.pop(search, None)
        if hits is not None:
            self._results[search] = hits
        return hits

    def fold(self) -> Haystack:
        """Return the folded names and tags of all collections; fold them only once."""
        return complete(self._fold_in_steps())

    def _fold_in_steps(self) -> Steps[Haystack]:
        if self._haystack is None:
            texts = ((item.name, *item.tags) for item in self.items)
            self._haystack = yield from Haystack.from_items(texts)
        return self._haystack

    def _matches(self, search: Search) -> Steps[Sequence[int]]:
        """Return the indexes of the matching collections, ascending."""
        # A match is in at least one sequence of each group.
        groups: list[list[Sequence[int]]] = []
        for condition in search.conditions:
            groups.append([(yield from self._matching_indexes(condition))])
        if search.value is not None:
            groups.append([(yield from select_in_steps(self.items, search.has_value))])
        if search.term:
            haystack = yield from self._fold_in_steps()
            names_only = search.fields == "name"
            hits = yield from haystack.find(search.term, names_only=names_only)
            groups.append([hits])
        if search.tags:
            if self._by_tag is None:
                self._by_tag = yield from TagIndex.from_items(self.items)
            tagged: list[Sequence[int]] = []
            for number, each in enumerate(dict.fromkeys(search.tags), 1):
                tagged.append((yield from self._by_tag.find(each, self.items)))
                if number % _TAGS_PER_STEP == 0:
                    yield
            groups += (
                [[each] for each in tagged] if search.needs_every_tag else [tagged]
            )
        if len(groups) == 1 and len(groups[0]) == 1:
            return groups[0][0]
        return (yield from _intersection(groups, len(self.items)))

    # Indexes are stored in arrays, which take much less memory than lists: there may be
    # millions of indexes.

    def _matching_indexes(self, condition: Condition) -> Steps[array[int]]:
        """Return the indexes of the collections that meet a condition, ascending."""
        if condition not in self._by_condition:
            indexes = array("I")
            for start, chunk in pieces(self.items):
                indexes.extend(compress(count(start), map(condition, chunk)))
                yield
            self._by_condition[condition] = indexes
        return self._by_condition[condition]


_TAGGED_STEP = STEP // 4
"""Number of collections whose tags are counted in one step: each may have many."""
_COMPARED_STEP, _TAGS_PER_STEP = STEP // 16, 4
"""Number of collections whose tags are compared in one step, and of tags for that."""


class TagIndex(Struct, frozen=True, gc=False):
    """The indexes of the collections with each tag, in one array.

    Tags are in groups by their hash, about as many as collections. There is no object
    for each tag: there may be millions. `indexes` has the indexes of each group,
    ascending; those of group `n` end at `ends[n]`.
    """

    indexes: array[int]
    ends: array[int]

    @staticmethod
    def from_items(items: Sequence[Collection]) -> Steps[TagIndex]:
        """Return the index of the tags of `items`."""
        size = len(items) + 1
        ends = array("I", bytes(4 * size))
        # Each piece takes a step, except the first: an index of a few takes none.
        for start, chunk in pieces(items, _TAGGED_STEP):
            if start:
                yield
            for item in chunk:
                for tag in item.tags:
                    ends[hash(tag) % size] += 1
        total = 0
        for start, counts in pieces(ends):
            if start:
                yield
            for group, hit_count in enumerate(counts, start):
                ends[group] = total  # for now the start, where the first index goes
                total += hit_count
        indexes = array("I", bytes(4 * total))
        for start, chunk in pieces(items, _TAGGED_STEP):
            if start:
                yield
            for index, item in enumerate(chunk, start):
                for tag in item.tags:
                    group = hash(tag) % size
                    indexes[ends[group]] = index
                    ends[group] += 1
        return TagIndex(indexes, ends)

    def find(self, tag: str, items: Sequence[Collection]) -> Steps[array[int]]:
        """Return the indexes of the `items` with this tag, ascending."""
        group = hash(tag) % len(self.ends)
        first = self.ends[group - 1] if group else 0
        found = array("I")
        indexes = self.indexes[first : self.ends[group]]
        for start, chunk in pieces(indexes, _COMPARED_STEP):
            if start:
                yield
            # A collection may have several tags of the group, or the same tag twice.
            distinct = dict.fromkeys(chunk)
            if found and found[-1] == chunk[0]:
                del distinct[chunk[0]]
            found.extend(each for each in distinct if tag in items[each].tags)
        return found


class RenumberedListing(Listing):
    """A listing that lets another listing search the same collections.

    `numbers` has the index in this listing for each collection of `base`.
    """

    def __init__(
        self, items: Sequence[Collection], base: Listing, numbers: Sequence[int]
    ) -> None:
        super().__init__(items)
        self._searched = base
        self._numbers = numbers

    def _matches(self, search: Search) -> Steps[Sequence[int]]:
        hits = yield from self._searched._matches(search)
        if len(hits) <= STEP:
            return array("I", sorted(map(self._numbers.__getitem__, hits)))
        marks, indexes = bytearray(len(self.items)), array("I")
        for _, chunk in pieces(hits):
            for number in map(self._numbers.__getitem__, chunk):
                marks[number] = 1
            yield
        for start, marked in pieces(marks):
            indexes.extend(compress(count(start), marked))
            yield
        return indexes


def _intersection(
    groups: Sequence[Sequence[Sequence[int]]], end: int
) -> Steps[array[int]]:
    """Return the indexes that are in at least one sequence of each group, ascending.

    Each sequence is ascending, and all indexes are below `end`.
    """
    indexes = array("I")
    size = min(STEP, 4 * STEP // sum(map(len, groups)))
    for start in range(0, end, size):
        bounds = start, start + size
        unions = []
        for group in groups:
            cuts = [
                (each, [bisect_left(each, bound) for bound in bounds]) for each in group
            ]
            unions.append(set().union(*(each[slice(*cut)] for each, cut in cuts)))
        indexes.extend(sorted(set.intersection(*unions)))
        yield
    return indexes


class Hits(ComputedSequence[Collection]):
    """The collections that a search found, stored as indexes.

    A search may match a million collections, of which a page shows thirty.
    """

    def __init__(self, items: Sequence[Collection], indexes: Sequence[int]) -> None:
        self.indexes = indexes
        """Indexes of the matches in the searched sequence, ascending."""
        self._items = items

    def __len__(self) -> int:
        return len(self.indexes)

    def __iter__(self) -> Iterator[Collection]:
        return map(self._items.__getitem__, self.indexes)

    def _item(self, index: int) -> Collection:
        return self._items[self.indexes[index]]
