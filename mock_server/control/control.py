"""The control object of a sandbox, by which a test controls a server."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from secrets import token_hex
from typing import Any, Self

import httpx2
import msgspec
from msgspec import UNSET, Struct
from starlette.types import ASGIApp

from mock_server import UnfiredFaultWarning
from mock_server.control.admin_client import (
    InProcess,
    client_at,
    encode_hook,
    path_to,
    without_none,
)
from mock_server.control.clock_and_choices import SandboxChoices, SandboxClock
from mock_server.control.journal import JournalControl
from mock_server.control.rules import AddedRule
from mock_server.decoding.json_values import JsonObject
from mock_server.fixture.load import open_source
from mock_server.rules.handlers import Handler
from mock_server.store.account import Chat
from mock_server.store.objects import Collection, DataRow
from mock_server.text.wording import count_in_words

Object = Mapping[str, Any] | Struct
"""An object as in a fixture, `{"chatId": "c1"}`, or one that a method here returned."""
MISSING_OBJECT: Any = UNSET
"""Stands for an argument that a test forgot: the message of `_put` has an example of it."""

__tracebackhide__ = True  # see admin_client.py


class Control(JournalControl):
    """Controls one sandbox of a running server.

    `url` and `key` are for the client under test. A test with a sandbox of its own is isolated
    from other tests as long as its client sends this key.
    """

    def __init__(
        self, http: httpx2.Client, sandbox: str = "default", application: Any = None
    ) -> None:
        super().__init__(http, sandbox, application)
        self._added: list[AddedRule] = []

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of sandbox {self.sandbox!r}>"

    @staticmethod
    def at(url: str, sandbox: str = "default", *, token: str | None = None) -> "Control":
        """Control the server at this address; `token` is its admin token."""
        return Control(client_at(url, token), sandbox)

    @classmethod
    def of(cls, app: ASGIApp) -> Self:
        """Control an application in this process; this works in a coroutine, too."""
        client = httpx2.Client(transport=InProcess(app), base_url="http://localhost")
        return cls(client, application=app)

    @property
    def url(self) -> str:
        """The base address for clients."""
        return str(self.http.base_url).rstrip("/")

    @property
    def key(self) -> str:
        """An API key with all permissions. Raises LookupError if there is none."""
        view = self.call("GET", "")
        if not view["key"]:
            raise LookupError(f"Expected a key of an owner, got {[*view['keys']]} - at the fixture")
        return str(view["key"])

    @property
    def keys(self) -> dict[str, str]:
        """The API key to send for each key that the fixture declares."""
        return dict(self.call("GET", "")["keys"])

    @property
    def clock(self) -> SandboxClock:
        """The clock: `.now`, `.freeze(now)`, `.run()`, `.advance(seconds)`."""
        return SandboxClock(self)

    @property
    def choices(self) -> SandboxChoices:
        """The choices in force: `choices["list_order"] = "name"` sets one."""
        return SandboxChoices(self)

    def snapshot(self, name: str | None = None) -> str:
        """Keep data, declared rules, clock and choices; return the name for `restore`."""
        name = name or f"snapshot-{token_hex(4)}"
        self.call("PUT", path_to("snapshots", name))
        return name

    def restore(self, name: str) -> None:
        """Go back to a snapshot. Rules that were added, and the journal, stay."""
        self.call("POST", path_to("snapshots", name) + "/restore")

    def reset(self) -> None:
        """Go back to the baseline; forget rules that were added, and the journal."""
        self.call("POST", "/reset")
        self._added.clear()

    def load(self, fixture: Mapping[str, Any] | str | Path) -> None:
        """Make a fixture the baseline, and reset.

        `fixture` is a document, a YAML or JSON file, or the name of a shipped fixture.
        """
        if isinstance(fixture, Mapping):
            loaded = self.call("PUT", "/state", fixture)
        else:
            source = open_source(fixture)
            source.check()
            media = "json" if source.name.endswith(".json") else "yaml"
            loaded = self.call("PUT", "/state", source.text, media)
        self._added.clear()
        show_warning(loaded.get("warning"), stacklevel=3)

    def create_sandbox(self, **fields: Any) -> "Control":
        """Create a sandbox; fields are `name`, `ttl`, `profile`, `choices` and `state`."""
        created = self.call_api("POST", "/sandboxes", without_none(**fields))
        return Control(self.http, created["name"], self.application)

    def remove_sandbox(self) -> None:
        """Remove this sandbox from the server; its keys are then unknown."""
        self.call("DELETE", "")

    # Objects of the account

    def chat(self, app_id: str, chat_id: str) -> Chat:
        """A chat: `.top`, `.title`, `.update_time` ... Raises Refused if it does not exist."""
        return msgspec.convert(self.call("GET", path_to("apps", app_id, "chats", chat_id)), Chat)

    def put_chat(self, app_id: str, chat: Object = MISSING_OBJECT) -> str:
        """Add or replace a chat: `{"chatId": "c1", "title": "Refund"}`; return its id."""
        return self._put(chat, "chatId", "apps", app_id, "chats")

    def remove_chat(self, app_id: str, chat_id: str) -> None:
        """Remove a chat."""
        self.call("DELETE", path_to("apps", app_id, "chats", chat_id))

    def put_app(self, app: Object) -> None:
        """Add or replace an app with its chats."""
        self._put(app, "id", "apps")

    def remove_app(self, app_id: str) -> None:
        """Remove an app with its chats."""
        self.call("DELETE", path_to("apps", app_id))

    def collections(self, dataset_id: str, parent: str | None = None) -> list[Collection]:
        """The collections in a folder (None: the top level), in the fixture's order."""
        route = path_to("datasets", dataset_id, "collections")
        # A query has no null: an empty text is the top level.
        items = self._items(route, "collections", parentId=parent or "")
        return msgspec.convert(items, list[Collection])

    def rows(self, dataset_id: str, collection_id: str) -> list[DataRow]:
        """The rows of a collection: `.q`, `.a`, `.indexes` ..."""
        route = path_to("datasets", dataset_id, "collections", collection_id, "rows")
        return msgspec.convert(self._items(route, "rows"), list[DataRow])

    def _items(self, route: str, field: str, **query: str) -> list[Any]:
        """All items of a list of which the server gives a page at a time."""
        page = self.call("GET", route, **query, limit=1000)
        items: list[Any] = page[field]
        while len(items) < page["total"]:
            page = self.call("GET", route, **query, limit=1000, offset=len(items))
            items += page[field]
        return items

    def put_collection(self, dataset_id: str, collection: Object = MISSING_OBJECT) -> str:
        """Add or replace a collection: `{"_id": "c1", "name": "Install"}`; return its id."""
        return self._put(collection, "_id", "datasets", dataset_id, "collections")

    def remove_collection(self, dataset_id: str, collection_id: str) -> None:
        """Remove a collection, and all that is below it."""
        self.call("DELETE", path_to("datasets", dataset_id, "collections", collection_id))

    def put_dataset(self, dataset: Object) -> None:
        """Add or replace a dataset with its collections."""
        self._put(dataset, "id", "datasets")

    def remove_dataset(self, dataset_id: str) -> None:
        """Remove a dataset with its collections."""
        self.call("DELETE", path_to("datasets", dataset_id))

    def _put(self, item: Object, id_field: str, *names: str) -> str:
        """Put an object, and return its id, which the server derives if the object has none.

        Raises ValueError for no object, and for an app or a dataset without an id.
        """
        if not isinstance(item, Mapping | Struct):
            raise ValueError(f"Expected an object such as {{{id_field!r}: 'x'}}, got {item!r}")
        fields = msgspec.to_builtins(item, enc_hook=encode_hook)
        if fields.get(id_field):
            put = self.call("PUT", path_to(*names, fields[id_field]), fields)
        # Only chats and collections get derived ids.
        elif id_field == "id":
            raise ValueError("Expected the field 'id', which is missing - at $.id")
        else:
            put = self.call("POST", path_to(*names), fields)
        show_warning(put.get("warning"))
        return str(put[id_field])

    # Faults, answers, replies, hits

    def fault(self, kind: str | None = None, **fields: Any) -> AddedRule:
        """Make requests fail: once, `times` times, or as long as a `with` block lasts.

        The fields are those of `POST /__admin/rules`; `retry_after` stands for
        `retryAfter`. In place of a kind, `preset="flaky"` adds several faults, counted together.
        """
        return self._add(
            without_none(kind=kind) | {camel_case(name): value for name, value in fields.items()}
        )

    def respond(
        self,
        operation_or_route: str,
        handler: Handler | None = None,
        *,
        data: Any = UNSET,
        json: Any = UNSET,
        text: str | None = None,
        body: bytes | None = None,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        delay_ms: int = 0,
        match: Mapping[str, Any] | None = None,
        times: int | None = None,
    ) -> AddedRule:
        """Answer an operation, or a route such as `GET /api/x/{id}`, until the next reset.

        `data` goes into FastGPT's envelope; `json`, `text` or `body` is the whole body. In their
        place, a function may return for each request the `data` of an operation, the `json` of a
        route, or a Starlette Response.
        """
        rule = without_none(
            kind="answer",
            operation=operation_or_route,
            text=text,
            body=body,
            status=status,
            headers=headers,
            delayMs=delay_ms,
            match=match,
            times=times,
        )
        # `data` and `json` may be null, so UNSET and not None means that they are absent.
        if data is not UNSET:
            rule["data"] = data
        if json is not UNSET:
            rule["json"] = json
        if handler is not None and (
            not callable(handler) or rule.keys() & {"data", "json", "text", "body"}
        ):
            raise TypeError(
                f"Expected json=, data=, text= or body=, got {handler!r} "
                "(or a function alone; a route is one text: 'GET /path')"
            )
        return self._add(rule, handler)

    def reply(
        self,
        text: str | Handler | None = None,
        *,
        parts: Sequence[Any] | None = None,
        app: str | None = None,
        variables: Mapping[str, Any] | None = None,
        match: Mapping[str, Any] | None = None,
        times: int | None = None,
        stream: Mapping[str, Any] | None = None,
    ) -> AddedRule:
        """Set the message of chat completions, of one app or all: a text, or parts.

        In place of a text, a function may return a text or parts for each request. `variables`
        are those that the workflow sets.
        """
        rule = without_none(
            kind="reply",
            text=text,
            parts=parts,
            app=app,
            variables=variables,
            match=match,
            times=times,
            stream=stream,
        )
        if callable(text):
            return self._add(rule | {"text": ""}, text)
        return self._add(rule)

    def hits(
        self,
        rows: Sequence[Mapping[str, Any]] | Handler,
        *,
        match: Mapping[str, Any] | None = None,
        times: int | None = None,
    ) -> AddedRule:
        """Set what searches in datasets find: rows with their scores, in this order.

        A row is `{"row": ID, "score": 0.9}`, or `{"q": ..., "a": ..., "score": 0.3}`. In place of
        rows, a function may return rows for each request.
        """
        if callable(rows):
            return self._add(without_none(kind="hits", rows=[], match=match, times=times), rows)
        return self._add(without_none(kind="hits", rows=[*rows], match=match, times=times))

    def _add(self, fields: JsonObject, handler: Handler | None = None) -> AddedRule:
        rule = AddedRule(self._with_handler(handler), fields)
        self._added.append(rule)
        show_warning(rule.warning)
        return rule

    def _with_handler(self, handler: Handler | None) -> "Control":
        """Control the same sandbox by calls that carry a function, which only the process can.

        Raises ValueError if the server is not in this process.
        """
        if handler is None:
            return self
        if self.application is None:
            raise ValueError(
                f"Expected data, as the server at {self.http.base_url} is not in this process, "
                f"got {handler!r} (placeholders such as {{{{body.id}}}} take values of the request)"
            )
        http = httpx2.Client(
            transport=InProcess(self.application, handler),
            base_url=self.http.base_url,
            headers=self.http.headers,  # the admin token among them
        )
        return Control(http, self.sandbox)

    def unfired(self) -> list[AddedRule]:
        """The added faults, and answers with `times`, that never fired, removed ones, too."""
        unsettled_rules = [rule for rule in self._added if rule.has_to_fire and not rule.is_settled]
        return [rule for rule in unsettled_rules if rule.missed is not None]

    def leftovers(self) -> Iterator[Warning]:
        """Yield a warning for each fault that never fired, and for calls that still wait.

        Raises AssertionError if a client has waited for all the seconds of a `hang`.
        """
        for rule in self.unfired():
            yield UnfiredFaultWarning(f"{rule} never fired: {rule.missed}")
        for view in self._views_of_added():
            name = f"{view['kind']} {view['id']} of {view['operation']}"
            if view["held"]:
                waiting = f"{count_in_words(view['held'], 'call')} still waiting: {name}"
                yield UserWarning(f"{waiting} {view['handler'] or ''}".rstrip())
            if view["outwaited"]:
                raise AssertionError(
                    f"the client waited for {view['seconds']:g} s and did not give up (it has no "
                    f"timeout, a longer one, or did not close the connection): {name}"
                )

    def _views_of_added(self) -> list[JsonObject]:
        """The added rules as they are, and removed ones as they were then."""
        if not self._added:
            return []
        removed = [rule.views for rule in self._added if rule.is_removed]
        return [*self.rules, *chain.from_iterable(removed)]


def show_warning(warning: str | None, stacklevel: int = 4) -> None:
    """Show the warning of a response, if it has one, at the line of the test."""
    if warning:
        warnings.warn(warning, stacklevel=stacklevel)


def camel_case(name: str) -> str:
    """A name in the spelling of JSON: `retryAfter` for `retry_after`."""
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))
