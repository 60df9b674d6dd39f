"""The left side: what the sandbox holds, seen and changed."""

from __future__ import annotations

import re

import pytest

from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.console.browsing import Console, number
from tests.e2e.console.conftest import Visit
from tests.support import PIN

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
APP, CHAT, DATASET = (
    "65d8a1f0c3b2a94e7f106a01",
    "delivery-late",
    ("6593e137231a2be9c5603ba7"),
)
MANUAL, GUIDES = "6593e137231a2be9c5603ba9", "65b1c0de9d1448617cba7001"
CHATS, COLLECTIONS = "Apps and their chats", "Datasets and their collections"


def is_pinned(console: Console) -> bool | None:
    chat = console.server.sandbox.chat(APP, CHAT)
    return None if chat is None else chat.top


def names(console: Console) -> list[str]:
    dataset = console.server.sandbox.store.dataset(DATASET)
    assert dataset is not None
    return [each.name for each in dataset.tree.collections]


def test_a_pin_goes_through_the_operation_like_any_clients(console: Console) -> None:
    console.button("Pin Where is my parcel?").click()
    expect(console.button("Pinned Where is my parcel?")).to_be_visible()
    assert is_pinned(console) is True
    (entry,) = console.admin("GET", "/journal")["entries"]
    assert (entry["request"]["path"], entry["violations"]) == (PIN, [])
    console.button("Pinned Where is my parcel?").click()
    expect(console.button("Pin Where is my parcel?")).to_be_visible()
    assert is_pinned(console) is False


def test_a_pin_by_another_client_is_seen(console: Console) -> None:
    console.pin(APP, CHAT)
    expect(console.button("Pinned Where is my parcel?")).to_be_visible()


def test_a_pin_that_is_refused_says_why(console: Console) -> None:
    console.admin("POST", "/faults", {"kind": "error", "message": "Not today."})
    console.button("Pin Where is my parcel?").click()
    expect(console.page.locator("#notice")).to_have_text("Not today.")
    expect(console.button("Pin Where is my parcel?")).to_be_visible()


def test_where_no_key_is_an_owners_nothing_can_be_pinned(visit: Visit) -> None:
    keys = [{"key": "reader", "permission": "read"}]
    console = visit({"keys": keys, "apps": [{"id": "a", "chats": [{"chatId": "c"}]}]})
    expect(console.button("Pin c")).to_be_disabled()


def test_a_chat_is_renamed_and_deleted(console: Console) -> None:
    console.button("Where is my parcel?", CHATS).click()
    console.drawer.get_by_label("customTitle").fill("The parcel")
    console.drawer.get_by_role("button", name="Save").click()
    console.button("The parcel", CHATS).click()
    for name in ("Delete", "Delete for sure"):
        console.drawer.get_by_role("button", name=name, exact=True).click()
    expect(console.button("The parcel", CHATS)).to_have_count(0)
    assert is_pinned(console) is None


def test_a_chat_is_added(console: Console) -> None:
    console.button("New chat in Customer support").click()
    console.drawer.get_by_label("title", exact=True).fill("Brand new")
    console.drawer.get_by_role("button", name="Add").click()
    expect(console.button("Brand new", CHATS)).to_be_visible()


def test_folders_open_level_by_level(console: Console) -> None:
    inside = console.button("Users and permissions", COLLECTIONS)
    expect(inside).to_have_count(0)
    for folder in ("Guides", "Administration"):
        toggle = console.button(f"Contents of {folder}")
        expect(toggle).to_have_attribute("aria-expanded", "false")
        toggle.click()
    expect(inside).to_be_visible()
    console.button("Contents of Guides").click()
    expect(inside).to_be_hidden()


def test_a_collection_shows_all_its_fields(console: Console) -> None:
    console.button("Manual entries", COLLECTIONS).click()
    record = console.admin("GET", f"/datasets/{DATASET}/collections/{MANUAL}")
    for name, value in record.items():
        field = console.drawer.get_by_label(name, exact=True)
        if name == "_id":
            expect(console.drawer).to_contain_text(value)
        elif isinstance(value, bool):
            expect(field).to_be_checked(checked=value)
        else:
            shown = "\n".join(value) if isinstance(value, list) else value
            expect(field).to_have_value("" if shown is None else str(shown))


