"""Bugs that clients have: a suite that an author would write passes a right client, and fails them.

A suite looks at what the client returns. What it sends wrongly, and how long it waits, strict mode
and the rules of the test tell by themselves.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import httpx2
import pytest
from account import COMPLETIONS, HISTORIES, LIST, PIN, bearer, events

from mock_server import MockServer

TEXT = "/api/core/dataset/collection/create/text"
HOURLY = {"start": "2024-01-01T00:00:00Z", "step": "1h"}
TREE: list[dict[str, Any]] = [{"name": "Guides", "children": [{"name": "Install"}]}]
TREE += [{"repeat": 24, "name": "Article {n:02}", "updateTime": HOURLY}]
DAYS = {"a": "2024-01-01", "b": "2024-01-03", "c": "2024-01-02"}
CHATS = [{"chatId": id, "title": id, "updateTime": f"{day}T00:00:00Z"} for id, day in DAYS.items()]
ACCOUNT: dict[str, Any] = {
    "keys": [{"key": "main"}, {"key": "of-other", "app": "other"}],
    "apps": [
        {"id": "app", "chats": CHATS, "replies": ["Hello."]},
        {"id": "other", "replies": ["Other."]},
    ],
    "datasets": [{"id": "d", "collections": TREE}],
}


class Right:
    """A client of FastGPT with what it does right; a bug does one of these otherwise."""

    timeout: float | None = 0.3
    page_size = 30
    size_field = "pageSize"
    tags_field = "tags"
    root: str | None = None
    key = "main"
    app: str | None = "app"
    chats_query = ""
    chat_form = "{}"
    retries = 0
    is_deep = True
    looks_at_codes = True
    tells_errors = True
    keeps_lists = False
    order = "updateTime"

    def __init__(self, url: str) -> None:
        self.url = url
        self.kept: list[Any] = []

    def send(self, path: str, body: dict[str, Any], method: str = "POST") -> httpx2.Response:
        sent = {"json": body, "headers": bearer(self.key), "timeout": self.timeout, "verify": False}
        for _ in range(self.retries):
            with suppress(httpx2.TransportError):
                return httpx2.request(method, self.url + path, **sent)
        return httpx2.request(method, self.url + path, **sent)

    def call(self, path: str, body: dict[str, Any], method: str = "POST") -> Any:
        response = self.send(path, body, method)
        code = response.json()["code"] if self.looks_at_codes else 200
        if (response.status_code, code) != (200, 200):
            raise ValueError(response.text)
        return response.json()["data"]

    def page(self, offset: int = 0, parent: str | None = None) -> list[Any]:
        body = {"offset": offset, self.size_field: self.page_size, "datasetId": "d"}
        data = self.call(LIST, body | {"parentId": parent or self.root})
        return list(data["list"]) if data else []

    def is_last(self, items: list[Any]) -> bool:
        return not items

    def names(self, parent: str | None = None) -> list[str]:
        found: list[Any] = []
        while not self.is_last(items := self.page(len(found), parent)):
            found += items
        folders = [it["_id"] for it in found if it["type"] == "folder" and self.is_deep]
        return [it["name"] for it in found] + [name for id in folders for name in self.names(id)]

    def add_text(self) -> Any:
        return self.call(TEXT, {"datasetId": "d", "name": "n", "text": "t", self.tags_field: ["a"]})

    def chats(self, **page: int) -> list[Any]:
        body = {"appId": "app", "offset": 0, self.size_field: 20} | page
        if not self.kept or not self.keeps_lists:
            self.kept = self.call(HISTORIES + self.chats_query, body)["list"]
        return self.kept

    def latest(self) -> str:
        return str(max(self.chats(), key=lambda it: it[self.order])["chatId"])

    def pin(self, chat: str) -> None:
        self.call(PIN, {"appId": "app", "chatId": self.chat_form.format(chat), "top": True}, "PUT")

    def ask(self) -> str:
        body = {"messages": [{"role": "user", "content": "Hi"}], "stream": True, "appId": self.app}
        text = ""
        for name, data in events(self.send(COMPLETIONS, body)):
            if name == "error" and self.tells_errors:
                raise ValueError(data)
            if name != "error" and data != "[DONE]":
                text += data["choices"][0]["delta"].get("content") or ""
        return text


# Suites


def lists_all(server: MockServer, client: Right) -> None:
    assert len(client.names()) == 26


def survives_silence(server: MockServer, client: Right) -> None:
    server.fault("hang", operation="listV2", seconds=0.6)
    with suppress(httpx2.TransportError):
        client.page()


def reads_an_answer(server: MockServer, client: Right) -> None:
    server.respond("listV2", data={"list": [], "total": 0})
    assert client.page() == []


def names_the_latest(server: MockServer, client: Right) -> None:
    assert client.latest() == "b"


def pages_chats(server: MockServer, client: Right) -> None:
    assert client.chats() and client.chats(offset=1)


def tells_broken_streams(server: MockServer, client: Right) -> None:
    server.reply(parts=["Hel", {"error": "Overloaded"}], times=1)
    with pytest.raises(ValueError, match="Overloaded"):
        client.ask()


def asks(server: MockServer, client: Right) -> None:
    assert client.ask() == "Hello."


def tells_refusals(server: MockServer, client: Right) -> None:
    server.choices["error_http_status"] = "always_200"
    with pytest.raises(ValueError, match="unAuthDataset"):
        server.fault("error", operation="listV2", refusal="unAuthDataset")
        client.page()


def adds_once(server: MockServer, client: Right) -> None:
    server.fault("reset", operation="create.text", phase="after")
    with suppress(httpx2.TransportError):
        client.add_text()
    server.assert_called("create.text", times=1)


def shows_a_pin(server: MockServer, client: Right) -> None:
    assert not any(it["top"] for it in client.chats())
    client.pin("c")
    assert client.chats()[0]["top"]


def adds(server: MockServer, client: Right) -> None:
    client.add_text()


Suite = Callable[[MockServer, Right], None]
BUGS: list[tuple[Suite, dict[str, Any]]] = [
    (survives_silence, {"timeout": None}),
    (lists_all, {"is_last": lambda self, items: len(items) < 10, "page_size": 10}),
    (lists_all, {"page_size": 500}),
    (lists_all, {"root": "0" * 24}),
    (lists_all, {"is_deep": False}),
    (reads_an_answer, {"size_field": "page_size"}),
    (adds, {"tags_field": "tag"}),
    (adds_once, {"retries": 1}),
    (pages_chats, {"size_field": "limit"}),
    (pages_chats, {"chats_query": "?appId=app"}),
    (names_the_latest, {"order": "title"}),
    (tells_broken_streams, {"tells_errors": False}),
    (tells_refusals, {"looks_at_codes": False}),
    (asks, {"key": "of-other", "app": None}),
    (asks, {"app": None}),
    (shows_a_pin, {"keeps_lists": True}),
    (shows_a_pin, {"chat_form": "chat-{}"}),
]


def run(suite: Suite, client: type[Right], server: MockServer) -> None:
    """What a test in strict mode does."""
    suite(server, client(server.url))
    assert [*server.leftovers()] == []
    server.assert_no_violations()


@pytest.mark.parametrize(("suite", "bug"), BUGS)
def test_a_suite_passes_the_client_and_fails_the_bug(serve, suite, bug):
    run(suite, Right, serve(ACCOUNT, profile="fastgpt-4.16"))
    with pytest.raises((AssertionError, ValueError, pytest.fail.Exception)):
        run(suite, type("Wrong", (Right,), bug), serve(ACCOUNT, profile="fastgpt-4.16"))
