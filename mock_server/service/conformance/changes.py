"""Changes of a server that are undone: pins of a chat, and a temporary collection."""

import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from urllib.parse import quote, urlencode

from mock_server.service.conformance.exchange import (
    Client,
    NotObservable,
    Response,
    VerifyOptions,
    id_of,
    require,
    text_of,
)
from mock_server.service.conformance.lists import Item, Lists

PIN_PATH = "/api/core/chat/history/updateHistory"
LEGACY_PATH = "/api/core/chat/updateHistory"
_HISTORIES = "/api/core/chat/history/getHistories"
_DELETE = "/api/core/chat/history/delHistory"
_PAGE = 100


class Pins:
    """Pins one chat session, and restores its pin state if that is visible.

    `unknown` is an id that no app and no chat has.
    """

    def __init__(self, client: Client, options: VerifyOptions) -> None:
        self._client, self._app, self.chat = client, options.app, options.chat
        self.unknown, self._may_write = options.unknown, options.may_write
        self._former_top: bool | None = None
        self._is_changed = False
        self.last_top = False
        """The pin state that the last pin set; False before the first pin."""
        self._created_chat: str | None = None

    def check(self) -> None:
        """Raise NotObservable without permission to write, or without app and chat."""
        require(self._may_write, "needs --write")
        if self._app is None or self.chat is None:
            raise NotObservable("needs --app and --chat")

    def pin(self, **fields: object) -> Response:
        """Pin the chat and return the response; leave out fields that are `...`.

        Raises NotObservable as `check` does.
        """
        self.check()
        if not self._is_changed:
            self._former_top = self.top if self.is_shown else None
            self._is_changed = True
        all_fields = {"appId": self._app, "chatId": self.chat, "top": True, **fields}
        body = {name: value for name, value in all_fields.items() if value is not ...}
        response = self._client.ask("PUT", PIN_PATH, body)
        top, is_own = all_fields["top"], all_fields["chatId"] == self.chat
        if response.is_success and is_own and isinstance(top, bool):
            self.last_top = top
        return response

    def pin_or_stop(self, **fields: object) -> Response:
        """Pin the chat. Raises NotObservable if the server refuses the pin."""
        return self.pin(**fields).require_success()

    def unpin_unknown_chat(self) -> Response:
        """Unpin an unknown chat, and return the response."""
        self.check()
        # A server may create the chat and still respond with an error.
        self._created_chat = self.unknown
        response = self.pin(chatId=self.unknown, top=False)
        if response.is_refusal and not self.is_shown:
            self._created_chat = None
        return response

    @cached_property
    def refuses_wrong_pin(self) -> bool:
        """Return whether the server refuses a pin without `appId`."""
        return self.pin(appId=...).is_refusal

    def require_refusals(self) -> None:
        """Raise NotObservable if the server accepts even wrong pins."""
        require(
            self.refuses_wrong_pin, "nothing is refused, not even a pin without appId"
        )

    @cached_property
    def is_shown(self) -> bool:
        """Return whether the server shows the pin state of the chat."""
        with suppress(NotObservable):
            return self.top_of(self.chat) is not None
        return False

    @property
    def top(self) -> bool:
        """Return the pin state of the chat. Raises NotObservable if not visible."""
        value = self.top_of(self.chat)
        if value is None:
            raise NotObservable("the chat is not shown: getHistories is not served")
        return value

    def top_of(self, chat: str | None) -> bool | None:
        """Return the pin state of a chat, None if it is not listed.

        Raises NotObservable if the server does not list the chats.
        """
        for offset in range(0, self._client.limits.verify_chats, _PAGE):
            body = {"appId": self._app, "offset": offset, "pageSize": _PAGE}
            response = self._client.ask("POST", _HISTORIES, body).require_success()
            value = response.data.get("list")
            rows = value if isinstance(value, list) else []
            for row in rows:
                if isinstance(row, dict) and row.get("chatId") == chat:
                    top = row.get("top")
                    return top if isinstance(top, bool) else None
            if len(rows) < _PAGE:
                break
        return None

    def restore(self) -> None:
        """Restore the former pin state. Raises NotObservable if it is another."""
        if not self._is_changed:
            return
        require(self._former_top is not None, "getHistories did not show it before")
        if self.top != self._former_top:
            response = self.pin(top=self._former_top)
            if self.top != self._former_top:
                raise response.unknown_response

    def delete_created_chat(self) -> None:
        """Delete the chat that a pin created. Raises NotObservable if it remains."""
        created = self._created_chat
        if created is not None and self.top_of(created) is not None:
            query = urlencode({"appId": self._app, "chatId": created})
            response = self._client.ask("DELETE", f"{_DELETE}?{query}")
            if self.top_of(created) is not None:
                raise response.unknown_response


