"""The demo in a browser: what a person sees of the account, of errors and of waits."""

from collections.abc import Callable
from typing import Any

import pytest
from look import LOOKS, check_look
from playwright.sync_api import Locator, Page, expect

from mock_server import MockServer

APP = "65d8a1f0c3b2a94e7f106a01"
ARTICLES = "#library .list li"
CHATS = "#chats .list li"
Open = Callable[..., Page]
pytestmark = pytest.mark.served(fixture="demo")


@pytest.fixture
def open_demo(server: MockServer, visit: Open) -> Open:
    """Opens the demo; waits until all is loaded."""

    def open_it(**options: Any) -> Page:
        page = visit(f"{server.url}/demo/", **options)
        expect(page.locator("section[aria-busy=false]")).to_have_count(3)
        return page

    return open_it


def titles(page: Page) -> Locator:
    return page.locator(f"{CHATS} .text > :first-child")


def ask(page: Page, question: str) -> None:
    page.get_by_role("textbox", name="Your question").fill(question)
    page.keyboard.press("Enter")


def button(page: Page, name: str, within: str = "body") -> Locator:
    return page.locator(within).get_by_role("button", name=name)


@pytest.mark.parametrize(("width", "height", "scheme", "locale"), LOOKS)
def test_it_looks_right(open_demo, server, width, height, scheme, locale):
    page = open_demo(width=width, height=height, locale=locale, color_scheme=scheme)
    is_chinese = locale == "zh-CN"
    expect(page).to_have_title("Juniper - 客服中心" if is_chinese else "Juniper - Help desk")
    check_look(page)
    # A narrow page shows one part at a time.
    tabs = ("talk", "library", "chats") if width < 600 else ()
    for tab in tabs:
        page.locator(f"[data-tab={tab}]").and_(page.locator("button")).click()
        check_look(page)
    server.fault("error", times=9)
    page.locator("#refresh").click()
    shown = "服务出现问题" if is_chinese else "The service has a problem (503)"
    expect(page.locator(".problem strong")).to_contain_text([shown] * 3)
    check_look(page)
    page.locator("#connect").click()
    check_look(page)


def test_the_demo_and_the_console_link_to_each_other(open_demo):
    page = open_demo()
    for link, path in (("Open the console of the mock server", "/__admin/"), ("Demo", "/demo/")):
        with page.expect_popup() as opened:
            page.get_by_role("link", name=link).click()
        page = opened.value
        assert page.url.endswith(path)


@pytest.mark.parametrize(("width", "names"), [(390, ["Messages", "Library"]), (800, ["Messages"])])
def test_tabs_turn_by_the_keyboard(open_demo, width, names):
    page = open_demo(width=width)
    expect(page.get_by_role("tab", selected=True)).to_have_text("Chats")
    page.get_by_role("tab", selected=True).focus()
    for name in [*names, "Chats"]:
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("tab", selected=True)).to_have_text(name)
        expect(page.get_by_role("tabpanel")).to_have_count(1)


def test_one_word_means_a_chat(open_demo):
    page = open_demo(locale="zh-CN")
    expect(page.locator("#chats-title")).to_have_text("会话")
    expect(page.locator("#new")).to_have_text("新会话")
    page.get_by_role("button", name="English").click()
    expect(page.locator("#chats-title")).to_have_text("Chats")
    expect(page.locator("#new")).to_have_text("New chat")


def test_pins_come_first_and_move(open_demo, server):
    page = open_demo()
    expect(titles(page)).to_have_count(7)
    first_three = ["Refund for order 4711", "退款咨询", "Where is my parcel?"]
    for at, title in enumerate(first_three):
        expect(titles(page).nth(at)).to_have_text(title)
    button(page, "Pin: Thank you!").focus()
    page.keyboard.press("Enter")
    expect(titles(page).first).to_have_text("Thank you! 🎉")
    expect(button(page, "Unpin: Thank you!")).to_be_focused()
    assert server.chat(APP, "thanks").top
    button(page, "Unpin: Refund").click()
    expect(titles(page).nth(1)).to_have_text("退款咨询")
    assert not server.chat(APP, "refund-4711").top


def test_a_pin_that_fails_keeps_the_list(open_demo, server):
    page = open_demo()
    server.fault("error", operation="updateHistory")
    button(page, "Pin: Thank you!").click()
    expect(page.locator("#chats .problem")).to_have_text("The service has a problem (503)Retry")
    expect(titles(page)).to_have_count(7)
    button(page, "Retry").click()
    expect(titles(page).first).to_have_text("Thank you! 🎉")


