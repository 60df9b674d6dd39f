"""Requests that are refused, and the choices that their messages name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mock_server.app import create_app
from mock_server.domain.choices.table import Choices
from mock_server.domain.objects.models import User
from tests.in_process import InProcess
from tests.support import APP, CHAT, DATASET, LEGACY_PIN, LIBRARY, LIST, PIN

JSON = {"Content-Type": "application/json"}
AUTH = {"Authorization": "Bearer any"}
HISTORIES = "/api/core/chat/history/getHistories"
OLD_HISTORIES = "/api/core/chat/getHistories"
DELETE = f"/api/core/chat/history/delHistory?appId={APP}&chatId={CHAT}"
PINNED = {"appId": APP, "chatId": CHAT, "top": True}
LISTED = {"offset": 0, "datasetId": DATASET}


class Case(Struct, frozen=True):
    """A request that is refused, and the choices that are named for it."""

    named: str
    path: str
    body: Mapping[str, Any]
    method: str
    headers: Mapping[str, str]
    choices: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.method} {self.path} {dict(self.body)} {dict(self.choices)}"


def lists(named: str, choices: Mapping[str, Any] | None = None, **fields: Any) -> Case:
    body = {key: value for key, value in (LISTED | fields).items() if value is not ...}
    return Case(named, LIST, body, "POST", AUTH | JSON, choices or {})


def pins(named: str, choices: Mapping[str, Any] | None = None, **fields: Any) -> Case:
    body = {key: value for key, value in (PINNED | fields).items() if value is not ...}
    return Case(named, PIN, body, "PUT", AUTH | JSON, choices or {})


STRICT = {"unknown_fields": "reject"}
OFF = {"related_routes": "off", "legacy_paths": "off"}
CREATE = "chat_unknown=create or chat_unknown=ignore"
LARGE = "page_size_over_limit=clamp or page_size_max=100"
CASES = [
    lists("offset_missing=accept", offset=...),
    lists("offset_missing=accept", offset=..., pageNum=2),
    lists("numeric_strings=accept", offset="1"),
    lists(LARGE, pageSize=31),
    lists(LARGE, pageSize=100),
    lists("page_size_over_limit=clamp", pageSize=150),
    lists("page_size_over_limit=clamp", {"page_size_max": 100}, pageSize=1e16),
    lists("parent_unknown=empty", parentId="nope"),
    lists("parent_empty_string=root or parent_unknown=empty", parentId=""),
    lists("parent_unknown=empty or search_scope=dataset", parentId="x", searchText="a"),
    lists("unknown_fields=ignore", STRICT, simple=True),
    lists("unknown_fields=ignore or offset_missing=accept", STRICT, pageNum=1),
    lists("unknown_fields=ignore or list_filters=honour", STRICT, selectFolder=True),
    lists("unknown_fields=ignore", STRICT, selectFolder="yes"),
    lists("", offset=-1),
    lists("", pageSize=0),
    lists("", pageSize="x"),
    lists("", parentId=5),
    lists("", datasetId="nope"),
    pins("top_missing=ignore", top=...),
    pins("unknown_fields=ignore or top_missing=ignore", STRICT, title="x"),
    pins("top_missing=reject", {"top_missing": "ignore"}, title=5),
    pins("", {"top_missing": "ignore"}, title=5, top=...),
    lists("list_filters=ignore", {"list_filters": "honour"}, selectFolder="yes"),
    pins(CREATE, chatId="new"),
    pins("chat_unknown=ignore", chatId=".."),
    pins("chat_unknown=ignore", {"chat_unknown": "create"}, chatId="."),
    pins("", appId="nope", chatId="new"),
    Case("method_mismatch=accept", PIN, PINNED, "POST", AUTH | JSON, {}),
    Case("content_type_missing=accept", PIN, PINNED, "PUT", AUTH, {}),
    Case("", PIN, PINNED, "PUT", AUTH | {"Content-Type": "text/plain"}, {}),
    Case("", PIN, PINNED, "PUT", AUTH | {"Content-Encoding": "gzip"}, {}),
    Case("legacy_paths=on", LEGACY_PIN, PINNED, "PUT", AUTH | JSON, OFF),
    Case("related_routes=on", HISTORIES, {"appId": APP}, "POST", AUTH | JSON, OFF),
    Case(
        "related_routes=on and legacy_paths=on",
        OLD_HISTORIES,
        {"appId": APP},
        "POST",
        AUTH | JSON,
        OFF,
    ),
    Case(
        "query_delete=accept",
        DELETE,
        {},
        "DELETE",
        AUTH,
        {"related_routes": "on", "query_delete": "needs_json_type"},
    ),
    Case("", PIN + "/", PINNED, "PUT", AUTH | JSON, {}),
    pins("unknown_key=accept", {"unknown_key": "reject"}),
    Case("", PIN, PINNED, "PUT", JSON, {}),
    Case("", PIN, PINNED, "PUT", JSON | {"token": "of nobody"}, {}),
    Case("credentials=login_too", PIN, PINNED, "PUT", JSON | {"token": "TOKEN"}, {}),
    Case("", PIN, PINNED, "PUT", JSON | {"token": "TOKEN", "Authorization": "x"}, {}),
]


class Server:
    """An application in process whose choices change from request to request."""

    def __init__(self) -> None:
        app = create_app(LIBRARY)
        self.client, self._sandbox = InProcess(app), app.sandbox
        users = (User(username="root", password="1234"),)
        self._baseline = replace(app.sandbox.baseline, users=users)
        self._sandbox.put_baseline(self._baseline)
        (self._token,) = self._sandbox.state.logins

    def send(self, case: Case, choices: Choices) -> dict[str, Any]:
        """The answer to the request in a fresh state, under these choices."""
        self._sandbox.reset()
        self._sandbox.choose("documented", choices)
        headers = {
            name: value.replace("TOKEN", self._token)
            for name, value in case.headers.items()
        }
        content = None if case.method == "DELETE" else _json(case.body)
        given = self.client.request(
            case.method, case.path, content=content, headers=headers
        )
        answer: dict[str, Any] = given.json()
        return answer

    def violations(self) -> list[dict[str, Any]]:
        """Those of the latest request."""
        entries = self.client.get("/__admin/journal").json()["entries"]
        found: list[dict[str, Any]] = entries[-1]["violations"]
        return found


def _json(body: Mapping[str, Any]) -> bytes:
    return json.dumps(dict(body)).encode()
