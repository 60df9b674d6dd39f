"""A server as seen from outside: its responses, and the account that they show."""

from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import chain, islice
from typing import Any, TypeVar

import httpx2
from msgspec import UNSET, Struct, json

from mock_server.decoding import JsonObject
from mock_server.service.apps import app_list
from mock_server.service.chats import get_histories, update_history
from mock_server.service.collection_lists import list_v2
from mock_server.service.data import data_list
from mock_server.service.datasets import dataset_list
from mock_server.store.objects import fold_text
from mock_server.tools import responses
from mock_server.tools.object_kinds import is_folder, walk_folders
from mock_server.tools.responses import OUTAGES, ListPage, UnexpectedResponse

LIST = list_v2.path
PIN = update_history.path
HISTORIES = get_histories.path
ROWS = data_list.path
UNKNOWN_ID = "0" * 24
MAX_DATASETS = 10
MAX_FOLDERS_READ = 50
MAX_ITEMS = 1000
"""No further page of a list is read after so many items."""
Headers = dict[str, str]
OF_JSON = {"Content-Type": "application/json"}
T = TypeVar("T")


class NotObservable(Exception):
    """Something cannot be seen from outside; the message says why."""


def require(condition: bool, reason: str) -> None:
    """Raises NotObservable, for this reason, if the condition is false."""
    if not condition:
        raise NotObservable(reason)


def require_first(candidates: Iterable[T], reason: str) -> T:
    """The first candidate. Raises NotObservable, for this reason, if there is none."""
    for candidate in candidates:
        return candidate
    raise NotObservable(reason)


def ids_of(items: Iterable[JsonObject]) -> list[str]:
    return [it["_id"] for it in items]


def tag_names(item: JsonObject) -> list[str]:
    """The names of a collection's tags, some of which may have values."""
    names = []
    for tag in item.get("tags") or ():
        name = tag["tag"] if isinstance(tag, dict) else str(tag)
        names.append(name)
    return names


class ServerResponse(responses.ServerResponse, frozen=True):
    """A response to a probe."""

    def page(self) -> ListPage:
        """The page of a list that the body has. Raises NotObservable, LookupError."""
        require(self.is_accepted, f"a list is refused with code {self.code}")
        return ListPage(self.body["data"]["list"], self.body["data"]["total"])