_COLLECTION = "/api/core/dataset/collection"
_PUSH = "/api/core/dataset/data/pushData"
ROWS = 40
_MAX_SECONDS = 2.0
"""Maximum seconds of a check: after that, stepped training could be complete too."""
_NOT_SHOWN = "the created collection is not listed"


class TemporaryCollection:
    """A temporary collection in the dataset, created and deleted by related routes."""

    def __init__(self, client: Client, lists: Lists, options: VerifyOptions) -> None:
        self._client, self._lists, self._options = client, lists, options
        self.name = f"verify {lists.unknown}"
        self._id, self._kept_id, self._failure = "", "", ""
        self._may_exist = False

    @property
    def id(self) -> str:
        """Create the collection once; return its id. Raises NotObservable."""
        require(self._options.may_write, "needs --write")
        if self._options.dataset is None:
            raise NotObservable("needs --dataset")
        if not self._id:
            # A server may create a collection and still respond with an error.
            require(not self._may_exist, self._failure)
            self._id = self._create(self._options.dataset)
        return self._id

    def _create(self, dataset: str) -> str:
        self._may_exist, self._failure = True, "the creation got no response"
        body = {"datasetId": dataset, "name": self.name, "type": "virtual"}
        response = self._client.ask("POST", f"{_COLLECTION}/create", body)
        value = response.fields.get("data")
        if response.is_success and isinstance(value, str):
            self._kept_id = value
            return value
        self._failure = f"got {response.status} - at {response.request}"
        raise NotObservable(self._failure)

    def training(self) -> str:
        """Add rows; return `instant` if they are trained at once, else `stepped`.

        Raises NotObservable.
        """
        body = {
            "collectionId": self.id,
            "data": [{"q": f"Row {number}"} for number in range(ROWS)],
        }
        started = time.monotonic()
        pushed = self._client.ask("POST", _PUSH, body)
        collection = self._find_collection()
        seconds = time.monotonic() - started
        require(pushed.is_success, f"got {pushed.status} - at POST {_PUSH}")
        if collection is None:
            raise NotObservable(_NOT_SHOWN)
        if collection.get("dataAmount") != ROWS:
            return "stepped"
        require(seconds <= _MAX_SECONDS, f"all were trained {seconds:.1f} s later")
        return "instant"

    def query_delete(self) -> str:
        """Delete the collection without, then with a JSON type; return the value.

        The value is `accept` or `needs_json_type`. Raises NotObservable.
        """
        if self.id and self._find_collection() is None:
            raise NotObservable(_NOT_SHOWN)
        for is_json, value in ((False, "accept"), (True, "needs_json_type")):
            is_deleted = self._delete(self.id, is_json=is_json)
            if is_deleted and self._find_collection() is None:
                self._kept_id = ""
                return value
        raise NotObservable("the created collection cannot be deleted")

    def delete(self) -> None:
        """Delete every collection that the check may have created.

        Repeated requests may have created several. Raises NotObservable if one remains.
        """
        if not self._may_exist:
            return
        # A list may fail, so first delete the collection whose id is known.
        if self._kept_id:
            self._delete(self._kept_id, is_json=True)
        for each in self._find_all():
            self._delete(id_of(each), is_json=True)
        require(not self._find_all(), "it is still listed")

    def _find_collection(self) -> Item | None:
        return next((each for each in self._find_all() if id_of(each) == self.id), None)

    def _find_all(self) -> Sequence[Item]:
        # A list may be longer than what is read of it. A search may not find it yet.
        for fields in ({}, {"searchText": self.name}):
            pages = self._lists.walk(parentId=None, **fields)
            items = (item for page in pages for item in page.items)
            if found := [each for each in items if text_of(each, "name") == self.name]:
                return found
        return []

    def _delete(self, collection_id: str, *, is_json: bool) -> bool:
        path = f"{_COLLECTION}/delete?id={quote(collection_id, safe='')}"
        return self._client.ask("DELETE", path, is_json=is_json).is_success
