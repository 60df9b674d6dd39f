"""A part of a page: what people find, do and see in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Locator

expect: Any = pytest.importorskip("playwright.sync_api").expect


class Part:
    """Finds by the names that people read, and waits for what is claimed.

    Claims are `says`, `never_says`, `shows`, `lacks`, `is_open` and `is_gone`.
    """

    def __init__(self, root: Locator) -> None:
        self.root = root

    def find(self, selector: str, **options: Any) -> Locator:
        """The elements of a CSS selector."""
        return self.root.locator(selector, **options)

    def role(self, role: Any, name: str | None = None, **options: Any) -> Locator:
        """The elements of a role, by their whole name."""
        named: Any = {} if name is None else {"name": name, "exact": True}
        return self.root.get_by_role(role, **{**named, **options})

    def part(self, role: Any, name: str | None = None, **options: Any) -> Part:
        """A part of this part, such as a region or a dialog."""
        return Part(self.role(role, name, **options))

    def button(self, name: str) -> Locator:
        return self.role("button", name)

    def field(self, label: str) -> Locator:
        return self.root.get_by_label(label, exact=True)

    def click(self, *buttons: str) -> None:
        for each in buttons:
            self.button(each).click()

    def unfold(self, *texts: str) -> None:
        """Click what opens a further part, by its text."""
        for each in texts:
            self.root.get_by_text(each).click()

    def fill(self, **values: str) -> None:
        for label, value in values.items():
            self.field(label).fill(value)

    def says(self, *texts: Any) -> None:
        for each in texts:
            expect(self.root).to_contain_text(each)

    def never_says(self, *texts: str) -> None:
        for each in texts:
            expect(self.root).not_to_contain_text(each)

    def shows(self, *buttons: str) -> None:
        for each in buttons:
            expect(self.button(each)).to_be_visible()

    def lacks(self, *buttons: str) -> None:
        for each in buttons:
            expect(self.button(each)).to_have_count(0)

    def is_open(self) -> None:
        expect(self.root).to_be_visible()

    def is_gone(self) -> None:
        expect(self.root).to_have_count(0)


def box(locator: Locator) -> Any:
    """Where an element is, and how large."""
    found = locator.bounding_box()
    assert found is not None
    return found


def tells(locator: Locator, *texts: Any) -> None:
    """Claim that an element contains texts."""
    Part(locator).says(*texts)
