"""The list of requests: long, narrowed, gone through with keys, held."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.console.browsing import Console
from tests.e2e.console.conftest import Visit

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
APP, CHAT = "65d8a1f0c3b2a94e7f106a01", "delivery-late"
DATASET, GUIDES = "6593e137231a2be9c5603ba7", "65b1c0de9d1448617cba7001"
STREAM, LISTED = "What clients do", "List of requests"
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
SEEN = "it => it.getBoundingClientRect().top"


def lists(console: Console, count: int) -> None:
    """Have a client ask so often, each time for another page."""
    for n in range(count):
        console.list(DATASET, offset=n)
    expect(console.part(STREAM)).to_contain_text(f"{count} requests")


def box(console: Console) -> Any:
    """What scrolls."""
    return console.page.get_by_role("region", name=LISTED)


def test_a_row_tells_what_was_asked_by_name(console: Console) -> None:
    console.list(DATASET, parentId=GUIDES, searchText="install")
    row = console.rows.first
    for part in ("list", "Handbook", "Guides", "install", "200", " ms"):
        expect(row).to_contain_text(part)
    console.pin(APP, CHAT)
    expect(console.rows.first).to_contain_text(CHAT)
    console.list(DATASET, parentId=None)
    expect(console.rows.first).to_contain_text("root")


def test_an_id_stays_where_nothing_is_named_so(console: Console) -> None:
    console.list("6593e137231a2be9c5603bff", parentId="65b1c0de9d1448617cba7fff")
    expect(console.rows.first).to_contain_text("6593e137231a2be9c5603bff")
    expect(console.rows.first).to_contain_text("65b1c0de9d1448617cba7fff")


def test_a_click_anywhere_on_a_row_opens_it(console: Console) -> None:
    console.list(DATASET)
    console.rows.first.locator(".number").click()
    expect(console.drawer).to_contain_text("list · #1")


def test_keys_go_through_the_rows(console: Console) -> None:
    lists(console, 40)
    keyboard = console.page.keyboard
    console.rows.first.get_by_role("button").focus()
    current = console.page.locator("#stream tbody tr:focus-within")
    for key, line in [
        ("ArrowDown", 3),
        ("ArrowDown", 4),
        ("ArrowUp", 3),
        ("End", 41),
        ("Home", 2),
    ]:
        keyboard.press(key)
        expect(current).to_have_attribute("aria-rowindex", str(line))
    keyboard.press("PageDown")
    expect(current).not_to_have_attribute("aria-rowindex", "2")
    at = current.get_attribute("aria-rowindex")
    keyboard.press("Enter")
    expect(console.drawer).to_be_visible()
    keyboard.press("Escape")
    expect(current).to_have_attribute("aria-rowindex", at or "")
    expect(current.get_by_role("button")).to_be_focused()


def test_what_is_looked_at_stays_when_more_come(console: Console) -> None:
    lists(console, 60)
    expect(console.rows.first).to_contain_text("Handbook")
    box(console).evaluate("it => it.scrollTop = 900")
    row = console.page.locator('#stream [data-seq="30"]')
    before = row.evaluate(SEEN)
    for _ in range(12):
        console.list(DATASET)
    pill = console.button("12 new", STREAM)
    expect(pill).to_be_visible()
    assert row.evaluate(SEEN) == pytest.approx(before, abs=1)
    pill.click()
    expect(pill).to_have_count(0)
    expect(console.rows.first).to_have_attribute("data-seq", "72")


def test_a_pause_counts_what_comes_meanwhile(console: Console) -> None:
    lists(console, 2)
    console.button("Pause", STREAM).click()
    for _ in range(3):
        console.list(DATASET)
    expect(console.part(STREAM)).to_contain_text("3 more since")
    expect(console.rows).to_have_count(2)
    console.button("Continue", STREAM).click()
    expect(console.rows).to_have_count(5)
    expect(console.part(STREAM)).not_to_contain_text("more since")


def mixed(console: Console) -> None:
    """Have requests of many kinds."""
    console.admin("POST", "/faults", {"kind": "malformed_json", "times": 1})
    console.list(DATASET)
    console.list(DATASET, searchText="needle", key="another")
    console.list(DATASET, pageSize=99)
    console.pin(APP, CHAT)
    console.client.get("/api/nothing/here")
    expect(console.rows).to_have_count(5)


@pytest.mark.parametrize(
    ("label", "value", "left"),
    [
        ("Operation", "updateHistory", ["4"]),
        ("Operation", "\0", ["5"]),
        ("Status", "4xx", ["5", "3"]),
        ("Status", "404", ["5"]),
    ],
)
def test_one_of_many_values_is_filtered_by(
    console: Console, label: str, value: str, left: list[str]
) -> None:
    mixed(console)
    console.part(STREAM).get_by_label(label, exact=True).select_option(value)
    expect(console.rows).to_have_count(len(left))
    numbers = [each.get_attribute("data-seq") for each in console.rows.all()]
    assert numbers == left


def test_a_key_is_filtered_by(console: Console) -> None:
    mixed(console)
    entry = console.admin("GET", "/journal")["entries"][1]
    console.part(STREAM).get_by_label("Key", exact=True).select_option(entry["key"])
    expect(console.rows).to_have_count(1)
    expect(console.rows).to_contain_text("needle")


@pytest.mark.parametrize(
    ("name", "left"), [("Violations", ["5", "3"]), ("Faulted", ["1"])]
)
def test_a_kind_of_requests_is_filtered_by(
    console: Console, name: str, left: list[str]
) -> None:
    mixed(console)
    console.button(name, STREAM).click()
    expect(console.rows).to_have_count(len(left))
    numbers = [each.get_attribute("data-seq") for each in console.rows.all()]
    assert numbers == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("needle", ["2"]),
        ("NOTHING/here", ["5"]),
        ("malformed", ["1"]),
        ("page_size list", ["3"]),
    ],
)
def test_a_text_is_searched_in_all_that_is_known(
    console: Console, text: str, left: list[str]
) -> None:
    mixed(console)
    console.part(STREAM).get_by_role("searchbox").fill(text)
    expect(console.rows).to_have_count(len(left))
    assert console.rows.first.get_attribute("data-seq") == left[0]


def test_filters_are_counted_survive_news_and_go_at_one_click(console: Console) -> None:
    mixed(console)
    console.button("Violations", STREAM).click()
    expect(console.part(STREAM)).to_contain_text("2 of 5")
    console.list(DATASET, pageSize=99)
    expect(console.part(STREAM)).to_contain_text("3 of 6")
    console.button("Clear filters", STREAM).click()
    expect(console.rows).to_have_count(6)
    expect(console.part(STREAM)).not_to_contain_text("of 6")


def test_nothing_that_matches_is_said_and_undone_there(console: Console) -> None:
    mixed(console)
    search = console.part(STREAM).get_by_role("searchbox")
    search.fill("no such thing anywhere")
    expect(console.part(STREAM)).to_contain_text("Nothing matches these filters.")
    console.page.locator(".window").get_by_role("button", name="Clear filters").click()
    expect(console.rows).to_have_count(5)


def test_an_empty_list_shows_how_to_fill_it(visit: Visit) -> None:
    console = visit(permissions=["clipboard-read", "clipboard-write"])
    expect(console.part(STREAM)).to_contain_text("Or from a terminal:")
    console.part(STREAM).get_by_role("button", name="Copy the command").click()
    expect(console.part(STREAM).get_by_text("Copied")).to_be_visible()
    command = console.page.evaluate("navigator.clipboard.readText()")
    assert command.startswith("curl ")
    assert DATASET in command


def test_a_phone_has_two_lines_a_row(visit: Visit) -> None:
    console = visit(**PHONE)
    console.button("Requests").click()
    console.list(DATASET, searchText="install", pageSize=99)
    row = console.rows.first
    tops = [row.locator(f".{each}").evaluate(SEEN) for each in ("what", "time")]
    assert tops[1] > tops[0] + 15
    for part in ("time", "key", "status", "number", "marks", "why"):
        expect(row.locator(f".{part}")).to_be_visible()
    assert console.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_of_ten_thousand_requests_few_are_rows(visit: Visit) -> None:
    console = visit(path=None)
    for n in range(10_000):
        console.list(DATASET, offset=n, searchText=f"word{n}")
    console.open()
    table = console.page.get_by_role("table", name=LISTED)
    expect(table).to_have_attribute("aria-rowcount", "10001", timeout=60_000)
    search = console.part(STREAM).get_by_role("searchbox")
    search.press_sequentially("word77")
    expect(console.part(STREAM)).to_contain_text("111 of 10,000")
    console.button("Clear filters", STREAM).click()
    for top in range(0, 340_000, 20_000):
        box(console).evaluate(f"it => it.scrollTop = {top}")
        expect(console.rows.first).to_be_attached()
    assert console.rows.count() < 60