class Probe(Struct, dict=True):
    """Sends requests to a server. Methods raise NotObservable, LookupError, TransportError."""

    http: httpx2.Client
    """A client with the address and the key."""
    dataset_option: str | None = None
    app_option: str | None = None
    may_write: bool = False
    not_restored: list[str] = []
    """The changes that are not undone."""
    notes: list[str] = []
    """Sentences on the choice of the dataset."""

    def send(
        self, method: str, path: str, body: Any = None, headers: Headers = OF_JSON
    ) -> ServerResponse:
        """Send a value as JSON, with these headers and those of the client."""
        content = None
        if body is not None:
            content = json.encode(body)
        http_response = self.http.request(method, path, content=content, headers=headers)
        response = ServerResponse.of(http_response)
        require(response.code not in OUTAGES, f"the server answers {response.code}")
        return response

    def list_ids(self, path: str, limit: int) -> list[str]:
        """The ids of the first objects that a route lists, without those in folders."""
        response = self.send("POST", path, {"parentId": None})
        require(
            response.is_accepted, f"no id is given, and {path} is refused with code {response.code}"
        )
        objects = response.body["data"] or ()
        ids = [str(it["_id"]) for it in objects if not is_folder(it)]
        require(bool(ids), f"no id is given, and {path} shows none to this key")
        return ids[:limit]

    def check(self) -> None:
        """Raises UnexpectedResponse for what is not JSON, NotObservable for a refused key or id."""
        response = self.ask_list(datasetId=UNKNOWN_ID)
        if response.body is None:
            raise UnexpectedResponse(
                f"Expected JSON, got none with status {response.status} - at {LIST}"
            )
        is_refused = response.code in (401, 514) or "unAuthorization" in str(response.body)
        require(not is_refused, f"the key is refused with code {response.code}")
        if self.dataset_option:
            code = self.ask_list().code
            require(code == 200, f"--dataset {self.dataset_option} is refused with code {code}")
        # A server without the route refuses every app, so a refusal says nothing of this app.
        if self.app_option and self.send("POST", HISTORIES, {}).code != 404:
            body = {"appId": self.app_option, "offset": 0, "pageSize": 1}
            code = self.send("POST", HISTORIES, body).code
            require(code == 200, f"--app {self.app_option} is refused with code {code}")

    # Collections

    @cached_property
    def dataset(self) -> str:
        """The dataset of the option, else the richest of the first MAX_DATASETS."""
        if self.dataset_option:
            return self.dataset_option
        ids = self.list_ids(dataset_list.path, MAX_DATASETS)
        best = max(ids, key=self.richness)
        self.notes.append(f"looked at dataset {best}, the one of {len(ids)} that shows most")
        return best

    def richness(self, dataset: str) -> tuple[int, int]:
        """How many features that show choices a dataset has, and the size of its largest list."""
        try:
            page = self.page(datasetId=dataset)
            # The first folders tell enough to choose a dataset.
            ids = ids_of(filter(is_folder, page.items))[:3]
            folder_totals = [self.page(datasetId=dataset, parentId=id).total for id in ids]
        except (NotObservable, LookupError):
            return 0, 0
        largest = max([page.total, *folder_totals])
        has_content = any(folder_totals)
        has_any_tags = any(it.get("tags") for it in page.items)
        return sum([has_content, has_any_tags, largest > 10, largest > 30]), largest

    def ask_list(
        self, method: str = "POST", headers: Headers = OF_JSON, **fields: Any
    ) -> ServerResponse:
        """Request a list of the top level. `fields` replace its fields; UNSET leaves one out."""
        body: JsonObject = {"offset": 0, "pageSize": 30, "parentId": None}
        if "datasetId" not in fields:
            body["datasetId"] = self.dataset
        body |= fields
        body = {name: value for name, value in body.items() if value is not UNSET}
        return self.send(method, LIST, body, headers)

    def page(self, **fields: Any) -> ListPage:
        return self.ask_list(**fields).page()

    def is_listed(self, **fields: Any) -> bool:
        """Whether a list is accepted. Raises NotObservable if a plain one is not."""
        self.page()
        return self.ask_list(**fields).is_accepted

    def all_items(self, **fields: Any) -> list[JsonObject]:
        """The items of all pages, as they come."""
        return all_pages(lambda offset: self.ask_list(offset=offset, **fields))

    @cached_property
    def levels(self) -> dict[str | None, list[JsonObject]]:
        """The collections by the id of their folder, None at the top level."""
        folders = walk_folders(lambda id: self.all_items(parentId=id), "_id")
        levels = dict(islice(folders, MAX_FOLDERS_READ))
        require(bool(levels[None]), "the dataset is empty")
        return levels

    @property
    def items(self) -> list[JsonObject]:
        return [*chain.from_iterable(self.levels.values())]

    @property
    def longest_folder(self) -> tuple[str | None, list[JsonObject]]:
        """The folder with the most collections, and these collections."""
        return max(self.levels.items(), key=lambda level: len(level[1]))

    def require_folder(self) -> JsonObject:
        """A folder at the top level that has content."""
        for item in self.levels[None]:
            if self.levels.get(item["_id"]):
                return item
        raise NotObservable("no folder has collections")

    def require_nested(self) -> tuple[str, JsonObject]:
        """The id of a folder, and a collection two levels below: in a folder of that folder."""
        parents = {it["_id"]: it["parentId"] for it in self.items}
        for item in self.items:
            outer_folder = parents.get(item["parentId"])
            if outer_folder:
                return outer_folder, item
        raise NotObservable("no folder has a folder with collections")

    def require_tagged(self) -> tuple[JsonObject, str]:
        """A collection, and one of its tags that is not in its name."""
        for item in self.items:
            for tag in tag_names(item):
                if fold_text(tag) not in fold_text(item["name"]):
                    return item, tag
        raise NotObservable("no collection has a tag that is not in its name")

    # Chats

    @cached_property
    def app(self) -> str:
        require(self.may_write, "it needs --write")
        return self.app_option or self.list_ids(app_list.path, 1)[0]

    def set_top(self, chat_id: str, top: bool) -> ServerResponse:
        return self.send("PUT", PIN, {"appId": self.app, "chatId": chat_id, "top": top})

    def read_pins(self) -> dict[str, bool]:
        """Whether each chat is pinned, by its id."""
        body = {"appId": self.app, "pageSize": 30}
        chats = all_pages(lambda offset: self.send("POST", HISTORIES, body | {"offset": offset}))
        return {it["chatId"]: bool(it.get("top")) for it in chats}


def all_pages(ask: Callable[[int], ServerResponse]) -> list[JsonObject]:
    """The items of all pages of a list; `ask` requests the page at an offset."""
    page = ask(0).page()
    items = page.items
    while len(items) < min(page.total, MAX_ITEMS):
        next_items = ask(len(items)).page().items
        if not next_items:
            break
        items += next_items
    return items
