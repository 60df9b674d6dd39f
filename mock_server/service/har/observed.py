"""What was seen of a service: its datasets, its applications, and their lists."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import structs

from mock_server.domain.clock import is_time
from mock_server.fixture import document
from mock_server.fixture.builders.parts import DOTS
from mock_server.service.har.arranging import Arrangement, Plain, Shown, Sighting

AMOUNTS = frozenset({"dataAmount", "trainingAmount"})
"""What answers to a request with `simple` show as 0, whatever it is."""
_PLACED = frozenset({"_id", "parentId"})
_NAMED = frozenset({"id", "parentId", "permissions", "collections"})
_CHAT_ID = frozenset({"chatId"})


class SeenDataset:
    def __init__(self, dataset_id: str) -> None:
        self.id = dataset_id
        self.fields: Plain = {"id": dataset_id}
        self.collections: dict[str, Sighting] = {}
        self.lists: dict[Any, Shown] = {}
        """Its lists by the folder that was asked for, or UNSET."""

    def describe(self, item: Plain) -> None:
        """Take what a list or a detail of datasets says of it."""
        self.fields |= part_of(item, document.DatasetPart, _NAMED)
        if "parentId" in item:
            self.fields["parentId"] = id_of(item["parentId"])

    def put(
        self, item: Plain, at: int, without: frozenset[str] = frozenset()
    ) -> str | None:
        """Take a collection; gives its id, or None if it is none."""
        collection_id = id_of(item.get("_id"))
        found = part_of(item, document.SingleCollection, _PLACED | without)
        if collection_id is None or "name" not in found:
            return None
        old = self.collections.get(collection_id)
        start = {} if old is None else old.part
        part = {"_id": collection_id, "parentId": start.get("parentId")}
        if "parentId" in item:
            part["parentId"] = id_of(item["parentId"])
        # Without tags is an answer that leaves out empty ones (choice tags_empty).
        part |= {**start, "tags": [], **found, **part}
        self.collections[collection_id] = Sighting(part, at)
        return collection_id

    def remove(self, collection_id: str) -> None:
        """Forget a collection with all that is in it, if there is one."""
        if collection_id not in self.collections:
            return
        inside: dict[str | None, list[str]] = {}
        for each, (part, _) in self.collections.items():
            inside.setdefault(part["parentId"], []).append(each)
        gone = [collection_id]
        for each in gone:
            # Popped: parents may lead in a circle.
            gone += inside.pop(each, ())
        for each in dict.fromkeys(gone):
            del self.collections[each]
            for shown in self.lists.values():
                shown.forget(each)

    def part(self) -> Plain:
        return {**self.fields, "collections": self._arranged().parts}

    def missing(self) -> Iterator[str]:
        return self._arranged().missing()

    def _arranged(self) -> Arrangement:
        return Arrangement(self.collections, self.lists)


class SeenApp:
    def __init__(self, app_id: str) -> None:
        self.id = app_id
        self.chats: dict[str, Sighting] = {}
        self.shown: Shown | None = None

    def show(self, offset: int, ids: list[str], total: int, at: int) -> None:
        """Take where a page of the list has shown chat sessions."""
        self.shown = self.shown or Shown()
        self.shown.show(offset, ids, total, at)

    def put(self, item: Plain, at: int) -> str | None:
        """Take what is said of a chat session; what is not stays.

        Gives its id, or None if it is none.
        """
        chat_id = id_of(item.get("chatId"))
        if chat_id is None:
            return None
        old = self.chats.get(chat_id)
        start = {"chatId": chat_id} if old is None else old.part
        part = {**start, **part_of(item, document.ChatPart, _CHAT_ID)}
        self.chats[chat_id] = Sighting(part, at)
        return chat_id

    def lacks(self, chat_id: str) -> bool:
        """Whether a whole list does not show a chat session, which is not known."""
        is_whole = self.shown is not None and self.shown.is_whole
        return is_whole and chat_id not in self.chats

    def remove(self, chat_id: str) -> None:
        """Forget a chat session."""
        self.chats.pop(chat_id, None)
        if self.shown is not None:
            self.shown.forget(chat_id)

    def part(self) -> Plain:
        shown = self.shown
        there = [
            each
            for each, (_, at) in self.chats.items()
            if shown is None or not shown.lacks(each, at)
        ]
        if shown is not None:
            last = len(there)
            there.sort(key=lambda each: shown.positions.get(each, last))
        return {"id": self.id, "chats": [self.chats[each].part for each in there]}

    def missing(self) -> Iterator[str]:
        shown = self.shown
        if shown is None:
            yield "its chats were not listed"
        elif not shown.is_whole:
            yield f"{len(shown.positions)} of {shown.total} chats seen"


def id_of(value: object) -> str | None:
    """The id that a value is, None if it is none that a fixture can have."""
    try:
        found = msgspec.convert(value, document.Id)
    except msgspec.ValidationError:
        return None
    return None if found in DOTS else found


def part_of(item: Plain, kind: type[document.Part], without: frozenset[str]) -> Plain:
    """The fields of an item that such a part of a document can have, in its order.

    Those `without` which it is wanted are left out, as is null: what may be null in a
    document is so by default.
    """
    return {
        name: item[name]
        for name, (wanted, has_time) in _fields(kind).items()
        if name not in without and item.get(name) is not None
        if _fits(item[name], wanted) and (not has_time or is_time(item[name]))
    }


@cache
def _fields(kind: type[document.Part]) -> Mapping[str, tuple[Any, bool]]:
    """The type of each field by its name in documents, and whether that has a time."""
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
