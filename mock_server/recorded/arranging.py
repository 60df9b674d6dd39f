"""Collections that were seen become the entries of a dataset that can be loaded.

Pages show a part of a tree: there may be items of folders that no page has shown, and
items that have been moved or deleted since. What lists show last counts most.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from mock_server.domain.clock import DEFAULT_TIME, parse_time
from mock_server.domain.limits import Limits
from mock_server.domain.list_request import OMITTED
from mock_server.recorded.parts import Plain, Sighting
from mock_server.recorded.shown import Shown

Folders = dict[str | None, list[str]]
_LAST = Limits.integer
_ANY_ORDER = (
    "lists were not in the order of the latest first: serve it with "
    "--choice list_order=fixture"
)


class Arrangement:
    """The collections of a dataset as a tree, in the order in which lists show them."""

    def __init__(
        self, seen: Mapping[str, Sighting], lists: Mapping[Any, Shown]
    ) -> None:
        """`lists` are by the folder that was asked for, or OMITTED."""
        self._seen = seen
        self._lists = {each: lists[each] for each in lists if each is not OMITTED}
        self._everything: Shown | None = None
        if OMITTED in lists:
            self._take_everything(lists[OMITTED])
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
        """What is known to be incomplete."""
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
            if each in self._tree or depth > Limits.folder_depth - 1:
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
