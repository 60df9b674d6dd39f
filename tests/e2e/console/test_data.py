"""The left side: what the sandbox holds, seen and changed."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.e2e.pages import Console, Visit, expect
from tests.e2e.pages.console import PIN, PINNED
from tests.e2e.pages.screen import GUIDES, HANDBOOK, MANUAL, PARCEL
from tests.support import PIN as PIN_PATH

ENTRIES = "Manual entries"
PATH = f"/datasets/{HANDBOOK}/collections"
DRAWN_AND_LEFT = """it => [
    document.querySelectorAll("#datasets .branch .branch li").length, it.textContent
]"""
"""Read at once: more may be drawn at any time."""


def names(console: Console) -> set[str]:
    dataset = console.server.sandbox.store.dataset(HANDBOOK)
    assert dataset is not None
    return {each.name for each in dataset.tree.collections}


def test_a_pin_goes_through_the_operation_like_any_clients(console: Console) -> None:
    console.click(PIN)
    console.shows(PINNED)
    assert console.top() is True
    (entry,) = console.entries()
    assert (entry["request"]["path"], entry["violations"]) == (PIN_PATH, [])
    console.click(PINNED)
    console.shows(PIN)
    assert console.top() is False
    console.pin()  # another client
    console.shows(PINNED)


def test_a_pin_that_is_refused_says_why(console: Console) -> None:
    console.fault(message="Not today.")
    console.click(PIN)
    expect(console.notice.root).to_have_text("Not today.")
    console.shows(PIN)


def test_where_no_key_is_an_owners_nothing_can_be_pinned(visit: Visit) -> None:
    keys = [{"key": "reader", "permission": "read"}]
    console = visit({"keys": keys, "apps": [{"id": "a", "chats": [{"chatId": "c"}]}]})
    expect(console.button("Pin c")).to_be_disabled()


def test_a_chat_is_added_renamed_and_deleted(console: Console) -> None:
    console.click("New chat in Customer support")
    console.drawer.add(title="Brand new")
    console.chats.shows("Brand new")
    console.opens(PARCEL, console.chats).save(customTitle="The parcel")
    console.opens("The parcel", console.chats).delete()
    console.chats.lacks("The parcel")
    assert console.top() is None


def test_folders_open_level_by_level(console: Console) -> None:
    inside = console.collections.button("Users and permissions")
    expect(inside).to_have_count(0)
    for folder in ("Guides", "Administration"):
        toggle = console.button(f"Contents of {folder}")
        expect(toggle).to_have_attribute("aria-expanded", "false")
        toggle.click()
    expect(inside).to_be_visible()
    console.click("Contents of Guides")
    expect(inside).to_be_hidden()


def test_a_collection_shows_all_its_fields(console: Console) -> None:
    drawer = console.opens(ENTRIES, console.collections)
    record = console.admin("GET", f"{PATH}/{MANUAL}")
    drawer.says(record.pop("_id"))
    for name, value in record.items():
        if isinstance(value, bool):
            expect(drawer.field(name)).to_be_checked(checked=value)
        else:
            shown = "\n".join(value) if isinstance(value, list) else value
            text = "" if shown is None else str(shown)
            expect(drawer.field(name)).to_have_value(text)


def test_a_collection_is_disabled_and_renamed(console: Console) -> None:
    drawer = console.opens(ENTRIES, console.collections)
    drawer.field("forbid").check()
    drawer.save(name="By hand")
    row = console.tree.find(".row", has_text="By hand")
    expect(row.get_by_text("disabled", exact=True)).to_be_visible()
    record = console.admin("GET", f"{PATH}/{MANUAL}")
    assert (record["forbid"], record["name"]) == (True, "By hand")
    assert record["tags"] == ["faq", "测试的"]


def test_what_was_not_changed_is_not_written_back(console: Console) -> None:
    path = f"{PATH}/{MANUAL}"
    odd = console.admin("GET", path) | {"name": "two\nlines"}
    console.admin("PUT", path, odd)
    drawer = console.opens("two lines", console.collections)
    console.admin("PUT", path, odd | {"dataAmount": 77})
    drawer.field("forbid").check()
    drawer.save()
    drawer.is_gone()
    assert console.admin("GET", path) == odd | {"dataAmount": 77, "forbid": True}


def test_a_mistake_is_told_in_the_servers_words(console: Console) -> None:
    drawer = console.opens(ENTRIES, console.collections)
    drawer.unfold("More fields")
    drawer.save(updateTime="yesterday")
    words = re.compile('^Expected a time like .* got the string "yesterday"')
    expect(drawer.field("updateTime")).to_have_accessible_description(words)
    assert console.refused == [(400, f"/__admin{PATH}/{MANUAL}")]
    console.refused.clear()


def test_a_collection_is_added_and_a_folder_deleted_with_what_is_in_it(
    console: Console,
) -> None:
    console.click("Contents of Guides")
    console.opens("Guides", console.collections).click("Add inside")
    console.drawer.add(name="Fresh")
    console.collections.shows("Fresh")
    assert "Fresh" in names(console)
    console.opens("Guides", console.collections).delete()
    console.collections.lacks("Guides")
    assert not {"Guides", "Fresh", "Install"} & names(console)


def test_changes_by_others_are_seen(console: Console) -> None:
    console.admin("DELETE", f"{PATH}/{GUIDES}")
    console.collections.lacks("Guides")
    console.admin("POST", "/reset")
    console.collections.shows("Guides")
    console.admin("PUT", "/state", {"apps": [{"id": "solo", "name": "Only one"}]})
    console.chats.says("Only one")
    console.collections.says("No datasets yet.")


@pytest.fixture
def large(visit: Visit) -> Any:
    """The console of 100,000 collections in one dataset."""
    many = {"repeat": 100_000, "name": "Item {n}"}
    return visit({"datasets": [{"id": "d", "name": "D", "collections": [many]}]})


def test_of_many_collections_few_are_drawn_and_any_is_found(large: Console) -> None:
    expect(large.button("Item 50")).to_be_attached()
    large.collections.says("100,000")
    more = large.role("button", "Show more", exact=False)
    seen, left = more.evaluate(DRAWN_AND_LEFT)
    assert seen < 1000
    assert re.sub(r"\D", "", left) == str(100_000 - seen)
    for n in range(1, 7):
        large.tree.scroll()
        expect(large.button(f"Item {seen + 50 * n}")).to_be_attached()
    large.lacks("Item 1")
    assert large.tree.lines.count() < 500
    large.find_in_tree("Item 77777").find("button").first.click()
    found = large.tree.button("Item 77777")
    expect(found).to_be_focused(timeout=15_000)
    expect(found).to_be_in_viewport()
    assert large.tree.lines.count() < 1000
