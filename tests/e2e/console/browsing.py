"""The console in a real browser, and what it asks the machine for."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx2

from mock_server import MockServer
from tests.support import LIST, PIN

if TYPE_CHECKING:
    from playwright.sync_api import (
        ConsoleMessage,
        Locator,
        Page,
        Request,
        Response,
        Route,
    )

AXE = os.environ.get("AXE", "")
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
DARK = {"color_scheme": "dark"}
CHINESE = {"locale": "zh-CN"}


@dataclass
class Console:
    """A page with the console of a server, and a client beside it."""

    page: Page
    server: MockServer
    client: httpx2.Client
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    refused: list[tuple[int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self._on_said)
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", self._on_request)
        self.page.on("response", self._on_response)

    def open(self, path: str = "/__admin/") -> Console:
        """Go to the page; gives itself once it is live."""
        self.page.goto(self.server.url + path)
        self.page.locator("#live.on").wait_for()
        return self

    def part(self, label: str) -> Locator:
        """The card of that title."""
        return self.page.get_by_role("region", name=label, exact=True)

    def button(self, name: str, within: str | None = None) -> Locator:
        """A button by its whole name."""
        where = self.part(within) if within else self.page
        return where.get_by_role("button", name=name, exact=True)

    @property
    def drawer(self) -> Locator:
        """The side panel."""
        return self.page.locator("#drawer[open]")

    @property
    def rows(self) -> Locator:
        """The requests that are listed, the latest first."""
        return self.page.locator("#stream tbody tr")

    def admin(self, method: str, path: str, body: Any = None) -> Any:
        """What somebody else does by the admin API."""
        json = {} if body is None and method in ("POST", "PUT") else body
        answer = self.client.request(method, f"/__admin{path}", json=json)
        assert answer.status_code < 400, answer.text
        return answer.json()

    def pin(self, app: str, chat: str, key: str = "other", **more: Any) -> None:
        """What some client does."""
        self._send("PUT", PIN, {"appId": app, "chatId": chat, "top": True} | more, key)

    def list(self, dataset: str, key: str = "other", **more: Any) -> None:
        """What some client does."""
        self._send("POST", LIST, {"offset": 0, "datasetId": dataset} | more, key)

    def _send(self, method: str, path: str, body: object, key: str) -> None:
        headers = {"Authorization": f"Bearer {key}"}
        self.client.request(method, path, json=body, headers=headers)

    def _on_said(self, message: ConsoleMessage) -> None:
        # That an operation has failed is what many of the tests are about.
        is_status = message.text.startswith("Failed to load resource")
        if message.type in ("error", "warning") and not is_status:
            self.said.append(message.text)

    def _on_request(self, request: Request) -> None:
        self.asked.append(request.url)

    def _on_response(self, response: Response) -> None:
        path = urlsplit(response.url).path
        # Operations fail in many tests. A tree may read what is deleted meanwhile.
        is_meant = path.startswith("/api/") or (
            response.status in (400, 404)
            and response.request.method == "GET"
            and re.search("/datasets/[^/]+/collections$|/apps/[^/]+/chats$", path)
        )
        if response.status >= 400 and not is_meant:
            self.refused.append((response.status, path))

    def check(self) -> None:
        """No error, and nothing asked of any other server."""
        assert self.said == []
        assert self.refused == []
        host = urlsplit(self.server.url).netloc
        assert {urlsplit(url).netloc for url in self.asked} == {host}


class Held:
    """Requests of a page that get no answer until they are let go."""

    def __init__(self, page: Page, pattern: str) -> None:
        self._routes: list[Route] = []
        self._are_held = True
        page.route(pattern, self._take)

    def _take(self, route: Route) -> None:
        if self._are_held:
            self._routes.append(route)
        else:
            route.continue_()

    def let_go(self) -> None:
        """Send them, and all that follow."""
        self._are_held = False
        for route in self._routes:
            route.continue_()


def number(text: str | None) -> int:
    """The first number in a text."""
    found = re.search(r"\d+", (text or "").replace(",", ""))
    assert found, text
    return int(found[0])


def serious(console: Console) -> list[tuple[str, list[str]]]:
    """What axe-core finds that is serious or critical."""
    found = console.page.evaluate("axe.run()")
    return [
        (each["id"], [node["html"][:160] for node in each["nodes"]])
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
    ]
