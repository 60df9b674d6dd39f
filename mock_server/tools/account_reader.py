"""Reads an account of a real FastGPT, only by routes that show objects."""

from collections.abc import Callable
from time import sleep
from typing import Any, ClassVar, ParamSpec, TypeVar
from urllib.parse import quote

import httpx2
from msgspec import Struct

from mock_server.control.admin_client import connection_error_in_words
from mock_server.decoding.json_values import JsonObject, convert_or_refuse
from mock_server.errors import Refusal, UnknownKey
from mock_server.service.chats import get_histories
from mock_server.service.collection_lists import list_v2
from mock_server.service.data_rows import data_list
from mock_server.store.account import objects_in
from mock_server.store.objects import omit
from mock_server.tools import object_kinds
from mock_server.tools.object_kinds import ObjectKind
from mock_server.tools.real_responses import (
    ListPage,
    ServerResponse,
    ServiceError,
    UnexpectedResponse,
)

P = ParamSpec("P")
T = TypeVar("T")
ITEMS_A_PAGE = 30
MAX_TRIES = 8
"""The highest number of times that a request is sent."""
MAX_PASSES = 3
"""The highest number of times that a list is read if it changes meanwhile."""
MAX_PAUSE = 30.0
"""Seconds before a new try, at most."""
MAX_RETRY_AFTER = 300.0
"""Seconds before a new try, at most, if FastGPT asks for a pause by Retry-After."""
NO_SERVER = (httpx2.ConnectError, httpx2.ConnectTimeout)


class NotReadable(Exception):
    """A list, or an object, that cannot be read."""


class ListChanged(NotReadable):
    """A list that changed while it was read."""


