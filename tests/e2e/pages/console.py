"""The console, card by card."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import httpx2

from mock_server import MockServer
from tests.e2e.pages.part import Part, expect, tells
from tests.e2e.pages.screen import PARCEL, Held, Screen
from tests.e2e.scripts import script

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

PIN, PINNED = f"Pin {PARCEL}", f"Pinned {PARCEL}"
AS_HTTPX = "import sys, httpx2; sys.modules['httpx'] = httpx2; exec(sys.stdin.read())"
"""Runs a copied request, as Python reads it from stdin."""
DROP = script("drop.js")


class Console(Screen):
    """The console of a server."""

    home = "/__admin/"

    def __init__(self, page: Page, server: MockServer, client: httpx2.Client) -> None:
        super().__init__(page, server, client)
        self.chats = self.card("Apps and their chats")
        self.collections = self.card("Datasets and their collections")
        self.stream = Stream(self.card("What clients do").root)
        self.faults = Faults(self.card("Faults").root)
        self.choices = Card(self.card("Choices").root)
        self.clock = Card(self.card("Clock").root)
        self.tree = Tree(page.locator("#datasets"))
        self.drawer = Drawer(page.locator("#drawer[open]"))
        self.facts = Part(page.locator("#facts"))
        self.notice = Part(page.locator("#notice"))
        self.palette = Part(page.locator("#palette"))
        self.bar = self.part("toolbar", "Selection")
        self.dialog = self.part("dialog")
        self.sandbox = self.role("combobox", "Sandbox")
        self.rows = self.stream.rows

    def rest(self) -> None:
        self.find("#live.on").wait_for()

    def card(self, title: str) -> Part:
        """The card of a title."""
        return self.part("region", title)

    def opened(self, title: str) -> Part:
        """The card of a title, opened if it was folded."""
        card = self.card(title)
        fold = card.find(".fold[aria-expanded=false]")
        fold.evaluate_all("its => its.forEach((it) => it.click())")
        return card

    @property
    def trying(self) -> Trying:
        return Trying(self, self.opened("Try it").root)

    @property
    def snapshots(self) -> Part:
        return self.opened("Snapshots")

    @property
    def clients(self) -> Part:
        return self.opened("For clients")

    def reset(self) -> None:
        """Reset, as is asked before."""
        self.find("#reset").click()
        self.find("dialog.question[open]").get_by_role("button", name="Reset").click()

    def in_file_menu(self, entry: str) -> None:
        """Choose what to do with a fixture file."""
        self.click("Fixture file")
        self.role("menuitem", entry).click()

    def notices(self, *texts: str) -> Locator:
        """Claim that each text is in a notice; gives the last of these."""
        for each in texts:
            found = self.find(".notice", has_text=each)
            expect(found).to_be_visible()
        return found

    def undo(self) -> None:
        """Take back what was done last."""
        self.click("Undo")
        self.notice.says("Undone")

    def opens(self, title: str, within: Part | None = None) -> Drawer:
        """Open something by its title; gives the side panel."""
        (within or self).click(title)
        self.drawer.is_open()
        return self.drawer

    def row_opens(self, line: int = 0) -> Drawer:
        """Open a request of the list; gives the side panel."""
        self.rows.nth(line).get_by_role("button").click()
        self.drawer.is_open()
        return self.drawer

    def answers_next(self, line: int = 0) -> Drawer:
        """Open the form for the answer of the next request like one of the list."""
        self.row_opens(line).click("Answer next …")
        self.drawer.shows("Add")
        return self.drawer

    def menu(self, title: str, *entries: str) -> None:
        """Take entries of a row's menu, one after the other; Delete asks once more."""
        self.click(f"More for {title}")
        for each in entries:
            self.role("menuitem", each).click()
            if each == "Delete":
                self.role("menuitem", "Confirm deletion").click()

    def rename(self, name: str, key: str = "Enter") -> None:
        """Type a name where a row is renamed, and press a key."""
        field = self.field("New name")
        expect(field).to_be_focused()
        field.fill(name)
        field.press(key)

    def select(self, *names: str) -> None:
        """Tick the boxes of rows."""
        for each in names:
            self.field(f"Select {each}").check()

    def find_in_tree(self, text: str) -> Part:
        """Search in the data; gives what is found."""
        self.role("searchbox", "Find a collection or chat").fill(text)
        return Part(self.find(".found-list"))

    def search(self, text: str) -> None:
        """Open the search by its keys and enter a text, which is looked for once."""
        self.press("Control+k")
        expect(self.role("combobox", "Search and jump")).to_be_focused()
        self.page.keyboard.insert_text(text)

    def option(self, name: str) -> Locator:
        """A result of the search, by how it begins."""
        found = self.role("listbox", "Results")
        return found.get_by_role("option", name=re.compile(f"^{re.escape(name)}"))

    def drop(self, name: str, text: str, event: str = "drop") -> None:
        """Drop a file, or only drag it over the page."""
        self.run(DROP, [event, name, text])

    def hold(self, pattern: str) -> Held:
        """Hold up requests of the page."""
        return Held(self.page, pattern)


