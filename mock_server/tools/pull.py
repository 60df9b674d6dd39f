"""Reads an account of a real FastGPT into a fixture: by its lists alone, page by page."""

from collections.abc import Callable
from functools import partial
from hashlib import shake_256
from time import sleep
from typing import Annotated, Any, TypeVar

import httpx2
from msgspec import Meta, Struct

from mock_server.decoding import converted
from mock_server.errors import Refusal
from mock_server.tools import kinds
from mock_server.tools.kinds import FOLDERS, Item, ObjectKind, fields_of
from mock_server.tools.probe import (
    HISTORIES,
    LIST,
    ROWS,
    NoService,
    ServerResponse,
    ServiceError,
)

T = TypeVar("T")
ITEMS_A_PAGE = 30
TRIES = 8  # of a request
PASSES = 3  # over a list that changes
LONGEST_PAUSE = 30.0
LONGEST_WAIT = 300.0
"""Seconds before a new try: of our own accord, and because a Retry-After wants it."""
NOT_THERE = (httpx2.ConnectError, httpx2.ConnectTimeout)
TEXTS = ("name", "intro", "title", "customTitle", "tags", "tag", "value", "q", "a")
ANONYMOUS = dict.fromkeys(TEXTS, "text {}")
ANONYMOUS |= dict.fromkeys(("tmbId", "externalFileId", "fileId"), "{}")
ANONYMOUS |= dict.fromkeys(("avatar", "rawLink"), "https://example.com/{}")
"""What stands in place of fields."""


class NotReadable(Exception):
    """One thing that cannot be read."""


class Changed(NotReadable):
    """A list that changed while it was read."""


class ServicePage(Struct):
    """A page of a list, and the number of all its items."""

    list: list[Item]
    total: Annotated[int, Meta(ge=0)]


class Pull(Struct):
    """An account that is read. `pause` is in seconds, before the first new try of a request."""

    client: httpx2.Client
    pause: float
    has_answered: bool = False
    problems: list[str] = []

    def read(self, path: str, body: Item, kind: type[T]) -> T:
        """The data of an answer. Raises NotReadable, ServiceError."""
        failure: Exception = ServiceError()
        wait = 0.0
        for number in range(TRIES):
            sleep(wait)
            wait = min(self.pause * 2.0**number, LONGEST_PAUSE)
            try:
                response = self.client.post(path, json=body)
            except httpx2.RequestError as error:
                failure = ServiceError(f"Expected an answer, got none ({error}) - at {path}")
                # At the first request, this is a wrong address rather than an outage.
                if isinstance(error, NOT_THERE) and not self.has_answered:
                    break
                continue
            self.has_answered = True
            answer = ServerResponse.of(response)
            if not answer.is_outage:
                return checked(accepted_data(answer, path), kind, path)
            failure = ServiceError(failure_text(answer, path))
            # Code 500 is also that of a refusal which has no code of its own.
            if answer.status == 500 and answer.has_code:
                failure = NotReadable(failure_text(answer, path))
            wanted = response.headers.get("Retry-After", "")
            if wanted.isdecimal():
                wait = max(wait, min(float(wanted), LONGEST_WAIT))
        raise failure

    def items(self, path: str, body: Item, kind: ObjectKind) -> list[Item]:
        """All items of a list, by pages. Raises Changed, and as `read` does."""
        found = dict[str, Item]()
        total = None
        while len(found) != total:
            start = len(found)
            page = self.read(path, body | {"offset": start, "pageSize": ITEMS_A_PAGE}, ServicePage)
            for item in page.list:
                kept = entry(item, kind, path)
                found[kept[kind.id[0]]] = kept
            if total is None:
                total = page.total
            # No item comes twice, the total stays, and the list does not end before it.
            is_new = start + len(page.list) == len(found)
            is_in_total = len(found) <= page.total == total
            is_end = not page.list and start < total
            if not is_new or not is_in_total or is_end:
                raise Changed(f"{len(found)} items came, with a total of {page.total} - at {path}")
        return [*found.values()]

    def tried(self, what: str, read: Callable[[], T]) -> T | None:
        """What is read, anew if it changes meanwhile; else None, and a problem."""
        for passes_left in reversed(range(PASSES)):
            try:
                return read()
            except NotReadable as refusal:
                if not isinstance(refusal, Changed) or not passes_left:
                    self.problems.append(f"cannot read {what}: {refusal}")
                    break
            sleep(self.pause)
        return None

    def listed(self, kind: ObjectKind) -> dict[str, Item]:
        """The apps or datasets that can be read, folder by folder."""
        path = f"/api/core/{kind.noun}/list"

        def inside(parent: str | None) -> list[Item]:
            read = partial(self.read, path, {"parentId": parent}, list[Item])
            items = self.tried(f"the {kind.noun}s of folder {parent or 'null'}", read)
            return [entry(it | {"id": it.get("_id")}, kind, path) for it in items or ()]

        return of_all_folders(inside, "id")

    def holders(
        self,
        kind: ObjectKind,
        ids: tuple[str, ...],
        field: str,
        content: Callable[[str], list[Item]],
    ) -> list[Item]:
        """The apps or datasets with these ids, by default all, that can be read as a whole."""
        chosen = self.listed(kind)
        if ids:
            chosen = {id: chosen.get(id, {"id": id}) | {"parentId": None} for id in ids}
        holders = []
        for id, holder in chosen.items():
            inside: list[Item] | None = []
            if holder.get("type") not in FOLDERS:
                inside = self.tried(f"{kind.noun} {id}", partial(content, id))
            if inside is not None:
                holders.append(holder | {field: inside})
        return holders

    def chats(self, app_id: str) -> list[Item]:
        return self.items(HISTORIES, {"appId": app_id}, kinds.CHAT)

    def collections(self, dataset_id: str) -> list[Item]:
        """All collections of a dataset, folder by folder. Raises as `items` does."""

        def inside(parent: str | None) -> list[Item]:
            return self.items(LIST, {"datasetId": dataset_id, "parentId": parent}, kinds.COLLECTION)

        return [*of_all_folders(inside, "_id").values()]

    def with_rows(self, collection: Item) -> Item:
        """A collection with its rows; without, if they cannot be read."""
        if collection.get("type") in FOLDERS or collection.get("dataAmount") == 0:
            return collection
        id = collection["_id"]
        read = partial(self.items, ROWS, {"collectionId": id}, kinds.DATA)
        rows = self.tried(f"the rows of collection {id}", read)
        return collection | {"data": rows} if rows else collection


