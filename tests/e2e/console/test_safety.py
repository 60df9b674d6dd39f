"""Whatever is in a fixture or a request, and whoever asks: the page stays harmless."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from tests.e2e.hostile_names import LONE, NAMES, PAYLOADS, records
from tests.e2e.pages import Console, Visit, expect
from tests.e2e.pages.console import PIN
from tests.e2e.pages.screen import STORED
from tests.e2e.scripts import script
from tests.support import LIST, first

TOKEN = "s3cret-of-admins"
SIZES = first(1, [390, 1280])
NAMED = "#data .branch .branch .link"
OPEN_ALL = script("open_all.js")
SHOW_EACH = script("show_each.js")


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


def test_hostile_names_are_only_text_and_can_be_worked_with(visit: Visit) -> None:
    console = visit(hostile())
    expect(console.tree.lines).to_have_count(len(NAMES) - 1)
    console.is_unharmed("i")
    buttons = console.tree.find(".branch .branch .link")
    for n in range(buttons.count()):
        buttons.nth(n).click()
        console.drawer.is_open()
        console.is_unharmed("i")
        console.press("Escape")
    row = console.tree.find(".row", has_text=NAMES[3])
    row.locator(".link").click()
    console.drawer.field("forbid").check()
    console.drawer.save()
    expect(row.get_by_text("disabled", exact=True)).to_be_visible()
    console.click(f"Pin {NAMES[0]}")
    console.shows(f"Pinned {NAMES[0]}")


def test_hostile_requests_are_only_text(console: Console) -> None:
    headers = {"Content-Type": "<script>window.hit=1</script>", "X-Bad": NAMES[1]}
    for name in NAMES[:6]:
        content = name.encode()
        console.client.post("/<b>x</b>?" + "q" * 3000, content=content, headers=headers)
    expect(console.rows).to_have_count(6)
    for n in range(6):
        console.row_opens(n).root.get_by_text("headers").first.click()
        console.is_unharmed("i")
        console.press("Escape")


def test_the_policy_is_enforced_by_the_browser(console: Console) -> None:
    console.refuses_markup()
    foreign = "fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'blocked')"
    assert console.run(foreign) == "blocked"
    assert any("Content Security Policy" in text for text in console.said)
    console.said.clear()


def test_the_token_comes_from_the_address_and_does_not_stay_there(
    visit: Visit,
) -> None:
    console = visit(token=TOKEN, path=f"/#token={TOKEN}")
    console.shows(PIN)
    console.at("")
    assert not [url for url in console.asked if TOKEN in url.partition("#")[0]]
    assert console.run(STORED) == '[{},{},""]'
    console.page.go_back()
    assert TOKEN not in console.page.url


def test_a_missing_token_is_asked_for(visit: Visit) -> None:
    console = visit(token=TOKEN, path=None)
    console.page.goto(console.server.url + console.home)
    for attempt in ("wrong", TOKEN):
        console.dialog.is_open()
        console.role("textbox", "Admin token", exact=False).fill(attempt)
        console.click("Open")
    console.shows(PIN)
    console.dialog.is_gone()
    assert {status for status, _ in console.refused} == {401}
    console.refused.clear()


def test_a_foreign_page_can_link_to_the_console_but_not_frame_it(visit: Visit) -> None:
    console = visit(path=None)
    page, url = console.page, console.server.url
    page.set_content(f"<iframe src='{url}/__admin/'></iframe>")
    page.wait_for_load_state("networkidle")
    assert console.refused == [(403, "/__admin/")]
    console.refused.clear()
    page.set_content(f"<a href='{url}'>open</a>")
    page.get_by_role("link").click()
    console.shows(PIN)


@pytest.mark.parametrize("width", SIZES)
@pytest.mark.parametrize(
    ("kind", "inside"), [("apps", "chats"), ("datasets", "collections")]
)
def test_no_name_of_many_does_anything(
    visit: Visit, kind: str, inside: str, width: int
) -> None:
    holders = records(size=43)[kind]
    size = {"width": width, "height": 900}
    console = visit({kind: holders}, trap=True, viewport=size)
    console.run(OPEN_ALL)
    count = sum(len(each.get(inside, ())) for each in holders)
    expect(console.find(NAMED)).to_have_count(count)
    console.caught_nothing()
    assert console.opens_each(NAMED) == count >= 100
    console.caught_nothing()
    console.refused.clear()


@pytest.mark.parametrize("width", SIZES)
def test_no_name_that_is_looked_for_does_anything(visit: Visit, width: int) -> None:
    size = {"width": width, "height": 900}
    console = visit(records(size=43), trap=True, viewport=size)
    for text in PAYLOADS[:3]:
        path = f"{quote('<i>d</i>', safe='')}/collections/{quote(text)}"
        console.go(f"#/data/datasets/{path}")
    console.types_each("#data input[type=search]", PAYLOADS)
    console.press("Control+k")
    console.types_each("#palette input", PAYLOADS)
    console.caught_nothing()
    console.refused.clear()


@pytest.mark.parametrize("width", SIZES)
def test_no_request_of_many_does_anything(visit: Visit, width: int) -> None:
    console = visit(trap=True, viewport={"width": width, "height": 900})
    key = {"Authorization": "Bearer other"}
    for text in PAYLOADS:
        short = text[:500].encode()
        body = {"datasetId": text, "searchText": text, text: [text], "offset": 0}
        printed = short.translate(None, bytes(range(32)) + b"\x7f").strip()
        headers: Any = {**key, "X-Bad": printed}
        where = f"/{quote(short)}?{quote(short)}={quote(short)}"
        console.client.post(where, json=body, headers=headers)
        console.client.post(LIST, json=body, headers=headers)
    key["Content-Type"] = "application/json"
    console.client.post(LIST, content=LONE, headers=key)
    total = 2 * len(PAYLOADS) + 1
    if width == 390:
        console.find("nav").get_by_role("button", name="Requests").click()
    console.stream.says(f"{total} requests")
    assert console.run(SHOW_EACH, total) == total
    console.caught_nothing()
    for n in range(1, 40, 4):
        console.go(f"#/requests/compare/{n}/{n + 2}")
        title = console.drawer.find("#drawer-title")
        expect(title).to_have_text(f"#{n} and #{n + 2}")
        expect(console.drawer.find(".differences").first).to_be_visible()
    console.press("Escape")
    console.types_each(".filters input[type=search]", PAYLOADS)
    console.caught_nothing()


def test_no_text_that_is_sent_set_or_dropped_does_anything(visit: Visit) -> None:
    console = visit(records(), trap=True)
    trying = console.trying
    for text in PAYLOADS[::6]:
        console.fault(message=text[:200])
    for text in [*(each[:200] for each in PAYLOADS[::6]), PAYLOADS[0][:10] + "none"]:
        if text.endswith("none"):
            console.admin("DELETE", "/faults")
        trying.field("searchText").fill(text)
        console.press("Enter")
        expect(trying.find(".mark").first).to_be_visible()
    trying.asks_why().is_open()
    console.caught_nothing()
    for text in PAYLOADS[::12]:
        name = f"{text[:60]}.yaml".replace("/", "_").replace("\0", "")
        console.drop(name, f"apps: [{{id: a, name: 3, {quote(text[:80])!r}: 1}}]")
        console.drawer.says("cannot be loaded")
        console.press("Escape")
        console.drawer.is_gone()
    console.caught_nothing()
    assert {status for status, _ in console.refused} <= {400}
    console.refused.clear()


def test_no_name_that_is_chosen_moved_deleted_or_restored_does_anything(
    visit: Visit,
) -> None:
    folders = [{"name": text[:200], "type": "folder"} for text in PAYLOADS[::9]]
    fixture = {"datasets": [{"id": "d", "collections": folders}]}
    console = visit(fixture, trap=True)
    rows = console.tree.find(".branch .branch .row")
    expect(rows).to_have_count(len(folders))
    for n in range(len(folders)):
        more = rows.nth(n).get_by_role("button", name="More for")
        more.click()
        console.role("menuitem", "Move to…").click()
        console.dialog.is_open()
        console.press("Escape")
        more.click()
        for entry in ("Delete", "Confirm deletion"):
            console.role("menuitem", entry).click()
        expect(rows).to_have_count(len(folders) - 1)
        console.click("Undo")
        console.facts.says(f"generation {n + 2}")
        expect(rows).to_have_count(len(folders))
    console.caught_nothing()


def test_a_link_with_the_token_is_taken_in_an_open_tab(visit: Visit) -> None:
    console = visit(token=TOKEN, path=None)
    console.page.goto(console.server.url + console.home)
    console.dialog.is_open()
    console.go(f"token={TOKEN}")
    console.shows(PIN)
    console.dialog.is_gone()
    console.at("")
    console.refused.clear()
