"""Collect the captured datasets and apps of a service, and their lists."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from math import inf
from typing import Any

import msgspec
from msgspec import UNSET, structs

from mock_server.domain.clock import is_time
from mock_server.domain.limits import DEFAULT_LIMITS
from mock_server.fixture import document
from mock_server.fixture.builders.parts import DOTS

Plain = dict[str, Any]
AMOUNTS = frozenset({"dataAmount", "trainingAmount"})
"""Fields that a response to a `simple` request always shows as 0."""
_PLACED = frozenset({"_id", "parentId"})
_NAMED = frozenset({"id", "parentId", "permissions", "collections"})
_CHAT_ID = frozenset({"chatId"})


class CapturedList:
    """The positions of items in a list, as its pages show them, and its total."""

    def __init__(self) -> None:
        self.total = 0
        self.places: dict[str, int] = {}

    def show(self, offset: int, ids: Sequence[str | None], total: int) -> None:
        """Use a page, None for an unusable item; a new total discards earlier pages."""
        if total != self.total:
            self.places.clear()
        self.total = total
        self.places.update((each, at) for at, each in enumerate(ids, offset) if each)


class CapturedDataset:
    def __init__(self, dataset_id: str) -> None:
        self.id = dataset_id
        self.fields: Plain = {"id": dataset_id}
        self.collections: dict[str, Plain] = {}
        self.lists: dict[Any, CapturedList] = {}
        """The lists by requested folder; UNSET if a request named none."""
        self._below: defaultdict[Any, dict[str, None]] = defaultdict(dict)
        """The ids in each folder: looking them up at each removal would take long."""

    def describe(self, item: Plain) -> None:
        """Use an item of a list of datasets, or a dataset's detail."""
        self.fields |= part_of(item, document.DatasetPart, _NAMED)
        if "parentId" in item:
            self.fields["parentId"] = id_of(item["parentId"])

    def put(self, item: Plain, without: frozenset[str] = frozenset()) -> str | None:
        """Use a collection; return its id, or None if the collection is unusable."""
        collection_id = id_of(item.get("_id"))
        found = part_of(item, document.SingleCollection, _PLACED | without)
        if collection_id is None or "name" not in found:
            return None
        old = self.collections.get(collection_id, {})
        part = {"_id": collection_id, "parentId": old.get("parentId")}
        if "parentId" in item:
            part["parentId"] = id_of(item["parentId"])
        # A response may omit empty tags (choice tags_empty).
        part |= {**old, "tags": [], **found, **part}
        self._below[old.get("parentId")].pop(collection_id, None)
        self._below[part["parentId"]][collection_id] = None
        self.collections[collection_id] = part
        return collection_id

    def remove(self, ids: Iterable[str]) -> None:
        """Remove collections with their content; ignore unknown ids."""
        gone = [each for each in ids if each in self.collections]
        for each in gone:
            # Popped, as parents may form a circle.
            gone += self._below.pop(each, ())
        for each in dict.fromkeys(gone):
            parent_id = self.collections.pop(each)["parentId"]
            self._below[parent_id].pop(each, None)
            shown = self.lists.get(parent_id)
            if shown is not None:
                shown.total -= 1

    def part(self) -> Plain:
        """Return the dataset as a part, its collections flat and depth first."""
        unknown = {each: _folder(each) for each in self._unknown()}
        parts = self.collections | unknown
        inside = self._inside()
        inside.setdefault(None, []).extend(unknown)
        tree: dict[str, Plain] = {}
        # The first of several folders in a circle, or too deep, moves to the top level.
        for top in (*inside[None], *parts):
            if top not in tree:
                tree[top] = parts[top] | {"parentId": None}
                tree |= {each: parts[each] for each in _below(top, inside, tree)}
        return {**self.fields, "collections": list(tree.values())}

    def missing(self) -> Iterator[str]:
        inside = self._inside()
        for folder, shown in self.lists.items():
            known = inside.get(folder, ()) if folder is not UNSET else shown.places
            if len(known) < shown.total:
                place = "its top level" if folder is None else f"folder {folder}"
                where = "" if folder is UNSET else f" of {place}"
                yield f"{len(known)} of {shown.total} collections{where} seen"
        if unknown := self._unknown():
            more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
            yield f"known by id only: folder {unknown[0]}{more}"

    def _unknown(self) -> list[str]:
        """Return the folders that are known only as parents of collections."""
        parents = dict.fromkeys(part["parentId"] for part in self.collections.values())
        return [each for each in parents if each and each not in self.collections]

    def _inside(self) -> dict[Any, list[str]]:
        """Return the collections of each folder in list order, unlisted ones last."""
        inside: dict[Any, list[str]] = {}
        for each, part in self.collections.items():
            inside.setdefault(part["parentId"], []).append(each)
        everywhere = self.lists.get(UNSET, CapturedList()).places
        for folder, items in inside.items():
            here = self.lists.get(folder, CapturedList()).places
            places = {
                each: (here.get(each, inf), everywhere.get(each, inf)) for each in items
            }
            items.sort(key=places.__getitem__)
        return inside


