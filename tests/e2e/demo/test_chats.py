"""The conversations of an app, against the store of the server."""

from __future__ import annotations

import pytest

from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.demo.browsing import APP, PARCEL, App
from tests.e2e.demo.conftest import Visit

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect


def top(app: App, chat: str = "delivery-late") -> bool | None:
    found = app.server.sandbox.chat(APP, chat)
    return None if found is None else found.top


def test_pinned_chats_come_first_and_apps_have_names(app: App) -> None:
    expect(app.talks).to_have_count(7)
    expect(app.talks.first).to_contain_text("Refund for order 4711")
    expect(app.page.locator(".talks [aria-pressed=true]")).to_have_count(2)
    choice = app.page.get_by_label("App", exact=True)
    expect(choice.locator("option").first).to_have_text("Customer support")
    choice.select_option(index=1)
    expect(app.talks).to_have_count(5)
    expect(app.talks.filter(has_text="Untitled")).to_have_count(1)


def test_a_pin_is_kept_and_taken_back(app: App) -> None:
    with app.page.expect_response("**/getHistories"):  # once it is done
        app.button(f"Pin {PARCEL}").click()
    expect(app.talks.first).to_contain_text(PARCEL)
    pinned = app.button(f"Unpin {PARCEL}")
    expect(pinned).to_be_focused()
    app.page.locator("#chats .list .panel[aria-busy=false]").wait_for()
    assert top(app) is True
    with app.page.expect_response("**/updateHistory"):
        pinned.click()
    expect(app.talks.nth(2)).to_contain_text(PARCEL)
    assert top(app) is False


def test_a_pin_is_shown_before_it_is_done(app: App) -> None:
    app.fault("delay", ms=4_000, operation="updateHistory")
    with app.page.expect_response("**/updateHistory"):
        app.button(f"Pin {PARCEL}").click()
        expect(app.talks.first).to_contain_text(PARCEL)
        assert top(app) is False
    expect(app.talks.first).to_contain_text(PARCEL)
    assert top(app) is True


def test_a_pin_that_fails_is_rolled_back_and_says_why(app: App) -> None:
    app.fault("error", operation="updateHistory")
    app.button(f"Pin {PARCEL}").click()
    expect(app.page.locator("#toast")).to_contain_text("(503): Injected by a fault")
    expect(app.button(f"Pin {PARCEL}")).to_be_visible()
    expect(app.talks.nth(2)).to_contain_text(PARCEL)
    assert top(app) is False


def test_a_write_that_is_lost_is_seen_as_it_is(app: App) -> None:
    app.fault("lost_write", operation="updateHistory")
    with app.page.expect_response("**/getHistories"):
        app.button(f"Pin {PARCEL}").click()
    expect(app.button(f"Pin {PARCEL}")).to_be_visible()
    assert top(app) is False


def test_a_chat_is_renamed_by_the_keyboard(app: App) -> None:
    app.button(f"Rename {PARCEL}").press("Enter")
    name = app.page.get_by_label("New name")
    expect(name).to_be_focused()
    name.press("Escape")
    app.button(f"Rename {PARCEL}").click()
    name.fill("Late parcel")
    name.press("Enter")
    expect(app.button("Pin Late parcel")).to_be_visible()
    chat = app.server.sandbox.chat(APP, "delivery-late")
    assert chat is not None
    assert chat.custom_title == "Late parcel"


def test_the_strict_profile_refuses_a_rename(visit: Visit) -> None:
    app = visit(profile="documented")
    app.button(f"Rename {PARCEL}").click()
    app.page.get_by_label("New name").press("Enter")
    expect(app.page.locator("#toast")).to_contain_text("top")


def test_a_rename_that_fails_keeps_what_was_typed(app: App) -> None:
    app.fault("error", operation="updateHistory")
    app.button(f"Rename {PARCEL}").click()
    name = app.page.get_by_label("New name")
    name.fill("Late parcel")
    name.press("Enter")
    expect(app.page.locator("#toast")).to_contain_text("503")
    expect(name).to_have_value("Late parcel")
    name.press("Enter")
    expect(app.button("Pin Late parcel")).to_be_visible()


def test_a_chat_is_deleted_once_it_is_confirmed(app: App) -> None:
    app.button(f"Delete {PARCEL}").click()
    app.button("Cancel").click()
    assert top(app) is False
    app.button(f"Delete {PARCEL}").click()
    app.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(app.talks).to_have_count(6)
    assert top(app) is None


def test_a_chat_is_read_and_gone_on_with(app: App) -> None:
    app.talk(PARCEL).press("Enter")
    said = app.page.locator(".messages li")
    expect(said).to_have_count(2)
    expect(said.last).to_contain_text("I am sorry for the delay.")
    app.page.get_by_label("Message").fill("Thanks")
    app.page.get_by_label("Message").press("Enter")
    expect(said).to_have_count(4)
    expect(said.nth(2)).to_contain_text("Thanks")
    expect(app.page.get_by_label("Message")).to_have_value("")
    app.button("All conversations").click()
    expect(app.talks).to_have_count(7)


def test_a_first_message_creates_a_chat(app: App) -> None:
    app.button("New chat").click()
    expect(app.part("Conversations")).to_contain_text("How can we help?")
    expect(app.page.get_by_label("Message")).to_be_focused()
    app.page.keyboard.type("Do you ship to Norway?")
    app.page.keyboard.press("Enter")
    expect(app.page.locator(".messages .ours")).to_contain_text("Norway")
    expect(app.page.locator(".messages .theirs")).to_have_count(1)
    app.button("All conversations").click()
    expect(app.talks).to_have_count(8)
    assert len(app.server.control.chats(APP)) == 8


def test_a_message_that_is_not_sent_stays_in_the_box(app: App) -> None:
    app.fault("error", operation="completions")
    app.button("New chat").click()
    app.page.get_by_label("Message").fill("Hello?")
    app.button("Send").click()
    expect(app.page.locator("#toast")).to_contain_text("503")
    expect(app.page.get_by_label("Message")).to_have_value("Hello?")
    app.button("Send").click()
    expect(app.page.locator(".messages li")).to_have_count(2)


def test_many_chats_come_in_portions(visit: Visit) -> None:
    chats = [{"chatId": f"c{n}", "title": f"Chat {n}"} for n in range(45)]
    app = visit({"apps": [{"id": "a", "chats": chats}]}, path="/demo/#apps=a")
    for count in (20, 40):
        expect(app.talks).to_have_count(count)
        app.button("Show more").click()
    expect(app.talks).to_have_count(45)
    expect(app.button("Show more")).to_have_count(0)
