"""Whatever the data says, it stays text."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.demo.browsing import App
from tests.e2e.demo.conftest import Visit
from tests.e2e.hostile_names import CAUGHT, NAMES, PAYLOADS, TRAP, TYPE_EACH, records

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
SHOWN = [name for name in NAMES if name.strip()]


def hostile() -> dict[str, Any]:
    """A fixture in which everything is named badly."""
    said = [{"obj": "Human", "text": name} for name in SHOWN]
    chats = [
        {"chatId": f"c{n}", "title": name, "customTitle": name, "records": said}
        for n, name in enumerate(NAMES)
    ]
    records = [
        {"name": name, "type": name[:300], "tags": [name[:99]]} for name in SHOWN
    ]
    folder = {"name": NAMES[1], "type": "folder", "updateTime": "2099-01-01T00:00:00Z"}
    return {
        "apps": [{"id": "<i>a</i>", "name": NAMES[0], "chats": chats}],
        "datasets": [{"id": "d", "name": NAMES[1], "collections": [*records, folder]}],
    }


def is_unharmed(app: App) -> None:
    """Nothing has run, nothing was made of text but text, and nothing sticks out."""
    page = app.page
    assert page.evaluate("window.hit") is None
    assert page.locator("script").count() == 1
    for tag in ("body i:not(.skeleton i)", "style", "body img:not(h1 img)", "main a"):
        assert page.locator(tag).count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [1280, 320])
def test_hostile_names_are_only_text(visit: Visit, width: int) -> None:
    size = {"width": width, "height": 800}
    app = visit(hostile(), path="/demo/#apps=<i>a</i>", viewport=size)
    expect(app.articles).to_have_count(10)
    is_unharmed(app)
    app.button("Next").click()
    expect(app.articles).to_have_count(len(SHOWN) + 1 - 10)
    is_unharmed(app)
    app.button("Previous").click()
    app.folder(NAMES[1])
    is_unharmed(app)
    app.search("<i>none</i>")
    expect(app.part("Library")).to_contain_text("No article or tag has “<i>none</i>”")
    is_unharmed(app)


@pytest.mark.parametrize("width", [1280, 320])
def test_no_name_of_many_does_anything(visit: Visit, width: int) -> None:
    size = {"width": width, "height": 800}
    one = {name: every[:1] for name, every in records().items()}
    app = visit(one, path=None, viewport=size)
    app.page.add_init_script(TRAP)
    app.open("/demo/#apps=<i>app</i>")
    seen = 0
    while True:
        expect(app.articles.first).to_be_visible()
        seen += app.articles.count()
        if app.button("Next").is_disabled():
            break
        first = app.articles.first.inner_text()
        app.button("Next").click()
        expect(app.articles.first).not_to_have_text(first)
        app.rest()
    assert seen == len(one["datasets"][0]["collections"])
    app.page.evaluate(TYPE_EACH, ["#library [type=search]", PAYLOADS])
    app.rest()
    if width == 320:
        app.page.locator("#tabs").get_by_role("button", name="Conversations").click()
    for n in range(app.talks.count()):
        app.talks.nth(n).locator(".name").click()
        app.button("All conversations").click()
    assert app.page.evaluate(CAUGHT) == []


def test_hostile_chats_are_only_text(visit: Visit) -> None:
    app = visit(hostile(), path="/demo/#apps=<i>a</i>")
    expect(app.talks).to_have_count(len(NAMES))
    app.talk(NAMES[2]).click()
    expect(app.page.locator(".messages li")).to_have_count(len(SHOWN))
    is_unharmed(app)
    app.button("All conversations").click()
    app.button(f"Rename {NAMES[0]}").press("Enter")
    app.page.get_by_label("New name").press("Enter")
    app.button(f"Pin {NAMES[1]}").click()
    app.button(f"Delete {NAMES[1]}").press("Enter")
    expect(app.page.get_by_role("dialog")).to_contain_text("<img")
    is_unharmed(app)


def test_hostile_messages_are_only_text(app: App) -> None:
    for name in NAMES[:3]:
        app.fault("error", operation="listV2", message=name)
        app.button("Reload").click()
        expect(app.failed).to_contain_text(name)
        is_unharmed(app)
    app.fault("error", operation="updateHistory", message=NAMES[1])
    app.page.locator(".pin").first.click()
    expect(app.page.locator("#toast")).to_contain_text("<img")
    is_unharmed(app)


def test_the_policy_is_enforced_by_the_browser(app: App) -> None:
    with pytest.raises(Exception, match="TrustedHTML"):
        app.page.evaluate("document.body.innerHTML = '<b>x</b>'")
    app.said.clear()


def test_another_site_cannot_frame_it(visit: Visit) -> None:
    app = visit(path=None)
    url = app.server.url.replace("127.0.0.1", "localhost")
    app.page.goto(f"{app.server.url}/openapi.json")
    with app.page.expect_event("console", lambda it: "frame-ancestors" in it.text):
        app.page.evaluate(
            "url => { const it = document.createElement('iframe'); it.src = url;"
            " document.body.append(it); }",
            f"{url}/demo/",
        )
    app.said.clear()
    app.asked = [app.server.url]