def test_more_chats_come_by_pages(open_demo, server):
    chats = [{"chatId": f"c{n}", "title": f"Chat {n}"} for n in range(23)]
    server.put_app({"id": APP, "name": "Support", "chats": chats})
    page = open_demo()
    for count in (10, 20):
        expect(titles(page)).to_have_count(count)
        button(page, "Show more").click()
    expect(titles(page)).to_have_count(23)
    expect(button(page, "Show more")).to_be_hidden()


def test_a_reply_grows_and_is_kept(open_demo, server):
    page = open_demo()
    button(page, "New chat").click()
    parts = ["It is ", {"pauseMs": 1500}, "on its way."]
    server.reply(parts=parts, stream={"firstTokenMs": 0})
    ask(page, "Where is it?")
    last = page.locator("#talk li").last
    expect(last).to_have_text("It is ", use_inner_text=True)
    expect(button(page, "Stop")).to_be_visible()
    expect(last).to_have_text("It is on its way.")
    expect(page.locator("#talk-title")).to_have_text("Where is it?")
    page.reload()
    page.get_by_role("button", name="Where is it?").last.click()
    expect(page.locator("#talk li")).to_have_text(["Where is it?", "It is on its way."])


def test_a_reply_names_what_it_cites(open_demo, server):
    page = open_demo()
    button(page, "New chat").click()
    ask(page, "When are you open?")
    last = page.locator("#talk li").last
    expect(last).to_contain_text("Manual entries")
    expect(last).not_to_contain_text("CITE")


def test_a_reply_can_be_stopped(open_demo, server):
    page = open_demo()
    server.reply(parts=["One moment.", {"pauseMs": 60_000}, "Done."])
    ask(page, "Hello")
    expect(page.locator("#talk li").last).to_have_text("One moment.")
    button(page, "Stop").click()
    expect(page.locator("#talk li").last).to_have_text("One moment.Stopped.")
    server.wait_for("completions", cut=True)
    button(page, "Refresh").click()
    expect(page.locator("#talk li").last).to_have_text("One moment.")


FAILING = [("reply", {"parts": ["So", {"error": "Model is busy"}]}, "The reply failed")]
FAILING += [("reply", {"parts": ["So", {"cut": True}]}, "The connection broke")]
FAILING += [("error", {}, "The service has a problem (503)"), ("reset", {}, "The connection broke")]


@pytest.mark.parametrize(("kind", "fields", "title"), FAILING)
def test_a_question_is_asked_again(open_demo, server, kind, fields, title):
    page = open_demo()
    # A browser may repeat a request whose connection breaks.
    fault = server.fault(kind, operation="completions", times=9, **fields)
    ask(page, "My refund?")
    expect(page.locator("#talk .problem strong")).to_have_text(title)
    fault.remove()
    button(page, "Retry").click()
    expect(page.locator("#talk li").last).to_contain_text("A refund takes up to ten days")
    expect(page.locator("#talk .problem")).to_have_count(0)


def test_the_library_has_folders_search_and_pages(open_demo, server):
    page = open_demo()
    page.get_by_label("Dataset").select_option(label="产品知识库")
    button(page, "Products").click()
    expect(page.locator("#range")).to_have_text("1-10 of 25")
    button(page, "Next").click()
    button(page, "Next").click()
    expect(page.locator("#range")).to_have_text("21-25 of 25")
    expect(button(page, "Next")).to_be_disabled()
    button(page, "Previous").click()
    expect(page.locator("#range")).to_have_text("11-20 of 25")
    page.get_by_role("searchbox").fill("CAFÉ")
    expect(page.locator(ARTICLES)).to_contain_text(["Müller café edition"])
    page.get_by_role("searchbox").fill("nothing")
    expect(page.locator("#library .empty")).to_have_text("Nothing matches “nothing”.")
    button(page, "All articles").click()
    expect(page.locator(ARTICLES)).to_contain_text(["常见问题", "Products", "Glossary"])


ERRORS = [("error", "The service has a problem (503)"), ("reset", "The connection broke")]
ERRORS += [("truncate", "The connection broke"), ("malformed_json", "The answer cannot be read")]


@pytest.mark.parametrize(("kind", "title"), ERRORS)
def test_an_error_goes_away_by_retry(open_demo, server, kind, title):
    page = open_demo()
    fault = server.fault(kind, operation="listV2", times=9)
    button(page, "Refresh").click()
    expect(page.locator("#library .problem strong")).to_have_text(title)
    expect(titles(page)).to_have_count(7)
    fault.remove()
    button(page, "Retry").focus()
    page.keyboard.press("Enter")
    expect(page.locator(ARTICLES)).to_have_count(8)
    expect(page.locator("#library")).to_be_focused()


