"""The requests that `verify` sends: a table, and what the account adds to it."""

from collections.abc import Iterable, Iterator
from statistics import mode
from typing import Any

import httpx2
from msgspec import UNSET, Struct, json

from mock_server.decoding import JsonObject
from mock_server.service.chats import del_history, get_histories, update_history
from mock_server.service.collection_lists import list_v2
from mock_server.store.objects import fold_text

LIST = list_v2.path
UNKNOWN_ID = "0" * 24
JSON_HEADERS = {"Content-Type": "application/json"}
UNKNOWN_KEY = JSON_HEADERS | {"Authorization": f"Bearer fastgpt-{UNKNOWN_ID}"}
LISTS: tuple[JsonObject, ...] = (
    {},
    {"parentId": None},
    {"parentId": UNSET},
    {"parentId": ""},
    {"parentId": UNKNOWN_ID},
    {"offset": UNSET},
    {"offset": -1},
    {"offset": 1, "pageSize": 7},
    {"pageSize": UNSET},
    {"pageSize": 0},
    {"pageSize": "1"},
    {"pageSize": 31},
    {"pageSize": 101},
    {"datasetId": UNSET},
    {"datasetId": UNKNOWN_ID},
    {"searchText": "x" * 101},
    {"searchText": ".*"},
    {"filterTags": [UNKNOWN_ID]},
    {"tagFilters": [{"tagId": UNKNOWN_ID, "values": ["any"]}]},
    {"unknownField": 1},
)
"""What is sent in place of fields of a plain list; UNSET leaves a field out."""
FRAMES: tuple[JsonObject, ...] = (
    {"headers": UNKNOWN_KEY},
    {"headers": {}},
    {"method": "PUT"},
    {"path": f"{LIST}/"},
)
"""What is sent with the fields of a plain list, in place of its method, path and headers."""


class Request(Struct, frozen=True, kw_only=True):
    """A request to a server of any address, with any key."""

    method: str = "POST"
    path: str = LIST
    headers: dict[str, str]
    content: bytes

    def __str__(self) -> str:
        words = f"{self.method} {self.path} {self.content.decode()}"
        if self.headers != JSON_HEADERS:
            words += f" with the headers {json.encode(self.headers).decode()}"
        return words

    def to(self, client: httpx2.Client | httpx2.AsyncClient) -> httpx2.Request:
        """The request, to the address of a client, and by default with its key."""
        return client.build_request(
            self.method, self.path, headers=self.headers, content=self.content
        )


def request_of(fields: JsonObject, **frame: Any) -> Request:
    """A request with these fields, but those that are UNSET, as JSON."""
    sent = {name: value for name, value in fields.items() if value is not UNSET}
    return Request(**{"headers": JSON_HEADERS, "content": json.encode(sent)} | frame)


# Requests that change nothing


def reading_requests(app: JsonObject, dataset: JsonObject) -> Iterator[Request]:
    """The requests that change nothing, first the one with an unknown key."""
    collections = dataset["collections"]
    plain = {"offset": 0, "pageSize": 30, "datasetId": dataset["id"]}
    plain["parentId"] = fullest_folder(collections)
    for frame in FRAMES:
        yield request_of(plain, **frame)
    for fields in LISTS:
        yield request_of(plain | fields)
    # FastGPT refuses long texts.
    for parent, text in [*folder_searches(collections), *tag_searches(collections)]:
        yield request_of(plain | {"parentId": parent, "searchText": text[:40]})
    yield histories(app, offset=0, pageSize=30)
    yield histories(app, offset=10**6)
    yield pin({"id": UNKNOWN_ID}, UNKNOWN_ID, UNSET)
    yield request_of({}, method="PUT", path=str(update_history.older_path))


def fullest_folder(collections: list[JsonObject]) -> str | None:
    """The id of the folder with the most collections."""
    parents: list[str | None] = [it["parentId"] for it in collections]
    return mode(parents)


def folder_searches(collections: list[JsonObject]) -> list[tuple[str | None, str]]:
    """Searches, by folder and text, for a collection in one of the deepest folders."""
    by_id = {it["_id"]: it for it in collections}
    # Folders were read level by level.
    deepest = collections[-1]
    name = deepest["name"]
    folder = by_id.get(deepest["parentId"], {"_id": None, "parentId": None, "name": name})
    return [
        (folder["_id"], name.swapcase()),
        (folder["parentId"], name),
        (folder["_id"], folder["name"]),
        (UNKNOWN_ID, name),
    ]


def tag_searches(collections: list[JsonObject]) -> Iterable[tuple[str | None, str]]:
    """Searches for a collection without tags, for one with a tag's value, and for a tag."""
    searches = {}
    for item in collections:
        folder = item["parentId"]
        tags = item.get("tags") or ()
        if not tags:
            searches["without"] = (folder, item["name"])
        for tag in tags:
            name = tag
            if isinstance(tag, dict):
                name = tag["tag"]
                searches["value"] = (folder, item["name"])
            # A search for a tag that is in the name would find the name.
            if fold_text(name) not in fold_text(item["name"]):
                searches["tag"] = (folder, name)
    return searches.values()


# Requests that pin chats


def pinning_requests(app: JsonObject, unknown_chat: str) -> Iterator[Request]:
    """Pins of the first chat and of an unknown one, and lists that show their effect."""
    for chat in app["chats"][:1]:
        for _ in range(2):
            yield pin(app, chat["chatId"], not chat.get("top"))
        yield histories(app, offset=0, pageSize=30)
    yield pin(app, unknown_chat, False)
    yield histories(app, offset=0, pageSize=30)


def restoring_requests(app: JsonObject, unknown_chat: str) -> Iterator[Request]:
    """What undoes these pins, and a list that shows whether it did."""
    for chat in app["chats"][:1]:
        yield pin(app, chat["chatId"], bool(chat.get("top")))
    query = f"?appId={app['id']}&chatId={unknown_chat}"
    yield request_of({}, method="DELETE", path=del_history.path + query, content=b"")
    yield histories(app, offset=0, pageSize=30)


def pin(app: JsonObject, chat_id: str, top: object) -> Request:
    body = {"appId": app["id"], "chatId": chat_id, "top": top}
    return request_of(body, method="PUT", path=update_history.path)


def histories(app: JsonObject, **fields: int) -> Request:
    """A list of chats."""
    return request_of({"appId": app["id"]} | fields, path=get_histories.path)
