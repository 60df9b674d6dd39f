"""The tree as one moves in it, by mouse, keys, search and address."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.pages import Console, Visit, expect
from tests.e2e.pages.screen import CLIPBOARD, DARK, PHONE


def items(**named: Any) -> list[dict[str, Any]]:
    """Collections by their ids: a name, and of folders what is in them."""
    return [
        {"_id": id_, "name": name} | ({"children": rest[0]} if rest else {})
        for id_, (name, *rest) in named.items()
    ]


SUB = items(**{"in": ("Inside",), "sub": ("Sub", items(x=("Deep",)))})
BOOKS = items(f=("Folder", SUB), g=("Goal", []), one=("One",), two=("Two",))
HELLO = {"chatId": "c", "title": "Hello"}
TREE = {
    "apps": [{"id": "a", "name": "App", "chats": [HELLO]}],
    "datasets": [
        {"id": "d", "name": "Books", "collections": BOOKS},
        {"id": "e", "name": "Others", "collections": items(o=("Other",))},
    ],
}
LONG = [{"repeat": 1000, "name": "N {n}"}]
MANY = {
    "datasets": [
        {"id": "d", "name": "Books", "collections": LONG},
        {"id": "e", "name": "Others"},
    ]
}


@pytest.fixture
def tree(visit: Visit) -> Any:
    """The console of two datasets with folders."""
    return visit(TREE)


def drag(console: Console, title: str, to: str) -> None:
    console.tree.row(title).drag_to(console.tree.row(to))


def is_moved(console: Console, words: str = "Moved one collection.", **to: Any) -> None:
    """Claim what is told, and in which folder collections are now."""
    console.notice.says(words)
    for collection, folder in to.items():
        path = f"/datasets/d/collections/{collection}"
        assert console.admin("GET", path)["parentId"] == folder


def test_a_collection_is_dragged_into_a_folder_and_back(tree: Console) -> None:
    deep = tree.tree.find(".branch .branch .branch .row")
    drag(tree, "One", "Goal")
    is_moved(tree, one="g")
    tree.button("Goal").press("ArrowRight")  # opens it, unless the drag has
    expect(deep).to_have_count(1)
    expect(tree.tree.row("One")).to_have_count(1)  # where it was, it is no more
    drag(tree, "One", "Books")
    expect(deep).to_have_count(0)
    is_moved(tree, one=None)
    tree.click("Undo")
    is_moved(tree, "Undone", one="g")


def test_what_is_selected_is_dragged_together(tree: Console) -> None:
    tree.select("One", "Two")
    drag(tree, "One", "Folder")
    is_moved(tree, "Moved 2 collections.", one="f", two="f")


def test_a_folder_that_one_waits_over_opens(tree: Console) -> None:
    tree.tree.row("One").hover()
    tree.page.mouse.down()
    for folder, inside in (("Folder", ["Inside"]), ("Sub", [])):
        tree.tree.row(folder).hover()
        tree.tree.row(folder).hover(position={"x": 60, "y": 12})
        tree.shows(*inside)
    tree.page.mouse.up()
    is_moved(tree, one="sub")


def test_no_folder_goes_into_itself_or_into_another_dataset(tree: Console) -> None:
    tree.click("Contents of Folder")
    drag(tree, "Folder", "Sub")
    is_moved(tree, "Folder cannot be moved into itself.")
    drag(tree, "One", "Other")
    is_moved(tree, "Collections stay in their dataset", f=None, one=None)
    assert tree.asked_for("/datasets/e/collections/one") == 0


def test_a_collection_is_moved_by_the_picker(tree: Console) -> None:
    tree.menu("One", "Move to…")
    tree.dialog.unfold("Goal")
    tree.dialog.click("Choose")
    is_moved(tree, one="g")


def test_the_tree_is_walked_by_arrows(tree: Console) -> None:
    tree.button("Books").focus()
    for keys in (
        "ArrowDown Folder, ArrowRight Folder, ArrowRight Inside, ArrowDown Sub",
        "ArrowLeft Folder, ArrowLeft Folder, ArrowDown Goal, ArrowUp Folder",
        "ArrowUp Books, End Other, Home Books",
    ):
        for key, name in (each.split() for each in keys.split(", ")):
            tree.press(key)
            expect(tree.button(name)).to_be_focused()
            if (key, name) == ("ArrowRight", "Folder"):  # opens it
                tree.shows("Inside")
    expect(tree.button("Inside")).to_be_hidden()


def test_the_menu_is_used_by_keys(tree: Console) -> None:
    tree.button("More for One").press("Enter")
    entries = tree.role("menuitem")
    expect(entries.first).to_be_focused()
    tree.press("ArrowUp")
    expect(entries.last).to_be_focused()
    tree.press("Escape")
    expect(tree.role("menu")).to_have_count(0)
    expect(tree.button("One")).to_be_focused()


def test_a_long_dataset_is_folded_from_what_stays_in_sight(visit: Visit) -> None:
    console = visit(MANY)
    for _ in range(4):
        console.tree.scroll()
        console.page.wait_for_function("document.querySelector('#data').scrollTop > 0")
    top = "it => it.getBoundingClientRect().top"
    first, column = console.tree.find(".row").first, console.find("#data")
    assert abs(first.evaluate(top) - column.evaluate(top)) <= 1
    console.click("Contents of Books")
    expect(console.button("Others")).to_be_in_viewport()


ADDRESSES = {"d/x": "Deep", "e": "Others", "app/a/c": "Hello", "app/a": "App"}


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_opens_what_it_names(visit: Visit, address: str) -> None:
    title = ADDRESSES[address]
    console = visit(TREE, path=f"/__admin/#/data/{address}")
    expect(console.drawer.role("heading", title, exact=False)).to_be_visible()
    expect(console.button(title)).to_be_attached()
    console.press("Escape")
    console.at("")
    expect(console.button(title)).to_be_focused()


def test_the_address_says_what_is_open_and_can_be_copied(tree: Console) -> None:
    tree.page.context.grant_permissions(CLIPBOARD)
    tree.opens("One").click("Copy link")
    tree.at("#/data/d/one")
    tree.drawer.says("Copied")
    assert tree.clipboard() == tree.page.url


def test_what_is_searched_is_shown_in_the_tree(tree: Console) -> None:
    for text, title in (("dee", "Deep"), ("HELL", "Hello"), ("oth", "Others")):
        found = tree.find_in_tree(text).role("button", title, exact=False)
        expect(found.first).to_be_visible()
        tree.press("Enter")
        expect(tree.find(".row.found", has_text=title)).to_be_visible()
    found = tree.find_in_tree("zebra").root
    expect(found).to_have_text("No results.")


@pytest.mark.parametrize("options", [{}, DARK, PHONE])
def test_no_serious_hindrance_is_in_the_tree(
    visit: Visit, options: dict[str, Any]
) -> None:
    console = visit(TREE, axe=True, **options)
    console.click("Contents of Folder", "More for One")
    console.hinders_nobody()
    console.role("menuitem", "Select").click()
    console.bar.is_open()
    console.hinders_nobody()
    console.find_in_tree("o").says("found")
    console.hinders_nobody()
