"""A server as it looks from outside: what it answers, and the account that it shows."""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import httpx2
from msgspec import UNSET, Struct, field, json

from mock_server.decoding import NOT_JSON

LIST = "/api/core/dataset/collection/listV2"
PIN = "/api/core/chat/history/updateHistory"
HISTORIES = "/api/core/chat/history/getHistories"
UNKNOWN = "0" * 24
MOST_DATASETS = 10
MOST_FOLDERS = 50
BUSY = (429, 502, 503, 504)
FOLDERS = ("folder", "toolFolder")
Item = dict[str, Any]
T = TypeVar("T")


class NotObservable(Exception):
    """Why something cannot be seen from outside."""


def need(is_so: bool, reason: str) -> None:
    """Raises NotObservable, for this reason, if it is not so."""
    if not is_so:
        raise NotObservable(reason)


def first(found: Iterable[T], reason: str) -> T:
    """The first that is found. Raises NotObservable, for this reason, if none is."""
    for it in found:
        return it
    raise NotObservable(reason)


def ids(items: Iterable[Item]) -> list[str]:
    return [it["_id"] for it in items]


def tag_names(item: Item) -> list[str]:
    """The names of a collection's tags, some of which may have values."""
    return [it["tag"] if isinstance(it, dict) else str(it) for it in item.get("tags") or ()]


class Answer(Struct, frozen=True):
    """A response; its body is None if it is no JSON."""

    status: int
    body: Any

    @property
    def code(self) -> int:
        """The code of the envelope, else the HTTP status."""
        return self.body.get("code", self.status) if isinstance(self.body, dict) else self.status

    @property
    def is_accepted(self) -> bool:
        return 200 <= self.status < 300 and self.code == 200 and isinstance(self.body, dict)

    def page(self) -> tuple[list[Item], int]:
        """The items of a page, and the total of its list. Raises NotObservable, LookupError."""
        need(self.is_accepted, f"a list is refused with code {self.code}")
        return self.body["data"]["list"], self.body["data"]["total"]


