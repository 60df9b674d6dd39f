"""The demo front end in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.e2e.console.browsing import Console

if TYPE_CHECKING:
    from playwright.sync_api import Locator

APP, HANDBOOK = "65d8a1f0c3b2a94e7f106a01", "6593e137231a2be9c5603ba7"
PRODUCTS = "6593e137231a2be9c5603bb1"
PARCEL = "Where is my parcel?"
LIST_PATH = "/api/core/dataset/collection/listV2"


class App(Console):
    """A page with the demo, its server, and a client beside it."""

    def open(self, path: str = "/demo/") -> App:
        """Go to the page; gives itself once nothing is being read."""
        self.page.goto(self.server.url + path)
        if path.startswith("/demo/"):
            self.rest()
        return self

    def rest(self) -> None:
        """Wait until all that is shown has been read."""
        self.page.locator("#library .panel[aria-busy=false]").wait_for()
        # On phones they are not visible; with no app there is nothing to be read.
        talks = self.page.locator("#chats .list .panel:not([aria-busy=true])")
        talks.wait_for(state="attached")

    @property
    def articles(self) -> Locator:
        """What the library lists."""
        return self.page.locator(".articles > li")

    @property
    def talks(self) -> Locator:
        """The conversations that are listed."""
        return self.page.locator(".talks > li")

    @property
    def failed(self) -> Locator:
        """What stands where something could not be read."""
        return self.page.locator(".failed")

    def talk(self, title: str) -> Locator:
        """What opens a conversation."""
        return self.talks.locator(".name").filter(has_text=title)

    def folder(self, name: str) -> None:
        """Open a folder."""
        self.articles.get_by_role("button", name=name, exact=True).click()

    def search(self, text: str) -> None:
        """Type into the search, key by key."""
        self.page.get_by_role("searchbox").press_sequentially(text)

    def fault(self, kind: str, **fields: Any) -> None:
        """Somebody arms a fault."""
        self.admin("POST", "/faults", {"kind": kind, **fields})

    def lists(self) -> list[dict[str, Any]]:
        """The bodies of all listings that the server has seen."""
        entries = self.admin("GET", "/journal")["entries"]
        return [
            each["request"]["body"]
            for each in entries
            if each["request"]["path"] == LIST_PATH
        ]
