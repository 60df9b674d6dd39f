"""The data as it is edited: what is made, renamed, selected, deleted and taken back."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.console.browsing import Console, Held
from tests.e2e.console.conftest import Visit
from tests.support import wait

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
CHATS, COLLECTIONS = "Apps and their chats", "Datasets and their collections"
CHAT_LIST = [{"chatId": each, "title": each.upper()} for each in "abc"]
ITEMS: list[dict[str, Any]] = [
    {"_id": "f", "name": "Folder", "children": [{"_id": "in", "name": "Inside"}]},
    *({"_id": f"c{n}", "name": f"Item {n}"} for n in range(1, 6)),
]
LISTS = "**/datasets/d/collections?*"
SMALL = {
    "apps": [{"id": "help", "name": "Help", "chats": CHAT_LIST}],
    "datasets": [{"id": "d", "name": "Books", "collections": ITEMS}],
}


@pytest.fixture
def small(visit: Visit) -> Console:
    """The console of an app and a dataset."""
    return visit(SMALL)


def collections(console: Console) -> dict[str, dict[str, Any]]:
    """What the dataset holds, by name."""
    found = console.admin("GET", "/datasets/d/collections")["collections"]
    return {each["name"]: each for each in found}


def choose(console: Console, title: str, entry: str) -> None:
    """An entry of a row's menu; Delete is clicked twice."""
    console.button(f"More for {title}").click()
    menu = console.page.get_by_role("menu")
    menu.get_by_role("menuitem", name=entry, exact=True).click()
    if entry == "Delete":
        menu.get_by_role("menuitem", name="Delete for sure").click()


def fill(console: Console, **fields: str) -> None:
    """Add what the side panel asks for."""
    for name, value in fields.items():
        console.drawer.get_by_label(name, exact=True).fill(value)
    console.drawer.get_by_role("button", name="Add", exact=True).click()


def undo(console: Console) -> None:
    console.button("Undo").click()
    expect(console.page.locator("#notice")).to_contain_text("Undone")


@pytest.mark.parametrize(
    ("kind", "where"), [("New app", "/apps"), ("New dataset", "/datasets")]
)
def test_apps_and_datasets_are_made(small: Console, kind: str, where: str) -> None:
    small.button(kind).click()
    fill(small, name="Brand new")
    row = small.button("Brand new")
    expect(row.locator("xpath=..")).to_have_class(re.compile("found"))
    expect(row).to_be_focused()
    (found,) = [
        each
        for each in small.admin("GET", where)[where[1:]]
        if each["name"] == "Brand new"
    ]
    assert len(found["id"]) == 24
    undo(small)
    expect(row).to_have_count(0)


@pytest.mark.parametrize(
    "button", ["New app", "New dataset", "New collection in Books"]
)
def test_names_are_required_where_they_are(small: Console, button: str) -> None:
    small.button(button).click()
    small.drawer.get_by_role("button", name="Add", exact=True).click()
    name = small.drawer.get_by_label("name", exact=True)
    assert name.evaluate("it => it.validity.valueMissing")
    expect(small.drawer).to_be_visible()


def test_what_is_opened_while_another_is_added_stays_open(small: Console) -> None:
    small.button("New collection in Books").click()
    held = Held(small.page, LISTS)
    with small.page.expect_request(LISTS):
        fill(small, name="Fresh")
    small.button("New app").click()
    held.let_go()
    line = small.button("Fresh").locator("xpath=..")
    expect(line).to_have_class(re.compile("found"))
    expect(small.drawer).to_be_visible()


def test_what_is_made_in_a_folder_is_shown_there(small: Console) -> None:
    choose(small, "Folder", "New folder")
    fill(small, name="Deeper")
    choose(small, "Deeper", "New collection")
    fill(small, name="Deepest")
    expect(small.button("Deepest")).to_be_focused()
    made = collections(small)
    assert made["Deeper"]["parentId"] == "f"
    assert made["Deepest"]["parentId"] == made["Deeper"]["_id"]


def test_an_id_of_ones_own_is_taken(small: Console) -> None:
    small.button("New chat in Help").click()
    fill(small, chatId="mine", title="My chat")
    expect(small.button("My chat")).to_be_focused()
    assert small.admin("GET", "/apps/help/chats/mine")["title"] == "My chat"


@pytest.mark.parametrize(("title", "where"), [("Help", "apps"), ("Books", "datasets")])
def test_apps_and_datasets_are_edited_and_deleted(
    small: Console, title: str, where: str
) -> None:
    before = small.admin("GET", "/state")
    small.button(title).click()
    small.drawer.get_by_label("name", exact=True).fill("Other")
    small.drawer.get_by_role("button", name="Save").click()
    choose(small, "Other", "Delete")
    expect(small.button("Other")).to_have_count(0)
    assert small.admin("GET", f"/{where}")[where] == []
    undo(small)
    expect(small.button("Other")).to_be_visible()
    after = small.admin("GET", "/state")
    assert after[where][0] == before[where][0] | {"name": "Other"}
    wait(lambda: small.admin("GET", "/snapshots")["snapshots"] == [])


def test_a_collection_is_renamed_in_three_clicks(small: Console) -> None:
    page = small.page
    page.evaluate("window.clicks = 0; addEventListener('click', () => clicks++, true)")
    choose(small, "Item 2", "Rename")
    name = page.get_by_label("New name")
    expect(name).to_be_focused()
    name.fill("Second")
    name.press("Enter")
    expect(small.button("Second")).to_be_focused()
    expect(small.page.locator("#notice")).to_contain_text("Renamed.")
    assert collections(small)["Second"]["_id"] == "c2"
    assert page.evaluate("clicks") <= 3


