"""Collections that were seen become the entries of a dataset that can be loaded.

Pages show a part of a tree: there may be items of folders that no page has shown, and
items that have been moved or deleted since. What lists show last counts most.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from msgspec import UNSET

from mock_server.domain.clock import DEFAULT_TIME, parse_time
from mock_server.domain.limits import DEFAULT_LIMITS, Published

Plain = dict[str, Any]
Folders = dict[str | None, list[str]]
_LAST = Published.integer
_ANY_ORDER = (
    "lists were not in the order of the latest first: serve it with "
    "--choice list_order=fixture"
)


class Sighting(NamedTuple):
    """A part of a document, and the number of the exchange that showed it last."""

    part: Plain
    at: int


class Shown:
    """The positions of a list that have been seen, as far as they are of one moment.

    `began` and `ended` are the numbers of the first and the last exchange of these.
    """

    def __init__(self) -> None:
        self.total = 0
        self.began = self.ended = 0
        self._ids: dict[int, str] = {}
        self._positions: dict[str, int] = {}

    def show(self, offset: int, ids: Sequence[str], total: int, now: int) -> None:
        """A page was seen in the exchange of the number `now`."""
        page = dict(enumerate(ids, offset))
        if not self._ids or total != self.total or self._has_moved(page):
            self._ids.clear()
            self._positions.clear()
            self.began = now
        self.total, self.ended = total, now
        self._ids.update(page)
        self._positions.update((each, at) for at, each in page.items())

    def forget(self, item: str) -> None:
        """An item has gone: those behind it stand one place further up."""
        gone = self._positions.pop(item, None)
        if gone is None:
            return
        self.total = max(0, self.total - 1)
        for each, at in self._positions.items():
            self._positions[each] = at - (at > gone)
        self._ids = {at: each for each, at in self._positions.items()}

    def _has_moved(self, page: Mapping[int, str]) -> bool:
        """Whether the list has changed since: another item here, or one elsewhere."""
        return any(
            self._ids.get(at, each) != each or self._positions.get(each, at) != at
            for at, each in page.items()
        )

    @property
    def positions(self) -> Mapping[str, int]:
        return self._positions

    @property
    def is_whole(self) -> bool:
        """Whether all of its items have been seen."""
        return len(self._positions) >= self.total

    def lacks(self, item: str, seen_at: int) -> bool:
        """Whether an item last seen in that exchange is no longer in the list."""
        return self.is_whole and seen_at < self.began and item not in self._positions


class Arrangement:
    """The collections of a dataset as a tree, in the order in which lists show them."""

    def __init__(
        self, seen: Mapping[str, Sighting], lists: Mapping[Any, Shown]
    ) -> None:
        """`lists` are by the folder that was asked for, or UNSET."""
        self._seen = seen
        self._lists = {each: lists[each] for each in lists if each is not UNSET}
        self._everything: Shown | None = None
        if UNSET in lists:
            self._take_everything(lists[UNSET])
        gone = self._gone()
        self._parts = {each: seen[each].part for each in seen if each not in gone}
        self._folders = self._by_folder()
        self._unknown: list[str] = []
        self._tree: dict[str, Plain] = {}
        self._grow()

    @property
    def parts(self) -> list[Plain]:
        """The entries, flat and depth first, as a document has them."""
        return list(self._tree.values())

    def missing(self) -> Iterator[str]:
        everything = self._everything
        if everything is None or not everything.is_whole:
            yield from self._partly_seen()
            if closed := self._closed():
                yield f"not looked into: {_counted('folder', closed)}"
        if self._unknown:
            yield f"known by id only: {_counted('folder', self._unknown)}"
        if any(map(self._is_in_other_order, self._all_lists())):
            yield _ANY_ORDER

    def _all_lists(self) -> Iterator[Shown]:
        yield from self._lists.values()
        if self._everything is not None:
            yield self._everything

    def _partly_seen(self) -> Iterator[str]:
        if self._everything is not None:
            yield f"{_share(self._everything)} seen"
        elif None not in self._lists:
            yield "its top level was not listed"
        for folder, shown in self._lists.items():
            if not shown.is_whole:
                place = "its top level" if folder is None else f"folder {folder}"
                yield f"{_share(shown)} of {place} seen"

    def _is_in_other_order(self, shown: Shown) -> bool:
        """Whether a list was not in the order of choice list_order=update_time_desc."""
        # What has been seen elsewhere since may have another time by now.
        ids = sorted(shown.positions, key=lambda each: shown.positions[each])
        keys = [
            (-_time(self._seen[each].part), each)
            for each in ids
            if each in self._seen and self._seen[each].at <= shown.ended
        ]
        return any(one > other for one, other in pairwise(keys))

    def _take_everything(self, shown: Shown) -> None:
        """Take the list of requests without a parentId.

        It is of all folders or, by choice parent_omitted=root, of the top level; where
        nothing in it has a parent, that is the same.
        """
        known = (self._seen[each] for each in shown.positions if each in self._seen)
        if any(each.part["parentId"] is not None for each in known):
            self._everything = shown
            return
        top = self._lists.get(None)
        if top is None or top.began < shown.began:
            self._lists[None] = shown

    def _gone(self) -> dict[str, int]:
        """What is there no longer, with what was in it, and since which exchange."""
        gone: dict[str, int] = {}
        inside: Folders = {}
        for each, (part, at) in self._seen.items():
            inside.setdefault(part["parentId"], []).append(each)
            for shown in (self._lists.get(part["parentId"]), self._everything):
                if shown is not None and shown.lacks(each, at):
                    gone[each] = shown.began
        waiting = list(gone)
        for folder in waiting:
            for each in inside.pop(folder, ()):
                if each not in gone and self._seen[each].at < gone[folder]:
                    gone[each] = gone[folder]
                    waiting.append(each)
        return gone

    def _by_folder(self) -> Folders:
        """The collections in each folder, in order."""
        inside: Folders = {}
        for each, part in self._parts.items():
            inside.setdefault(part["parentId"], []).append(each)
        everywhere = self._everything.positions if self._everything else {}
        for folder, items in inside.items():
            here = self._lists[folder].positions if folder in self._lists else {}
            # Others stay as they were seen first.
            items.sort(
                key=lambda each, here=here: (  # type: ignore[misc]
                    here.get(each, _LAST),
                    everywhere.get(each, _LAST),
                )
            )
        return inside

    def _grow(self) -> None:
        """Put all into the tree: from the top, then what no way from there leads to."""
        self._walk(None)
        for folder in [*self._folders, *self._lists]:
            if folder is not None and folder not in self._parts:
                self._add_unknown(folder)
        if self._unknown:
            self._tree.clear()
            self._walk(None)
        # Folders in a circle, or too deep: the first of them comes to the top.
        for each in self._parts:
            if each not in self._tree:
                self._tree[each] = {**self._parts[each], "parentId": None}
                self._walk(each)

    def _walk(self, folder: str | None) -> None:
        """Put into the tree what is in a folder, depth first."""
        waiting = [(each, 0) for each in reversed(self._folders.get(folder, ()))]
        while waiting:
            each, depth = waiting.pop()
            if each in self._tree or depth > DEFAULT_LIMITS.folder_depth - 1:
                continue
            self._tree[each] = self._parts[each]
            inside = reversed(self._folders.get(each, ()))
            waiting += ((below, depth + 1) for below in inside)

    def _add_unknown(self, folder: str) -> None:
        """Add a folder of which only the id is known where it changes no whole list."""
        top = self._lists.get(None)
        place: str | None = None
        if top is not None and top.is_whole:
            place = next(iter(self._closed()), None)
            if place is None and folder not in self._folders:
                return  # an empty page is all that was seen of it
        self._parts[folder] = {
            "_id": folder,
            "parentId": place,
            "name": folder,
            "type": "folder",
        }
        self._folders.setdefault(place, []).append(folder)
        self._unknown.append(folder)

    def _closed(self) -> list[str]:
        """The known folders into which nobody has looked."""
        return [
            each
            for each, part in self._tree.items()
            if part.get("type") == "folder" and each not in self._lists
            if each not in self._unknown
        ]


def _share(shown: Shown) -> str:
    return f"{len(shown.positions)} of {shown.total} collections"


def _counted(noun: str, ids: list[str]) -> str:
    if len(ids) == 1:
        return f"{noun} {ids[0]}"
    return f"{len(ids)} {noun}s, such as {ids[0]}"


def _time(part: Plain) -> int:
    return parse_time(part["updateTime"]) if "updateTime" in part else DEFAULT_TIME