class AccountReader(Struct):
    """Reads an account. `pause`: the seconds before a request is repeated for the first time."""

    is_strict: ClassVar = True
    """Whether a list whose items and totals do not fit each other cannot be read."""
    client: httpx2.Client
    pause: float
    log: Callable[[str], None]
    """Takes a line for people: what is read, and what is tried again."""
    has_answered: bool = False
    problems: list[str] = []
    permissions: list[JsonObject] = []
    """The key's permissions on the apps and datasets that lists have shown."""

    def read(self, path: str, body: JsonObject | None, type_: type[T], method: str = "POST") -> T:
        """The data of a response. Raises NotReadable, ServiceError."""
        request = self.client.build_request(method, path, json=body)
        response = ServerResponse.of(self.send(request))
        if response.body and response.code == 200 and response.status in range(200, 300):
            return convert_response(response.body.get("data"), type_, path)
        raise error_of(response)

    def send(self, request: httpx2.Request) -> httpx2.Response:
        """The response to a request, which is sent again after an outage. Raises ServiceError."""
        failure = ServiceError()
        wait = 0.0
        for number in range(MAX_TRIES):
            if number:
                self.log(f"trying again in {wait:g} s: {failure}")
            sleep(wait)
            wait = min(self.pause * 2.0**number, MAX_PAUSE)
            try:
                response = self.client.send(request)
            except httpx2.RequestError as error:
                reason = connection_error_in_words(error, request.url, trust_env=True)
                failure = ServiceError(
                    f"Expected an answer, got none ({reason}) - at {request.url}"
                )
                # If no request was answered yet, the address is wrong, so a new try is useless.
                if isinstance(error, NO_SERVER) and not self.has_answered:
                    break
                continue
            self.has_answered = True
            answered = ServerResponse.of(response)
            is_last = number == MAX_TRIES - 1
            if is_last or not answered.is_outage:
                return response
            failure = ServiceError(f"Expected an answer, got {answered.words}")
            retry_after = response.headers.get("Retry-After", "")
            if retry_after.isdecimal():
                wait = max(wait, min(float(retry_after), MAX_RETRY_AFTER))
        raise failure

    def read_list(self, path: str, body: JsonObject, kind: ObjectKind) -> list[JsonObject]:
        """All entries of a list, by pages. Raises ListChanged, NotReadable, ServiceError."""
        entries = dict[str, JsonObject]()
        pages: list[ListPage] = []
        # The last page has fewer items than asked for and reaches the total, or brings nothing new.
        while not pages or len(pages[-1].items) == ITEMS_A_PAGE or len(entries) < pages[-1].total:
            start = len(entries)
            page = self.read(path, body | {"offset": start, "pageSize": ITEMS_A_PAGE}, ListPage)
            pages.append(page)
            for item in page.items:
                entry = checked_entry(item, kind, path)
                entries.setdefault(entry[kind.id_field], entry)
            if len(entries) == start:
                break
        # In an unchanged list no item comes twice, and the total stays and is reached.
        numbers = {len(entries), sum(len(it.items) for it in pages), *(it.total for it in pages)}
        if self.is_strict and len(numbers) > 1:
            raise ListChanged(f"items and totals differ: {sorted(numbers)} - at {path}")
        return [*entries.values()]

    def try_to_read(
        self, thing: str, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T | None:
        """Read a thing, again if it changed. If it cannot be read, note a problem, return None."""
        self.log(f"reading {thing}")
        for passes_left in reversed(range(MAX_PASSES)):
            try:
                return read(*args, **kwargs)
            except NotReadable as refusal:
                if not isinstance(refusal, ListChanged) or not passes_left:
                    self.problems.append(f"cannot read {thing}: {refusal}")
                    break
            sleep(self.pause)
        return None

    def list_resources(self, kind: ObjectKind, **fields: str | None) -> list[JsonObject]:
        """The apps or datasets that a list has with these fields of the request.

        Raises NotReadable, ServiceError.
        """
        path = f"/api/core/{kind.noun}/list"
        items = self.read(path, fields, list[JsonObject])
        self.permissions += objects_in([it.get("permission") for it in items])
        return [checked_entry(it | {"id": it.get("_id")}, kind, path) for it in items]

    def read_resources(self, kind: ObjectKind, ids: tuple[str, ...]) -> list[JsonObject]:
        """The apps or datasets with these ids, by default all, that can be read as a whole."""

        def read_folder(parent: str | None) -> list[JsonObject]:
            place = "at the top level" if parent is None else f"of folder {parent}"
            thing = f"the {kind.noun}s {place}"
            return self.try_to_read(thing, self.list_resources, kind, parentId=parent) or []

        entries = entries_in_folders(read_folder, "id")
        # A dataset may be in one that is no folder; such are only in the list of all.
        for entry in self.try_to_read(f"all {kind.noun}s", self.list_resources, kind) or []:
            entries.setdefault(entry["id"], entry)
        # An id that no list shows may be readable. The folders of chosen objects are left out.
        if ids:
            entries = {id: entries.get(id, {"id": id}) | {"parentId": None} for id in ids}
        resources = dict[str, JsonObject]()
        for id, entry in entries.items():
            content: JsonObject | None = {kind.content_field: []}
            if not object_kinds.is_folder(entry):
                content = self.try_to_read(f"{kind.noun} {id}", self.read_resource, kind, id)
            if content is not None:
                resources[id] = content | entry
        # A dataset that only the list of all has names its parent, which may not be readable.
        for resource in resources.values():
            if resource.get("parentId") not in resources:
                resource["parentId"] = None
        return [*resources.values()]

    def read_resource(self, kind: ObjectKind, id: str) -> JsonObject:
        """The settings and the content of an app or a dataset. Raises what `read_list` raises."""
        data = self.read(f"{kind.settings_path}{quote(id)}", None, JsonObject, "GET")
        # An opened chat has the settings of its app.
        settings = checked_entry(
            convert_response(data.get("app", data), JsonObject, kind.settings_path) | {"id": id},
            kind._replace(kept_fields=kind.settings),
            kind.settings_path,
        )
        for name, value in settings.items():
            # The address of a model, and the key for it, are not for files.
            if isinstance(value, dict):
                settings[name] = omit(value, ("requestUrl", "requestAuth"))
        read_content = self.read_chats if kind is object_kinds.APP else self.read_collections
        return settings | {kind.content_field: read_content(id)}

    def read_chats(self, app_id: str) -> list[JsonObject]:
        return self.read_list(get_histories.path, {"appId": app_id}, object_kinds.CHAT)

    def read_collections(self, dataset_id: str) -> list[JsonObject]:
        """All collections of a dataset, folder by folder. Raises what `read_list` raises."""

        def read_folder(parent: str | None) -> list[JsonObject]:
            body = {"datasetId": dataset_id, "parentId": parent}
            return self.read_list(list_v2.path, body, object_kinds.COLLECTION)

        return [*entries_in_folders(read_folder, "_id").values()]

    def add_data_rows(self, collection: JsonObject) -> None:
        """Read the rows of a collection into it, if they can be read."""
        if object_kinds.is_folder(collection) or collection.get("dataAmount") == 0:
            return
        id = collection["_id"]
        thing = f"the rows of collection {id}"
        body = {"collectionId": id}
        rows = self.try_to_read(thing, self.read_list, data_list.path, body, object_kinds.ROW)
        if rows:
            collection["data"] = rows


def entries_in_folders(
    read_folder: Callable[[str | None], list[JsonObject]], id_field: str
) -> dict[str, JsonObject]:
    """The entries of all folders, by id; one that comes twice stays in its first folder."""
    entries = dict[str, JsonObject]()
    folders: list[str | None] = [None]
    # The list of folders grows while they are read; None is the top level.
    for folder in folders:
        for item in read_folder(folder):
            id = item[id_field]
            if object_kinds.is_folder(item) and id not in folders:
                folders.append(id)
            entries.setdefault(id, item | {"parentId": folder})
    return entries


def error_of(response: ServerResponse) -> Exception:
    """What to raise for a response that is not a success."""
    message = f"Expected the data of FastGPT, got {response.words}"
    if response.is_outage:
        return ServiceError(message)
    if response.code in (UnknownKey.plain.code, UnknownKey.service.code):
        return NotReadable("the server does not know this API key")
    if response.code is not None or response.status == 404:
        return NotReadable(message)
    return UnexpectedResponse(message)


def convert_response(value: Any, type_: type[T], path: str) -> T:
    """A part of a response as a value of a type. Raises UnexpectedResponse."""
    try:
        return convert_or_refuse(value, type_)
    except Refusal as error:
        raise UnexpectedResponse(f"{error} in an answer of {path}") from None


def checked_entry(item: JsonObject, kind: ObjectKind, path: str) -> JsonObject:
    """The kept fields of an item. Raises UnexpectedResponse if a fixture cannot have them."""
    fields = kind.pick(item)
    convert_response(fields.get(kind.id_field), str, path)
    convert_response(fields, kind.entry, path)
    return fields
