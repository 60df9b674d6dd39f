"""Collects fixture data from recorded exchanges, with one handler per operation."""

from collections import defaultdict
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
# The filters of collections: a list that is requested with one is incomplete.
_FILTERS = ("searchText", "selectFolder", "filterTags", "tagFilters")
_CHAT_FILTERS = (
    "source",
    "startCreateTime",
    "endCreateTime",
    "startUpdateTime",
    "endUpdateTime",
)


class Observation(NamedTuple):
    """The request fields and the response data of a successful exchange."""

    request: observed.Fields
    data: Any

    def has_any(self, names: Iterable[str]) -> bool:
        """Return whether the request has one of these fields with a value."""
        return any(self.request.get(name) for name in names)


class CapturedData:
    """The datasets and apps that exchanges show; later exchanges win."""

    def __init__(self) -> None:
        self.datasets: dict[str, observed.CapturedDataset] = {}
        self.apps: dict[str, observed.CapturedApp] = {}
        # Where collections and datasets were seen, for quick removal. Objects that
        # have gone or moved since may stay.
        self._datasets_with: defaultdict[str, set[str]] = defaultdict(set)
        self._datasets_in: defaultdict[Any, set[str]] = defaultdict(set)

    def dataset(self, value: object) -> observed.CapturedDataset:
        """Return the dataset with this id; create it if new. Raises ValueError."""
        known_id = _id(value)
        return self.datasets.setdefault(known_id, observed.CapturedDataset(known_id))

    def app(self, value: object) -> observed.CapturedApp:
        """Return the app with this id; create it if new. Raises ValueError."""
        app_id = _id(value)
        return self.apps.setdefault(app_id, observed.CapturedApp(app_id))

    def describe_dataset(self, value: object, item: observed.Fields) -> None:
        """Use the fields of the dataset with this id. Raises ValueError."""
        dataset = self.dataset(value)
        dataset.describe(item)
        self._datasets_in[dataset.fields.get("parentId")].add(dataset.id)

    def remove_datasets(self, ids: Iterable[str]) -> None:
        """Remove datasets, and those inside deleted folders."""
        waiting = list(ids)
        for each in waiting:
            self.datasets.pop(each, None)
            for inner in self._datasets_in.pop(each, ()):
                dataset = self.datasets.get(inner)
                if dataset is not None and dataset.fields.get("parentId") == each:
                    waiting.append(inner)

    def add_collection(
        self,
        dataset: observed.CapturedDataset,
        item: observed.Fields,
        omit: frozenset[str] = frozenset(),
    ) -> str | None:
        """Use a collection; return its id, or None if the collection is unusable."""
        collection_id = dataset.add(item, omit)
        if collection_id is not None:
            self._datasets_with[collection_id].add(dataset.id)
        return collection_id

    def remove_collections(self, ids: Iterable[str]) -> None:
        """Remove collections with their content from every dataset."""
        for each in ids:
            for holder in self._datasets_with.pop(each, ()):
                if holder in self.datasets:
                    self.datasets[holder].remove((each,))

    def add_exchange(self, exchange: Exchange) -> bool:
        """Add the data of an exchange; return whether it had any.

        Refusals and unusual responses are ignored.
        """
        operation = OPERATIONS.with_path(exchange.path)
        if operation is None or exchange.method not in operation.methods:
            return False
        handler = HANDLERS.get(operation.name)
        if handler is None:
            return False
        try:
            handler(
                self, Observation(exchange.request_fields(), exchange.response_data())
            )
        except (ValueError, TypeError, KeyError, AttributeError):
            return False
        return True

    def document(self) -> dict[str, object]:
        """Return a valid fixture document of the captured data."""
        return {
            "apps": [each.part() for each in self.apps.values()],
            "datasets": self._datasets(),
        }

    def _datasets(self) -> list[observed.Fields]:
        """Return the datasets as parts, with the folders that they name."""
        parts = {each.id: each.part() for each in self.datasets.values()}
        for part in list(parts.values()):
            folder = part.get("parentId")
            if folder is not None and folder not in parts:
                parts[folder] = {"id": folder, "name": folder, "type": "folder"}
        for part in parts.values():
            if not _has_valid_parents(part, parts):
                part["parentId"] = None
        return list(parts.values())

    def gaps(self) -> Iterator[str]:
        """Yield a text for each known gap, such as a list that was seen in part."""
        for dataset in self.datasets.values():
            yield from (f"dataset {dataset.id}: {each}" for each in dataset.gaps())
        for app in self.apps.values():
            yield from (f"app {app.id}: {each}" for each in app.gaps())


def add_collections(
    data: CapturedData, observation: Observation, *, items: str, prefers_offset: bool
) -> None:
    """Add a page of collections; `items` is the name of the list in the data."""
    page, total = _objects(observation.data[items]), _count(observation.data["total"])
    dataset = data.dataset(observation.request["datasetId"])
    parent = observation.request.get("parentId", UNSET)
    parent = None if parent in _ROOT else parent
    omitted_fields = (
        observed.AMOUNT_FIELDS
        if observation.request.get("simple")
        else frozenset[str]()
    )
    folder = {} if parent is UNSET else {"parentId": parent}
    ids = [data.add_collection(dataset, folder | item, omitted_fields) for item in page]
    if observation.has_any(_FILTERS):
        return
    if parent is UNSET or parent is None or observed.id_of(parent) is not None:
        offset = _offset(
            observation.request, len(page), total, prefers_offset=prefers_offset
        )
        captured = dataset.lists.setdefault(parent, observed.CapturedList())
        captured.add_page(offset, ids, total)


