"""A page in a browser: what is done in it and beside it, and what it asks for."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self
from urllib.parse import urlsplit

import httpx2
import pytest

from mock_server import MockServer
from tests.e2e.hostile_names import CAUGHT, OPEN_EACH, TYPE_EACH
from tests.e2e.pages.part import Part, expect
from tests.e2e.scripts import script
from tests.support import LIST, PIN

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage, Locator, Page, Response, Route

APP, CHAT, PARCEL = "65d8a1f0c3b2a94e7f106a01", "delivery-late", "Where is my parcel?"
HANDBOOK, PRODUCTS = "6593e137231a2be9c5603ba7", "6593e137231a2be9c5603bb1"
GUIDES, MANUAL = "65b1c0de9d1448617cba7001", "6593e137231a2be9c5603ba9"
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
DARK, CHINESE = {"color_scheme": "dark"}, {"locale": "zh-CN"}
LOOKS: list[dict[str, Any]] = [
    {"viewport": {"width": width, "height": 900}, "reduced_motion": "reduce", **look}
    for width in (1440, 1280, 1024, 390)
    for look in ({}, DARK | CHINESE)
]
"""Widths, each in both languages and colours: these do not depend on one another."""
CLIPBOARD = ["clipboard-read", "clipboard-write"]
AXE = os.environ.get("AXE", "")
RUN_AXE = "axe.run({resultTypes: ['violations']})"
"""What is no violation is not described, which would take as long again."""
FITS = "it => it.scrollWidth <= it.clientWidth"
FOCUSED = "it => it === document.activeElement"
STORED = "JSON.stringify([localStorage, sessionStorage, document.cookie])"
COUNT_CLICKS = script("count_clicks.js")


class Screen(Part):
    """A page, its server, and a client beside it."""

    home: ClassVar[str]
    """The address that is opened if nothing says otherwise."""
    serving: ClassVar[Mapping[str, Any]] = {}
    """What the server is started with if nothing says otherwise."""

    def __init__(self, page: Page, server: MockServer, client: httpx2.Client) -> None:
        super().__init__(page.locator("body"))
        self.page, self.server, self.client = page, server, client
        self.said: list[str] = []
        self.asked: list[str] = []
        self.refused: list[tuple[int, str]] = []
        page.on("console", self._on_said)
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("response", self._on_response)

    def open(self, path: str = "") -> Self:
        """Go to an address; gives itself once all is there."""
        self.page.goto(self.server.url + (path or self.home))
        self.rest()
        return self

    def rest(self) -> None:
        """Wait until all that is shown has been read."""
        raise NotImplementedError

    def go(self, fragment: str) -> None:
        """Put something behind the # of the address."""
        self.run("to => { location.hash = to }", fragment)

    def at(self, fragment: str) -> None:
        """Claim that the address is that of the page, with a fragment."""
        expect(self.page).to_have_url(self.server.url + self.home + fragment)

    def run(self, script: str, argument: Any = None) -> Any:
        """What a script in the page gives."""
        return self.page.evaluate(script, argument)

    def press(self, *keys: str) -> None:
        for each in keys:
            self.page.keyboard.press(each)

    def tab_to(self, goal: Locator, most: int = 40) -> None:
        """Press Tab until something has the focus."""
        for _ in range(most):
            self.press("Tab")
            if goal.evaluate(FOCUSED):
                return

    def fits(self) -> bool:
        """Whether nothing is wider than the page."""
        return bool(self.run("document.documentElement.scrollWidth <= innerWidth"))

    def clipboard(self) -> str:
        """The text that has been copied."""
        return str(self.run("navigator.clipboard.readText()"))

    def is_unharmed(self, *forbidden: str) -> None:
        """Claim that nothing has run, and that of text only text was made."""
        assert self.run("window.hit") is None
        for selector in (*forbidden, "style", "body img:not(h1 img)"):
            assert self.page.locator(selector).count() == 0
        assert self.page.locator("script").count() == 1
        assert self.fits()

    def refuses_markup(self) -> None:
        """Claim that the browser lets no script write markup."""
        with pytest.raises(Exception, match="TrustedHTML"):
            self.run("document.body.innerHTML = '<b>x</b>'")

    def caught_nothing(self) -> None:
        """Claim that the trap, if it was set, has caught nothing."""
        assert self.run(CAUGHT) == []

    def opens_each(self, selector: str) -> Any:
        """Open one after the other, and close each again; gives how many there were."""
        return self.run(OPEN_EACH, [selector, "#drawer[open]"])

    def types_each(self, selector: str, texts: Sequence[str]) -> None:
        """Put one text after the other into a field."""
        self.run(TYPE_EACH, [selector, texts])

    def hinders_nobody(self, *but: str) -> None:
        """Claim that axe-core finds nothing; `but` names rules that do not count."""
        if self.run("typeof axe") == "undefined":
            self.run(Path(AXE).read_text(encoding="utf-8"))
        found = [
            (each["id"], [node["html"][:160] for node in each["nodes"]])
            for each in self.run(RUN_AXE)["violations"]
            if each["id"] not in but
        ]
        assert found == [], found

    def is_legible(self) -> None:
        """Claim that no text is cut and, with axe-core, that nobody is hindered."""
        cut = self.run(script("cut.js"))
        assert cut == [], cut
        if AXE:
            self.hinders_nobody()

    @contextmanager
    def at_most(
        self, most: int, task: str = "", what: str = "clicks"
    ) -> Iterator[None]:
        """Claim that what is done within needs no more clicks, or keys alone."""
        count = (
            "() => [[window.clicks, window.keys], window.clicks = window.keys = 0][0]"
        )
        self.run(count)
        yield
        clicks, keys = self.run(count)
        made = clicks if what == "clicks" else keys
        print(f"{task}: {made} {what}")
        assert 0 < made <= most, made
        assert not clicks or what == "clicks"

    def admin(self, method: str, path: str, body: Any = None) -> Any:
        """What somebody else does by the admin API."""
        json = {} if body is None and method in ("POST", "PUT") else body
        answer = self.client.request(method, f"/__admin{path}", json=json)
        assert answer.status_code < 400, answer.text
        return answer.json()

    def fault(self, kind: str = "error", **fields: Any) -> None:
        self.admin("POST", "/faults", {"kind": kind, **fields})

    def presets(self, *names: str) -> None:
        """Somebody adds presets of faults."""
        for each in names:
            self.admin("POST", "/faults", {"preset": each})

    def choose(self, **choices: str) -> None:
        """Somebody sets single choices."""
        self.admin("PUT", "/choices", {"choices": choices})

    def freeze(self) -> None:
        """Somebody stops the clock at the beginning of 2026."""
        self.admin("PUT", "/clock", {"now": "2026-01-01T00:00:00Z", "frozen": True})

    def state(self) -> Any:
        """The data as it is now."""
        return self.admin("GET", "/state")

    def armed(self) -> list[dict[str, Any]]:
        """The faults that are there."""
        return list(self.admin("GET", "/faults")["faults"])

    def entries(self) -> list[dict[str, Any]]:
        """The requests that the journal has."""
        return list(self.admin("GET", "/journal")["entries"])

    def asked_for(self, pattern: str, after: int = 0) -> int:
        """How often the page has asked for addresses of that pattern."""
        return sum(bool(re.search(pattern, url)) for url in self.asked[after:])

    def read(self) -> Counter[str]:
        """How often the page has asked for each path."""
        return Counter(urlsplit(url).path for url in self.asked)

    def top(self, chat: str = CHAT) -> bool | None:
        """Whether a chat is pinned; None if there is none."""
        found = self.server.sandbox.chat(APP, chat)
        return None if found is None else found.top

    def pin(self, app: str = APP, chat: str = CHAT, key: str = "other") -> None:
        self.send("PUT", PIN, {"appId": app, "chatId": chat, "top": True}, key)

    def list(self, dataset: str = HANDBOOK, key: str = "other", **more: Any) -> None:
        self.send("POST", LIST, {"offset": 0, "datasetId": dataset} | more, key)

    def complete(self, **fields: Any) -> Any:
        """Ask something over the API; gives the response."""
        messages = [{"role": "user", "content": "How are you?"}]
        body = {"appId": APP, "messages": messages, **fields}
        headers = {"Authorization": "Bearer k"}
        path = "/api/v1/chat/completions"
        return self.client.post(path, json=body, headers=headers)

    def send(self, method: str, path: str, body: object, key: str = "other") -> None:
        headers = {"Authorization": f"Bearer {key}"}
        self.client.request(method, path, json=body, headers=headers)

    def _on_said(self, message: ConsoleMessage) -> None:
        # That an operation has failed is what many of the tests are about.
        is_status = message.text.startswith("Failed to load resource")
        if message.type in ("error", "warning") and not is_status:
            self.said.append(message.text)

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
        """Claim that there was no error, and that no other server was asked."""
        assert self.said == []
        assert self.refused == []
        host = urlsplit(self.server.url).netloc
        assert {urlsplit(url).netloc for url in self.asked} == {host}


Visit = Callable[..., Any]
"""Serves a fixture and opens a page of it; see `tests/e2e/conftest.py`."""


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
