"""The data as it is edited: what is made, renamed, selected, deleted and taken back."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.e2e.pages import Console, Visit, expect
from tests.support import wait

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
FOUND = re.compile("found")


@pytest.fixture
def small(visit: Visit) -> Any:
    """The console of an app and a dataset."""
    return visit(SMALL)


def collections(console: Console) -> dict[str, dict[str, Any]]:
    """What the dataset holds, by name."""
    found = console.admin("GET", "/datasets/d/collections")["collections"]
    return {each["name"]: each for each in found}


@pytest.mark.parametrize(
    ("kind", "where"), [("New app", "apps"), ("New dataset", "datasets")]
)
def test_apps_and_datasets_are_made(small: Console, kind: str, where: str) -> None:
    small.click(kind)
    small.drawer.add(name="Brand new")
    row = small.button("Brand new")
    expect(row.locator("xpath=..")).to_have_class(FOUND)
    expect(row).to_be_focused()
    found = small.admin("GET", f"/{where}")[where]
    assert [len(it["id"]) for it in found if it["name"] == "Brand new"] == [24]
    small.undo()
    expect(row).to_have_count(0)


def test_names_are_required_where_they_are(small: Console) -> None:
    for button in ("New app", "New dataset", "New collection in Books"):
        small.click(button)
        small.drawer.click("Add")
        assert small.drawer.field("name").evaluate("it => it.validity.valueMissing")
        small.drawer.is_open()
        small.press("Escape")


def test_what_is_opened_while_another_is_added_stays_open(small: Console) -> None:
    small.click("New collection in Books")
    held = small.hold(LISTS)
    with small.page.expect_request(LISTS):
        small.drawer.add(name="Fresh")
    small.click("New app")
    held.let_go()
    expect(small.button("Fresh").locator("xpath=..")).to_have_class(FOUND)
    small.drawer.is_open()


def test_what_is_made_in_a_folder_is_shown_there(small: Console) -> None:
    small.menu("Folder", "New folder")
    small.drawer.add(name="Deeper")
    small.menu("Deeper", "New collection")
    small.drawer.add(name="Deepest")
    expect(small.button("Deepest")).to_be_focused()
    made = collections(small)
    assert made["Deeper"]["parentId"] == "f"
    assert made["Deepest"]["parentId"] == made["Deeper"]["_id"]


def test_an_id_of_ones_own_is_taken(small: Console) -> None:
    small.click("New chat in Help")
    small.drawer.add(chatId="mine", title="My chat")
    expect(small.button("My chat")).to_be_focused()
    assert small.admin("GET", "/apps/help/chats/mine")["title"] == "My chat"
    assert small.refused == [(404, "/__admin/apps/help/chats/mine")]
    small.refused.clear()


@pytest.mark.parametrize(
    ("button", "fields"),
    [
        ("New app", {"id": "help", "name": "Mine"}),
        ("New dataset", {"id": "d", "name": "Mine"}),
        ("New chat in Help", {"chatId": "a", "title": "Mine"}),
        ("New collection in Books", {"_id": "c1", "name": "Mine"}),
    ],
)
def test_an_id_that_is_taken_is_told_and_nothing_is_replaced(
    small: Console, button: str, fields: dict[str, str]
) -> None:
    before = small.state()
    small.click(button)
    small.drawer.add(**fields)
    small.drawer.says(f"The id {next(iter(fields.values()))} is taken.")
    assert small.state() == before


@pytest.mark.parametrize(("title", "where"), [("Help", "apps"), ("Books", "datasets")])
def test_apps_and_datasets_are_edited_and_deleted(
    small: Console, title: str, where: str
) -> None:
    before = small.state()
    small.opens(title).save(name="Other")
    small.menu("Other", "Delete")
    small.lacks("Other")
    assert small.admin("GET", f"/{where}")[where] == []
    small.undo()
    small.shows("Other")
    assert small.state()[where][0] == before[where][0] | {"name": "Other"}
    wait(lambda: small.admin("GET", "/snapshots")["snapshots"] == [])


def test_a_collection_is_renamed_by_its_menu(small: Console) -> None:
    small.menu("Item 2", "Rename")
    small.rename("Second")
    expect(small.button("Second")).to_be_focused()
    small.notice.says("Renamed.")
    assert collections(small)["Second"]["_id"] == "c2"
    small.button("Second").press("F2")
    small.rename("Third", "Escape")
    expect(small.button("Second")).to_be_focused()
    assert "Second" in collections(small)


def test_chats_and_apps_are_renamed_by_key(small: Console) -> None:
    for title, path in (("A", "apps/help/chats/a"), ("Help", "apps/help")):
        small.button(title).press("F2")
        small.rename("Renamed one")
        small.shows("Renamed one")
        record = small.admin("GET", f"/{path}")
        assert record.get("customTitle", record.get("name")) == "Renamed one"
        small.undo()
        small.shows(title)


def test_an_undo_leaves_what_others_have_changed_meanwhile(small: Console) -> None:
    for title, path, fields in (
        ("Books", "datasets/d/collections/new", {"name": "Of a client"}),
        ("Help", "apps/help/chats/new", {"title": "Of a client"}),
        ("Item 1", "datasets/d/collections/c1", {"name": "Renamed one", "tags": ["t"]}),
    ):
        small.button(title).press("F2")
        small.rename("Renamed one")
        small.shows("Renamed one")
        put = small.admin("PUT", f"/{path}", fields)
        small.undo()
        small.shows(title)
        name = {"name": title} if title == "Item 1" else {}
        assert small.admin("GET", f"/{path}") == put | name


def test_what_holds_more_than_a_request_may_is_renamed(visit: Visit) -> None:
    many = {"collections": [{"name": "Item {n}", "repeat": 5_000}]}
    console = visit({"datasets": [{"id": "d", "name": "Books", **many}]})
    console.button("Books").press("F2")
    console.rename("Library")
    console.shows("Library")
    console.undo()
    console.shows("Books")
    assert console.admin("GET", "/datasets")["datasets"][0]["collections"] == 5_000


def test_several_are_selected_disabled_and_that_undone_at_once(small: Console) -> None:
    marks = small.tree.find(".mark:visible")
    small.select("Item 1")
    small.button("Item 3").click(modifiers=["Shift"])
    small.button("Item 5").click(modifiers=["Control"])
    small.bar.says("4 collections selected")
    small.bar.click("Disable")
    expect(marks).to_have_count(4)
    expect(small.bar.root).to_be_hidden()
    small.undo()
    expect(marks).to_have_count(0)
    assert not any(each["forbid"] for each in collections(small).values())


def test_a_range_goes_through_what_is_open(small: Console) -> None:
    small.click("Contents of Folder")
    small.shows("Inside")
    small.select("Item 1")
    small.button("Folder").click(modifiers=["Shift"])
    small.bar.says("3 collections selected")
    small.press("Escape")
    expect(small.bar.root).to_be_hidden()


def test_a_folder_is_deleted_with_others_and_comes_back_whole(small: Console) -> None:
    before = small.admin("GET", "/datasets/d")
    small.select("Folder", "Item 4")
    small.bar.click("Delete", "Confirm deletion")
    small.lacks("Folder", "Item 4")
    assert {*collections(small)} == {"Item 1", "Item 2", "Item 3", "Item 5"}
    small.undo()
    small.shows("Item 4")
    assert small.admin("GET", "/datasets/d") == before


def test_chats_are_pinned_together(small: Console) -> None:
    small.select("A", "B")
    small.bar.says("2 chats selected")
    small.bar.click("Pin")
    small.shows("Pinned A", "Pinned B")
    chats = small.admin("GET", "/apps/help/chats")["chats"]
    assert [each["top"] for each in chats] == [True, True, False]


def test_one_is_counted_as_one(visit: Visit) -> None:
    chats = {"id": "a", "chats": [{"chatId": "c"}]}
    items = {"id": "d", "collections": [{"_id": "i", "name": "Only"}]}
    console = visit({"apps": [chats], "datasets": [items]})
    console.chats.says("1 chat")
    console.collections.says("1 collection")
    for card in (console.chats, console.collections):
        card.never_says("1 chats", "1 collections")


def test_where_there_is_nothing_one_is_told_what_to_do(visit: Visit) -> None:
    console = visit({})
    empty = console.collections.find(".empty")
    expect(empty).to_contain_text("Drop a fixture file here")
    empty.get_by_role("button", name="New dataset").click()
    console.drawer.add(name="First of all")
    expect(console.button("First of all")).to_be_focused()


def test_nothing_of_a_sandbox_stays_when_another_is_looked_at(small: Console) -> None:
    small.admin("POST", "/sandboxes", {"name": "other", "state": {}})
    expect(small.sandbox.locator("option")).to_have_count(2)
    small.select("Item 1")
    found = small.find_in_tree("Item")
    found.says("5 found")
    small.sandbox.select_option("other")
    for gone in (small.bar, found):
        expect(gone.root).to_be_hidden()
    small.collections.says("No datasets yet.")
