"""The conversations of an app, against the store of the server."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.pages import Demo, Visit, expect
from tests.e2e.pages.screen import APP, CHAT, PARCEL

PIN, UNPIN = f"Pin {PARCEL}", f"Unpin {PARCEL}"
UPDATE, READ = "**/updateHistory", "**/getHistories"


def is_at(app: Demo, place: int, title: str = PARCEL) -> None:
    """Claim where a conversation stands in the list."""
    expect(app.talks.nth(place)).to_contain_text(title)


def custom_title(app: Demo) -> str | None:
    chat = app.server.sandbox.chat(APP, CHAT)
    return None if chat is None else chat.custom_title


def test_pinned_chats_come_first_and_apps_have_names(app: Demo) -> None:
    app.has(talks=7)
    is_at(app, 0, "Refund for order 4711")
    expect(app.find(".talks [aria-pressed=true]")).to_have_count(2)
    choice = app.field("App")
    expect(choice.locator("option").first).to_have_text("Customer support")
    choice.select_option(index=1)
    app.has(talks=5)
    expect(app.talks.filter(has_text="Untitled")).to_have_count(1)


def test_a_pin_is_kept_and_taken_back(app: Demo) -> None:
    with app.page.expect_response(READ):  # once it is done
        app.click(PIN)
    is_at(app, 0)
    expect(app.button(UNPIN)).to_be_focused()
    app.find("#chats .list .panel[aria-busy=false]").wait_for()
    assert app.top() is True
    with app.page.expect_response(UPDATE):
        app.click(UNPIN)
    is_at(app, 2)
    assert app.top() is False


def test_a_pin_is_shown_before_it_is_done(app: Demo) -> None:
    app.fault("delay", ms=4_000, operation="updateHistory")
    with app.page.expect_response(UPDATE):
        app.click(PIN)
        is_at(app, 0)
        assert app.top() is False
    is_at(app, 0)
    assert app.top() is True


def test_a_pin_that_fails_or_is_lost_is_seen_as_it_is(app: Demo) -> None:
    app.fault("lost_write", operation="updateHistory")
    with app.page.expect_response(READ):
        app.click(PIN)
    app.shows(PIN)
    app.fault("error", operation="updateHistory")
    app.click(PIN)
    app.toast.says("(503): Injected by a fault")
    app.shows(PIN)
    is_at(app, 2)
    assert app.top() is False


def test_a_chat_is_renamed_by_the_keyboard_and_again_after_a_failure(app: Demo) -> None:
    app.button(f"Rename {PARCEL}").press("Enter")
    name = app.field("New name")
    expect(name).to_be_focused()
    name.press("Escape")
    app.renames(PARCEL, "Late parcel")
    app.shows("Pin Late parcel")
    assert custom_title(app) == "Late parcel"
    app.fault("error", operation="updateHistory")
    name = app.renames("Late parcel", "Lost parcel")
    app.toast.says("503")
    expect(name).to_have_value("Lost parcel")
    name.press("Enter")
    app.shows("Pin Lost parcel")


def test_the_strict_profile_refuses_a_rename(visit: Visit) -> None:
    app = visit(serving={"profile": "documented"})
    app.renames(PARCEL)
    app.toast.says("top")


def test_a_chat_is_deleted_once_it_is_confirmed(app: Demo) -> None:
    app.click(f"Delete {PARCEL}", "Cancel")
    assert app.top() is False
    app.click(f"Delete {PARCEL}")
    app.dialog.role("button", "Delete", exact=False).click()
    app.has(talks=6)
    assert app.top() is None


def test_a_chat_is_read_and_gone_on_with(app: Demo) -> None:
    app.talk(PARCEL).press("Enter")
    expect(app.messages).to_have_count(2)
    expect(app.messages.last).to_contain_text("I am sorry for the delay.")
    app.message.fill("Thanks")
    app.message.press("Enter")
    expect(app.messages).to_have_count(4)
    expect(app.messages.nth(2)).to_contain_text("Thanks")
    expect(app.message).to_have_value("")
    app.click("All conversations")
    app.has(talks=7)


def test_a_first_message_creates_a_chat_and_stays_in_the_box_until_it_is_sent(
    app: Demo,
) -> None:
    app.fault("error", operation="completions")
    app.click("New chat")
    app.conversations.says("How can we help?")
    expect(app.message).to_be_focused()
    app.page.keyboard.type("Do you ship to Norway?")
    app.click("Send")
    app.toast.says("503")
    expect(app.message).to_have_value("Do you ship to Norway?")
    app.message.press("Enter")
    expect(app.find(".messages .ours")).to_contain_text("Norway")
    expect(app.find(".messages .theirs")).to_have_count(1)
    app.click("All conversations")
    app.has(talks=8)
    assert len(app.server.control.chats(APP)) == 8


@pytest.mark.parametrize(
    ("question", "begin", "end"),
    [
        ("Where is my refund?", "A refund", "the card that was charged."),
        ("退款要多久？", "我", "使用的银行卡。"),
    ],
    ids=["English", "Chinese"],
)
def test_an_answer_is_typed_and_then_read_out(
    app: Demo, question: str, begin: str, end: str
) -> None:
    app.talk(PARCEL).click()
    expect(app.messages).to_have_count(2)
    app.watch()
    app.asks(question)
    expect(app.spoken).to_contain_text(end)
    grown = [each for each in app.typed() if each.startswith(begin)]
    whole = app.spoken.inner_text()
    assert grown[-1] == whole
    assert len(set(grown)) > 10
    assert all(whole.startswith(each) for each in grown)
    expect(app.messages).to_have_count(4)


@pytest.mark.parametrize(
    ("end", "told", "kept"),
    [
        ({"error": "Model is busy"}, "Model is busy", "Model is busy"),
        ({"cut": True}, "broke off", "It is"),
    ],
    ids=["error", "cut"],
)
def test_an_answer_that_ends_too_early_is_told(
    app: Demo, end: dict[str, Any], told: str, kept: str
) -> None:
    # A browser drops what a page has not read when a connection breaks off.
    app.fault("reply", parts=["It is ", {"pauseMs": 500}, end])
    app.talk(PARCEL).click()
    app.asks("Where is it?")
    app.toast.says(told)
    expect(app.message).to_have_value("")
    expect(app.messages.last).to_contain_text(kept)


def test_an_answer_that_is_left_is_there_later(app: Demo) -> None:
    app.fault("reply", text="One two", stream={"tokensPerSecond": 0.1})
    app.click("New chat")
    app.asks("Count")
    expect(app.messages.last).to_contain_text("One")
    app.click("All conversations")
    app.talk("Count").click()
    expect(app.messages.last).to_contain_text("One two")
    expect(app.button("Send")).to_be_enabled()


def test_many_chats_come_in_portions(visit: Visit) -> None:
    chats = [{"chatId": f"c{n}", "title": f"Chat {n}"} for n in range(45)]
    app = visit({"apps": [{"id": "a", "chats": chats}]}, path="/demo/#apps=a")
    for count in (20, 40):
        app.has(talks=count)
        app.click("Show more")
    app.has(talks=45)
    app.lacks("Show more")