class Card(Part):
    """A card that can be folded."""

    def field(self, label: str) -> Locator:
        """A field by the beginning of its label, behind which may stand more."""
        return self.root.get_by_label(label)

    @property
    def note(self) -> Locator:
        """What it says of itself while it is folded."""
        return self.find(".note")

    def unfolded(self, *texts: str) -> Part:
        """Open it, and what is in it; gives itself."""
        self.find(".fold[aria-expanded=false]").click()
        self.unfold(*texts)
        return self


class Tree(Part):
    """Datasets and their collections."""

    @property
    def lines(self) -> Locator:
        """All collections that are drawn."""
        return self.find(".branch .branch li")

    def row(self, title: str) -> Locator:
        """The row of a title."""
        return self.find(".row").filter(
            has=self.root.page.get_by_role("button", name=title, exact=True)
        )

    def scroll(self) -> None:
        """Scroll the data to its end."""
        self.root.page.evaluate("document.querySelector('#data').scrollTop = 1e9")


class Stream(Part):
    """The list of requests."""

    def __init__(self, root: Locator) -> None:
        super().__init__(root)
        self.rows = root.page.locator("#stream tbody tr")
        """The latest first."""
        self.table = root.page.get_by_role("table", name="List of requests")
        self.search = self.role("searchbox")

    def row(self, number: int) -> Locator:
        """A request by its number."""
        return self.root.page.locator(f'#stream [data-seq="{number}"]')

    def lists(self, *numbers: int) -> None:
        """Claim that these are listed and no others."""
        expect(self.rows).to_have_count(len(numbers))
        for place, number in enumerate(numbers):
            row = self.rows.nth(place)
            expect(row).to_have_attribute("data-seq", str(number))

    def has(self, count: int) -> None:
        """Claim that the list has so many rows, drawn or not."""
        expect(self.table).to_have_attribute(
            "aria-rowcount", str(count + 1), timeout=60_000
        )

    def scroll(self, top: int) -> None:
        """Scroll the list."""
        box = self.root.page.get_by_role("region", name="List of requests")
        box.evaluate(f"it => it.scrollTop = {top}")


class Drawer(Part):
    """The side panel."""

    def save(self, **values: str) -> None:
        """Fill in fields, and save."""
        self.fill(**values)
        self.click("Save")

    def add(self, **values: str) -> None:
        """Fill in fields, and add."""
        self.shows("Add")  # until then what was open before may be there
        self.fill(**values)
        self.click("Add")

    def delete(self) -> None:
        """Delete what is open."""
        self.click("Delete", "Confirm deletion")


class Faults(Part):
    """The card of faults."""

    def __init__(self, root: Locator) -> None:
        super().__init__(root)
        self.rows = root.page.locator(".armed")

    def has(self, count: int) -> None:
        """Claim that so many faults are listed."""
        expect(self.rows).to_have_count(count)

    def row_says(self, *texts: str) -> None:
        """Claim what the one row says."""
        tells(self.rows, *texts)


class Trying(Part):
    """The client in the page."""

    def __init__(self, console: Console, root: Locator) -> None:
        super().__init__(root)
        self._console = console
        self.answer = self.part("region", "Answer")
        self.why = self.part("region", "Why")
        self.chooser = self.role("combobox", "Operation")
        self.offered = self.chooser.locator("option")
        """The operations that are offered, once all have been read."""
        self.offered.first.wait_for(state="attached")

    def form(self, name: str = "listV2") -> Part:
        """The form of an operation."""
        return self._console.part("form", name)

    def field(self, label: str, name: str = "listV2") -> Locator:
        """A field of a form."""
        return self.form(name).field(label)

    def send(self, name: str = "listV2") -> Any:
        """Send it; gives the body that came, as the journal has it."""
        before = self._console.admin("GET", "/journal")["total"]
        self.form(name).click("List" if name == "listV2" else "Send")
        link = self.find(".marks-line a")
        expect(link).to_have_attribute("href", re.compile(rf"#/requests/{before + 1}$"))
        return self._console.entries()[-1]["request"]["body"]

    def searches(self, text: str) -> Any:
        """Search for a text; gives the body that came."""
        self.field("searchText").fill(text)
        return self.send()

    def choose(self, name: str) -> Part:
        """Choose an operation; gives its form."""
        self.chooser.select_option(name)
        self.form(name).is_open()
        return self.form(name)

    def asks_why(self, item: str = "") -> Part:
        """Ask why the answer is empty or, of an item, why it is missing."""
        self.click(f"Why is {'an item missing' if item else 'this empty'}?")
        if item:
            self._console.page.get_by_label("Name or _id of the item").fill(item)
            self._console.press("Enter")
        return self.why
