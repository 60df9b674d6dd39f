"""What each operation's answers say of a service becomes a fixture document."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from msgspec import UNSET

from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.limits import DEFAULT_LIMITS, Published
from mock_server.service.har import observed
from mock_server.service.har.reading import Exchange

_ROOT = ("", None)
_DEFAULT_SIZE = 10
# With one of these, a list does not show all that is there.
_FILTERS = ("searchText", "selectFolder", "filterTags", "tagFilters")
_CHAT_FILTERS = (
    "source",
    "startCreateTime",
    "endCreateTime",
    "startUpdateTime",
    "endUpdateTime",
)


class Told(NamedTuple):
    """What a success tells: the fields of the request, and the data of the answer."""

    asked: observed.Plain
    data: Any

    def has_any(self, names: Iterable[str]) -> bool:
        """Whether the request has one of these fields, and it says something."""
        return any(self.asked.get(name) for name in names)


class Seen:
    """Takes exchanges in the order in which they were; what comes later wins."""

    def __init__(self) -> None:
        self.datasets: dict[str, observed.SeenDataset] = {}
        self.apps: dict[str, observed.SeenApp] = {}

    def dataset(self, value: object) -> observed.SeenDataset:
        """The dataset of an id. Raises ValueError for what is none."""
        dataset_id = _id(value)
        return self.datasets.setdefault(dataset_id, observed.SeenDataset(dataset_id))

    def app(self, value: object) -> observed.SeenApp:
        """The application of an id. Raises ValueError for what is none."""
        app_id = _id(value)
        return self.apps.setdefault(app_id, observed.SeenApp(app_id))

    def take(self, exchange: Exchange) -> bool:
        """Take an exchange; whether it told of datasets, collections or chats.

        An answer that refuses, or is not as the service answers, tells nothing.
        """
        operation = OPERATIONS.meant_by(exchange.path)
        if operation is None or exchange.method not in operation.methods:
            return False
        take = HANDLERS.get(operation.name)
        if take is None:
            return False
        try:
            take(self, Told(exchange.asked(), exchange.answered()))
        except (ValueError, TypeError, KeyError, AttributeError):
            return False
        return True

    def document(self) -> dict[str, object]:
        """A fixture document of what was seen; it loads without problems."""
        return {
            "apps": [each.part() for each in self.apps.values()],
            "datasets": self._datasets(),
        }

    def _datasets(self) -> list[observed.Plain]:
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
        """What is known to be incomplete, each in a few words; for a message."""
        for dataset in self.datasets.values():
            yield from (f"dataset {dataset.id}: {each}" for each in dataset.missing())
        for app in self.apps.values():
            yield from (f"app {app.id}: {each}" for each in app.missing())


def collections(seen: Seen, told: Told, *, items: str, offset_wins: bool) -> None:
    """A page of collections; `items` is the name of their list."""
    page, total = _objects(told.data[items]), _count(told.data["total"])
    dataset = seen.dataset(told.asked["datasetId"])
    parent = told.asked.get("parentId", UNSET)
    parent = None if parent in _ROOT else parent
    hidden = observed.AMOUNTS if told.asked.get("simple") else frozenset[str]()
    here = {} if parent is UNSET else {"parentId": parent}
    ids = [dataset.put(here | item, hidden) for item in page]
    if told.has_any(_FILTERS):
        return
    if parent is UNSET or parent is None or observed.id_of(parent) is not None:
        offset = _offset(told.asked, len(page), total, offset_wins=offset_wins)
        dataset.lists.setdefault(parent, observed.SeenList()).show(offset, ids, total)


def chats(seen: Seen, told: Told) -> None:
    page, total = _objects(told.data["list"]), _count(told.data["total"])
    app_id = told.asked.get("appId") or (page[0]["appId"] if page else None)
    app = seen.app(app_id)
    for item in page:
        app.put({"customTitle": "", "top": False} | item)
    if not told.has_any(_CHAT_FILTERS):
        app.total = total


def pin(seen: Seen, told: Told) -> None:
    """A chat session that was pinned, unpinned or renamed."""
    chat_id = _id(told.asked["chatId"])
    app = seen.app(told.asked["appId"])
    # A pin of a chat that there is not may succeed (choice chat_unknown=ignore).
    if not app.lacks(chat_id):
        app.put({each: told.asked.get(each) for each in _PINNED})


_PINNED = ("chatId", "top", "title", "customTitle")


def datasets(seen: Seen, told: Told) -> None:
    """The datasets of a folder, of all folders, or those that a search has found."""
    listed = told.data if isinstance(told.data, list) else told.data["list"]
    parent = told.asked.get("parentId", UNSET)
    here: observed.Plain = {"parentId": parent or None}
    if parent is UNSET or told.asked.get("searchKey"):
        here = {}
    for item in _objects(listed):
        seen.dataset(item["_id"]).describe(here | item)


def dataset(seen: Seen, told: Told) -> None:
    seen.dataset(told.data["_id"]).describe(told.data)


def collection(seen: Seen, told: Told) -> None:
    """One collection, and the dataset that it is in."""
    item, owner = dict(told.data), told.data["datasetId"]
    # A whole dataset before 4.8.18.
    owner = owner["_id"] if isinstance(owner, dict) else owner
    if isinstance(item.get("file"), dict):
        item["fileSize"] = item["file"].get("contentLength")
    seen.dataset(owner).put(item)


def deleted_collections(seen: Seen, told: Told) -> None:
    gone = _texts(told.asked.get("id") or told.asked["collectionIds"])
    for known in seen.datasets.values():
        known.remove(gone)


def deleted_dataset(seen: Seen, told: Told) -> None:
    """A dataset that has been deleted, with those in it."""
    gone = _texts(told.asked["id"])
    below: dict[Any, list[str]] = {}
    for known in seen.datasets.values():
        below.setdefault(known.fields.get("parentId"), []).append(known.id)
    for each in gone:
        seen.datasets.pop(each, None)
        gone += below.pop(each, ())


def deleted_chats(seen: Seen, told: Told) -> None:
    app = seen.app(told.asked["appId"])
    for each in _texts(told.asked.get("chatId") or told.asked["chatIds"]):
        app.remove(each)


def cleared_chats(seen: Seen, told: Told) -> None:
    app = seen.app(told.asked["appId"])
    for each in list(app.chats):
        app.remove(each)


HANDLERS: dict[str, Callable[[Seen, Told], None]] = {
    "listV2": partial(collections, items="list", offset_wins=True),
    "scrollList": partial(collections, items="list", offset_wins=False),
    "collection.list": partial(collections, items="data", offset_wins=False),
    "collection.detail": collection,
    "collection.delete": deleted_collections,
    "dataset.list": datasets,
    "dataset.detail": dataset,
    "dataset.delete": deleted_dataset,
    "getHistories": chats,
    "updateHistory": pin,
    "delHistory": deleted_chats,
    "batchDelete": deleted_chats,
    "clearHistories": cleared_chats,
}
"""What takes the successes of an operation, by its name."""


def _id(value: object) -> str:
    found = observed.id_of(value)
    if found is None:
        raise ValueError("no id")
    return found


def _objects(items: Any) -> list[observed.Plain]:
    if not isinstance(items, list) or not all(isinstance(each, dict) for each in items):
        raise TypeError("not a list of objects")
    return items


def _texts(value: Any) -> list[str]:
    found = value if isinstance(value, list) else [value]
    return [each for each in found if isinstance(each, str)]


def _count(value: Any) -> int:
    """A number that counts something; digits in a text are one. Raises ValueError."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value[:16])
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= Published.integer:
        raise ValueError("not a number of items")
    return int(value)


def _offset(asked: observed.Plain, shown: int, total: int, *, offset_wins: bool) -> int:
    """Where a page starts. An offset of 0 gives way to `pageNum`, or wins."""
    given = asked.get("offset")
    if offset_wins and given is not None:
        return _count(given)
    if given and _count(given):
        return _count(given)
    number = max(1, _count(asked.get("pageNum") or 1))
    size = _count(asked.get("pageSize") or _DEFAULT_SIZE)
    # Fewer than there are: the service has a largest page, and counts in those.
    if shown and shown < size and (number - 1) * size + shown != total:
        size = shown
    return (number - 1) * size


def _can_stay(part: observed.Plain, parts: dict[str, observed.Plain]) -> bool:
    """Whether the parents of a dataset are folders that lead to the top."""
    above = part.get("parentId")
    passed = {part["id"]}
    while above is not None:
        if above in passed or parts[above].get("type") != "folder":
            return False
        passed.add(above)
        above = parts[above].get("parentId")
    return len(passed) <= DEFAULT_LIMITS.folder_depth