class Probe(Struct, dict=True):
    """Asks a server; methods raise NotObservable, LookupError and TransportError."""

    most: ClassVar[int] = 1000
    """How many items of a list it reads."""
    http: httpx2.Client
    """A client with the address and the key."""
    given_dataset: str | None = None
    given_app: str | None = None
    may_write: bool = False
    left: list[str] = field(default_factory=list)
    """What was changed, and is not put back."""
    notes: list[str] = field(default_factory=list)
    """What was looked at."""

    def send(
        self, method: str, path: str, body: Any = None, *, key: str = "", is_typed: bool = True
    ) -> Answer:
        """Send a value as JSON, by default with the key of the client."""
        headers = {"Content-Type": "application/json"} if is_typed else {}
        headers |= {"Authorization": f"Bearer {key}"} if key else {}
        content = None if body is None else json.encode(body)
        response = self.http.request(method, path, content=content, headers=headers)
        try:
            answer = Answer(response.status_code, json.decode(response.content))
        except NOT_JSON:
            answer = Answer(response.status_code, None)
        need(answer.code not in BUSY, f"the server answers {answer.code}")
        return answer

    def first_of(self, path: str, most: int) -> list[str]:
        """The ids of the first objects that a route lists, without those in folders."""
        answer = self.send("POST", path, {"parentId": None})
        refusal = f"no id is given, and {path} is refused with code {answer.code}"
        need(answer.is_accepted, f"{refusal}: is the address right, without /api at its end?")
        found = [str(it["_id"]) for it in answer.body["data"] or () if it["type"] not in FOLDERS]
        need(bool(found), f"no id is given, and {path} shows none to this key")
        return found[:most]

    def check(self) -> None:
        """Raises ValueError for a server without JSON, NotObservable for other keys or ids."""
        answer = self.listed(datasetId=UNKNOWN)
        if answer.body is None:
            raise ValueError(f"Expected JSON, got none with status {answer.status} - at {LIST}")
        is_refused = answer.code in (401, 514) or "unAuthorization" in str(answer.body)
        need(not is_refused, f"the key is refused with code {answer.code}")
        if self.given_dataset:
            code = self.listed().code
            need(code == 200, f"--dataset {self.given_dataset} is refused with code {code}")
        # A server without the route refuses each app, which says nothing of this one.
        if self.given_app and self.send("POST", HISTORIES, {}).code != 404:
            body = {"appId": self.given_app, "offset": 0, "pageSize": 1}
            code = self.send("POST", HISTORIES, body).code
            need(code == 200, f"--app {self.given_app} is refused with code {code}")

    # Collections

    @cached_property
    def dataset(self) -> str:
        """The given dataset; else, of the first ones listed, the one that shows most."""
        if self.given_dataset:
            return self.given_dataset
        found = self.first_of("/api/core/dataset/list", MOST_DATASETS)
        best = max(found, key=self.richness)
        self.notes.append(f"looked at dataset {best}, the one of {len(found)} that shows most")
        return best

    def richness(self, dataset: str) -> tuple[int, int]:
        """How many things a dataset has that show choices, and the size of its largest list."""
        try:
            items, total = self.page(datasetId=dataset)
            folders = [it["_id"] for it in items if it["type"] in FOLDERS][:3]
            inside = [self.page(datasetId=dataset, parentId=id)[1] for id in folders]
        except (NotObservable, LookupError):
            return 0, 0
        largest = max([total, *inside])
        has_tags = any(it.get("tags") for it in items)
        return sum([any(inside), has_tags, largest > 10, largest > 30]), largest

    def listed(
        self, method: str = "POST", key: str = "", is_typed: bool = True, **fields: Any
    ) -> Answer:
        """The answer to a list of the top level; a field that is UNSET is left out."""
        dataset = {} if "datasetId" in fields else {"datasetId": self.dataset}
        body = {"offset": 0, "pageSize": 30, "parentId": None} | dataset | fields
        sent = {name: it for name, it in body.items() if it is not UNSET}
        return self.send(method, LIST, sent, key=key, is_typed=is_typed)

    def page(self, **fields: Any) -> tuple[list[Item], int]:
        return self.listed(**fields).page()

    def is_listed(self, **fields: Any) -> bool:
        """Whether a list is accepted. Raises NotObservable if a plain one is not."""
        self.page()
        return self.listed(**fields).is_accepted

    def every(self, **fields: Any) -> list[Item]:
        """The items of all pages, as they come."""
        return all_pages(lambda offset: self.listed(offset=offset, **fields))

    @cached_property
    def levels(self) -> dict[str | None, list[Item]]:
        """The collections of the top level, and of each folder."""
        found, folders = dict[str | None, list[Item]](), list[str | None]([None])
        for parent in folders:
            found[parent] = self.every(parentId=parent)
            inside = {it["_id"]: it for it in found[parent] if it["type"] == "folder"}
            folders += [id for id in inside if id not in folders][: MOST_FOLDERS - len(folders)]
        first(found[None], "the dataset is empty")
        return found

    @property
    def items(self) -> list[Item]:
        return [it for level in self.levels.values() for it in level]

    @property
    def longest(self) -> tuple[str | None, list[Item]]:
        """The folder with the most collections, and these."""
        return max(self.levels.items(), key=lambda level: len(level[1]))

    # Chats

    @cached_property
    def app(self) -> str:
        need(self.may_write, "it needs --write")
        return self.given_app or self.first_of("/api/core/app/list", 1)[0]

    def set_top(self, chat_id: str, top: bool) -> Answer:
        return self.send("PUT", PIN, {"appId": self.app, "chatId": chat_id, "top": top})

    @property
    def chats(self) -> dict[str, bool]:
        """Whether each chat is pinned, by its id."""
        body = {"appId": self.app, "pageSize": 30}
        found = all_pages(lambda offset: self.send("POST", HISTORIES, body | {"offset": offset}))
        return {it["chatId"]: bool(it.get("top")) for it in found}


def all_pages(ask: Callable[[int], Answer]) -> list[Item]:
    """The items of a list, by the answer for each offset."""
    items, total = ask(0).page()
    while len(items) < min(total, Probe.most) and (more := ask(len(items)).page()[0]):
        items = items + more
    return items
