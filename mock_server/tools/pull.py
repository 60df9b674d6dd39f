"""Reads an account of a real FastGPT into a fixture: by its lists alone, page by page."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from hashlib import shake_256
from time import sleep
from typing import Annotated, Any, TypeVar

import httpx2
import msgspec
from msgspec import Meta, Struct

from mock_server.decoding import converted
from mock_server.errors import Refusal
from mock_server.tools.har import APP, CHAT, COLLECTION, DATA, DATASET, Kind
from mock_server.tools.probe import FOLDERS, HISTORIES, LIST

T = TypeVar("T")
Fields = dict[str, Any]
PAGE_SIZE, TRIES, PASSES = 30, 8, 3
LONGEST_PAUSE, LONGEST_WAIT = 30.0, 300.0
"""Seconds before a new try: of our own accord, and because a Retry-After wants it."""
UNREACHABLE, UNUSABLE = 3, 5
NOT_THERE = (httpx2.ConnectError, httpx2.ConnectTimeout)

TEXTS = {"name", "intro", "title", "customTitle", "tags", "tag", "value", "q", "a"}
IDS, LINKS = {"tmbId", "externalFileId", "fileId"}, {"avatar", "rawLink"}
SYLLABLES = [first + second for first in "bdfgklmnprstvwz" for second in "aeiou"]


class PullError(Exception):
    """A message and an exit code: the pull ends, and nothing is written."""


class Refused(Exception):
    """One thing that cannot be read."""


class Changed(Refused):
    """A list that changed while it was read."""


class Envelope(Struct, rename="camel"):
    """An answer of the service."""

    code: int
    status_text: str = ""
    data: Any = None


class Page(Struct):
    """A page of a list, and the number of all its items."""

    list: list[Fields]
    total: Annotated[int, Meta(ge=0)]


class Pull:
    """An account that is read. `pause` is in seconds, before the first new try of a request."""

    def __init__(self, client: httpx2.Client, pause: float, progress: Callable[[str], Any]) -> None:
        self.client, self.pause, self.progress = client, pause, progress
        self.has_answered, self.problems = False, list[str]()

    def read(self, path: str, body: Fields, kind: type[T]) -> T:
        """The data of an answer. Raises Refused, PullError."""
        failure, wait = Exception(), 0.0
        for number in range(TRIES):
            sleep(wait)
            wait = min(self.pause * 2.0**number, LONGEST_PAUSE)
            try:
                response = self.client.post(path, json=body)
            except httpx2.RequestError as error:
                got = f"Expected an answer, got none ({error}) - at {path}"
                failure = PullError(got, UNREACHABLE)
                if isinstance(error, NOT_THERE) and not self.has_answered:
                    break  # a wrong address rather than an outage
                continue
            self.has_answered, status, envelope = True, response.status_code, None
            with suppress(msgspec.DecodeError, RecursionError):
                envelope = msgspec.json.decode(response.content, type=Envelope)
            code = envelope.code if envelope else status
            text = f"{code} {envelope.status_text}" if envelope else "no envelope"
            got = f"Expected an answer, got HTTP {status} with {text} - at {path}"
            if 429 in (status, code) or (status >= 500 and code == status):
                # Code 500 is also that of a refusal which has no code of its own.
                outage = PullError(got, UNREACHABLE)
                failure = Refused(got) if envelope and status == 500 else outage
                if (asked := response.headers.get("Retry-After", "")).isdecimal():
                    wait = max(wait, min(float(asked), LONGEST_WAIT))
            elif status == 404 or (envelope and code != 200):
                raise Refused(got)
            elif envelope is None:
                raise PullError(got, UNUSABLE)
            else:
                return typed(envelope.data, kind, path)
        raise failure

    def items(self, path: str, body: Fields, kind: Kind) -> list[Fields]:
        """All items of a list, by pages. Raises Changed, and as `read` does."""
        id, found, total = kind.id[0], dict[str, Fields](), None
        while len(found) != total:
            start = len(found)
            page = self.read(path, body | {"offset": start, "pageSize": PAGE_SIZE}, Page)
            found |= {it[id]: it for item in page.list if (it := entry(item, kind, path))}
            total = page.total if total is None else total
            fits = start + len(page.list) == len(found) <= page.total == total
            if not fits or (not page.list and start < total):
                raise Changed(f"{len(found)} items came, with a total of {page.total} - at {path}")
            self.progress(f"{len(found)} of {total} - {path}")
        if len(found) > len(page.list):  # what changes meanwhile comes first
            first = self.read(path, body | {"offset": 0, "pageSize": PAGE_SIZE}, Page).list
            if [it.get(id) for it in first] != [*found][: len(first)]:
                raise Changed(f"the first page is another one now - at {path}")
        return [*found.values()]

    def tried(self, what: str, read: Callable[[], T]) -> T | None:
        """What is read, anew if it changes meanwhile; else None, and a problem."""
        for passes_left in reversed(range(PASSES)):
            try:
                return read()
            except Refused as refusal:
                if not isinstance(refusal, Changed) or not passes_left:
                    self.problems.append(f"cannot read {what}: {refusal}")
                    break
            sleep(self.pause)
        return None

    def holders(
        self, kind: Kind, ids: tuple[str, ...], field: str, content: Callable[[str], list[Fields]]
    ) -> Iterator[Fields]:
        """The apps or datasets with these ids, by default all, that can be read as a whole."""
        name = kind.noun
        path, found, folders = f"/api/core/{name}/list", dict[str, Fields](), [""]
        for parent in folders:
            read = partial(self.read, path, {"parentId": parent or None}, list[Fields])
            for item in self.tried(f"the {name}s of folder {parent or 'null'}", read) or ():
                it = entry(item | {"id": item.get("_id")}, kind, path)
                if it["id"] not in found:
                    found[it["id"]] = it | {"parentId": parent or None}
                    folders += [it["id"]] if it.get("type") in FOLDERS else []
        chosen = [found.get(id, {"id": id}) | {"parentId": None} for id in dict.fromkeys(ids)]
        for it in chosen or found.values():
            is_folder, read_it = it.get("type") in FOLDERS, partial(content, it["id"])
            inside = [] if is_folder else self.tried(f"{name} {it['id']}", read_it)
            if inside is not None:
                yield it | {field: inside}

    def chats(self, app_id: str) -> list[Fields]:
        return self.items(HISTORIES, {"appId": app_id}, CHAT)

    def collections(self, dataset_id: str) -> list[Fields]:
        """All collections of a dataset, folder by folder. Raises as `items` does."""
        found = dict[str, Fields]()
        folders: list[str | None] = [None]
        for parent in folders:
            body = {"datasetId": dataset_id, "parentId": parent}
            items = self.items(LIST, body, COLLECTION)
            if twice := found.keys() & {it["_id"] for it in items}:
                raise Changed(f"{min(twice)} is in two folders")
            found |= {it["_id"]: it | {"parentId": parent} for it in items}
            folders += [it["_id"] for it in items if it.get("type") in FOLDERS]
        return [*found.values()]

    def with_rows(self, it: Fields) -> Fields:
        """A collection with its rows; without, if they cannot be read."""
        if it.get("type") in FOLDERS or it.get("dataAmount") == 0:
            return it
        path, body = "/api/core/dataset/data/v2/list", {"collectionId": it["_id"]}
        read = partial(self.items, path, body, DATA)
        rows = self.tried(f"the rows of collection {it['_id']}", read)
        return it | {"data": rows} if rows else it


def typed(value: Any, kind: type[T], path: str) -> T:
    """A part of an answer, if it has the right form. Raises PullError."""
    try:
        return converted(value, kind)
    except Refusal as error:
        raise PullError(f"{error} in an answer of {path}", UNUSABLE) from None


def entry(item: Fields, kind: Kind, path: str) -> Fields:
    """The kept fields of an item, if they are those of an entry. Raises PullError."""
    # Its folder is the one that was listed.
    names = [it for it in (*kind.id, *kind.kept) if it != "parentId"]
    fields = {name: item[name] for name in names if item.get(name) is not None}
    typed(fields.get(kind.id[0]), str, path)
    typed(fields, kind.entry, path)
    return fields


def pull(
    base_url: str,
    key: str,
    *,
    dataset: tuple[str, ...] = (),
    app: tuple[str, ...] = (),
    rows: bool = False,
    pause: float = 0.5,
    progress: Callable[[str], Any] = lambda _: None,
) -> tuple[Fields, list[str]]:
    """A document with what can be read, and a line for each thing that cannot.

    `pause` is in seconds, before the first new try of a request. Raises PullError.
    """
    try:
        address = httpx2.URL(base_url.rstrip("/").removesuffix("/api"))
        if address.scheme not in ("http", "https") or not address.host:
            raise httpx2.InvalidURL("no http:// or no host")
    except httpx2.InvalidURL as error:
        raise PullError(f"Expected an address, got {base_url!r} ({error})", 1) from None
    if not (key.strip() and key.isascii() and key.isprintable()):
        raise PullError("Expected an API key of printable ASCII characters", 1)
    headers = {"Authorization": f"Bearer {key.strip()}"}
    with httpx2.Client(base_url=address, headers=headers, timeout=60) as client:
        it = Pull(client, pause, progress)
        apps = [*it.holders(APP, app, "chats", it.chats)]
        datasets = [*it.holders(DATASET, dataset, "collections", it.collections)]
        for each in datasets if rows else ():
            each["collections"] = [*map(it.with_rows, each["collections"])]
    return {"apps": apps, "datasets": datasets}, it.problems


def anonymous(value: Any, name: str = "") -> Any:
    """A document without its texts, members and links; equal ones stay equal."""
    if isinstance(value, dict):
        return {key: anonymous(it, key) for key, it in value.items()}
    if isinstance(value, list):
        return [anonymous(it, name) for it in value]
    if not value or not isinstance(value, str) or name not in TEXTS | IDS | LINKS:
        return value
    content = shake_256(value.encode())
    if name in TEXTS:
        count = min(max(2, len(value) // 8), 60)
        parts = [SYLLABLES[it % len(SYLLABLES)] for it in content.digest(3 * count)]
        return " ".join(map("".join, zip(parts[::3], parts[1::3], parts[2::3], strict=True)))
    id = content.hexdigest(12)
    return f"https://example.com/{id}" if name in LINKS else id
