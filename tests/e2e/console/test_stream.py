"""The list of requests, live: long, narrowed, gone through with keys, held."""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.console.frames import fill, message
from tests.e2e.pages import Console, Visit, expect
from tests.e2e.pages.console import PINNED
from tests.e2e.pages.screen import APP, CLIPBOARD, GUIDES, HANDBOOK, PARCEL, PHONE
from tests.support import LIST

if TYPE_CHECKING:
    from playwright.sync_api import Route

SEEN = "it => it.getBoundingClientRect().top"


def lists(console: Console, many: int) -> None:
    """Have a client ask so often, each time for another page."""
    for n in range(many):
        console.list(offset=n)
    console.stream.says(f"{many} requests")


def first_says(console: Console, *texts: str) -> None:
    """Claim what the latest request tells."""
    for each in texts:
        expect(console.rows.first).to_contain_text(each)


def test_requests_are_listed_as_they_come(console: Console) -> None:
    console.stream.says("Nothing yet.")
    console.pin()
    first_says(console, "updateHistory", "200", PARCEL)
    console.list(pageSize=99)
    expect(console.rows).to_have_count(2)
    key = console.entries()[1]["key"]
    first_says(console, "400", "1 violation", key)
    console.list(parentId=GUIDES, searchText="install")
    first_says(console, "listV2", "Handbook", "Guides", "install", "200", " ms")
    console.list(parentId=None)
    first_says(console, "root")
    odd = "6593e137231a2be9c5603bff", "65b1c0de9d1448617cba7fff"
    console.list(odd[0], parentId=odd[1])  # nothing is named so
    first_says(console, "6593e137…603bff", "65b1c0de…ba7fff")
    expect(console.rows.first.get_by_title(odd[1])).to_be_visible()
    console.fault("malformed_json")
    console.list()
    mark = console.rows.first.locator(".mark.fault")
    expect(mark).to_have_text("malformed_json")
    console.rows.first.locator(".time").click()  # anywhere on the row
    console.drawer.says("listV2 · #6")


def test_names_stay_until_they_are_read_again(console: Console) -> None:
    console.list(parentId=GUIDES)
    first_says(console, "Handbook", "Guides")
    held: list[Route] = []
    console.page.route(
        re.compile(f"/collections/{GUIDES}$"), lambda route: held.append(route)
    )
    with console.page.expect_request(re.compile(f"/collections/{GUIDES}$")):
        folder = {"type": "folder", "name": "Manuals"}
        console.admin("PUT", f"/datasets/{HANDBOOK}/collections/{GUIDES}", folder)
    first_says(console, "Handbook", "Guides")
    held[0].continue_()
    first_says(console, "Handbook", "Manuals")


def test_what_was_before_the_page_is_listed_too(visit: Visit) -> None:
    console = visit(path=None)
    for _ in range(3):
        console.list()
    console.open().stream.lists(3, 2, 1)
    console.stream.says("3 requests")


def test_a_journal_that_others_empty_is_empty_here(console: Console) -> None:
    console.list()
    console.stream.lists(1)
    console.admin("DELETE", "/journal")
    console.stream.lists()
    console.list()
    expect(console.rows).to_have_count(1)
    console.stream.click("Clear")
    console.stream.lists()
    assert console.admin("GET", "/journal")["kept"] == 0


def test_the_page_reads_again_only_what_a_request_has_changed(console: Console) -> None:
    console.list()
    console.stream.says("1 request")
    console.pin()
    console.shows(PINNED)
    read = console.read()
    for name in ("sandboxes", "faults", "clock", "choices"):
        assert read[f"/__admin/{name}"] == 1
    assert read["/__admin/snapshots"] == 0  # folded
    assert read[f"/__admin/apps/{APP}/chats"] > 1


def test_a_flood_of_requests_is_listed_and_few_rows_are_drawn(console: Console) -> None:
    lists(console, 300)
    console.stream.has(300)
    assert console.rows.count() < 60
    body = console.row_opens().part("region", "Request's body")
    body.says('"offset": 299')


def test_keys_go_through_the_rows(console: Console) -> None:
    lists(console, 40)
    console.rows.first.get_by_role("button").focus()
    current, line = console.find("#stream tbody tr:focus-within"), "aria-rowindex"
    for key, at in zip(
        ("ArrowDown", "ArrowDown", "ArrowUp", "End", "Home"),
        (3, 4, 3, 41, 2),
        strict=True,
    ):
        console.press(key)
        expect(current).to_have_attribute(line, str(at))
    console.press("PageDown")
    expect(current).not_to_have_attribute(line, "2")
    place = current.get_attribute(line)
    console.press("Enter")
    console.drawer.is_open()
    console.press("Escape")
    expect(current).to_have_attribute(line, place)
    expect(current.get_by_role("button")).to_be_focused()