def of_all_folders(inside: Callable[[str | None], list[Item]], id: str) -> dict[str, Item]:
    """The objects inside all folders, by the field that identifies them."""
    found = dict[str, Item]()
    folders: list[str | None] = [None]
    # The list of folders grows while they are read.
    for parent in folders:
        for item in inside(parent):
            if item[id] in found:
                continue
            found[item[id]] = item | {"parentId": parent}
            if item.get("type") in FOLDERS:
                folders.append(item[id])
    return found


def failure_text(answer: ServerResponse, path: str) -> str:
    """What a message says of an answer that is no success."""
    text = "no envelope"
    if answer.has_code:
        text = f"{answer.code} {answer.body.get('statusText', '')}"
    return f"Expected an answer, got HTTP {answer.status} with {text} - at {path}"


def accepted_data(answer: ServerResponse, path: str) -> Any:
    """The data of an answer. Raises NotReadable, ServiceError."""
    is_refused = answer.has_code and answer.code != 200
    if answer.status == 404 or is_refused:
        raise NotReadable(failure_text(answer, path))
    if not answer.has_code:
        raise NoService(failure_text(answer, path))
    return answer.body.get("data")


def checked(value: Any, kind: type[T], path: str) -> T:
    """A part of an answer, if it has the right form. Raises ServiceError."""
    try:
        return converted(value, kind)
    except Refusal as error:
        raise NoService(f"{error} in an answer of {path}") from None


def entry(item: Item, kind: ObjectKind, path: str) -> Item:
    """The kept fields of an item, if they are those of an entry. Raises ServiceError."""
    fields = fields_of(item, (*kind.id, *kind.kept))
    checked(fields.get(kind.id[0]), str, path)
    checked(fields, kind.entry, path)
    return fields


def pull(
    base_url: str,
    key: str,
    *,
    dataset: tuple[str, ...] = (),
    app: tuple[str, ...] = (),
    rows: bool = False,
    pause: float = 0.5,
) -> tuple[Item, list[str]]:
    """A document with what can be read, and a line for each thing that cannot.

    `pause` is in seconds, before the first new try of a request. Raises ServiceError.
    """
    headers = {"Authorization": f"Bearer {key}"}
    verify = base_url.startswith("https:")  # certificates take 20 ms to load
    with httpx2.Client(base_url=base_url, headers=headers, timeout=60, verify=verify) as client:
        account = Pull(client, pause)
        apps = account.holders(kinds.APP, app, "chats", account.chats)
        datasets = account.holders(kinds.DATASET, dataset, "collections", account.collections)
        if rows:
            for each in datasets:
                each["collections"] = [*map(account.with_rows, each["collections"])]
    return {"apps": apps, "datasets": datasets}, account.problems


def anonymous(value: Any, name: str = "") -> Any:
    """A document without its texts, members and links; equal ones stay equal."""
    if isinstance(value, dict):
        return {key: anonymous(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [anonymous(item, name) for item in value]
    if not value or not isinstance(value, str) or name not in ANONYMOUS:
        return value
    return ANONYMOUS[name].format(shake_256(value.encode()).hexdigest(12))