def test_a_rate_limit_counts_down(open_demo, server):
    page = open_demo()
    page.clock.install()
    server.fault("error", operation="listV2", status=429, retryAfter=30)
    button(page, "Refresh").click()
    count = page.get_by_role("timer")
    expect(count).to_have_text("Trying again in 30 s")
    page.clock.run_for(20_000)
    expect(count).to_have_text("Trying again in 10 s")
    page.clock.run_for(10_000)
    expect(page.locator(ARTICLES)).to_have_count(8)


def test_a_held_list_is_loading_until_it_is_released(open_demo, server):
    page = open_demo()
    with server.fault("hold", operation="listV2"):
        button(page, "Guides").click()
        expect(page.locator("#library")).to_contain_text("Loading")
        expect(page.locator("#library [aria-busy=true], #library[aria-busy=true]")).to_have_count(1)
    expect(page.locator("#library")).not_to_contain_text("Loading")


def test_a_late_response_does_not_win(open_demo, server):
    page = open_demo()
    server.fault("delay", ms=1500, operation="listV2")
    button(page, "Guides").click()
    page.get_by_label("Dataset").select_option(label="产品知识库")
    expect(page.locator(ARTICLES)).to_have_count(3)
    server.wait_for("listV2", times=3)
    expect(page.locator(ARTICLES)).to_have_count(3)


def test_a_long_name_takes_two_lines(visit):
    name = "n" * 240
    chats = [{"chatId": "c", "title": name}, {"chatId": "d"}]
    folder = {"name": name, "tags": [name], "children": [{"name": name}]}
    document = {"apps": [{"id": "a", "name": name, "chats": chats}]}
    document["datasets"] = [{"id": "d", "name": name, "collections": [folder]}]
    with MockServer(document, demo=True) as server:
        page = visit(f"{server.url}/demo/", width=390)
        for tab, within in (("talk", "#talk h2"), ("library", ARTICLES), ("chats", CHATS)):
            page.locator(f"button[data-tab={tab}]").click()
            expect(page.locator(within).first).to_contain_text(name)
            assert page.locator(within).first.bounding_box()["height"] < 120
            check_look(page)
        page.locator("button[data-tab=library]").click()
        page.locator(f"{ARTICLES} button").click()
        expect(page.locator("#path")).to_contain_text(name)
        assert page.locator("#path").bounding_box()["height"] < 120
        check_look(page)


def test_each_pane_says_that_it_is_offline(server, visit):
    with server.fault("reset", times=None):
        page = visit(f"{server.url}/demo/", width=320)
        expect(page.locator("#chats .problem strong")).to_have_text("The connection broke")
        assert page.locator("h1").bounding_box()["height"] < 50
        page.locator("button[data-tab=talk]").click()
        expect(page.locator("#talk")).to_contain_text("once the chats are there")
        check_look(page)


def test_a_list_without_folders_scrolls_by_the_keyboard(visit):
    items = [{"repeat": 10, "name": "Article {n}"}]
    with MockServer({"datasets": [{"id": "d", "collections": items}]}, demo=True) as server:
        page = visit(f"{server.url}/demo/", height=500)
        expect(page.locator(ARTICLES)).to_have_count(10)
        check_look(page)


def test_an_empty_account_says_so(visit):
    with MockServer("empty", demo=True) as server:
        page = visit(f"{server.url}/demo/")
        expect(page.locator("#chats .empty")).to_have_text("This account has no apps.")
        expect(page.locator("#library .empty")).to_have_text("This account has no datasets.")
        expect(page.get_by_label("Your question")).to_be_disabled()
        check_look(page)


def test_the_key_and_the_language_are_kept(visit):
    with MockServer("permissions", demo=True) as server:
        page = visit(f"{server.url}/demo/", locale="zh-CN")
        button(page, "English").click()
        wrong = "The API key is not accepted (401)"
        expect(page.locator("#library .problem strong")).to_have_text(wrong)
        button(page, "Connection").click()
        page.get_by_label("API key").fill("fastgpt-owner")
        page.keyboard.press("Enter")
        expect(page.locator(".problem")).to_have_count(0)
        page.reload()
        expect(page.locator(ARTICLES).first).to_be_visible()
        expect(page.locator("#library-title")).to_have_text("Library")