def test_what_is_looked_at_stays_when_more_come(console: Console) -> None:
    lists(console, 60)
    first_says(console, "Handbook")
    console.stream.scroll(900)
    row = console.stream.row(30)
    before = row.evaluate(SEEN)
    for _ in range(12):
        console.list()
    console.stream.shows("12 new")
    assert row.evaluate(SEEN) == pytest.approx(before, abs=1)
    console.stream.click("12 new")
    console.stream.lacks("12 new")
    expect(console.rows.first).to_have_attribute("data-seq", "72")


def test_a_pause_holds_the_list_and_loses_nothing(console: Console) -> None:
    lists(console, 2)
    console.stream.click("Pause")
    for _ in range(3):
        console.list()
    console.stream.says("3 more since", "5 requests")
    console.stream.lists(2, 1)
    console.stream.click("Continue")
    console.stream.lists(5, 4, 3, 2, 1)
    console.stream.never_says("more since")


@pytest.fixture
def mixed(console: Console) -> Console:
    """The console of requests of many kinds."""
    console.fault("malformed_json", times=1)
    console.list()
    console.list(searchText="needle", key="another")
    console.list(pageSize=99)
    console.pin()
    console.client.get("/api/nothing/here")
    expect(console.rows).to_have_count(5)
    return console


def test_requests_are_filtered_by_value_kind_and_text(mixed: Console) -> None:
    stream, key = mixed.stream, mixed.entries()[1]["key"]
    for label, value, left in (
        ("Operation", "updateHistory", [4]),
        ("Operation", "\0", [5]),
        ("Status", "4xx", [5, 3]),
        ("Status", "404", [5]),
        ("Key", key, [2]),
        ("", "Violations", [5, 3]),
        ("", "Faulted", [1]),
        ("Search", "needle", [2]),
        ("Search", "NOTHING/here", [5]),
        ("Search", "malformed", [1]),
        ("Search", "page_size list", [3]),
    ):
        if label == "Search":
            stream.search.fill(value)
        elif label:
            stream.field(label).select_option(value)
        else:
            stream.click(value)
        stream.lists(*left)
        stream.click("Clear filters")
        stream.lists(5, 4, 3, 2, 1)


def test_filters_are_counted_survive_news_and_go_at_one_click(mixed: Console) -> None:
    mixed.stream.click("Violations")
    mixed.stream.says("2 of 5")
    mixed.list(pageSize=99)
    mixed.stream.says("3 of 6")
    mixed.stream.click("Clear filters")
    expect(mixed.rows).to_have_count(6)
    mixed.stream.never_says("of 6")
    mixed.stream.search.fill("no such thing anywhere")
    mixed.stream.says("No requests match these filters.")
    mixed.find(".window").get_by_role("button", name="Clear filters").click()
    expect(mixed.rows).to_have_count(6)


def test_an_empty_list_shows_how_to_fill_it(visit: Visit) -> None:
    console = visit(permissions=CLIPBOARD)
    console.stream.says("Or from a terminal:")
    console.stream.click("Copy the command")
    console.stream.says("Copied")
    assert console.clipboard().startswith("curl ")
    assert HANDBOOK in console.clipboard()


def test_a_phone_has_two_lines_a_row(visit: Visit) -> None:
    console = visit(**PHONE)
    console.click("Requests")
    console.list(searchText="install", pageSize=99)
    row = console.rows.first
    what, time = (row.locator(f".{each}").evaluate(SEEN) for each in ("what", "time"))
    assert time > what + 15
    for part in ("time", "key", "status", "number", "marks", "why"):
        expect(row.locator(f".{part}")).to_be_visible()
    assert console.fits()


def test_of_ten_thousand_requests_few_are_rows(visit: Visit) -> None:
    console: Any = visit(path=None)
    body = {"datasetId": HANDBOOK}
    words = (body | {"offset": n, "searchText": f"word{n}"} for n in count())
    fill(console.server.url, 10_000, lambda _: message("POST", LIST, next(words)))
    console.open().stream.has(10_000)
    console.stream.search.press_sequentially("word77")
    console.stream.says("111 of 10,000")
    console.stream.click("Clear filters")
    for top in range(0, 340_000, 20_000):
        console.stream.scroll(top)
        expect(console.rows.first).to_be_attached()
    assert console.rows.count() < 60
