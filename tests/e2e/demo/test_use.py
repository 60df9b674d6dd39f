"""The demo with keyboard, phone, dark and Chinese, and its picture."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.console.browsing import AXE, CHINESE, DARK, PHONE, serious
from tests.e2e.demo.browsing import PARCEL, App
from tests.e2e.demo.conftest import Visit
from tests.support import ROOT, first

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
PICTURE = {"viewport": {"width": 1280, "height": 800}}


@pytest.mark.skipif(not AXE, reason="needs npm: axe-core, and name it in AXE")
@pytest.mark.parametrize("options", first(2, [{}, PHONE | DARK, DARK, PHONE, CHINESE]))
def test_no_serious_hindrance_is_found(visit: Visit, options: dict[str, Any]) -> None:
    app = visit(bypass_csp=True, **options)
    app.page.evaluate(Path(AXE).read_text(encoding="utf-8"))
    assert serious(app) == []
    app.fault("error", operation="listV2")
    app.page.locator("#tools button").first.click()
    expect(app.failed).to_be_visible()
    assert serious(app) == []
    tabs = app.page.locator("#tabs button")
    if tabs.last.is_visible():
        tabs.last.click()
    assert serious(app) == []
    app.talks.locator(".name").first.click()
    expect(app.page.locator(".messages li")).to_have_count(4)
    assert serious(app) == []
    app.page.locator("#tools button").nth(1).click()
    expect(app.page.get_by_role("dialog")).to_be_visible()
    assert serious(app) == []


@pytest.mark.skipif(not AXE, reason="needs npm: axe-core, and name it in AXE")
@pytest.mark.parametrize("options", [{}, PHONE])
def test_the_split_view_has_none_either(visit: Visit, options: dict[str, Any]) -> None:
    app = visit(path="/__admin/#/demo", bypass_csp=True, **options)
    expect(app.page.locator("iframe")).to_be_visible()
    app.page.locator("#live.on").wait_for()
    app.page.evaluate(Path(AXE).read_text(encoding="utf-8"))
    assert serious(app) == []


@pytest.mark.parametrize("width", [320, 390, 620, 1100, 1280, 1920, 3840])
def test_it_fits_every_window(visit: Visit, width: int) -> None:
    app = visit(viewport={"width": width, "height": 800})
    fits = "document.documentElement.scrollWidth <= innerWidth"
    assert app.page.evaluate(fits)
    if width < 600:
        app.button("Conversations").click()
    app.talk("Refund for order 4711").click()
    expect(app.page.locator(".messages li")).to_have_count(4)
    assert app.page.evaluate(fits)
    small = app.page.evaluate(
        "[...document.querySelectorAll('button, a, select, input')]"
        ".filter(it => it.checkVisibility() && it.getBoundingClientRect().height < 34)"
        ".map(it => it.outerHTML)"
    )
    assert small == []


def test_it_works_without_a_mouse(app: App) -> None:
    keyboard = app.page.keyboard
    folder = app.button("Guides")
    for _ in range(30):
        keyboard.press("Tab")
        if folder.evaluate("it => it === document.activeElement"):
            break
    assert folder.evaluate("it => getComputedStyle(it).outlineStyle") == "solid"
    keyboard.press("Enter")
    expect(app.articles).to_have_count(4)
    for _ in range(40):
        keyboard.press("Tab")
        if app.button(f"Pin {PARCEL}").evaluate("it => it === document.activeElement"):
            break
    keyboard.press("Enter")
    expect(app.button(f"Unpin {PARCEL}")).to_be_focused()


def test_it_speaks_the_language_of_the_browser(visit: Visit) -> None:
    app = visit(**CHINESE)
    expect(app.page.get_by_role("heading", name="会话")).to_be_visible()
    assert app.page.evaluate("document.documentElement.lang") == "zh"
    assert app.page.title() == "青松 · 帮助中心"
    english = app.page.evaluate("document.body.innerText.match(/Retry|Next|Pin|chat/)")
    assert english is None


def test_whoever_comes_back_sees_what_is_there_now(app: App) -> None:
    app.admin("PUT", "/state", {"datasets": [{"id": "d", "name": "New"}]})
    app.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(app.page.get_by_label("Dataset")).to_contain_text("New")


def test_a_picture_is_taken(visit: Visit, tmp_path: Path) -> None:
    folder = Path(os.environ.get("CONSOLE_PICTURES", tmp_path))
    app = visit(path="/__admin/#/demo", **PICTURE)
    app.page.locator("#live.on").wait_for()
    demo = app.page.frame_locator("#demo iframe")
    expect(demo.locator(".articles > li")).to_have_count(8)
    demo.get_by_role("button", name=f"Pin {PARCEL}", exact=True).click()
    demo.get_by_role("button", name="Guides", exact=True).click()
    expect(demo.locator(".articles > li")).to_have_count(4)
    app.button("Fail next list").click()
    expect(demo.locator(".failed")).to_be_visible()
    app.button("Requests").click()
    expect(app.part("What clients do")).to_contain_text("503")
    app.page.locator("#notice").evaluate("it => it.replaceChildren()")
    picture = app.page.screenshot(path=folder / "demo.png")
    assert len(picture) > 10_000


def test_the_picture_of_the_guide_is_there_and_small() -> None:
    guide = (ROOT / "docs/guides/demo.md").read_text(encoding="utf-8")
    assert ".github/demo.png" in guide
    picture = (ROOT / ".github" / "demo.png").read_bytes()
    assert picture[:4] == b"\x89PNG"
    assert len(picture) < 200 * 1024
    assert int.from_bytes(picture[16:20]) == 1280
