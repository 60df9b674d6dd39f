"""The control object of a sandbox."""

from collections import UserDict
from collections.abc import Mapping
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import quote

import httpx2
import msgspec
from msgspec import Struct
from starlette.types import ASGIApp

from mock_server.control.http import AdminApi, InProcess, Json, client_at, given, path
from mock_server.control.rows import Rows
from mock_server.fixture.load import source_of
from mock_server.store.account import Chat
from mock_server.store.objects import Collection

Object = Mapping[str, Any] | Struct
"""An object as in a fixture: `{"chatId": "c1"}`, or what a method here returned."""

__tracebackhide__ = True  # pytest shows the line of the test


class Control(Rows):
    """One sandbox of a running server, by default the default one.

    `url` and `key` are for the client under test. In a sandbox of its own a test is
    isolated from others as long as its client sends this key.
    """

    @staticmethod
    def at(url: str, sandbox: str = "default", *, token: str | None = None) -> "Control":
        """Control the server at this address; `token` is its admin token."""
        return Control(client_at(url, token), sandbox)

    @staticmethod
    def of(app: ASGIApp) -> "Control":
        """Control an application in this process, maybe from a coroutine."""
        return Control(httpx2.Client(transport=InProcess(app), base_url="http://localhost"))

    @property
    def url(self) -> str:
        """The base address for clients."""
        return str(self.http.base_url).rstrip("/")

    @property
    def key(self) -> str:
        """An API key with all permissions. Raises LookupError if there is none."""
        view = self.call("GET", "")
        if key := view["key"]:
            return str(key)
        raise LookupError(f"Expected a key of an owner, got {[*view['keys']]} - at the fixture")

    @property
    def keys(self) -> dict[str, str]:
        """The API key to send for each key that the fixture declares."""
        return dict(self.call("GET", "")["keys"])

    @property
    def clock(self) -> "SandboxClock":
        """The clock: `.now`, `.freeze(now)`, `.run()`, `.advance(seconds)`."""
        return SandboxClock(self)

    @property
    def choices(self) -> "SandboxChoices":
        """The choices in force: `choices["list_order"] = "name"` sets one."""
        return SandboxChoices(self)

    def snapshot(self, name: str | None = None) -> str:
        """Keep data, clock and choices; return the name for `restore`."""
        name = name or f"snapshot-{token_hex(4)}"
        self.call("PUT", path("snapshots", name))
        return name

    def restore(self, name: str) -> None:
        """Go back to a snapshot. Faults and the journal stay."""
        self.call("POST", path("snapshots", name) + "/restore")

    def reset(self) -> None:
        """Go back to the baseline, without faults, answers and journal."""
        self.call("POST", "/reset")
        self._added.clear()

    def load(self, fixture: Mapping[str, Any] | str | Path) -> None:
        """Make a fixture the baseline, and reset.

        It is a document, a YAML or JSON file, or the name of a shipped fixture.
        """
        if isinstance(fixture, Mapping):
            self.call("PUT", "/state", fixture)
        else:
            source = source_of(fixture)
            media = "json" if source.name.endswith(".json") else "yaml"
            self.call("PUT", "/state", source.text, media)
        self._added.clear()

    def create_sandbox(self, **fields: Any) -> "Control":
        """A new sandbox; it may have a `name`, `ttl`, `profile`, `choices`, `state`."""
        return Control(self.http, self.exchange("POST", "/sandboxes", given(fields))["name"])

    def remove_sandbox(self) -> None:
        """Remove this sandbox from the server: its keys are unknown then."""
        self.call("DELETE", "")

    # What the account holds

    def chat(self, app_id: str, chat_id: str) -> Chat:
        """A chat: `.top`, `.title`, `.update_time` ... Raises Refused if it does not exist."""
        return msgspec.convert(self.call("GET", path("apps", app_id, "chats", chat_id)), Chat)

    def put_chat(self, app_id: str, chat: Object) -> str:
        """Add or replace a chat: `{"chatId": "c1", "title": "Refund"}`; return its id."""
        return str(self._put(chat, "chatId", "apps", app_id, "chats")["chatId"])

    def remove_chat(self, app_id: str, chat_id: str) -> None:
        """Remove a chat."""
        self.call("DELETE", path("apps", app_id, "chats", chat_id))

    def put_app(self, app: Object) -> None:
        """Add or replace an app with its chats."""
        self._put(app, "id", "apps")

    def remove_app(self, app_id: str) -> None:
        """Remove an app with its chats."""
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
        """Remove a dataset with its collections."""
        self.call("DELETE", path("datasets", dataset_id))

    def _put(self, it: Object, id_field: str, *names: str) -> Json:
        """Put an object that has an id; without one, the server derives the id."""
        fields = msgspec.to_builtins(it)
        if id_field in fields:
            return self.call("PUT", path(*names, fields[id_field]), fields)
        return self.call("POST", path(*names), fields)


class SandboxClock:
    """The clock that a sandbox shows to its clients."""

    def __init__(self, api: AdminApi) -> None:
        self._api = api

    @property
    def now(self) -> str:
        """The time: `2026-01-01T00:00:00.000Z`."""
        return str(self._api.call("GET", "/clock")["now"])

    def freeze(self, now: Any = None) -> None:
        """Stop the clock, at a time (a text, or a datetime with its zone) or as it is."""
        self._api.call("PUT", "/clock", given({"now": now, "frozen": True}))

    def run(self) -> None:
        """Let the clock run."""
        self._api.call("PUT", "/clock", {"frozen": False})

    def advance(self, seconds: float) -> None:
        """Put the clock forward, frozen or not."""
        self._api.call("POST", "/clock/advance", {"seconds": seconds})


class SandboxChoices(UserDict[str, Any]):
    """The choices in force as they were read; an assignment sets one on the server."""

    def __init__(self, api: AdminApi) -> None:
        super().__init__()
        self.data, self._api = api.call("GET", "/choices")["choices"], api

    def __setitem__(self, name: str, value: Any) -> None:
        choices = {"choices": self.data | {name: value}}
        self.data = self._api.call("PUT", "/choices", choices)["choices"]
