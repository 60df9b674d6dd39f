"""Whatever is in a fixture or a request, and whoever asks: the page stays harmless."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.console.browsing import Console
from tests.e2e.console.conftest import Visit

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
TOKEN = "s3cret-of-admins"
NAMES = [
    "<script>window.hit = 1</script>",
    "<img src=x onerror='window.hit = 1'>",
    "<style>*{display:none}</style>",
    "'\"><b>bold</b>",
    "javascript:window.hit=1",
    "\u202egnp.exe\u202d \u05e9\u05dc\u05d5\u05dd",
    "Z\u0361\u0361\u0361a\u0334\u0334lgo " * 20,
    "x" * 10_000,
    "w " * 5_000,
    "\u0000\u001b[31m\u2028\u2029",
    "   ",
    "__proto__",
    "constructor",
]


def hostile() -> dict[str, Any]:
    """A fixture in which everything is named badly."""
    chats = [{"chatId": f"c{n}", "title": name} for n, name in enumerate(NAMES)]
    records = [
        {"_id": name[:256], "name": name, "type": name[:300], "tags": [name[:99]]}
        for name in NAMES
        if name.strip()
    ]
    return {
        "apps": [{"id": "<i>app</i>", "name": NAMES[0], "chats": chats}],
        "datasets": [{"id": "../..", "name": NAMES[1], "collections": records}],
    }


def is_unharmed(console: Console) -> None:
    """Nothing has run, and nothing was made of text but text."""
    page = console.page
    assert page.evaluate("window.hit") is None
    assert page.locator("script").count() == 1
    for tag in ("i", "style", "body img:not(h1 img)"):
        assert page.locator(tag).count() == 0
    width = "document.documentElement.scrollWidth <= innerWidth"
    assert page.evaluate(width)


def test_hostile_names_are_only_text(visit: Visit) -> None:
    console = visit(hostile())
    expect(console.page.locator("#datasets .branch .branch li")).to_have_count(
        len(NAMES) - 1
    )
    is_unharmed(console)
    buttons = console.page.locator("#datasets .branch .branch .link")
    for n in range(buttons.count()):
        buttons.nth(n).click()
        expect(console.drawer).to_be_visible()
        is_unharmed(console)
        console.page.keyboard.press("Escape")


def test_what_is_named_badly_can_be_worked_with(visit: Visit) -> None:
    console = visit(hostile())
    row = console.page.locator("#datasets .row", has_text=NAMES[3])
    row.locator(".link").click()
    console.drawer.get_by_label("forbid").check()
    console.drawer.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("disabled")
    toggle = console.button(f"Pin {NAMES[0]}")
    toggle.click()
    expect(console.button(f"Pinned {NAMES[0]}")).to_be_visible()


def test_hostile_requests_are_only_text(console: Console) -> None:
    headers = {"Content-Type": "<script>window.hit=1</script>", "X-Bad": NAMES[1]}
    for name in NAMES[:6]:
        content = name.encode()
        console.client.post("/<b>x</b>?" + "q" * 3000, content=content, headers=headers)
    expect(console.rows).to_have_count(6)
    for n in range(6):
        console.rows.nth(n).get_by_role("button").click()
        console.drawer.get_by_text("headers").first.click()
        is_unharmed(console)
        console.page.keyboard.press("Escape")


def test_the_policy_is_enforced_by_the_browser(console: Console) -> None:
    markup = "document.body.innerHTML = '<b>x</b>'"
    with pytest.raises(Exception, match="TrustedHTML"):
        console.page.evaluate(markup)
    foreign = "fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'blocked')"
    assert console.page.evaluate(foreign) == "blocked"
    assert any("Content Security Policy" in text for text in console.said)
    console.said.clear()


def test_the_token_comes_from_the_address_and_does_not_stay_there(
    visit: Visit,
) -> None:
    console = visit(token=TOKEN, path=f"/#token={TOKEN}")
    expect(console.button("Pin Where is my parcel?")).to_be_visible()
    page = console.page
    assert page.url == console.server.url + "/__admin/"
    assert not [url for url in console.asked if TOKEN in url.partition("#")[0]]
    stored = "JSON.stringify([localStorage, sessionStorage, document.cookie])"
    assert page.evaluate(stored) == '[{},{},""]'
    page.go_back()
    assert TOKEN not in page.url


def test_a_missing_token_is_asked_for(visit: Visit) -> None:
    console = visit(token=TOKEN, path=None)
    page = console.page
    page.goto(console.server.url + "/__admin/")
    for attempt in ("wrong", TOKEN):
        expect(page.get_by_role("dialog")).to_be_visible()
        page.get_by_role("textbox", name="Admin token").fill(attempt)
        page.get_by_role("button", name="Open").click()
    expect(console.button("Pin Where is my parcel?")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert {status for status, _ in console.refused} == {401}
    console.refused.clear()


def test_a_link_on_a_foreign_page_opens_the_console(visit: Visit) -> None:
    console = visit(path=None)
    page = console.page
    page.set_content(f"<a href='{console.server.url}'>open</a>")
    page.get_by_role("link").click()
    expect(console.button("Pin Where is my parcel?")).to_be_visible()


def test_no_page_can_frame_the_console(visit: Visit) -> None:
    console = visit(path=None)
    page = console.page
    page.set_content(f"<iframe src='{console.server.url}/__admin/'></iframe>")
    page.wait_for_load_state("networkidle")
    assert console.refused == [(403, "/__admin/")]
    console.refused.clear()
