"""What the answers of each operation tell: one function for each, and their table.

Each raises ValueError, TypeError, KeyError or AttributeError for data that is not as
the service has it.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from mock_server.domain.limits import Limits
from mock_server.domain.list_request import OMITTED
from mock_server.recorded.datasets import AMOUNTS
from mock_server.recorded.holding import Holding
from mock_server.recorded.parts import Plain, id_of

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

    asked: Plain
    data: Any

    def has_any(self, names: Iterable[str]) -> bool:
        """Whether the request has one of these fields, and it says something."""
        return any(self.asked.get(name) for name in names)


def collections(held: Holding, told: Told, *, items: str, offset_wins: bool) -> None:
    """A page of collections; `items` is the name of their list."""
    page, total = _objects(told.data[items]), _count(told.data["total"])
    dataset = held.dataset(told.asked["datasetId"])
    parent = told.asked.get("parentId", OMITTED)
    parent = None if parent in _ROOT else parent
    hidden = AMOUNTS if told.asked.get("simple") else frozenset[str]()
    ids: list[str | None] = []
    for item in page:
        here = {} if parent is OMITTED else {"parentId": parent}
        ids.append(dataset.put(here | item, held.now, hidden))
    if told.has_any(_FILTERS) or None in ids:
        return
    if parent is OMITTED or parent is None or id_of(parent) is not None:
        offset = _offset(told.asked, len(page), total, offset_wins=offset_wins)
        shown = dataset.shown(parent)
        if shown is not None:
            known = [each for each in ids if each is not None]
            shown.show(offset, known, total, held.now)


def chats(held: Holding, told: Told) -> None:
    """A page of chat sessions."""
    page, total = _objects(told.data["list"]), _count(told.data["total"])
    app_id = told.asked.get("appId") or (page[0]["appId"] if page else None)
    app = held.app(app_id)
    ids = [app.put({"customTitle": "", "top": False} | item, held.now) for item in page]
    if not told.has_any(_CHAT_FILTERS) and None not in ids:
        offset = _offset(told.asked, len(page), total, offset_wins=False)
        app.show(offset, [each for each in ids if each is not None], total, held.now)


def pin(held: Holding, told: Told) -> None:
    """A chat session that was pinned, unpinned or renamed."""
    chat_id = id_of(told.asked["chatId"])
    if chat_id is None:
        raise ValueError("no id")
    app = held.app(told.asked["appId"])
    # A pin of a chat that there is not may succeed (choice chat_unknown=ignore).
    if not app.lacks(chat_id):
        app.put({each: told.asked.get(each) for each in _PINNED}, held.now)


_PINNED = ("chatId", "top", "title", "customTitle")


def datasets(held: Holding, told: Told) -> None:
    """The datasets of a folder, of all folders, or those that a search has found."""
    listed = told.data if isinstance(told.data, list) else told.data["list"]
    parent = told.asked.get("parentId", OMITTED)
    here: Plain = {"parentId": parent or None}
    if parent is OMITTED or told.asked.get("searchKey"):
        here = {}
    for item in _objects(listed):
        held.dataset(item["_id"]).describe(here | item)


def dataset(held: Holding, told: Told) -> None:
    """One dataset."""
    held.dataset(told.data["_id"]).describe(told.data)


def collection(held: Holding, told: Told) -> None:
    """One collection, and the dataset that it is in."""
    item, owner = dict(told.data), told.data["datasetId"]
    # A whole dataset before 4.8.18.
    owner = owner["_id"] if isinstance(owner, dict) else owner
    if isinstance(item.get("file"), dict):
        item["fileSize"] = item["file"].get("contentLength")
    held.dataset(owner).put(item, held.now)


def deleted_collections(held: Holding, told: Told) -> None:
    """Collections that have been deleted with all that was in them."""
    for each in _texts(told.asked.get("id") or told.asked["collectionIds"]):
        for known in held.datasets.values():
            known.remove(each)


def deleted_dataset(held: Holding, told: Told) -> None:
    """A dataset that has been deleted, with those in it."""
    gone = _texts(told.asked["id"])
    for each in gone:
        found = held.datasets.pop(each, None)
        if found is not None:
            found.empty()
        gone += (
            below.id
            for below in held.datasets.values()
            if below.fields.get("parentId") == each
        )


def deleted_chats(held: Holding, told: Told) -> None:
    """Chat sessions that have been deleted."""
    app = held.app(told.asked["appId"])
    for each in _texts(told.asked.get("chatId") or told.asked["chatIds"]):
        app.remove(each)


def cleared_chats(held: Holding, told: Told) -> None:
    """All chat sessions of an application have been deleted."""
    app = held.app(told.asked["appId"])
    for each in list(app.chats):
        app.remove(each)


TAKERS: dict[str, Callable[[Holding, Told], None]] = {
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


def _objects(items: Any) -> list[Plain]:
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
    if not is_number or not 0 <= value <= Limits.integer:
        raise ValueError("not a number of items")
    return int(value)


def _offset(asked: Plain, shown: int, total: int, *, offset_wins: bool) -> int:
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
