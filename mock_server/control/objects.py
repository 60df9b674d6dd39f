"""Reads and changes a server's apps, chats, datasets and collections."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct, field

from mock_server.control.client import AdminClient
from mock_server.control.clock import check_zone
from mock_server.control.names import quoted
from mock_server.domain.messages import did_you_mean
from mock_server.domain.wrong_calls import ReadOnly, explained
from mock_server.fixture.document import ChatPart, SingleCollection

__tracebackhide__ = True

ObjectFields = Mapping[str, Any] | Struct
"""An object as in a fixture, or an object that a method of Records returned."""


# The server may be newer than this client, so unknown fields are ignored.
class Chat(ReadOnly, ChatPart, forbid_unknown_fields=False, kw_only=True):
    """A chat session as a server returns it."""

    chat_id: str


class _Chats(Struct):
    items: list[Chat] = field(name="chats")
    total: int


class Collection(ReadOnly, SingleCollection, forbid_unknown_fields=False, kw_only=True):
    """A collection as a server returns it."""

    id: str = field(name="_id")


class _Collections(Struct):
    items: list[Collection] = field(name="collections")
    total: int


@explained
class Records:
    """Methods that read and change the objects of a server."""

    _client: AdminClient

    def chat(self, app_id: str, chat_id: str) -> Chat:
        """Return a chat (`.top`, `.title` ...). Raises Refused if it is unknown."""
        path = _path("apps", app_id, "chats", chat_id)
        return self._client.call(Chat, "GET", path).value

    def chats(self, app_id: str) -> list[Chat]:
        """Return all chats of an app, in fixture order."""
        return self._all(_Chats, f"{_path('apps', app_id)}/chats?")

    def put_chat(self, app_id: str, chat: ObjectFields) -> Chat:
        """Create or replace a chat: `{"chatId": "c1", "title": "Refund"}`."""
        fields = _fields(chat, "a chat", "chatId")
        path = _path("apps", app_id, "chats", fields["chatId"])
        return self._client.call(Chat, "PUT", path, fields).value

    def remove_chat(self, app_id: str, chat_id: str) -> None:
        """Remove a chat. Raises Refused."""
        self._client.json(dict, "DELETE", _path("apps", app_id, "chats", chat_id))

    def put_app(self, app: ObjectFields) -> None:
        """Create or replace an app with its chats."""
        fields = _fields(app, "an app", "id")
        self._client.call(dict, "PUT", _path("apps", fields["id"]), fields)

    def remove_app(self, app_id: str) -> None:
        """Remove an app with its chats. Raises Refused."""
        self._client.json(dict, "DELETE", _path("apps", app_id))

    def collections(
        self, dataset_id: str, parent: str | None = None
    ) -> list[Collection]:
        """Return the collections in a folder (None: the top level)."""
        # In a query, which has no null, an empty text means the top level.
        query = f"/collections?parentId={quoted(parent or '')}&"
        return self._all(_Collections, f"{_path('datasets', dataset_id)}{query}")

    def put_collection(self, dataset_id: str, collection: ObjectFields) -> Collection:
        """Create or replace a collection: `{"_id": "c1", "name": "Install"}`."""
        fields = _fields(collection, "a collection", "_id")
        path = _path("datasets", dataset_id, "collections", fields["_id"])
        return self._client.call(Collection, "PUT", path, fields).value

    def remove_collection(self, dataset_id: str, collection_id: str) -> None:
        """Remove a collection with its content. Raises Refused."""
        path = _path("datasets", dataset_id, "collections", collection_id)
        self._client.json(dict, "DELETE", path)

    def put_dataset(self, dataset: ObjectFields) -> None:
        """Create or replace a dataset with its collections."""
        fields = _fields(dataset, "a dataset", "id")
        self._client.call(dict, "PUT", _path("datasets", fields["id"]), fields)

    def remove_dataset(self, dataset_id: str) -> None:
        """Remove a dataset with its collections. Raises Refused."""
        self._client.json(dict, "DELETE", _path("datasets", dataset_id))

    def _all(self, page_type: type[Any], query: str) -> list[Any]:
        # All pages share a budget, so that an endless list fails.
        budget = self._client.budget(self._client.limits.state_answer_bytes)
        items: list[Any] = []
        while True:
            path = f"{query}offset={len(items)}"
            view = self._client.call(page_type, "GET", path, budget=budget).value
            items += view.items
            if not view.items or len(items) >= view.total:
                return items


def _fields(source: ObjectFields, noun: str, id_field: str) -> Mapping[str, Any]:
    """Return the fields of an object. Raises TypeError, or ValueError without an id."""
    fields = msgspec.to_builtins(source) if isinstance(source, Struct) else source
    example = f'{{"{id_field}": "c1"}}'
    if not isinstance(fields, Mapping):
        expected = f"{noun} such as {example} as the last argument"
        raise TypeError(f"Expected {expected}, got {source!r}")
    if not isinstance(fields.get(id_field), str):
        got = repr(fields[id_field]) if id_field in fields else "nothing"
        similar = [name for name in fields if did_you_mean(str(name), [id_field])]
        similar = [] if id_field in fields else similar
        hint = f" (did you mean {id_field!r} by {similar[0]!r}?)" if similar else ""
        place = f"at $.{id_field} of {noun}"
        expected = f"an id of your choice, such as {example}"
        raise ValueError(f"Expected {expected}, got {got}{hint} - {place}")
    for name, value in fields.items():
        if isinstance(value, datetime):
            check_zone(value, f"$.{name} of {noun}")
    return fields


def _path(*names: str) -> str:
    return "".join(f"/{quoted(each)}" for each in names)
