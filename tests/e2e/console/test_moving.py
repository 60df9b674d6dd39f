"""The tree as one moves in it, by mouse, keys, search and address."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.console.browsing import AXE, DARK, PHONE, Console, serious
from tests.e2e.console.conftest import Visit

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
FOLDERS: list[dict[str, Any]] = [
    {
        "_id": "f",
        "name": "Folder",
        "children": [
            {"_id": "in", "name": "Inside"},
            {"_id": "sub", "name": "Sub", "children": [{"_id": "x", "name": "Deep"}]},
        ],
    },
    {"_id": "g", "name": "Goal", "children": []},
    {"_id": "one", "name": "One"},
    {"_id": "two", "name": "Two"},
]
TREE = {
    "apps": [{"id": "a", "name": "App", "chats": [{"chatId": "c", "title": "Hello"}]}],
    "datasets": [
        {"id": "d", "name": "Books", "collections": FOLDERS},
        {"id": "e", "name": "Others", "collections": [{"_id": "o", "name": "Other"}]},
    ],
}
MANY = {
    "datasets": [
        {
            "id": "d",
            "name": "Books",
            "collections": [{"repeat": 1000, "name": "N {n}"}],
        },
        {"id": "e", "name": "Others"},
    ]
}


@pytest.fixture
def tree(visit: Visit) -> Console:
    """The console of two datasets with folders."""
    return visit(TREE)


def row(console: Console, title: str) -> Any:
    named = console.page.get_by_role("button", name=title, exact=True)
    return console.page.locator("#datasets .row").filter(has=named)


def parent(console: Console, collection: str) -> str | None:
    found = console.admin("GET", f"/datasets/d/collections/{collection}")["parentId"]
    assert found is None or isinstance(found, str)
    return found


def is_moved(console: Console, words: str = "Moved one collection.") -> None:
    expect(console.page.locator("#notice")).to_contain_text(words)


def test_a_collection_is_dragged_into_a_folder_and_back(tree: Console) -> None:
    row(tree, "One").drag_to(row(tree, "Goal"))
    is_moved(tree)
    assert parent(tree, "one") == "g"
    tree.button("Goal").press("ArrowRight")  # opens it, unless the drag has
    expect(tree.page.locator("#datasets .branch .branch .branch .row")).to_have_count(1)
    expect(row(tree, "One")).to_have_count(1)  # where it was, it is no more
    row(tree, "One").drag_to(row(tree, "Books"))
    expect(tree.page.locator("#datasets .branch .branch .branch .row")).to_have_count(0)
    assert parent(tree, "one") is None
    tree.button("Undo").click()
    is_moved(tree, "Undone")
    assert parent(tree, "one") == "g"


def test_what_is_selected_is_dragged_together(tree: Console) -> None:
    for name in ("One", "Two"):
        tree.page.get_by_label(f"Select {name}").check()
    row(tree, "One").drag_to(row(tree, "Folder"))
    is_moved(tree, "Moved 2 collections.")
    assert {parent(tree, "one"), parent(tree, "two")} == {"f"}


def test_a_folder_that_one_waits_over_opens(tree: Console) -> None:
    row(tree, "One").hover()
    tree.page.mouse.down()
    row(tree, "Folder").hover()
    row(tree, "Folder").hover(position={"x": 60, "y": 12})
    expect(tree.button("Inside")).to_be_visible()
    row(tree, "Sub").hover()
    row(tree, "Sub").hover(position={"x": 60, "y": 12})
    tree.page.mouse.up()
    is_moved(tree)
    assert parent(tree, "one") == "sub"


def test_no_folder_goes_into_itself_or_into_another_dataset(tree: Console) -> None:
    tree.button("Contents of Folder").click()
    row(tree, "Folder").drag_to(row(tree, "Sub"))
    is_moved(tree, "Folder cannot be moved into itself.")
    row(tree, "One").drag_to(row(tree, "Other"))
    is_moved(tree, "Collections stay in their dataset")
    assert (parent(tree, "f"), parent(tree, "one")) == (None, None)
    assert not [url for url in tree.asked if "/datasets/e/collections/one" in url]


def test_a_collection_is_moved_by_the_picker(tree: Console) -> None:
    tree.button("More for One").click()
    tree.page.get_by_role("menuitem", name="Move to…").click()
    picker = tree.page.get_by_role("dialog")
    picker.get_by_text("Goal").click()
    picker.get_by_role("button", name="Choose").click()
    is_moved(tree)
    assert parent(tree, "one") == "g"


def test_the_tree_is_walked_by_arrows(tree: Console) -> None:
    books, keyboard = tree.button("Books"), tree.page.keyboard
    books.focus()
    keyboard.press("ArrowDown")
    expect(tree.button("Folder")).to_be_focused()
    keyboard.press("ArrowRight")
    expect(tree.button("Inside")).to_be_visible()
    expect(tree.button("Folder")).to_be_focused()
    for key, name in [
        ("ArrowRight", "Inside"),
        ("ArrowDown", "Sub"),
        ("ArrowLeft", "Folder"),
        ("ArrowLeft", "Folder"),
        ("ArrowDown", "Goal"),
        ("ArrowUp", "Folder"),
        ("ArrowUp", "Books"),
        ("End", "Other"),
        ("Home", "Books"),
    ]:
        keyboard.press(key)
        expect(tree.button(name)).to_be_focused()
    expect(tree.button("Inside")).to_be_hidden()


def test_the_menu_is_used_by_keys(tree: Console) -> None:
    dots, keyboard = tree.button("More for One"), tree.page.keyboard
    dots.press("Enter")
    items = tree.page.get_by_role("menuitem")
    expect(items.first).to_be_focused()
    keyboard.press("ArrowUp")
    expect(items.last).to_be_focused()
    keyboard.press("Escape")
    expect(tree.page.get_by_role("menu")).to_have_count(0)
    expect(tree.button("One")).to_be_focused()


def test_a_long_dataset_is_folded_from_what_stays_in_sight(visit: Visit) -> None:
    console = visit(MANY)
    for _ in range(4):
        console.page.evaluate("document.querySelector('#data').scrollTop = 1e9")
        console.page.wait_for_function("document.querySelector('#data').scrollTop > 0")
    top = "document.querySelector('#datasets .row').getBoundingClientRect().top"
    column = "document.querySelector('#data').getBoundingClientRect().top"
    assert abs(console.page.evaluate(top) - console.page.evaluate(column)) <= 1
    console.button("Contents of Books").click()
    expect(console.button("Others")).to_be_in_viewport()


@pytest.mark.parametrize(
    ("address", "title"),
    [
        ("data/d/x", "Deep"),
        ("data/e", "Others"),
        ("data/app/a/c", "Hello"),
        ("data/app/a", "App"),
    ],
)
def test_an_address_opens_what_it_names(visit: Visit, address: str, title: str) -> None:
    console = visit(TREE, path=f"/__admin/#/{address}")
    expect(console.drawer.get_by_role("heading", name=title)).to_be_visible()
    expect(console.page.get_by_role("button", name=title, exact=True)).to_be_attached()
    console.page.keyboard.press("Escape")
    expect(console.page).to_have_url(console.server.url + "/__admin/")
    expect(console.button(title)).to_be_focused()


def test_the_address_says_what_is_open_and_can_be_copied(tree: Console) -> None:
    tree.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tree.button("One").click()
    link = tree.server.url + "/__admin/#/data/d/one"
    expect(tree.page).to_have_url(link)
    tree.drawer.get_by_role("button", name="Copy link").click()
    expect(tree.drawer).to_contain_text("Copied")
    assert tree.page.evaluate("navigator.clipboard.readText()") == link


@pytest.mark.parametrize(
    ("text", "title"), [("dee", "Deep"), ("HELL", "Hello"), ("oth", "Others")]
)
def test_what_is_searched_is_shown_in_the_tree(
    tree: Console, text: str, title: str
) -> None:
    search = tree.page.get_by_role("searchbox", name="Find a collection or chat")
    search.fill(text)
    found = tree.page.locator(".found-list").get_by_role("button", name=title)
    expect(found.first).to_be_visible()
    search.press("Enter")
    expect(tree.page.locator(".row.found")).to_contain_text(title)


def test_a_search_without_a_result_says_so(tree: Console) -> None:
    tree.page.get_by_role("searchbox", name="Find a").fill("zebra")
    expect(tree.page.locator(".found-list")).to_have_text("Nothing is called so.")


def test_of_many_collections_few_are_drawn_and_any_is_found(visit: Visit) -> None:
    many = {"repeat": 100_000, "name": "Item {n}"}
    console = visit({"datasets": [{"id": "d", "name": "D", "collections": [many]}]})
    rows = console.page.locator("#datasets .branch .branch li")
    more = console.page.get_by_role("button", name="Show more")
    for _ in range(6):
        left = more.text_content() or ""
        console.page.evaluate("document.querySelector('#data').scrollTop = 1e9")
        expect(more).not_to_have_text(left, timeout=15_000)
    expect(console.button("Item 1")).to_have_count(0)
    assert rows.count() < 500
    console.page.get_by_role("searchbox", name="Find a").fill("Item 77777")
    console.page.locator(".found-list button").first.click()
    found = console.page.locator("#datasets").get_by_role(
        "button", name="Item 77777", exact=True
    )
    expect(found).to_be_focused(timeout=15_000)
    expect(found).to_be_in_viewport()
    assert rows.count() < 1000


@pytest.mark.skipif(not AXE, reason="needs npm: axe-core, and name it in AXE")
@pytest.mark.parametrize("options", [{}, DARK, PHONE])
def test_no_serious_hindrance_is_in_the_tree(
    visit: Visit, options: dict[str, Any]
) -> None:
    console = visit(TREE, bypass_csp=True, **options)
    console.page.evaluate(Path(AXE).read_text(encoding="utf-8"))
    console.button("Contents of Folder").click()
    console.button("More for One").click()
    assert serious(console) == []
    console.page.get_by_role("menuitem", name="Select").click()
    expect(console.page.get_by_role("toolbar", name="Selection")).to_be_visible()
    assert serious(console) == []
    console.page.get_by_role("searchbox", name="Find a").fill("o")
    expect(console.page.locator(".found-list")).to_contain_text("found")
    assert serious(console) == []