def _below(folder: str, inside: Mapping[Any, list[str]], known: Plain) -> Iterator[str]:
    """Yield the content of a folder, depth first, as deep as a fixture may have it."""
    waiting = [(each, 1) for each in reversed(inside.get(folder, ()))]
    while waiting:
        each, depth = waiting.pop()
        if each not in known and depth < DEFAULT_LIMITS.folder_depth:
            yield each
            inner = reversed(inside.get(each, ()))
            waiting += ((below, depth + 1) for below in inner)


def _folder(own_id: str) -> Plain:
    return {"_id": own_id, "parentId": None, "name": own_id, "type": "folder"}


class CapturedApp:
    def __init__(self, app_id: str) -> None:
        self.id = app_id
        self.chats: dict[str, Plain] = {}
        self.total: int | None = None
        """The number of chat sessions; None until they are listed."""

    def put(self, item: Plain) -> str | None:
        """Update a chat session; return its id, or None if the id is invalid."""
        chat_id = id_of(item.get("chatId"))
        if chat_id is None:
            return None
        old = self.chats.get(chat_id, {"chatId": chat_id})
        self.chats[chat_id] = old | part_of(item, document.ChatPart, _CHAT_ID)
        return chat_id

    def lacks(self, chat_id: str) -> bool:
        """Return whether all chat sessions were listed, and this one was not."""
        is_whole = self.total is not None and len(self.chats) >= self.total
        return is_whole and chat_id not in self.chats

    def remove(self, chat_id: str) -> None:
        """Remove a chat session."""
        if self.chats.pop(chat_id, None) is not None and self.total:
            self.total -= 1

    def part(self) -> Plain:
        return {"id": self.id, "chats": list(self.chats.values())}

    def missing(self) -> Iterator[str]:
        if self.total is None:
            yield "its chats were not listed"
        elif len(self.chats) < self.total:
            yield f"{len(self.chats)} of {self.total} chats seen"


def id_of(value: object) -> str | None:
    """Return `value` if it is a valid fixture id, else None."""
    try:
        found = msgspec.convert(value, document.Id)
    except msgspec.ValidationError:
        return None
    return None if found in DOTS else found


def part_of(item: Plain, kind: type[document.Part], without: frozenset[str]) -> Plain:
    """Return the fields of an item that a document part can have, in its order.

    Fields in `without` are left out, and so is null: a nullable field is null by
    default.
    """
    return {
        name: item[name]
        for name, (wanted, has_time) in _fields(kind).items()
        if name not in without and item.get(name) is not None
        if _fits(item[name], wanted) and (not has_time or is_time(item[name]))
    }


@cache
def _fields(kind: type[document.Part]) -> Mapping[str, tuple[Any, bool]]:
    """Return each field's type by its document name, and whether it holds a time."""
    return {
        each.encode_name: (each.type, document.holds(each.type, document.Time))
        for each in structs.fields(kind)
    }


def _fits(value: object, wanted: Any) -> bool:
    try:
        msgspec.convert(value, wanted)
    except msgspec.ValidationError:
        return False
    return True