def test_escape_keeps_the_old_name(small: Console) -> None:
    row = small.button("Item 2")
    row.press("F2")
    small.page.get_by_label("New name").fill("Second")
    small.page.get_by_label("New name").press("Escape")
    expect(row).to_be_focused()
    assert "Item 2" in collections(small)


@pytest.mark.parametrize(
    ("title", "path"), [("A", "apps/help/chats/a"), ("Help", "apps/help")]
)
def test_chats_and_apps_are_renamed_by_key(
    small: Console, title: str, path: str
) -> None:
    small.button(title).press("F2")
    small.page.get_by_label("New name").fill("Renamed one")
    small.page.get_by_label("New name").press("Enter")
    expect(small.button("Renamed one")).to_be_visible()
    record = small.admin("GET", f"/{path}")
    assert record.get("customTitle", record.get("name")) == "Renamed one"
    undo(small)
    expect(small.button(title)).to_be_visible()


def test_several_are_selected_disabled_and_that_undone_at_once(small: Console) -> None:
    small.page.get_by_label("Select Item 1").check()
    small.button("Item 3").click(modifiers=["Shift"])
    small.button("Item 5").click(modifiers=["Control"])
    bar = small.page.get_by_role("toolbar", name="Selection")
    expect(bar).to_contain_text("4 collections selected")
    bar.get_by_role("button", name="Disable").click()
    expect(small.page.locator("#datasets .mark:visible")).to_have_count(4)
    expect(bar).to_be_hidden()
    undo(small)
    expect(small.page.locator("#datasets .mark:visible")).to_have_count(0)
    assert not any(each["forbid"] for each in collections(small).values())


def test_a_range_goes_through_what_is_open(small: Console) -> None:
    small.button("Contents of Folder").click()
    expect(small.button("Inside")).to_be_visible()
    small.page.get_by_label("Select Item 1").check()
    small.button("Folder").click(modifiers=["Shift"])
    bar = small.page.get_by_role("toolbar", name="Selection")
    expect(bar).to_contain_text("3 collections selected")
    small.page.keyboard.press("Escape")
    expect(bar).to_be_hidden()


def test_a_folder_is_deleted_with_others_and_comes_back_whole(small: Console) -> None:
    before = small.admin("GET", "/datasets/d")
    small.page.get_by_label("Select Folder").check()
    small.page.get_by_label("Select Item 4").check()
    bar = small.page.get_by_role("toolbar", name="Selection")
    for name in ("Delete", "Delete for sure"):
        bar.get_by_role("button", name=name, exact=True).click()
    for name in ("Folder", "Item 4"):
        expect(small.button(name)).to_have_count(0)
    assert {*collections(small)} == {"Item 1", "Item 2", "Item 3", "Item 5"}
    undo(small)
    expect(small.button("Item 4")).to_be_visible()
    assert small.admin("GET", "/datasets/d") == before


def test_chats_are_pinned_together(small: Console) -> None:
    for title in "AB":
        small.page.get_by_label(f"Select {title}", exact=True).check()
    bar = small.page.get_by_role("toolbar", name="Selection")
    expect(bar).to_contain_text("2 chats selected")
    bar.get_by_role("button", name="Pin", exact=True).click()
    for title in "AB":
        expect(small.button(f"Pinned {title}")).to_be_visible()
    chats = small.admin("GET", "/apps/help/chats")["chats"]
    assert [each["top"] for each in chats] == [True, True, False]


def test_one_is_counted_as_one(visit: Visit) -> None:
    chat, item = {"chatId": "c"}, {"_id": "i", "name": "Only"}
    console = visit(
        {
            "apps": [{"id": "a", "chats": [chat]}],
            "datasets": [{"id": "d", "collections": [item]}],
        }
    )
    expect(console.part(CHATS)).to_contain_text("1 chat")
    expect(console.part(COLLECTIONS)).to_contain_text("1 collection")
    for part in (CHATS, COLLECTIONS):
        expect(console.part(part)).not_to_contain_text("1 chats")
        expect(console.part(part)).not_to_contain_text("1 collections")


def test_where_there_is_nothing_one_is_told_what_to_do(visit: Visit) -> None:
    console = visit({})
    empty = console.part(COLLECTIONS).locator(".empty")
    expect(empty).to_contain_text("Drop a fixture file here")
    empty.get_by_role("button", name="New dataset").click()
    fill(console, name="First of all")
    expect(console.button("First of all")).to_be_focused()


def test_nothing_of_a_sandbox_stays_when_another_is_looked_at(small: Console) -> None:
    small.admin("POST", "/sandboxes", {"name": "other", "state": {}})
    sandbox = small.page.get_by_label("Sandbox")
    expect(sandbox.locator("option")).to_have_count(2)
    small.page.get_by_label("Select Item 1").check()
    small.page.get_by_role("searchbox").first.fill("Item")
    expect(small.page.locator(".found-list")).to_contain_text("5 found")
    sandbox.select_option("other")
    expect(small.page.get_by_role("toolbar", name="Selection")).to_be_hidden()
    expect(small.page.locator(".found-list")).to_be_hidden()
    expect(small.part(COLLECTIONS)).to_contain_text("No datasets yet.")
