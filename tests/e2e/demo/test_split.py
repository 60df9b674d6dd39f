"""The demo beside the console: what is set here is seen there."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.e2e.pages import Demo, Visit, expect
from tests.e2e.pages.console import PINNED
from tests.e2e.pages.demo import SPLIT
from tests.e2e.pages.part import box
from tests.e2e.pages.screen import APP, CHAT, FITS, PARCEL, PHONE
from tests.support import wait


@pytest.fixture
def split(visit: Visit) -> Any:
    """The console, with the demo beside it."""
    app = visit(path=SPLIT)
    app.framed.is_read()
    expect(app.framed.find(".talks > li")).to_have_count(7)
    return app


def test_a_fault_is_seen_the_moment_it_is_added(split: Demo) -> None:
    split.click("Fail next listV2")
    split.framed.failed.says("The service has a problem (503)")
    split.framed.failed.click("Retry")
    split.framed.is_read()


def test_what_is_edited_or_reset_is_seen_too(split: Demo) -> None:
    lost = {"title": "Lost parcel", "top": True}
    split.admin("PUT", f"/apps/{APP}/chats/{CHAT}", lost)
    split.framed.talks.says("Lost parcel")
    split.reset()
    split.framed.talks.says(PARCEL)
    split.framed.talks.never_says("Lost parcel")
    split.click("Data")
    split.framed.click(f"Pin {PARCEL}")  # and there what is done here
    split.shows(PINNED)
    split.go("#/requests")  # leaves it open
    split.stream.is_open()
    split.list()
    split.framed.is_read()


def test_its_own_requests_do_not_set_it_off_again(split: Demo) -> None:
    split.admin("DELETE", "/journal")
    wait(split.lists)  # that something has been done sets it off too
    split.click("Fail next listV2")
    split.framed.failed.is_open()
    split.page.wait_for_function(
        "fetch('/__admin/journal').then(it => it.json()).then(it => it.total >= 3)"
    )
    split.framed.click("Reload")
    split.framed.is_read()
    sent = [each["operation"] for each in split.entries()]
    assert sent.count("listV2") <= 3


def test_it_looks_into_the_sandbox_that_the_console_looks_at(split: Demo) -> None:
    split.admin("POST", "/sandboxes", {"name": "mine"})
    split.admin("PUT", f"/sandboxes/mine/apps/{APP}/chats/new", {"title": "Only mine"})
    split.sandbox.select_option("mine")
    split.framed.talks.says("Only mine")
    split.sandbox.select_option("default")
    split.framed.talks.never_says("Only mine")


def test_it_shows_the_apps_of_any_fixture(visit: Visit) -> None:
    levels = {"reader": "read", "boss": "owner"}
    keys = [{"key": key, "permission": level} for key, level in levels.items()]
    chats = [{"chatId": "c", "title": "Of my own"}]
    apps = [{"id": "my-app", "name": "Mine", "chats": chats}]
    framed = visit({"keys": keys, "apps": apps}, path=SPLIT).framed
    framed.talks.says("Of my own")
    expect(framed.field("App")).to_contain_text("Mine")


def test_the_switch_opens_and_closes_it(visit: Visit) -> None:
    app = visit(path="/__admin/")
    app.button("Demo").first.click()
    app.framed.is_read()
    expect(app.page).to_have_url(re.compile("#/demo$"))
    app.button("Demo").first.click()
    expect(app.find("iframe")).to_have_count(0)
    expect(app.page).not_to_have_url(re.compile("#"))
    app.page.go_back()
    expect(app.find("iframe")).to_have_count(0)


def test_without_the_demo_there_is_no_switch(visit: Visit) -> None:
    app = visit(path=SPLIT, serving={"demo": False})
    app.lacks("Demo")
    expect(app.find("iframe")).to_have_count(0)


def test_the_divider_is_moved_by_keys_and_by_dragging(split: Demo) -> None:
    bar, mouse, now = split.role("separator"), split.page.mouse, "aria-valuenow"
    bar.press("ArrowLeft")
    expect(bar).to_have_attribute(now, "54")
    mouse.move(box(bar)["x"] + 4, 400)
    mouse.down()
    mouse.move(800, 400, steps=5)
    mouse.up()
    expect(bar).to_have_attribute(now, "38")
    split.page.reload()
    expect(bar).to_have_attribute(now, "38")
    mouse.move(300, 300)


def test_where_there_is_little_room_it_is_a_further_part(visit: Visit) -> None:
    app = visit(path=SPLIT, viewport=PHONE["viewport"])
    app.framed.is_read()
    expect(app.find("main")).to_be_hidden()
    app.click("Control")
    expect(app.find("#demo")).to_be_hidden()
    app.click("Fail next listV2", "Demo")
    app.framed.failed.says("503")
    assert app.fits()


def test_no_other_page_can_set_it_off(split: Demo) -> None:
    frame = split.page.frames[1]
    before = len(split.lists())
    frame.evaluate("window.postMessage('look again', '*')")  # from itself
    frame.evaluate("new Promise(done => setTimeout(done, 200))")
    assert len(split.lists()) == before


def test_the_header_stays_one_line_and_notices_stay_on_their_side(split: Demo) -> None:
    assert box(split.find("header"))["height"] < 60
    split.click("Fail next listV2")
    split.notice.is_open()
    notice = box(split.notice.root)
    assert notice["x"] + notice["width"] < box(split.find("#demo"))["x"]


@pytest.mark.parametrize("width", [1100, 1280, 1920, 2560, 3840])
def test_both_sides_fit_every_wide_window(visit: Visit, width: int) -> None:
    app = visit(path=SPLIT, viewport={"width": width, "height": 900})
    app.framed.is_read()
    for part in ("Data", "Requests", "Control"):
        app.click(part)
        for selector in ("html", "main", "header"):
            fits = app.page.locator(selector).evaluate(FITS)
            assert fits, (part, selector)
    side = box(app.find("#demo"))
    assert side["width"] == pytest.approx(width / 2, abs=2)