def test_a_collection_is_disabled_and_renamed(console: Console) -> None:
    console.button("Manual entries", COLLECTIONS).click()
    console.drawer.get_by_label("forbid").check()
    console.drawer.get_by_label("name").fill("By hand")
    console.drawer.get_by_role("button", name="Save").click()
    row = console.page.locator("#datasets .row", has_text="By hand")
    expect(row.get_by_text("disabled", exact=True)).to_be_visible()
    record = console.admin("GET", f"/datasets/{DATASET}/collections/{MANUAL}")
    assert (record["forbid"], record["name"]) == (True, "By hand")
    assert record["tags"] == ["faq", "测试的"]


def test_what_was_not_changed_is_not_written_back(console: Console) -> None:
    path = f"/datasets/{DATASET}/collections/{MANUAL}"
    odd = console.admin("GET", path) | {"name": "two\nlines"}
    console.admin("PUT", path, odd)
    console.button("two lines", COLLECTIONS).click()
    expect(console.drawer).to_be_visible()
    console.admin("PUT", path, odd | {"dataAmount": 77})
    console.drawer.get_by_label("forbid").check()
    console.drawer.get_by_role("button", name="Save").click()
    expect(console.drawer).to_have_count(0)
    assert console.admin("GET", path) == odd | {"dataAmount": 77, "forbid": True}


def test_a_mistake_is_told_in_the_servers_words(console: Console) -> None:
    console.button("Manual entries", COLLECTIONS).click()
    console.drawer.get_by_text("More fields").click()
    field = console.drawer.get_by_label("updateTime")
    field.fill("yesterday")
    console.drawer.get_by_role("button", name="Save").click()
    expect(field).to_have_accessible_description(
        re.compile('^Expected a time like .* got the string "yesterday"')
    )
    assert console.refused == [
        (400, f"/__admin/datasets/{DATASET}/collections/{MANUAL}")
    ]
    console.refused.clear()


def test_a_collection_is_added_and_a_folder_deleted_with_what_is_in_it(
    console: Console,
) -> None:
    console.button("Contents of Guides").click()
    console.button("Guides", COLLECTIONS).click()
    console.drawer.get_by_role("button", name="Add inside").click()
    console.drawer.get_by_label("name").fill("Fresh")
    console.drawer.get_by_role("button", name="Add", exact=True).click()
    expect(console.button("Fresh", COLLECTIONS)).to_be_visible()
    assert "Fresh" in names(console)
    console.button("Guides", COLLECTIONS).click()
    for name in ("Delete", "Delete for sure"):
        console.drawer.get_by_role("button", name=name, exact=True).click()
    expect(console.button("Guides", COLLECTIONS)).to_have_count(0)
    assert not {"Guides", "Fresh", "Install"} & {*names(console)}


def test_changes_by_others_are_seen(console: Console) -> None:
    console.admin("DELETE", f"/datasets/{DATASET}/collections/{GUIDES}")
    expect(console.button("Guides", COLLECTIONS)).to_have_count(0)
    console.admin("POST", "/reset")
    expect(console.button("Guides", COLLECTIONS)).to_be_visible()
    console.admin("PUT", "/state", {"apps": [{"id": "solo", "name": "Only one"}]})
    expect(console.part(CHATS)).to_contain_text("Only one")
    expect(console.part(COLLECTIONS)).to_contain_text("No datasets yet.")


def test_a_hundred_thousand_collections_are_read_as_far_as_one_looks(
    visit: Visit,
) -> None:
    many = {"repeat": 100_000, "name": "Item {n}"}
    console = visit({"datasets": [{"id": "d", "collections": [many]}]})
    expect(console.button("Item 50", COLLECTIONS)).to_be_attached()
    expect(console.part(COLLECTIONS)).to_contain_text("100,000")
    rows = console.page.locator("#datasets .branch .branch li")
    seen = rows.count()
    assert seen < 1000
    more = console.page.get_by_role("button", name="Show more")
    assert number(more.text_content()) == 100_000 - seen
    for n in range(1, 6):
        console.page.evaluate("document.querySelector('#data').scrollTop = 1e9")
        row = console.button(f"Item {seen + 50 * n}", COLLECTIONS)
        expect(row).to_be_attached()
