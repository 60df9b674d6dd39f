"""What was seen of a dataset: itself, its collections, and its lists of them."""

from collections.abc import Iterator
from typing import Any

from mock_server.fixture.document import DatasetPart, SingleCollection
from mock_server.recorded.arranging import Arrangement
from mock_server.recorded.parts import Plain, Sighting, id_of, part_of
from mock_server.recorded.room import Room
from mock_server.recorded.shown import Shown

AMOUNTS = frozenset({"dataAmount", "trainingAmount"})
"""What answers to a request with `simple` show as 0, whatever it is."""
_PLACED = frozenset({"_id", "parentId"})
_NAMED = frozenset({"id", "parentId", "permissions", "collections"})


class SeenDataset:
    """A dataset of which something has been seen."""

    def __init__(self, dataset_id: str, room: Room) -> None:
        self.id = dataset_id
        self.fields: Plain = {"id": dataset_id}
        self.collections: dict[str, Sighting] = {}
        self.lists: dict[Any, Shown] = {}
        """Its lists by the folder that was asked for, or OMITTED."""
        self._room = room

    def describe(self, item: Plain) -> None:
        """Take what a list or a detail of datasets says of it."""
        found = {**self.fields, **part_of(item, DatasetPart, _NAMED)}
        if "parentId" in item:
            found["parentId"] = id_of(item["parentId"])
        if self._room.swap(self.fields, found):
            self.fields = found

    def shown(self, parent: Any) -> Shown | None:
        """The list of a folder, or of OMITTED; None if there is no room for it."""
        if parent not in self.lists and self._room.swap(None, ""):
            self.lists[parent] = Shown()
        return self.lists.get(parent)

    def put(
        self, item: Plain, at: int, without: frozenset[str] = frozenset()
    ) -> str | None:
        """Take a collection; gives its id, or None if that has no room or is none."""
        collection_id = id_of(item.get("_id"))
        found = part_of(item, SingleCollection, _PLACED | without)
        if collection_id is None or "name" not in found:
            return None
        old = self.collections.get(collection_id)
        start = {} if old is None else old.part
        part = {"_id": collection_id, "parentId": start.get("parentId")}
        if "parentId" in item:
            part["parentId"] = id_of(item["parentId"])
        # Without tags is an answer that leaves out empty ones (choice tags_empty).
        part |= {**start, "tags": [], **found, **part}
        is_new = old is None or old.part != part
        if is_new and not self._room.swap(old and old.part, part):
            return None
        self.collections[collection_id] = Sighting(part, at)
        return collection_id

    def remove(self, collection_id: str) -> bool:
        """Forget a collection with all that is in it; whether there was one."""
        if collection_id not in self.collections:
            return False
        inside: dict[str | None, list[str]] = {}
        for each, (part, _) in self.collections.items():
            inside.setdefault(part["parentId"], []).append(each)
        gone = [collection_id]
        for each in gone:
            # Popped: parents may lead in a circle.
            gone += inside.pop(each, ())
        for each in dict.fromkeys(gone):
            self._room.swap(self.collections.pop(each).part, None)
            for shown in self.lists.values():
                shown.forget(each)
        return True

    def empty(self) -> None:
        """Forget all of it."""
        for part, _ in self.collections.values():
            self._room.swap(part, None)
        self._room.swap(self.fields, None)
        self.collections.clear()

    def part(self) -> Plain:
        """The dataset as a document has it."""
        return {**self.fields, "collections": self._arranged().parts}

    def missing(self) -> Iterator[str]:
        """What is known to be incomplete."""
        return self._arranged().missing()

    def _arranged(self) -> Arrangement:
        return Arrangement(self.collections, self.lists)
