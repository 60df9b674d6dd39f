"""How the page looks and is found: widths, languages, folding, search, addresses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.console.browsing import AXE, Console, serious
from tests.e2e.console.conftest import Visit

if TYPE_CHECKING:
    from playwright.sync_api import Route

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
APP = "65d8a1f0c3b2a94e7f106a01"
WIDTHS = (320, 390, 768, 1280, 2560, 3840)
FITS = "document.documentElement.scrollWidth <= innerWidth"
CUT = """() => [...document.querySelectorAll("button, h1, h3, summary, .hint, .empty")]
  .filter(it => it.checkVisibility())
  .filter(it => it.getBoundingClientRect().right > innerWidth + 1)
  .map(it => it.textContent)"""


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_page(visit: Visit, width: int, locale: str) -> None:
    console = visit(viewport={"width": width, "height": 900}, locale=locale)
    console.admin("POST", "/faults", {"preset": "eventually-consistent"})
    expect(console.page.locator(".armed")).to_have_count(4)
    for part in ("data", "requests", "control"):
        if width < 1100:
            console.page.locator(f"[data-shows={part}]").click()
        assert console.page.evaluate(FITS)
        assert console.page.evaluate(CUT) == []


def test_wide_pages_have_larger_type_and_no_endless_lines(visit: Visit) -> None:
    sizes = []
    for width in (1280, 2560, 3840):
        console = visit(viewport={"width": width, "height": 1400})
        hint = console.page.locator(".presets .hint").first
        expect(hint).to_be_visible()
        box = hint.bounding_box()
        assert box is not None
        sizes.append(box["height"])
        per_line = "it => it.parentElement.clientWidth / 6.4"
        assert hint.evaluate(per_line) < 140
    assert sizes[2] > 1.3 * sizes[1] / 1.1 > 0


@pytest.mark.parametrize("locale", ["zh-CN", "zh-TW", "en-GB", "fr-FR"])
def test_the_language_is_that_of_the_browser(visit: Visit, locale: str) -> None:
    console = visit(locale=locale)
    is_chinese = locale.startswith("zh")
    html = console.page.locator("html")
    expect(html).to_have_attribute("lang", "zh" if is_chinese else "en")
    expect(console.page.locator("#reset")).to_have_text(
        "重置" if is_chinese else "Reset"
    )
    fonts = html.evaluate("it => getComputedStyle(document.body).fontFamily")
    assert ("PingFang SC" in fonts) is is_chinese


def test_the_language_is_switched_and_kept(console: Console) -> None:
    console.button("中文").click()
    expect(console.part("故障")).to_be_visible()
    console.page.reload()
    expect(console.part("故障")).to_contain_text("每五个请求有一个失败")
    console.button("English").click()
    expect(console.part("Faults")).to_be_visible()


def test_cards_fold_and_remember_it(console: Console) -> None:
    card = console.part("Faults")
    console.button("Faults", "Faults").click()
    expect(console.button("Faults", "Faults")).to_have_attribute(
        "aria-expanded", "false"
    )
    expect(console.button("Fail next list")).to_be_hidden()
    console.page.reload()
    expect(card).to_be_visible()
    expect(console.button("Fail next list")).to_be_hidden()
    console.button("Faults", "Faults").press("Enter")
    expect(console.button("Fail next list")).to_be_visible()


def test_a_folded_card_says_what_is_in_it(console: Console) -> None:
    note = console.part("Choices").locator(".note")
    expect(note).to_have_text("documented")
    console.admin("PUT", "/choices", {"choices": {"list_order": "name"}})
    expect(note).to_have_text("documented · 1 differ")
    console.button("Choices", "Choices").click()
    expect(note).to_be_hidden()


def test_an_address_opens_a_card(visit: Visit) -> None:
    console = visit(path="/__admin/#/control/clock")
    expect(console.button("Clock", "Clock")).to_be_focused()
    expect(console.button("Freeze")).to_be_in_viewport()
    console.button("Faults", "Faults").click()
    console.page.evaluate("location.hash = '#/control/faults'")
    expect(console.button("Fail next list")).to_be_visible()


def test_an_address_shows_its_part_on_a_phone(visit: Visit) -> None:
    phone = {"width": 390, "height": 844}
    console = visit(path="/__admin/#/control/faults", viewport=phone)
    expect(console.button("Fail next list")).to_be_visible()
    expect(console.button("Control")).to_have_attribute("aria-pressed", "true")
    expect(console.page.locator("#apps")).to_be_hidden()


def search(console: Console, text: str) -> None:
    """Open the search by its keys and enter a text, which is looked for once."""
    console.page.keyboard.press("Control+k")
    expect(console.page.get_by_role("combobox", name="Search and jump")).to_be_focused()
    console.page.keyboard.insert_text(text)


def option(console: Console, name: str) -> Any:
    found = console.page.get_by_role("listbox", name="Results")
    return found.get_by_role("option", name=re.compile(f"^{re.escape(name)}"))


def test_the_search_is_a_button_too(console: Console) -> None:
    console.page.locator("#search").click()
    expect(option(console, "Faults")).to_be_visible()
    expect(option(console, "Reset")).to_have_attribute("aria-selected", "false")
    console.page.keyboard.press("Escape")
    expect(console.page.locator("#palette")).to_be_hidden()
    expect(console.page.locator("#search")).to_be_focused()


def test_the_search_goes_by_arrows_and_enter(console: Console) -> None:
    search(console, "arm")
    first, second = option(console, "Arm flaky"), option(console, "Arm slow")
    expect(first).to_have_attribute("aria-selected", "true")
    console.page.keyboard.press("ArrowDown")
    expect(second).to_have_attribute("aria-selected", "true")
    active = console.page.get_by_role("combobox", name="Search and jump")
    expect(active).to_have_attribute(
        "aria-activedescendant", second.get_attribute("id") or ""
    )
    console.page.keyboard.press("ArrowUp")
    console.page.keyboard.press("Enter")
    expect(console.page.locator(".armed")).to_have_count(3)
    expect(console.page.locator("#palette")).to_be_hidden()


def test_a_card_is_jumped_to(console: Console) -> None:
    search(console, "clock")
    option(console, "Clock").click()
    expect(console.button("Clock", "Clock")).to_be_focused()
    expect(console.button("Freeze")).to_be_visible()


def test_commands_are_carried_out(console: Console) -> None:
    search(console, "freeze")
    expect(option(console, "Freeze the clock")).to_be_visible()
    console.page.keyboard.press("Enter")
    expect(console.part("Clock").locator(".note")).to_contain_text("frozen")
    search(console, "new sand")
    expect(option(console, "New sandbox")).to_be_visible()
    console.page.keyboard.press("Enter")
    select = console.page.get_by_role("combobox", name="Sandbox")
    expect(select).to_have_value("sandbox-1")
    search(console, "default")
    expect(option(console, "Look at sandbox default")).to_be_visible()
    console.page.keyboard.press("Enter")
    expect(select).to_have_value("default")


@pytest.mark.parametrize(
    ("text", "label", "address"),
    [
        ("42", "Request 42", "#/requests/42"),
        ("where is my", "Where is my parcel?", "/delivery-late"),
        ("handbook", "Handbook", "#/data/6593e137231a2be9c5603ba7"),
        ("install", "Install", "#/data/6593e137231a2be9c5603ba7/"),
        ("customer sup", "Customer support", "#/data/app/65d8a1f0c3b2a94e7f106a01"),
    ],
)
def test_requests_and_data_are_jumped_to_by_number_and_name(
    console: Console, text: str, label: str, address: str
) -> None:
    search(console, text)
    option(console, label).first.click()
    console.page.wait_for_function(
        "address => location.hash.includes(address)", arg=address
    )


def test_what_is_not_there_is_said(console: Console) -> None:
    search(console, "no such thing")
    console.page.keyboard.type(" anywhere")
    expect(console.page.locator("#palette")).to_contain_text(
        "Nothing goes by “no such thing anywhere”."
    )
    console.page.keyboard.press("Enter")
    expect(console.page.locator("#palette")).to_be_visible()


def test_what_is_deleted_during_a_search_is_no_error(console: Console) -> None:
    def delete_first(route: Route) -> None:
        console.client.delete(f"/__admin/apps/{APP}")
        route.continue_()

    console.page.route(re.compile(f"/apps/{APP}/chats[?]name=hand"), delete_first)
    search(console, "hand")
    expect(option(console, "Handbook").first).to_be_visible()
    expect(console.page.locator(".notice.error")).to_have_count(0)


@pytest.mark.skipif(not AXE, reason="needs npm: axe-core, and name it in AXE")
@pytest.mark.parametrize(
    "options",
    [{}, {"color_scheme": "dark"}, {"viewport": {"width": 390, "height": 844}}],
)
def test_the_search_hinders_nobody(visit: Visit, options: dict[str, Any]) -> None:
    console = visit(bypass_csp=True, **options)
    console.page.evaluate(Path(AXE).read_text(encoding="utf-8"))
    search(console, "re")
    expect(option(console, "Reset")).to_be_visible()
    assert serious(console) == []
    search(console, "no such thing")
    expect(console.page.locator("#palette")).to_contain_text("Nothing goes by")
    assert serious(console) == []


def test_colours_of_the_reader_leave_nothing_unseen(visit: Visit) -> None:
    console = visit(forced_colors="active")
    border = "it => getComputedStyle(it).borderTopStyle"
    assert console.part("Faults").evaluate(border) == "solid"
    console.admin("POST", "/faults", {"kind": "error", "probability": 0.5, "seed": 1})
    console.page.locator(".armed summary").click()
    dots = "its => new Set(its.map(it => getComputedStyle(it).backgroundColor)).size"
    expect(console.page.locator(".dot").first).to_be_visible()
    assert console.page.locator(".dot").evaluate_all(dots) == 2


def test_who_wants_no_motion_gets_none(visit: Visit) -> None:
    console = visit(reduced_motion="reduce")
    duration = "it => getComputedStyle(it).transitionDuration"
    assert console.button("Fail next list").evaluate(duration) == "0s"
