"""Collections in order, by the part of a dataset they are in, and the search there."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from enum import Enum
from functools import cached_property
from itertools import compress, islice
from operator import attrgetter
from typing import Final, Literal, overload
from unicodedata import normalize

from msgspec import Struct

from mock_server.domain.limits import LIMITS
from mock_server.domain.records import Collection

# Lone surrogates stand for those bytes: no valid text has them, and folding leaves
# them as they are. So many items are folded at once.
_TEXT_END, _ITEM_END = "\udcff", "\udcfe"
_ITEM_END_BYTE = b"\xfe"
_AT_ONCE = 1_024
_WIDEST = 4_096


def fold(text: str) -> str:
    """The text as it is compared: case folded, NFC. Folding twice changes nothing."""
    if text.isascii():
        return text.lower()
    return normalize("NFC", normalize("NFC", text).casefold())


def _folded_bytes(text: str) -> bytes:
    """The folded text in UTF-8, with its ends as single bytes."""
    data = text.encode("utf-8", "surrogateescape")
    if len(data) == len(text):  # ASCII but for the ends
        return data.lower()
    return fold(text).encode("utf-8", "surrogateescape")


class Haystack:
    """The folded texts of a sequence of items."""

    def __init__(self, items: Iterable[Iterable[str]]) -> None:
        self._starts = array("Q", [0])
        parts: list[bytes] = []
        length = 0
        texts = (_TEXT_END.join(item) + _ITEM_END for item in items)
        while block := "".join(islice(texts, _AT_ONCE)):
            parts.append(_folded_bytes(block))
            for item in parts[-1].split(_ITEM_END_BYTE)[:-1]:
                length += len(item) + 1
                self._starts.append(length)
        self._bytes = b"".join(parts)

    def find(self, term: str) -> array[int]:
        """The indices of the items of which one text contains `term`, ascending.

        The term is not empty. Where hits lie close together, more and more items are
        looked through one by one: that takes less for each than another `find`.
        """
        needle, text, starts = fold(term).encode(), self._bytes, self._starts
        hits = array("Q")
        width, last = 1, len(starts) - 1
        at = text.find(needle)
        while at >= 0:
            first = bisect_right(starts, at) - 1
            end = min(first + width, last)
            items = text[starts[first] : starts[end]].split(_ITEM_END_BYTE)
            found = [item.find(needle) >= 0 for item in items]
            hits.extend(compress(range(first, end), found))
            width = min(2 * width, _WIDEST) if 4 * sum(found) > width else 1
            at = text.find(needle, starts[end])
        return hits


Order = Literal["update_time_desc", "name", "fixture"]
SearchFields = Literal["name_and_tags", "name"]


class Anywhere(Enum):
    """The type of ANYWHERE: every collection of a dataset, at any depth."""

    ANYWHERE = "anywhere"


ANYWHERE: Final = Anywhere.ANYWHERE
Within = str | None | Anywhere
"""A folder by its id, the top level (None), or ANYWHERE."""


class Hits(Sequence[Collection]):
    """What a search has found; collections are picked when they are asked for."""

    def __init__(self, items: Sequence[Collection], indices: Sequence[int]) -> None:
        self._items = items
        self._indices = indices

    def __len__(self) -> int:
        return len(self._indices)

    @overload
    def __getitem__(self, at: int) -> Collection: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Collection]: ...
    def __getitem__(self, at: int | slice) -> Collection | Sequence[Collection]:
        if isinstance(at, slice):
            return tuple(self._items[index] for index in self._indices[at])
        return self._items[self._indices[at]]


class Search(Struct, frozen=True):
    """What is looked for: a `term` in these `fields`, folders only, any of the `tags`.

    What is empty or false is not asked for.
    """

    term: str = ""
    fields: SearchFields = "name_and_tags"
    folders_only: bool = False
    tags: tuple[str, ...] = ()


class Listing:
    """Collections in one order, with what a search in them needs."""

    def __init__(self, items: Sequence[Collection]) -> None:
        self.items = items
        # The latest results, for pages of them follow.
        self._found: dict[Search, Hits] = {}

    def find(self, search: Search) -> Sequence[Collection]:
        """The collections that a search matches, in order."""
        found = self._found.pop(search, None)
        if found is None:
            found = Hits(self.items, self._matching(search))
            if len(self._found) >= LIMITS.cached_searches:
                del self._found[next(iter(self._found))]
        self._found[search] = found  # as the latest
        return found

    def _matching(self, search: Search) -> Sequence[int]:
        """The indices of matching collections, ascending."""
        parts: list[Sequence[int]] = []
        if search.term:
            by_name = search.fields == "name"
            haystack = self._names if by_name else self._names_and_tags
            parts.append(haystack.find(search.term))
        if search.folders_only:
            parts.append(self._folders)
        if search.tags:
            tagged = [self._by_tag[tag] for tag in search.tags if tag in self._by_tag]
            one = tagged[0] if len(tagged) == 1 else sorted(set().union(*tagged))
            parts.append(one)
        if len(parts) == 1:
            return parts[0]
        return sorted(set(parts[0]).intersection(*parts[1:]))

    @cached_property
    def _folders(self) -> array[int]:
        kinds = map(attrgetter("type"), self.items)
        return array("I", (at for at, kind in enumerate(kinds) if kind == "folder"))

    @cached_property
    def _by_tag(self) -> dict[str, array[int]]:
        """The indices of the collections with each tag, ascending."""
        found: dict[str, array[int]] = {}
        for at, tags in enumerate(map(attrgetter("tags"), self.items)):
            for tag in tags if len(tags) < 2 else dict.fromkeys(tags):
                if tag not in found:
                    found[tag] = array("I")
                found[tag].append(at)
        return found

    @cached_property
    def _names(self) -> Haystack:
        return Haystack((item.name,) for item in self.items)

    @cached_property
    def _names_and_tags(self) -> Haystack:
        return Haystack((item.name, *item.tags) for item in self.items)


def listings(collections: Sequence[Collection], order: Order) -> dict[Within, Listing]:
    """Each part of a dataset that holds any collections, in an order."""
    ordered = in_order(collections, order)
    folders: dict[str | None, list[Collection]] = {}
    for item in ordered:
        folders.setdefault(item.parent_id, []).append(item)
    found: dict[Within, Listing] = {ANYWHERE: Listing(ordered)}
    found.update((parent, Listing(items)) for parent, items in folders.items())
    return found


def in_order(collections: Sequence[Collection], order: Order) -> Sequence[Collection]:
    """Collections in document order, put in an order; ties always go by `_id`."""
    if order == "fixture":
        return collections
    # Sorts are stable, and two by one field each are faster than one by both.
    ordered = sorted(collections, key=attrgetter("id"))
    if order == "name":
        ordered.sort(key=attrgetter("name"))
    else:
        ordered.sort(key=attrgetter("update_time"), reverse=True)
    return ordered
