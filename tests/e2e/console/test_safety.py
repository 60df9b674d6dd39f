"""Whatever is in a fixture or a request, and whoever asks: the page stays harmless."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.console.browsing import Console
from tests.e2e.console.conftest import Visit
from tests.e2e.hostile_names import (
    CAUGHT,
    LONE,
    NAMES,
    OPEN_EACH,
    PAYLOADS,
    TRAP,
    TYPE_EACH,
    records,
)
from tests.support import LIST, first

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
TOKEN = "s3cret-of-admins"
OPEN_ALL = """() => {
    for (const each of document.querySelectorAll("#data [aria-expanded=false].toggle"))
        each.click();
}"""
DROP = """([type, name, text]) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], name));
    const options = { dataTransfer, bubbles: true, cancelable: true };
    document.querySelector("#stream").dispatchEvent(new DragEvent(type, options));
}"""


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
    expect(row.get_by_text("disabled", exact=True)).to_be_visible()
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


def trapped(visit: Visit, fixture: Any = None, **options: Any) -> Console:
    """The console, with all that must not come to be caught."""
    console = visit(fixture, path=None, **options)
    console.page.add_init_script(TRAP)
    return console.open()


@pytest.mark.parametrize("width", first(1, [390, 1280]))
def test_no_name_of_many_does_anything(visit: Visit, width: int) -> None:
    content = records(size=43)
    console = trapped(visit, content, viewport={"width": width, "height": 900})
    page = console.page
    page.evaluate(OPEN_ALL)
    names = page.locator("#data .branch .branch .link")
    holders = content["apps"] + content["datasets"]
    inside = [each.get("chats") or each.get("collections") or [] for each in holders]
    expect(names).to_have_count(sum(map(len, inside)))
    assert page.evaluate(CAUGHT) == []
    selector = "#data .branch .branch .link"
    opened = page.evaluate(OPEN_EACH, [selector, "#drawer[open]"])
    assert opened >= 200
    assert page.evaluate(CAUGHT) == []
    for text in PAYLOADS[:3]:
        query = f"/datasets/{quote('<i>d</i>', safe='')}/collections/"
        page.evaluate("to => { location.hash = to }", f"#/data{query}{quote(text)}")
    field = "#data input[type=search]"
    page.evaluate(TYPE_EACH, [field, PAYLOADS])
    page.keyboard.press("Control+k")
    page.evaluate(TYPE_EACH, ["#palette input", PAYLOADS])
    assert page.evaluate(CAUGHT) == []
    console.refused.clear()


@pytest.mark.parametrize("width", first(1, [390, 1280]))
def test_no_request_of_many_does_anything(visit: Visit, width: int) -> None:
    console = trapped(visit, viewport={"width": width, "height": 900})
    page = console.page
    for text in PAYLOADS:
        short = text[:500].encode()
        body = {"datasetId": text, "searchText": text, text: [text], "offset": 0}
        printed = short.translate(None, bytes(range(32)) + b"\x7f").strip()
        headers: Any = {"Authorization": "Bearer other", "X-Bad": printed}
        where = f"/{quote(short)}?{quote(short)}={quote(short)}"
        console.client.post(where, json=body, headers=headers)
        console.client.post(LIST, json=body, headers=headers)
    headers = {"Content-Type": "application/json", "Authorization": "Bearer other"}
    console.client.post(LIST, content=LONE, headers=headers)
    total = 2 * len(PAYLOADS) + 1
    if width == 390:
        page.locator("nav").get_by_role("button", name="Requests").click()
    expect(console.part("What clients do")).to_contain_text(f"{total} requests")
    told = page.evaluate(
        """async (total) => {
            const rest = (ms) => new Promise((done) => setTimeout(done, ms));
            const title = document.querySelector("#drawer-title");
            for (let seq = 1; seq <= total; seq++) {
                location.hash = `#/requests/${seq}`;
                const end = performance.now() + 15_000;
                while (!title.textContent.endsWith(`#${seq}`)) {
                    if (performance.now() > end) return seq - 1;
                    await rest(5);
                }
            }
            return total;
        }""",
        total,
    )
    assert told == total
    assert page.evaluate(CAUGHT) == []
    for n in range(1, 40, 4):
        to = f"#/requests/compare/{n}/{n + 2}"
        page.evaluate("to => { location.hash = to }", to)
        title = console.drawer.locator("#drawer-title")
        expect(title).to_have_text(f"#{n} and #{n + 2}")
        expect(console.drawer.locator(".differences").first).to_be_visible()
    page.keyboard.press("Escape")
    page.evaluate(TYPE_EACH, [".filters input[type=search]", PAYLOADS])
    assert page.evaluate(CAUGHT) == []


def test_no_text_that_is_sent_set_or_dropped_does_anything(visit: Visit) -> None:
    console = trapped(visit, records())
    page = console.page
    trying = console.part("Try it")
    for text in PAYLOADS[::6]:
        console.admin("POST", "/faults", {"kind": "error", "message": text[:200]})
    for text in PAYLOADS[::6]:
        trying.get_by_role("textbox", name="searchText").fill(text[:200])
        page.keyboard.press("Enter")
        expect(trying.locator(".mark").first).to_be_visible()
    console.admin("DELETE", "/faults")
    trying.get_by_role("textbox", name="searchText").fill(PAYLOADS[0][:10] + "none")
    page.keyboard.press("Enter")
    console.button("Why is this empty?").click()
    expect(trying.get_by_role("region", name="Why", exact=True)).to_be_visible()
    assert page.evaluate(CAUGHT) == []
    for text in PAYLOADS[::12]:
        name = f"{text[:60]}.yaml".replace("/", "_").replace("\0", "")
        broken = f"apps: [{{id: a, name: 3, {quote(text[:80])!r}: 1}}]"
        page.evaluate(DROP, ["drop", name, broken])
        expect(console.drawer).to_contain_text("cannot be loaded")
        page.keyboard.press("Escape")
        expect(console.drawer).to_have_count(0)
    assert page.evaluate(CAUGHT) == []
    assert {status for status, _ in console.refused} <= {400}
    console.refused.clear()


def test_no_name_that_is_chosen_moved_deleted_or_restored_does_anything(
    visit: Visit,
) -> None:
    folders = [{"name": text[:200], "type": "folder"} for text in PAYLOADS[::9]]
    console = trapped(visit, {"datasets": [{"id": "d", "collections": folders}]})
    page, rows = console.page, console.page.locator("#datasets .branch .branch .row")
    expect(rows).to_have_count(len(folders))
    for n in range(len(folders)):
        more = rows.nth(n).get_by_role("button", name="More for")
        more.click()
        page.get_by_role("menuitem", name="Move to…").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        more.click()
        page.get_by_role("menuitem", name="Delete", exact=True).click()
        page.get_by_role("menuitem", name="Delete for sure").click()
        expect(rows).to_have_count(len(folders) - 1)
        console.button("Undo").click()
        expect(page.locator("#facts")).to_contain_text(f"generation {n + 2}")
        expect(rows).to_have_count(len(folders))
    assert page.evaluate(CAUGHT) == []
