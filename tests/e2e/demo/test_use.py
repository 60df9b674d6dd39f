"""The demo with keyboard, phone, dark and Chinese, and its picture."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.pages import Demo, Visit, expect
from tests.e2e.pages.demo import SPLIT
from tests.e2e.pages.screen import AXE, CHINESE, LOOKS, PARCEL, PHONE

SMALL = """[...document.querySelectorAll('button, a, select, input')]
    .filter(it => it.checkVisibility() && it.getBoundingClientRect().height < 34)
    .map(it => it.outerHTML)"""


@pytest.mark.parametrize("look", LOOKS)
def test_no_text_is_cut_and_nobody_is_hindered(
    visit: Visit, look: dict[str, Any]
) -> None:
    app = visit(axe=bool(AXE), **look)
    app.is_legible()
    app.fault("error", operation="listV2")
    app.find("#tools button").first.click()
    expect(app.failed).to_be_visible()
    app.is_legible()
    tabs = app.find("#tabs button")
    if tabs.last.is_visible():
        tabs.last.click()
        app.is_legible()
    app.talks.locator(".name").first.click()
    expect(app.messages).to_have_count(4)
    app.is_legible()
    app.find("#tools button").nth(1).click()
    app.dialog.is_open()
    app.is_legible()


@pytest.mark.parametrize("options", [{}, PHONE])
def test_the_split_view_has_none_either(visit: Visit, options: dict[str, Any]) -> None:
    app = visit(path=SPLIT, axe=True, **options)
    expect(app.find("iframe")).to_be_visible()
    app.hinders_nobody("landmark-one-main")  # on phones it is in the frame


@pytest.mark.parametrize("width", [320, 390, 620, 1100, 1280, 1920, 3840])
def test_it_fits_every_window(visit: Visit, width: int) -> None:
    app = visit(viewport={"width": width, "height": 800})
    assert app.fits()
    if width < 600:
        app.click("Conversations")
    app.talk("Refund for order 4711").click()
    expect(app.messages).to_have_count(4)
    assert app.fits()
    assert app.run(SMALL) == []


def test_it_works_without_a_mouse(app: Demo) -> None:
    folder = app.button("Guides")
    app.tab_to(folder, 30)
    assert folder.evaluate("it => getComputedStyle(it).outlineStyle") == "solid"
    app.press("Enter")
    app.has(4)
    app.tab_to(app.button(f"Pin {PARCEL}"))
    app.press("Enter")
    expect(app.button(f"Unpin {PARCEL}")).to_be_focused()


def test_it_speaks_the_language_of_the_browser(visit: Visit) -> None:
    app = visit(**CHINESE)
    expect(app.role("heading", "会话", exact=False)).to_be_visible()
    assert app.run("document.documentElement.lang") == "zh"
    assert app.page.title() == "青松 · 帮助中心"
    assert app.run("document.body.innerText.match(/Retry|Next|Pin|chat/)") is None


def test_whoever_comes_back_sees_what_is_there_now(app: Demo) -> None:
    app.admin("PUT", "/state", {"datasets": [{"id": "d", "name": "New"}]})
    app.run("document.dispatchEvent(new Event('visibilitychange'))")
    expect(app.field("Dataset")).to_contain_text("New")


def test_a_picture_is_taken(visit: Visit, tmp_path: Path) -> None:
    folder = Path(os.environ.get("CONSOLE_PICTURES", tmp_path))
    app = visit(path=SPLIT, viewport={"width": 1280, "height": 800})
    app.framed.is_read()
    app.framed.click(f"Pin {PARCEL}", "Guides")
    app.framed.is_read(4)
    app.click("Fail next listV2")
    app.framed.failed.is_open()
    app.click("Requests")
    app.stream.says("503")
    app.find("#notice").evaluate("it => it.replaceChildren()")
    picture = app.page.screenshot(path=folder / "demo.png")
    assert len(picture) > 10_000
