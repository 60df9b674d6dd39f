"""The data of a sandbox in tests: apps with their chats, datasets with their collections."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec import Struct

from mock_server.control.http import AdminApi, Json, path
from mock_server.store.objects import Chat, Collection

Object = Mapping[str, Any] | Struct
"""An object as in a fixture: `{"chatId": "c1"}`, or what a method here returned."""

__tracebackhide__ = True  # pytest shows the line of the test


class Data(AdminApi):
    """What the account of a sandbox holds."""

    def chat(self, app_id: str, chat_id: str) -> Chat:
        """A chat: `.top`, `.title`, `.update_time` ... Raises Refused if it does not exist."""
        return msgspec.convert(self.call("GET", path("apps", app_id, "chats", chat_id)), Chat)

    def put_chat(self, app_id: str, chat: Object) -> str:
        """Add or replace a chat: `{"chatId": "c1", "title": "Refund"}`; return its id."""
        return str(self._put(chat, "chatId", "apps", app_id, "chats")["chatId"])

    def remove_chat(self, app_id: str, chat_id: str) -> None:
        self.call("DELETE", path("apps", app_id, "chats", chat_id))

    def put_app(self, app: Object) -> None:
        """Add or replace an app with its chats."""
        self._put(app, "id", "apps")

    def remove_app(self, app_id: str) -> None:
        self.call("DELETE", path("apps", app_id))

    def collections(self, dataset_id: str, parent: str | None = None) -> list[Collection]:
        """The collections in a folder (None: the top level), in the fixture's order."""
        # A query has no null: an empty text is the top level.
        query = f"/collections?limit=1000&parentId={quote(parent or '')}&offset="
        items: list[Collection] = []
        while True:  # the server gives a page at a time
            page = self.call("GET", f"{path('datasets', dataset_id)}{query}{len(items)}")
            items += msgspec.convert(page["collections"], list[Collection])
            if len(items) >= page["total"]:
                return items

    def put_collection(self, dataset_id: str, collection: Object) -> str:
        """Add or replace a collection: `{"_id": "c1", "name": "Install"}`; return its id."""
        return str(self._put(collection, "_id", "datasets", dataset_id, "collections")["_id"])

    def remove_collection(self, dataset_id: str, collection_id: str) -> None:
        """Remove a collection, and all that is below it."""
        self.call("DELETE", path("datasets", dataset_id, "collections", collection_id))

    def put_dataset(self, dataset: Object) -> None:
        """Add or replace a dataset with its collections."""
        self._put(dataset, "id", "datasets")

    def remove_dataset(self, dataset_id: str) -> None:
        self.call("DELETE", path("datasets", dataset_id))

    def _put(self, it: Object, id_field: str, *names: str) -> Json:
        """Put an object that has an id; without one, the server derives the id."""
        fields = msgspec.to_builtins(it)
        if id_field in fields:
            return self.call("PUT", path(*names, fields[id_field]), fields)
        return self.call("POST", path(*names), fields)
