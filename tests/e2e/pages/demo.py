"""The demo front end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import httpx2

from mock_server import MockServer
from tests.e2e.pages.console import Console
from tests.e2e.pages.part import Part, expect
from tests.e2e.scripts import script
from tests.support import LIST

if TYPE_CHECKING:
    from playwright.sync_api import FrameLocator, Locator, Page

SPLIT = "/__admin/#/demo"
WATCH = script("typed.js")


class Demo(Console):
    """The demo, alone or beside the console of its server."""

    home = "/demo/"
    serving: ClassVar[Mapping[str, Any]] = {"profile": "deployed", "demo": True}

    def __init__(self, page: Page, server: MockServer, client: httpx2.Client) -> None:
        super().__init__(page, server, client)
        self.library = self.card("Library")
        self.conversations = self.card("Conversations")
        self.articles = self.find(".articles > li")
        self.talks = self.find(".talks > li")
        self.failed = self.find(".failed")
        """What stands where something could not be read."""
        self.messages = self.find(".messages li")
        self.toast = Part(self.find("#toast"))
        self.pager = self.find(".pager").get_by_role("status")
        self.message = self.field("Message")
        self.spoken = self.find(".talk").get_by_role("status")
        """What screen readers say of an answer."""
        self.framed = Framed(page.frame_locator("#demo iframe"))

    def rest(self) -> None:
        if not self.page.url.startswith(self.server.url + self.home):
            return super().rest()
        self.read_library()
        # On phones they are not visible; with no app there is nothing to be read.
        talks = self.find("#chats .list .panel:not([aria-busy=true])")
        talks.wait_for(state="attached")
        return None

    def read_library(self) -> None:
        """Wait until the library has been read."""
        self.find("#library .panel[aria-busy=false]").wait_for()

    def has(self, articles: int | None = None, talks: int | None = None) -> None:
        """Claim how many articles and conversations are listed."""
        for locator, count in ((self.articles, articles), (self.talks, talks)):
            if count is not None:
                expect(locator).to_have_count(count)

    def talk(self, title: str) -> Locator:
        """What opens a conversation."""
        return self.talks.locator(".name").filter(has_text=title)

    def folders(self, *names: str) -> None:
        """Open folders, one in the other."""
        for each in names:
            self.articles.get_by_role("button", name=each, exact=True).click()

    def asks(self, question: str) -> None:
        """Send a message in the open conversation."""
        self.message.fill(question)
        self.message.press("Enter")

    def watch(self) -> None:
        """Note from now on how the last message changes."""
        self.page.evaluate(WATCH)

    def typed(self) -> list[str]:
        """What the last message was, one after the other."""
        found: list[str] = self.page.evaluate("window.typed")
        return found

    def types(self, text: str) -> None:
        """Type into the search, key by key."""
        self.role("searchbox").press_sequentially(text)

    def fails(self, *texts: str) -> None:
        """Claim what is told of a failure."""
        for each in texts:
            expect(self.failed).to_contain_text(each)

    def renames(self, title: str, name: str = "") -> Locator:
        """Rename a conversation by its button; gives the field."""
        self.click(f"Rename {title}")
        field = self.field("New name")
        if name:
            field.fill(name)
        field.press("Enter")
        return field

    def lists(self) -> list[dict[str, Any]]:
        """The bodies of all listings that the server has seen."""
        asked = [each["request"] for each in self.entries()]
        return [each["body"] for each in asked if each["path"] == LIST]


class Framed(Part):
    """The demo in its frame beside the console."""

    def __init__(self, frame: FrameLocator) -> None:
        super().__init__(frame.locator("body"))
        self.articles = self.find(".articles > li")
        self.talks = Part(self.find(".talks"))
        self.failed = Part(self.find(".failed"))

    def is_read(self, articles: int = 8) -> None:
        """Claim that so many articles are listed."""
        expect(self.articles).to_have_count(articles)
