"""The captured datasets and apps of a service, and the order of their lists."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from math import inf
from typing import Any

import msgspec
from msgspec import UNSET, structs

from mock_server.domain.clock import is_time
from mock_server.domain.limits import DEFAULT_LIMITS
from mock_server.domain.validation.convert import fitted
from mock_server.fixture import document
from mock_server.fixture.builders.parts import DOT_SEGMENTS

Fields = dict[str, Any]
AMOUNT_FIELDS = frozenset({"dataAmount", "trainingAmount"})
"""Fields that are always 0 in the response to a request with `simple`."""
_SEPARATE_COLLECTION_FIELDS = frozenset({"_id", "parentId"})
_SEPARATE_DATASET_FIELDS = frozenset({"id", "parentId", "permissions", "collections"})
_CHAT_ID = frozenset({"chatId"})


class CapturedList:
    """The positions of items in a list, which its pages show, and its total."""

    def __init__(self) -> None:
        self.total = 0
        self.positions: dict[str, int] = {}

    def add_page(self, offset: int, ids: Sequence[str | None], total: int) -> None:
        """Use a page with these ids, None for an unusable item.

        If the total has changed, forget earlier pages.
        """
        if total != self.total:
            self.positions.clear()
        self.total = total
        self.positions.update(
            (each, position) for position, each in enumerate(ids, offset) if each
        )


class CapturedDataset:
    """A captured dataset, with its collections and their lists."""

    def __init__(self, dataset_id: str) -> None:
        self.id = dataset_id
        self.fields: Fields = {"id": dataset_id}
        self.collections: dict[str, Fields] = {}
        self.lists: dict[Any, CapturedList] = {}
        """The lists by requested folder; UNSET is the key if a request named none."""
        self._ids_by_folder: defaultdict[Any, dict[str, None]] = defaultdict(dict)
        """The ids of the collections in each folder, for quick removal."""

    def describe(self, item: Fields) -> None:
        """Use the fields of a dataset from a list or from its detail."""
        self.fields |= part_of(item, document.DatasetPart, _SEPARATE_DATASET_FIELDS)
        if "parentId" in item:
            self.fields["parentId"] = id_of(item["parentId"])

    def add(self, item: Fields, omit: frozenset[str] = frozenset()) -> str | None:
        """Use a collection; return its id, or None if the collection is unusable."""
        collection_id = id_of(item.get("_id"))
        fields = part_of(
            item, document.SingleCollection, _SEPARATE_COLLECTION_FIELDS | omit
        )
        if collection_id is None or "name" not in fields:
            return None
        old = self.collections.get(collection_id, {})
        part = {"_id": collection_id, "parentId": old.get("parentId")}
        if "parentId" in item:
            part["parentId"] = id_of(item["parentId"])
        # A response may omit empty tags (choice tags_empty).
        part |= {**old, "tags": [], **fields, **part}
        self._ids_by_folder[old.get("parentId")].pop(collection_id, None)
        self._ids_by_folder[part["parentId"]][collection_id] = None
        self.collections[collection_id] = part
        return collection_id

    def remove(self, ids: Iterable[str]) -> None:
        """Remove collections with their content; ignore unknown ids."""
        removed = [each for each in ids if each in self.collections]
        for each in removed:
            # Pop the content, because parents may form a circle.
            removed += self._ids_by_folder.pop(each, ())
        for each in dict.fromkeys(removed):
            parent_id = self.collections.pop(each)["parentId"]
            self._ids_by_folder[parent_id].pop(each, None)
            captured_list = self.lists.get(parent_id)
            if captured_list is not None:
                captured_list.total -= 1

    def part(self) -> Fields:
        """Return the dataset for a fixture, with a flat list of collections."""
        unseen_folders = {each: _folder(each) for each in self._unseen_folders()}
        parts = self.collections | unseen_folders
        by_folder = self._collections_by_folder()
        by_folder.setdefault(None, []).extend(unseen_folders)
        tree: dict[str, Fields] = {}
        # Folders in a circle, or too deep, cannot be reached from the top level: the
        # first of them moves there.
        for top in (*by_folder[None], *parts):
            if top not in tree:
                tree[top] = parts[top] | {"parentId": None}
                tree |= {
                    each: parts[each] for each in _content_of(top, by_folder, tree)
                }
        return {**self.fields, "collections": list(tree.values())}

    def gaps(self) -> Iterator[str]:
        """Yield a text for each list or folder that was not seen completely."""
        by_folder = self._collections_by_folder()
        for folder, captured_list in self.lists.items():
            parts = (
                by_folder.get(folder, ())
                if folder is not UNSET
                else captured_list.positions
            )
            if len(parts) < captured_list.total:
                place = "its top level" if folder is None else f"folder {folder}"
                scope = "" if folder is UNSET else f" of {place}"
                yield f"{len(parts)} of {captured_list.total} collections{scope} seen"
        if unseen_folders := self._unseen_folders():
            more = (
                f" and {len(unseen_folders) - 1} more"
                if len(unseen_folders) > 1
                else ""
            )
            yield f"known by id only: folder {unseen_folders[0]}{more}"

    def _unseen_folders(self) -> list[str]:
        """Return the folders that are known only as parents of collections."""
        parents = dict.fromkeys(part["parentId"] for part in self.collections.values())
        return [each for each in parents if each and each not in self.collections]

    def _collections_by_folder(self) -> dict[Any, list[str]]:
        """Return the ids in each folder in the order of lists; unlisted ones last."""
        by_folder: dict[Any, list[str]] = {}
        for each, part in self.collections.items():
            by_folder.setdefault(part["parentId"], []).append(each)
        all_positions = self.lists.get(UNSET, CapturedList()).positions
        for folder, items in by_folder.items():
            own_positions = self.lists.get(folder, CapturedList()).positions
            positions = {
                each: (own_positions.get(each, inf), all_positions.get(each, inf))
                for each in items
            }
            items.sort(key=positions.__getitem__)
        return by_folder


def _content_of(
    folder: str, by_folder: Mapping[Any, list[str]], parts: Fields
) -> Iterator[str]:
    """Yield the content of a folder, depth first, up to the depth that is allowed."""
    waiting = [(each, 1) for each in reversed(by_folder.get(folder, ()))]
    while waiting:
        each, depth = waiting.pop()
        if each not in parts and depth < DEFAULT_LIMITS.folder_depth:
            yield each
            inner = reversed(by_folder.get(each, ()))
            waiting += ((below, depth + 1) for below in inner)


def _folder(own_id: str) -> Fields:
    return {"_id": own_id, "parentId": None, "name": own_id, "type": "folder"}


class CapturedApp:
    """A captured app with its chat sessions."""

    def __init__(self, app_id: str) -> None:
        self.id = app_id
        self.chats: dict[str, Fields] = {}
        self.total: int | None = None
        """The number of chat sessions; None until they are listed."""

    def add(self, item: Fields) -> str | None:
        """Update a chat session; return its id, or None if the id is invalid."""
        chat_id = id_of(item.get("chatId"))
        if chat_id is None:
            return None
        old = self.chats.get(chat_id, {"chatId": chat_id})
        self.chats[chat_id] = old | part_of(item, document.ChatPart, _CHAT_ID)
        return chat_id

    def is_known_missing(self, chat_id: str) -> bool:
        """Return whether all chat sessions were listed, and this one was not."""
        is_whole = self.total is not None and len(self.chats) >= self.total
        return is_whole and chat_id not in self.chats

    def remove(self, chat_id: str) -> None:
        """Remove a chat session."""
        if self.chats.pop(chat_id, None) is not None and self.total:
            self.total -= 1

    def part(self) -> Fields:
        return {"id": self.id, "chats": list(self.chats.values())}

    def gaps(self) -> Iterator[str]:
        """Yield a text if not all chats were seen."""
        if self.total is None:
            yield "its chats were not listed"
        elif len(self.chats) < self.total:
            yield f"{len(self.chats)} of {self.total} chats seen"


def id_of(value: object) -> str | None:
    """Return `value` if it is a valid fixture id, else None."""
    try:
        text = msgspec.convert(value, document.Id)
    except msgspec.ValidationError:
        return None
    return None if text in DOT_SEGMENTS else text


def part_of(
    item: Fields, part_type: type[document.Part], omit: frozenset[str]
) -> Fields:
    """Return the valid fields of an item that a fixture part of this type can have.

    Long texts are cut. Fields in `omit` are left out; so is null, which is the default
    of a nullable field.
    """
    values = (
        (name, _value(item[name], field_type), has_time)
        for name, (field_type, has_time) in _fields(part_type).items()
        if name not in omit and item.get(name) is not None
    )
    return {
        name: value
        for name, value, has_time in values
        if value is not None and (not has_time or is_time(value))
    }


@cache
def _fields(part_type: type[document.Part]) -> Mapping[str, tuple[Any, bool]]:
    """Return, by the name in a fixture, the type of each field, and if it is a time."""
    return {
        each.encode_name: (each.type, document.contains_type(each.type, document.Time))
        for each in structs.fields(part_type)
    }


def _value(value: Any, field_type: Any) -> Any:
    """Return a value as fixtures can have it, or None."""
    with suppress(msgspec.ValidationError):
        msgspec.convert(value, field_type)
        return value
    cut = fitted(value, field_type)
    with suppress(msgspec.ValidationError):
        msgspec.convert(cut, field_type)
        return cut
    return None
