"""The page as people meet it: first steps, keyboard, screen readers, phones, looks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.pages import Console, Visit, expect
from tests.e2e.pages.console import PIN, PINNED
from tests.e2e.pages.screen import CHINESE, DARK, PARCEL, PHONE
from tests.support import ROOT


def busy(console: Console) -> None:
    """Have something in every list, in whatever language."""
    console.admin("PUT", "/snapshots/before-the-demo")
    console.fault(operation="listV2")
    console.fault("rate_limit", limit=9, window=60)
    for more in ({"parentId": None}, {"parentId": None}, {"pageSize": 50}):
        console.list(**more)
    console.pin()
    console.pin(chat="no-such-chat")
    expect(console.rows).to_have_count(5)
    expect(console.find("#apps [aria-pressed=true]")).to_have_count(4)
    expect(console.find("#faults details:has(.over)")).to_be_visible()


def test_all_of_it_works_without_a_mouse(console: Console) -> None:
    console.press("Tab")
    expect(console.page.get_by_text("Skip to the requests")).to_be_focused()
    toggle = console.button(PIN)
    console.tab_to(toggle)
    assert toggle.evaluate("it => getComputedStyle(it).outlineStyle") == "solid"
    console.press("Enter")
    expect(console.button(PINNED)).to_be_focused()
    console.press("Shift+Tab", "Enter")
    console.drawer.is_open()
    console.press("Escape")
    console.drawer.is_gone()
    expect(console.button(PARCEL)).to_be_focused()


def test_the_keyboard_need_not_go_through_all_the_data(console: Console) -> None:
    console.press("Tab", "Enter")
    expect(console.find("#requests")).to_be_focused()
    console.press("Tab")
    fold = console.stream.button("What clients do")
    expect(fold).to_be_focused()


def test_a_phone_shows_one_part_at_a_time(visit: Visit) -> None:
    console = visit(**PHONE)
    parts = {"Data": "#apps", "Requests": "#try", "Control": "#faults"}
    for name, card in parts.items():
        console.click(name)
        for other in parts.values():
            expect(console.find(other)).to_be_visible(visible=other == card)
        assert console.fits()
    console.click("Fail next listV2")
    expect(console.find(".armed")).to_have_count(1)
    console.click("Requests", "Try it", "List")
    expect(console.rows.first).to_contain_text("503")
    assert console.fits()


def test_a_server_that_comes_back_is_found_again(console: Console) -> None:
    console.server.app.close()  # ends all streams, as a stopping server does
    console.list()
    expect(console.rows).to_have_count(1)
    console.rest()


SIZES: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 860}},
    "dark": {"viewport": {"width": 1280, "height": 860}, **DARK},
    "phone": PHONE,
    "zh": {"viewport": {"width": 1280, "height": 860}, **CHINESE},
    "4k": {"viewport": {"width": 3840, "height": 2160}},
}


@pytest.mark.parametrize("name", SIZES)
def test_pictures_are_taken(visit: Visit, tmp_path: Path, name: str) -> None:
    folder = Path(os.environ.get("CONSOLE_PICTURES", tmp_path))
    console = visit(**SIZES[name])
    if name != "phone":
        busy(console)
    if name not in ("phone", "zh"):
        console.click("Contents of Guides", "Try it", "List")
        console.stream.says("6 requests")
    picture = console.page.screenshot(path=folder / f"{name}.png")
    assert len(picture) > 10_000


@pytest.mark.parametrize(
    ("name", "page"), [("console", "README.md"), ("demo", "docs/guides/console.md")]
)
def test_the_picture_of_a_page_is_there_and_small(name: str, page: str) -> None:
    assert f".github/{name}.png" in (ROOT / page).read_text(encoding="utf-8")
    picture = (ROOT / ".github" / f"{name}.png").read_bytes()
    assert picture[:4] == b"\x89PNG"
    assert len(picture) < 200 * 1024
    assert int.from_bytes(picture[16:20]) == 1280
