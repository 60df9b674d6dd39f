"""How the page looks and is found: widths, languages, folding, search, addresses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.pages import Console, Demo, Visit, expect
from tests.e2e.pages.demo import SPLIT
from tests.e2e.pages.part import box
from tests.e2e.pages.screen import APP, CHAT, DARK, GUIDES, HANDBOOK, PARCEL, PHONE

if TYPE_CHECKING:
    from playwright.sync_api import Route

WIDTHS = (320, 390, 768, 1280, 2560, 3840)
CUT = """() => [...document.querySelectorAll("button, h1, h3, summary, .hint, .empty")]
  .filter(it => it.checkVisibility())
  .filter(it => it.getBoundingClientRect().right > innerWidth + 1)
  .map(it => it.textContent)"""


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_page(visit: Visit, width: int, locale: str) -> None:
    console = visit(viewport={"width": width, "height": 900}, locale=locale)
    console.presets("eventually-consistent")
    expect(console.find(".armed")).to_have_count(4)
    for part in ("data", "requests", "control"):
        if width < 1100:
            console.find(f"[data-shows={part}]").click()
        assert console.fits()
        assert console.run(CUT) == []


def test_wide_pages_have_larger_type_and_no_endless_lines(visit: Visit) -> None:
    sizes = []
    for width in (1280, 2560, 3840):
        console = visit(viewport={"width": width, "height": 1400})
        console.faults.unfold("Presets")
        hint = console.find(".presets .hint").first
        expect(hint).to_be_visible()
        sizes.append(box(hint)["height"])
        assert hint.evaluate("it => it.parentElement.clientWidth / 6.4") < 140
    assert sizes[2] > 1.3 * sizes[1] / 1.1 > 0


@pytest.mark.parametrize("locale", ["zh-CN", "zh-TW", "en-GB", "fr-FR"])
def test_the_language_is_that_of_the_browser(visit: Visit, locale: str) -> None:
    console, is_chinese = visit(locale=locale), locale.startswith("zh")
    lang, reset = ("zh", "重置") if is_chinese else ("en", "Reset")
    expect(console.page.locator("html")).to_have_attribute("lang", lang)
    expect(console.find("#reset")).to_have_text(reset)
    fonts = console.run("getComputedStyle(document.body).fontFamily")
    assert ("PingFang SC" in fonts) is is_chinese


def test_the_language_is_switched_and_kept(console: Console) -> None:
    console.click("中文")
    chinese = console.card("故障")
    chinese.is_open()
    console.page.reload()
    chinese.unfold("预设")
    chinese.says("每五个请求有一个失败")
    console.click("English")
    console.faults.is_open()


def test_cards_fold_and_remember_it(console: Console) -> None:
    head, inside = console.faults.button("Faults"), console.button("Fail next listV2")
    head.click()
    expect(head).to_have_attribute("aria-expanded", "false")
    expect(inside).to_be_hidden()
    console.page.reload()
    console.faults.is_open()
    expect(inside).to_be_hidden()
    head.press("Enter")
    expect(inside).to_be_visible()
    note = console.choices.note
    expect(note).to_have_text("documented")
    console.choose(list_order="name")
    expect(note).to_have_text("documented · 1 differ")
    console.choices.click("Choices")
    expect(note).to_be_hidden()


def test_an_address_opens_a_card(visit: Visit) -> None:
    console = visit(path="/__admin/#/control/clock")
    expect(console.clock.button("Clock")).to_be_focused()
    expect(console.button("Freeze")).to_be_in_viewport()
    console.faults.click("Faults")
    console.go("#/control/faults")
    console.shows("Fail next listV2")


def test_an_address_shows_its_part_on_a_phone(visit: Visit) -> None:
    console = visit(path="/__admin/#/control/faults", **PHONE)
    console.shows("Fail next listV2")
    expect(console.button("Control")).to_have_attribute("aria-pressed", "true")
    expect(console.find("#apps")).to_be_hidden()


def test_the_search_is_a_button_and_goes_by_arrows_and_enter(console: Console) -> None:
    console.find("#search").click()
    expect(console.option("Faults")).to_be_visible()
    expect(console.option("Reset")).to_have_attribute("aria-selected", "false")
    console.press("Escape")
    expect(console.palette.root).to_be_hidden()
    expect(console.find("#search")).to_be_focused()
    console.search("add preset")
    first, second = (console.option(f"Add preset {each}") for each in ("flaky", "slow"))
    expect(first).to_have_attribute("aria-selected", "true")
    console.press("ArrowDown")
    expect(second).to_have_attribute("aria-selected", "true")
    field, active = console.role("combobox", "Search and jump"), "aria-activedescendant"
    expect(field).to_have_attribute(active, second.get_attribute("id"))
    console.press("ArrowUp", "Enter")
    console.faults.has(3)
    expect(console.palette.root).to_be_hidden()
    console.search("no such thing")
    console.page.keyboard.type(" anywhere")
    console.palette.says("No results for “no such thing anywhere”.")
    console.press("Enter")
    console.palette.is_open()


def test_a_card_is_jumped_to_and_commands_are_carried_out(console: Console) -> None:
    console.search("clock")
    console.option("Clock").click()
    expect(console.clock.button("Clock")).to_be_focused()
    console.shows("Freeze")
    for text, option, seen, value in (
        ("freeze", "Freeze", None, "frozen"),
        ("new sand", "New sandbox", console.sandbox, "sandbox-1"),
        ("default", "Look at sandbox default", console.sandbox, "default"),
    ):
        console.search(text)
        expect(console.option(option)).to_be_visible()
        console.press("Enter")
        if seen:
            expect(seen).to_have_value(value)
        else:
            expect(console.clock.note).to_contain_text(value)


def test_requests_and_data_are_jumped_to_by_number_and_name(console: Console) -> None:
    for text, label, address in (
        ("42", "Request 42", "#/requests/42"),
        ("where is my", "Where is my parcel?", f"/{CHAT}"),
        ("handbook", "Handbook", f"#/data/{HANDBOOK}"),
        ("install", "Install", f"#/data/{HANDBOOK}/"),
        ("customer sup", "Customer support", f"#/data/app/{APP}"),
    ):
        console.search(text)
        console.option(label).first.click()
        is_there = "address => location.hash.includes(address)"
        console.page.wait_for_function(is_there, arg=address)
        console.drawer.is_open()
        console.press("Escape")
        console.drawer.is_gone()


def test_what_is_deleted_during_a_search_is_no_error(console: Console) -> None:
    def delete_first(route: Route) -> None:
        console.client.delete(f"/__admin/apps/{APP}")
        route.continue_()

    console.page.route(re.compile(f"/apps/{APP}/chats[?]name=hand"), delete_first)
    console.search("hand")
    expect(console.option("Handbook").first).to_be_visible()
    expect(console.find(".notice.error")).to_have_count(0)


@pytest.mark.parametrize("options", [{}, DARK, PHONE])
def test_the_search_hinders_nobody(visit: Visit, options: dict[str, Any]) -> None:
    console = visit(axe=True, **options)
    console.search("re")
    expect(console.option("Reset")).to_be_visible()
    console.hinders_nobody()
    console.search("no such thing")
    console.palette.says("No results for")
    console.hinders_nobody()


def test_colours_of_the_reader_leave_nothing_unseen(visit: Visit) -> None:
    console = visit(forced_colors="active")
    border = "it => getComputedStyle(it).borderTopStyle"
    assert console.faults.root.evaluate(border) == "solid"
    console.fault(probability=0.5, seed=1)
    console.find(".armed summary").click()
    dots = "its => new Set(its.map(it => getComputedStyle(it).backgroundColor)).size"
    expect(console.find(".dot").first).to_be_visible()
    assert console.find(".dot").evaluate_all(dots) == 2


def test_who_wants_no_motion_gets_none(visit: Visit) -> None:
    button = visit(reduced_motion="reduce").button("Fail next listV2")
    assert button.evaluate("it => getComputedStyle(it).transitionDuration") == "0s"


def test_the_search_finds_what_buttons_do_and_presets_and_files(
    console: Console,
) -> None:
    for text, option in (
        ("pause", "Pause"),
        ("new app", "New app"),
        ("take", "Take"),
        ("export", "Export YAML"),
        ("answer", "Answer next …"),
        ("slow", "Add preset slow"),
    ):
        console.search(text)
        expect(console.option(option)).to_be_visible()
        console.press("Escape")
    console.search("new sandbox")
    console.press("Enter")
    expect(console.sandbox).to_have_value("sandbox-1")


CLIPPED = """its => its.filter((it) => it.checkVisibility())
  .filter((it) => it.scrollWidth > it.clientWidth
    || it.scrollHeight > it.clientHeight + 1)
  .map((it) => it.textContent)"""
LEFT = "its => [...new Set(its.map((it) => it.getBoundingClientRect().x))].length"


@pytest.mark.parametrize("width", [1440, 1280, 1024, 390])
def test_no_heading_and_no_name_of_a_request_is_cut(visit: Visit, width: int) -> None:
    console = visit(
        viewport={"width": width, "height": 900}, serving={"profile": "deployed"}
    )
    if width < 1100:
        console.click("Requests")
    console.list(parentId=GUIDES)
    console.list(pageSize=999)
    console.pin()
    console.client.get(f"/api/core/dataset/detail?id={HANDBOOK}")
    expect(console.rows.first).to_contain_text("Handbook")
    chat = {"appId": APP, "chatId": CHAT, "offset": 0, "pageSize": 5}
    console.send("POST", "/api/core/chat/record/getPaginationRecords", chat)
    expect(console.rows).to_have_count(5)
    expect(console.rows.first).to_contain_text(PARCEL)
    expect(console.rows.nth(2)).to_contain_text(PARCEL)
    expect(console.rows.nth(4)).to_contain_text("Handbook Guides")
    for part in (".what .link", ".asked"):
        assert console.find(f"#stream {part}").evaluate_all(CLIPPED) == []
    if width != 390:  # where the rows have no columns
        heads = console.find("#stream th:not(:first-child)")
        assert heads.evaluate_all(CLIPPED) == []
        for part in ("what", "why", "marks", "status"):
            assert console.find(f"#stream td.{part}").evaluate_all(LEFT) == 1
    hovered = console.rows.nth(2).locator(".asked span").first
    expect(hovered).to_have_attribute("title", f"Customer support › {CHAT}")


def test_pin_and_pinned_are_of_one_width(console: Console) -> None:
    widths = "its => new Set(its.map((it) => it.offsetWidth)).size"
    assert console.find(".pin").evaluate_all(widths) == 1


def test_a_moved_clock_and_a_frozen_one_are_marked(visit: Visit) -> None:
    console = visit(viewport={"width": 390, "height": 844})
    now = console.find("#now")
    expect(now).to_be_hidden()
    console.admin("POST", "/clock/advance", {"seconds": 7200})
    expect(now).to_contain_text("UTC · 2 hours ahead")
    console.freeze()
    expect(now).to_have_text("2026-01-01 00:00:00 UTC · frozen")
    expect(now).to_be_visible()


def test_the_demo_has_a_column_of_its_own_at_1024(visit: Visit) -> None:
    split = visit(kind=Demo, path=SPLIT, viewport={"width": 1024, "height": 768})
    split.framed.is_read()
    split.shows("Fail next listV2")
    assert box(split.find("#demo"))["width"] > 400
