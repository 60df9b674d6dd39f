"""The demo beside the console: what is set here is seen there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.demo.browsing import APP, HANDBOOK, PARCEL, App
from tests.e2e.demo.conftest import Visit
from tests.support import wait

if TYPE_CHECKING:
    from playwright.sync_api import FrameLocator

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
SPLIT = "/__admin/#/demo"


@pytest.fixture
def split(visit: Visit) -> App:
    """The console, with the demo beside it."""
    app = visit(path=SPLIT)
    app.page.locator("#live.on").wait_for()
    expect(demo(app).locator(".articles > li")).to_have_count(8)
    expect(demo(app).locator(".talks > li")).to_have_count(7)
    return app


def demo(app: App) -> FrameLocator:
    """The demo in its frame."""
    return app.page.frame_locator("#demo iframe")


def test_a_fault_is_seen_the_moment_it_is_added(split: App) -> None:
    split.button("Fail next list").click()
    failed = demo(split).locator(".failed")
    expect(failed).to_contain_text("The service has a problem (503)")
    failed.get_by_role("button", name="Retry").click()
    expect(demo(split).locator(".articles > li")).to_have_count(8)


def test_what_is_edited_or_reset_is_seen_too(split: App) -> None:
    chat = f"/apps/{APP}/chats/delivery-late"
    split.admin("PUT", chat, {"title": "Lost parcel", "top": True})
    expect(demo(split).locator(".talks")).to_contain_text("Lost parcel")
    split.button("Reset").click()
    expect(demo(split).locator(".talks")).to_contain_text(PARCEL)
    expect(demo(split).locator(".talks")).not_to_contain_text("Lost parcel")


def test_what_the_demo_does_is_seen_in_the_console(split: App) -> None:
    split.button("Data").click()
    demo(split).get_by_role("button", name=f"Pin {PARCEL}", exact=True).click()
    expect(split.button(f"Pinned {PARCEL}")).to_be_visible()


def test_its_own_requests_do_not_set_it_off_again(split: App) -> None:
    split.admin("DELETE", "/journal")
    wait(split.lists)  # that something has been done sets it off too
    split.button("Fail next list").click()
    expect(demo(split).locator(".failed")).to_be_visible()
    split.page.wait_for_function(
        "fetch('/__admin/journal').then(it => it.json()).then(it => it.total >= 3)"
    )
    demo(split).get_by_role("button", name="Reload", exact=True).click()
    expect(demo(split).locator(".articles > li")).to_have_count(8)
    sent = [each["operation"] for each in split.admin("GET", "/journal")["entries"]]
    assert sent.count("listV2") <= 3


def test_it_looks_into_the_sandbox_that_the_console_looks_at(split: App) -> None:
    split.admin("POST", "/sandboxes", {"name": "mine"})
    split.admin("PUT", f"/sandboxes/mine/apps/{APP}/chats/new", {"title": "Only mine"})
    split.page.get_by_label("Sandbox").select_option("mine")
    expect(demo(split).locator(".talks")).to_contain_text("Only mine")
    split.page.get_by_label("Sandbox").select_option("default")
    expect(demo(split).locator(".talks")).not_to_contain_text("Only mine")


def test_it_shows_the_apps_of_any_fixture(visit: Visit) -> None:
    chats = [{"chatId": "c", "title": "Of my own"}]
    keys = [
        {"key": "reader", "permission": "read"},
        {"key": "boss", "permission": "owner"},
    ]
    app = visit(
        {"keys": keys, "apps": [{"id": "my-app", "name": "Mine", "chats": chats}]},
        path=SPLIT,
    )
    expect(demo(app).locator(".talks > li")).to_contain_text("Of my own")
    expect(demo(app).get_by_label("App", exact=True)).to_contain_text("Mine")


def test_the_switch_opens_and_closes_it(visit: Visit) -> None:
    app = visit(path="/__admin/")
    app.page.locator("#live.on").wait_for()
    app.button("Demo").first.click()
    expect(demo(app).locator(".articles > li")).to_have_count(8)
    assert app.page.url.endswith("#/demo")
    app.button("Demo").first.click()
    expect(app.page.locator("iframe")).to_have_count(0)
    assert "#" not in app.page.url
    app.page.go_back()
    expect(app.page.locator("iframe")).to_have_count(0)


def test_without_the_demo_there_is_no_switch(visit: Visit) -> None:
    app = visit(path=SPLIT, demo=False)
    app.page.locator("#live.on").wait_for()
    expect(app.button("Demo")).to_have_count(0)
    expect(app.page.locator("iframe")).to_have_count(0)


def test_the_divider_is_moved_by_keys_and_by_dragging(split: App) -> None:
    bar = split.page.get_by_role("separator")
    bar.press("ArrowLeft")
    expect(bar).to_have_attribute("aria-valuenow", "54")
    box = bar.bounding_box()
    assert box is not None
    split.page.mouse.move(box["x"] + 4, 400)
    split.page.mouse.down()
    split.page.mouse.move(800, 400, steps=5)
    split.page.mouse.up()
    expect(bar).to_have_attribute("aria-valuenow", "38")
    split.page.reload()
    expect(bar).to_have_attribute("aria-valuenow", "38")
    split.page.mouse.move(300, 300)


def test_where_there_is_little_room_it_is_a_further_part(visit: Visit) -> None:
    app = visit(path=SPLIT, viewport={"width": 390, "height": 844})
    expect(demo(app).locator(".articles > li")).to_have_count(8)
    expect(app.page.locator("main")).to_be_hidden()
    app.button("Control").click()
    expect(app.page.locator("#demo")).to_be_hidden()
    app.button("Fail next list").click()
    app.button("Demo").click()
    expect(demo(app).locator(".failed")).to_contain_text("503")
    assert app.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_deep_link_of_the_console_leaves_it_open(split: App) -> None:
    split.page.evaluate("location.hash = '#/requests'")
    expect(split.page.locator("#stream")).to_be_visible()
    split.list(HANDBOOK)
    expect(demo(split).locator(".articles > li")).to_have_count(8)


def test_no_other_page_can_set_it_off(split: App) -> None:
    frame = split.page.frames[1]
    before = len(split.lists())
    frame.evaluate("window.postMessage('look again', '*')")  # from itself
    frame.evaluate("new Promise(done => setTimeout(done, 200))")
    assert len(split.lists()) == before


def test_the_header_stays_one_line_and_notices_stay_on_their_side(split: App) -> None:
    header = split.page.locator("header").bounding_box()
    assert header is not None
    assert header["height"] < 60
    split.button("Fail next list").click()
    expect(split.page.locator("#notice")).to_be_visible()
    notice = split.page.locator("#notice").bounding_box()
    side = split.page.locator("#demo").bounding_box()
    assert notice is not None
    assert side is not None
    assert notice["x"] + notice["width"] < side["x"]


@pytest.mark.parametrize("width", [1100, 1280, 1920, 2560, 3840])
def test_both_sides_fit_every_wide_window(visit: Visit, width: int) -> None:
    app = visit(path=SPLIT, viewport={"width": width, "height": 900})
    expect(demo(app).locator(".articles > li")).to_have_count(8)
    for part in ("Data", "Requests", "Control"):
        app.button(part).click()
        for selector in ("html", "main", "header"):
            fits = "it => it.scrollWidth <= it.clientWidth"
            assert app.page.locator(selector).evaluate(fits), (part, selector)
    side = app.page.locator("#demo").bounding_box()
    assert side is not None
    assert side["width"] == pytest.approx(width / 2, abs=2)
