"""All that was seen: datasets and applications by id, within one room."""

from collections.abc import Iterator

from mock_server.domain.limits import Limits
from mock_server.recorded.apps import SeenApp
from mock_server.recorded.datasets import SeenDataset
from mock_server.recorded.parts import Plain, id_of
from mock_server.recorded.room import Room


class Full(ValueError):
    """There is no room for another dataset or application."""


class Holding:
    """The datasets and applications of which something has been seen.

    `now` is the number of the exchange that is looked at.
    """

    def __init__(self, limits: Limits) -> None:
        self.now = 0
        self.room = Room(limits)
        self.datasets: dict[str, SeenDataset] = {}
        self.apps: dict[str, SeenApp] = {}

    def dataset(self, value: object) -> SeenDataset:
        """The dataset of an id. Raises ValueError for what is none, and Full."""
        dataset_id = self._id(value, self.datasets)
        if dataset_id not in self.datasets:
            self.datasets[dataset_id] = SeenDataset(dataset_id, self.room)
        return self.datasets[dataset_id]

    def app(self, value: object) -> SeenApp:
        """The application of an id. Raises ValueError for what is none, and Full."""
        app_id = self._id(value, self.apps)
        if app_id not in self.apps:
            self.apps[app_id] = SeenApp(app_id, self.room)
        return self.apps[app_id]

    def _id(self, value: object, known: object) -> str:
        found = id_of(value)
        if found is None:
            raise ValueError("no id")
        if found not in known and not self.room.swap(None, {"id": found}):  # type: ignore[operator]
            raise Full
        return found

    def dataset_parts(self) -> list[Plain]:
        """The datasets as a document has them, with the folders that they name."""
        parts = {each.id: each.part() for each in self.datasets.values()}
        for part in list(parts.values()):
            folder = part.get("parentId")
            if folder is not None and folder not in parts:
                parts[folder] = {"id": folder, "name": folder, "type": "folder"}
        for part in parts.values():
            if not _can_stay(part, parts):
                part["parentId"] = None
        return list(parts.values())

    def missing(self) -> Iterator[str]:
        """What is known to be incomplete."""
        for kind, held in (("dataset", self.datasets), ("app", self.apps)):
            for each in held.values():
                for what in each.missing():
                    yield f"{kind} {each.id}: {what}"


def _can_stay(part: Plain, parts: dict[str, Plain]) -> bool:
    """Whether the parents of a dataset are folders that lead to the top."""
    above = part.get("parentId")
    passed = {part["id"]}
    while above is not None:
        if above in passed or parts[above].get("type") != "folder":
            return False
        passed.add(above)
        above = parts[above].get("parentId")
    return len(passed) <= Limits.folder_depth