def add_chats(data: CapturedData, observation: Observation) -> None:
    page, total = _objects(observation.data["list"]), _count(observation.data["total"])
    app_id = observation.request.get("appId") or (page[0]["appId"] if page else None)
    app = data.app(app_id)
    for item in page:
        app.add({"customTitle": "", "top": False} | item)
    if not observation.has_any(_CHAT_FILTERS):
        app.total = total


def apply_pin(data: CapturedData, observation: Observation) -> None:
    """Apply a pin, unpin or rename of a chat."""
    chat_id = _id(observation.request["chatId"])
    app = data.app(observation.request["appId"])
    # Skip unknown chats: their pins may succeed, too (choice chat_unknown=ignore).
    if not app.is_known_missing(chat_id):
        app.add({each: observation.request.get(each) for each in _PINNED})


_PINNED = ("chatId", "top", "title", "customTitle")


def add_datasets(data: CapturedData, observation: Observation) -> None:
    """Add the datasets of a folder, of all folders, or of a search."""
    items = (
        observation.data
        if isinstance(observation.data, list)
        else observation.data["list"]
    )
    parent = observation.request.get("parentId", UNSET)
    parent_fields: observed.Fields = {"parentId": parent or None}
    if parent is UNSET or observation.request.get("searchKey"):
        parent_fields = {}
    for item in _objects(items):
        data.describe_dataset(item["_id"], parent_fields | item)


def add_dataset(data: CapturedData, observation: Observation) -> None:
    data.describe_dataset(observation.data["_id"], observation.data)


def add_collection(data: CapturedData, observation: Observation) -> None:
    """Add a collection, and the dataset that contains it."""
    item, owner = dict(observation.data), observation.data["datasetId"]
    # Before FastGPT 4.8.18, `datasetId` is an object with the whole dataset.
    owner = owner["_id"] if isinstance(owner, dict) else owner
    if isinstance(item.get("file"), dict):
        item["fileSize"] = item["file"].get("contentLength")
    data.add_collection(data.dataset(owner), item)


def remove_collections(data: CapturedData, observation: Observation) -> None:
    data.remove_collections(
        _texts(observation.request.get("id") or observation.request["collectionIds"])
    )


def remove_datasets(data: CapturedData, observation: Observation) -> None:
    data.remove_datasets(_texts(observation.request["id"]))


def remove_chats(data: CapturedData, observation: Observation) -> None:
    app = data.app(observation.request["appId"])
    for each in _texts(
        observation.request.get("chatId") or observation.request["chatIds"]
    ):
        app.remove(each)


def clear_chats(data: CapturedData, observation: Observation) -> None:
    app = data.app(observation.request["appId"])
    for each in list(app.chats):
        app.remove(each)


HANDLERS: dict[str, Callable[[CapturedData, Observation], None]] = {
    "listV2": partial(add_collections, items="list", prefers_offset=True),
    "scrollList": partial(add_collections, items="list", prefers_offset=False),
    "collection.list": partial(add_collections, items="data", prefers_offset=False),
    "collection.detail": add_collection,
    "collection.delete": remove_collections,
    "dataset.list": add_datasets,
    "dataset.detail": add_dataset,
    "dataset.delete": remove_datasets,
    "getHistories": add_chats,
    "updateHistory": apply_pin,
    "delHistory": remove_chats,
    "batchDelete": remove_chats,
    "clearHistories": clear_chats,
}
"""The function that uses a successful exchange, by the name of its operation."""


def _id(value: object) -> str:
    own_id = observed.id_of(value)
    if own_id is None:
        raise ValueError("no id")
    return own_id


def _objects(items: Any) -> list[observed.Fields]:
    if not isinstance(items, list) or not all(isinstance(each, dict) for each in items):
        raise TypeError("not a list of objects")
    return items


def _texts(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, str)]


def _count(value: Any) -> int:
    """Return a number of items, which may be a text of digits. Raises ValueError."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value[:16])
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= Published.integer:
        raise ValueError("not a number of items")
    return int(value)


def _offset(
    sent: observed.Fields, count: int, total: int, *, prefers_offset: bool
) -> int:
    """Return the offset of a page, from `offset` or `pageNum` of the request.

    An `offset` that is not 0 counts. If it is 0, it counts only with `prefers_offset`;
    else `pageNum` counts.
    """
    offset = sent.get("offset")
    if prefers_offset and offset is not None:
        return _count(offset)
    if offset and _count(offset):
        return _count(offset)
    number = max(1, _count(sent.get("pageNum") or 1))
    size = _count(sent.get("pageSize") or _DEFAULT_SIZE)
    # A page that is shorter than requested, but not the last, shows that the service
    # has lowered `pageSize` to its maximum.
    if count and count < size and (number - 1) * size + count != total:
        size = count
    return (number - 1) * size


def _has_valid_parents(
    part: observed.Fields, parts: dict[str, observed.Fields]
) -> bool:
    """Return whether a dataset's parents are folders in no cycle, and not too many."""
    parent_id = part.get("parentId")
    visited = {part["id"]}
    while parent_id is not None:
        if parent_id in visited or parts[parent_id].get("type") != "folder":
            return False
        visited.add(parent_id)
        if len(visited) > DEFAULT_LIMITS.folder_depth:
            return False
        parent_id = parts[parent_id].get("parentId")
    return True
