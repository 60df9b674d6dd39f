"""The requests that `verify` sends: a table, and what the account adds to it."""

import shlex
from collections.abc import Iterable, Iterator
from statistics import mode
from typing import Any

import httpx2
from msgspec import UNSET, Struct, json

from mock_server.decoding.json_values import JsonObject
from mock_server.service.chats import del_history, get_histories, update_history
from mock_server.service.collection_lists import list_v2
from mock_server.store.objects import fold_text

LIST = list_v2.path
UNKNOWN_ID = "0" * 24
JSON_HEADERS = {"Content-Type": "application/json"}
UNKNOWN_KEY = JSON_HEADERS | {"Authorization": f"Bearer fastgpt-{UNKNOWN_ID}"}
LISTS: dict[str, JsonObject] = {
    "as usual": {},
    "with parentId null": {"parentId": None},
    "without parentId": {"parentId": UNSET},
    "with an empty parentId": {"parentId": ""},
    "with an unknown parentId": {"parentId": UNKNOWN_ID},
    "without offset": {"offset": UNSET},
    "with offset -1": {"offset": -1},
    "with offset 1 and pageSize 7": {"offset": 1, "pageSize": 7},
    "without pageSize": {"pageSize": UNSET},
    "with pageSize 0": {"pageSize": 0},
    "with a text as pageSize": {"pageSize": "1"},
    "with pageSize 31": {"pageSize": 31},
    "with pageSize 101": {"pageSize": 101},
    "without datasetId": {"datasetId": UNSET},
    "with an unknown datasetId": {"datasetId": UNKNOWN_ID},
    "with a searchText of 101 characters": {"searchText": "x" * 101},
    "with a pattern as searchText": {"searchText": ".*"},
    "with an unknown tag in filterTags": {"filterTags": [UNKNOWN_ID]},
    "with an unknown tag in tagFilters": {"tagFilters": [{"tagId": UNKNOWN_ID, "values": ["any"]}]},
    "with an unknown field": {"unknownField": 1},
}
"""What is sent in place of fields of a plain list; UNSET leaves a field out."""
FRAMES: dict[str, JsonObject] = {
    "with an unknown key": {"headers": UNKNOWN_KEY},
    "without Content-Type": {"headers": {}},
    "with another method": {"method": "PUT"},
    "with a slash at the end": {"path": f"{LIST}/"},
}
"""What is sent with the fields of a plain list, in place of its method, path and headers."""


class Request(Struct, frozen=True, kw_only=True):
    """A request to a server of any address, with any key."""

    method: str = "POST"
    path: str = LIST
    headers: dict[str, str]
    content: bytes
    variation: str = ""
    """What the request varies, in words that are the same for each account."""

    @property
    def name(self) -> str:
        """A name that no other kind of request has; the same for each account."""
        return f"{self.method} {self.path.partition('?')[0]} {self.variation}"

    def curl_command(self, client: httpx2.Client, key_env: str) -> str:
        """The command that sends the request to the address of a client.

        `key_env`: the variable with the API key.
        """
        # Without a type, which is sent for an empty header, curl would send that of a form.
        headers = {"Content-Type": "", "Authorization": f"Bearer ${key_env}"} | self.headers
        words = ["curl -i -X", self.method, f'"{self.to(client).url}"']
        # The shell replaces a variable in double quotes, and nothing in the content.
        words += [f'-H "{name}: {value}"' for name, value in headers.items()]
        return " ".join([*words, "--data-raw", shlex.quote(self.content.decode())])

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
    folder = fullest_folder(collections)
    plain = {"offset": 0, "pageSize": 30, "datasetId": dataset["id"], "parentId": folder}
    for variation, frame in FRAMES.items():
        yield request_of(plain, variation=variation, **frame)
    for variation, fields in LISTS.items():
        yield request_of(plain | fields, variation=variation)
    # FastGPT refuses long texts.
    for parent, text in [*folder_searches(collections), *tag_searches(collections)]:
        yield request_of(
            plain | {"parentId": parent, "searchText": text[:40]},
            variation="with a text to search for",
        )
    yield histories_request(app, offset=0, pageSize=30)
    yield histories_request(app, "with a large offset", offset=10**6)
    yield pin_request({"id": UNKNOWN_ID}, UNKNOWN_ID, UNSET, "without top")
    yield request_of(
        {}, method="PUT", path=str(update_history.older_path), variation="with no fields"
    )


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
            yield pin_request(app, chat["chatId"], not chat.get("top"), "of a chat")
        yield histories_request(app, offset=0, pageSize=30)
    yield pin_request(app, unknown_chat, False, "of an unknown chat")
    yield histories_request(app, offset=0, pageSize=30)


def restoring_requests(app: JsonObject, unknown_chat: str) -> Iterator[Request]:
    """What undoes these pins, and a list that shows whether it did."""
    for chat in app["chats"][:1]:
        yield pin_request(app, chat["chatId"], bool(chat.get("top")), "of a chat")
    query = f"?appId={app['id']}&chatId={unknown_chat}"
    yield request_of(
        {},
        method="DELETE",
        path=del_history.path + query,
        content=b"",
        variation="of an unknown chat",
    )
    yield histories_request(app, offset=0, pageSize=30)


def pin_request(app: JsonObject, chat_id: str, top: object, variation: str) -> Request:
    body = {"appId": app["id"], "chatId": chat_id, "top": top}
    return request_of(body, method="PUT", path=update_history.path, variation=variation)


def histories_request(app: JsonObject, variation: str = "as usual", **fields: int) -> Request:
    """A list of chats."""
    return request_of({"appId": app["id"]} | fields, path=get_histories.path, variation=variation)
