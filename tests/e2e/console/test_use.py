"""The page as people meet it: first steps, keyboard, screen readers, phones, looks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.console.browsing import AXE, CHINESE, DARK, PHONE, Console, serious
from tests.e2e.console.conftest import Visit
from tests.support import ROOT, first

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
APP, DATASET = "65d8a1f0c3b2a94e7f106a01", "6593e137231a2be9c5603ba7"


def busy(console: Console) -> None:
    """Have something in every list, in whatever language."""
    console.admin("PUT", "/snapshots/before-the-demo")
    console.admin("POST", "/faults", {"kind": "error", "operation": "listV2"})
    console.admin("POST", "/faults", {"kind": "rate_limit", "limit": 9, "window": 60})
    console.list(DATASET, parentId=None)
    console.list(DATASET, parentId=None)
    console.list(DATASET, pageSize=50)
    console.pin(APP, "delivery-late")
    console.pin(APP, "no-such-chat")
    expect(console.rows).to_have_count(5)
    expect(console.page.locator("#apps [aria-pressed=true]")).to_have_count(4)
    expect(console.page.locator("#snapshots li")).to_have_count(1)
    expect(console.page.locator("#faults details:has(.over)")).to_be_visible()


def test_a_stranger_needs_six_clicks_at_most(visit: Visit) -> None:
    console = visit(path="/")
    console.page.evaluate(
        "window.clicks = 0; addEventListener('click', () => clicks++, true)"
    )
    console.button("Pin Where is my parcel?").click()
    console.button("Fail next list").click()
    expect(console.page.locator(".armed")).to_have_count(1)
    console.button("List").click()
    expect(console.rows.first).to_contain_text("503")
    console.rows.first.get_by_role("button").click()
    expect(console.drawer).to_contain_text("Injected by a fault")
    console.page.keyboard.press("Escape")
    console.button("Reset").click()
    expect(console.button("Pin Where is my parcel?")).to_be_visible()
    expect(console.rows).to_have_count(0)
    assert console.page.evaluate("clicks") <= 6


def test_all_of_it_works_without_a_mouse(console: Console) -> None:
    keyboard, toggle = console.page.keyboard, console.button("Pin Where is my parcel?")
    for _ in range(40):
        keyboard.press("Tab")
        if toggle.evaluate("it => it === document.activeElement"):
            break
    outline = "it => getComputedStyle(it).outlineStyle"
    assert toggle.evaluate(outline) == "solid"
    keyboard.press("Enter")
    pinned = console.button("Pinned Where is my parcel?")
    expect(pinned).to_be_focused()
    keyboard.press("Shift+Tab")
    keyboard.press("Enter")
    expect(console.drawer).to_be_visible()
    keyboard.press("Escape")
    expect(console.drawer).to_have_count(0)
    expect(console.button("Where is my parcel?")).to_be_focused()


def test_the_keyboard_need_not_go_through_all_the_data(console: Console) -> None:
    console.page.keyboard.press("Tab")
    expect(console.page.get_by_text("Skip to the requests")).to_be_focused()
    console.page.keyboard.press("Enter")
    expect(console.page.locator("#requests")).to_be_focused()
    console.page.keyboard.press("Tab")
    expect(console.button("Try it", "Try it")).to_be_focused()  # folds the card
    console.page.keyboard.press("Tab")
    chooser = console.part("Try it").get_by_role("combobox", name="Operation")
    expect(chooser).to_be_focused()


@pytest.mark.skipif(not AXE, reason="needs npm: axe-core, and name it in AXE")
@pytest.mark.parametrize("options", first(2, [{}, PHONE | DARK, DARK, PHONE, CHINESE]))
def test_no_serious_hindrance_is_found(visit: Visit, options: dict[str, Any]) -> None:
    console = visit(bypass_csp=True, **options)
    console.page.evaluate(Path(AXE).read_text(encoding="utf-8"))
    assert serious(console) == []
    for part in ("Requests", "Control"):
        if options.get("viewport") == PHONE["viewport"]:
            console.button(part).click()
            assert serious(console) == []
    busy_anywhere(console)
    assert serious(console) == []
    console.page.locator("#notice").evaluate("it => it.hidden = true")
    open_all(console)
    assert serious(console) == []


def busy_anywhere(console: Console) -> None:
    """Have something in the lists, whichever of them is visible."""
    console.admin("POST", "/faults", {"preset": "flaky"})
    console.admin("PUT", "/snapshots/one")
    console.list(DATASET, pageSize=99)
    expect(console.rows).to_have_count(1)
    expect(console.page.locator(".armed")).to_have_count(3)


def open_all(console: Console) -> None:
    """Open whatever opens, the side panel at last."""
    console.page.evaluate(
        "document.querySelectorAll('.fold[aria-expanded=false]')"
        ".forEach(it => it.click());"
        "document.querySelectorAll('details').forEach(it => it.open = 1)"
    )
    expect(console.page.locator(".dot").first).to_be_attached()
    assert serious(console) == []
    console.page.evaluate("document.querySelector('#stream tbody button').click()")
    expect(console.drawer).to_be_visible()


def test_a_phone_shows_one_part_at_a_time(visit: Visit) -> None:
    console = visit(**PHONE)
    fits = "document.documentElement.scrollWidth <= innerWidth"
    parts = {"Data": "#apps", "Requests": "#try", "Control": "#faults"}
    for name, card in parts.items():
        console.button(name).click()
        for other in parts.values():
            expect(console.page.locator(other)).to_be_visible(visible=other == card)
        assert console.page.evaluate(fits)
    console.button("Fail next list").click()
    expect(console.page.locator(".armed")).to_have_count(1)
    console.button("Requests").click()
    console.page.get_by_role("button", name="List", exact=True).click()
    expect(console.rows.first).to_contain_text("503")
    assert console.page.evaluate(fits)


def test_a_server_that_comes_back_is_found_again(console: Console) -> None:
    console.server.app.close()  # ends all streams, as a stopping server does
    console.list(DATASET)
    expect(console.rows).to_have_count(1)
    expect(console.page.locator("#live.on")).to_be_visible()


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
        console.button("Contents of Guides").click()
        console.page.get_by_role("button", name="List", exact=True).click()
        expect(console.part("What clients do")).to_contain_text("6 requests")
    picture = console.page.screenshot(path=folder / f"{name}.png")
    assert len(picture) > 10_000


def test_the_picture_of_the_readme_is_there_and_small() -> None:
    assert ".github/console.png" in (ROOT / "README.md").read_text(encoding="utf-8")
    picture = (ROOT / ".github" / "console.png").read_bytes()
    assert picture[:4] == b"\x89PNG"
    assert len(picture) < 200 * 1024
    assert int.from_bytes(picture[16:20]) == 1280
