"""Changes: what is wrong with them is said in its place, and they can be undone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from mock_server.api.faults.presets import PRESETS
from mock_server.api.faults.table import KINDS
from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.console.browsing import AXE, DARK, PHONE, Console, Held, serious
from tests.e2e.console.conftest import Visit
from tests.support import first, wait

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
APP, CHAT, DATASET = (
    "65d8a1f0c3b2a94e7f106a01",
    "delivery-late",
    "6593e137231a2be9c5603ba7",
)
COLLECTIONS = "Datasets and their collections"
PIN, PINNED = "Pin Where is my parcel?", "Pinned Where is my parcel?"
MINUTE = 61_000
SANDBOXES = "**/__admin/sandboxes"  # by them the page learns of another generation


def edit(console: Console) -> Any:
    """Open the folder Guides in the side panel."""
    console.button("Guides", COLLECTIONS).click()
    expect(console.drawer.get_by_label("name", exact=True)).to_have_value("Guides")
    return console.drawer


def add_inside(drawer: Any, name: str) -> None:
    """Add a folder to the one that is open in the side panel."""
    drawer.get_by_role("button", name="Add inside").click()
    drawer.get_by_label("name", exact=True).fill(name)
    drawer.get_by_role("button", name="Add", exact=True).click()


def save_with(console: Console, field: str, value: str) -> Any:
    """Put something into a field that is folded away, and save; gives the field."""
    console.drawer.get_by_text("More fields").click()
    found = console.drawer.get_by_label(field, exact=True)
    found.fill(value)
    console.drawer.get_by_text("More fields").click()
    console.drawer.get_by_role("button", name="Save").click()
    return found


def pinned(console: Console) -> None:
    """Have a chat pinned, and a fault armed."""
    console.pin(APP, CHAT)
    expect(console.button(PINNED)).to_be_visible()
    fault = {"kind": "error", "times": 3, "status": 418, "operation": "listV2"}
    console.admin("POST", "/faults", fault)


def own_snapshots(console: Console) -> list[str]:
    return [each["name"] for each in console.admin("GET", "/snapshots")["snapshots"]]


def notice(console: Console, text: str) -> Any:
    return console.page.locator(".notice", has_text=text)


def test_a_mistake_is_told_beside_the_field_until_it_is_edited(
    console: Console,
) -> None:
    edit(console)
    field = save_with(console, "parentId", "nowhere")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(
        re.compile('got the string "nowhere"$')
    )
    field.fill("")
    expect(field).not_to_have_attribute("aria-invalid", "true")
    expect(console.drawer.locator(".error")).to_have_count(0)
    console.refused.clear()


def test_other_errors_stand_at_the_top_of_the_drawer(console: Console) -> None:
    drawer = edit(console)
    console.admin("DELETE", f"/datasets/{DATASET}")
    drawer.get_by_label("name", exact=True).fill("Guidance")
    drawer.get_by_role("button", name="Save").click()
    expect(drawer.get_by_role("alert")).to_contain_text("Expected")
    expect(drawer.get_by_role("alert")).to_be_in_viewport()
    console.refused.clear()


def test_a_collection_needs_a_name(console: Console) -> None:
    before = console.admin("GET", "/state")
    drawer = edit(console)
    drawer.get_by_role("button", name="Add inside").click()
    for name in ("", "  "):
        drawer.get_by_label("name", exact=True).fill(name)
        drawer.get_by_role("button", name="Add", exact=True).click()
        field = drawer.get_by_label("name", exact=True)
        expect(field).to_have_accessible_description("This has to be filled in.")
    assert console.admin("GET", "/state") == before


def test_text_that_is_no_json_is_told_where_it_breaks(console: Console) -> None:
    card = console.part("Faults")
    card.get_by_text("Add another").click()
    card.get_by_text("When it fires").click()
    match = card.get_by_label("match")
    match.fill('{\n "body": {,}\n}')
    console.button("Add fault").click()
    expect(match).to_be_focused()
    expect(match).to_have_accessible_description(re.compile("line 2, column 11"))
    assert console.admin("GET", "/faults")["faults"] == []


def test_what_was_changed_is_not_lost_by_a_stray_click(console: Console) -> None:
    drawer = edit(console)
    name = drawer.get_by_label("name", exact=True)
    name.fill("Guidance")
    question = console.page.get_by_role("dialog", name="Discard what you have changed?")
    for leave in (
        lambda: console.page.mouse.click(200, 400),
        lambda: console.page.keyboard.press("Escape"),
        drawer.get_by_role("button", name="Close").click,
    ):
        leave()
        question.get_by_role("button", name="Keep editing").click()
        expect(name).to_have_value("Guidance")
    console.page.keyboard.press("Escape")
    question.get_by_role("button", name="Discard").click()
    expect(drawer).to_have_count(0)


def test_selecting_text_does_not_close_the_drawer(console: Console) -> None:
    drawer = edit(console)
    console.page.mouse.move(1000, 700)
    console.page.mouse.down()
    console.page.mouse.move(200, 700)
    console.page.mouse.up()
    expect(drawer).to_be_visible()
    console.page.mouse.click(200, 700)
    expect(drawer).to_have_count(0)


def test_closing_leads_back_to_where_one_was(console: Console) -> None:
    edit(console)
    assert console.page.url.partition("#")[2].startswith(f"/data/{DATASET}/")
    console.page.keyboard.press("Escape")
    expect(console.button("Guides", COLLECTIONS)).to_be_focused()
    expect(console.page).to_have_url(f"{console.server.url}/__admin/")


@pytest.mark.parametrize(
    ("width", "least", "most"), [(390, 390, 390), (3840, 800, 1300)]
)
def test_the_drawer_fits_the_screen(
    visit: Visit, width: int, least: int, most: int
) -> None:
    console = visit(viewport={"width": width, "height": 900})
    edit(console)
    box = console.page.locator("#drawer").bounding_box()
    assert box
    assert least <= box["width"] <= most
    assert box["x"] + box["width"] == width


def test_a_notice_stands_above_the_drawer(console: Console) -> None:
    pinned(console)
    console.button("Reset").click()
    expect(notice(console, "Back to the baseline")).to_be_visible()
    drawer = edit(console)
    expect(console.page.locator("#drawer #notice")).to_have_count(0)
    add_inside(drawer, "More")
    console.button("Undo").click()
    expect(notice(console, "Undone: Added More.")).to_be_visible()


def test_errors_stay_until_they_are_closed_and_successes_go(visit: Visit) -> None:
    console = visit(path=None)
    console.page.clock.install()
    console.open()
    console.admin("POST", "/faults", {"kind": "error", "message": "Not today."})
    console.button(PIN).click()
    error = notice(console, "Not today.")
    expect(error).to_be_visible()
    console.page.clock.fast_forward(10_000)
    expect(error).to_be_visible()
    error.get_by_role("button", name="Close").click()
    expect(error).to_be_hidden()
    console.button("Fail next list").click()
    armed = notice(console, "armed")
    expect(armed).to_be_visible()
    console.page.clock.fast_forward(10_000)
    expect(armed).to_be_hidden()


def test_a_reset_can_be_undone(console: Console) -> None:
    pinned(console)
    console.admin("PUT", "/clock", {"now": "2026-01-01T00:00:00Z", "frozen": True})
    console.admin("PUT", "/choices", {"profile": "deployed"})
    expect(console.page.locator("#facts")).to_contain_text("deployed")
    console.button("Reset").click()
    expect(console.button(PIN)).to_be_visible()
    expect(console.page.locator("#snapshots li")).to_have_count(0)
    console.button("Undo").click()
    expect(notice(console, "requests that were listed are not")).to_be_visible()
    expect(console.button(PINNED)).to_be_visible()
    assert console.admin("GET", "/clock")["now"] == "2026-01-01T00:00:00.000Z"
    assert console.admin("GET", "/choices")["profile"] == "deployed"
    (fault,) = console.admin("GET", "/faults")["faults"]
    assert (fault["status"], fault["remaining"]) == (418, 3)
    wait(lambda: own_snapshots(console) == [])


def test_all_faults_come_back_with_an_undo(console: Console) -> None:
    for kind, row in KINDS.items():
        console.admin("POST", "/faults", {"kind": kind, **row.least})
    for preset in PRESETS:
        console.admin("POST", "/faults", {"preset": preset})
    before = definitions(console)
    console.button("Reset").click()
    expect(notice(console, "Back to the baseline")).to_be_visible()
    console.button("Undo").click()
    expect(notice(console, "requests that were listed are not")).to_be_visible()
    assert definitions(console) == before
    for preset in PRESETS:
        expect(console.button(f"Remove preset {preset}")).to_be_visible()


def definitions(console: Console) -> list[dict[str, Any]]:
    """What faults do and when, without what is counted while they are armed."""
    passing = {"id", "endsIn", "ttl"}
    found = console.admin("GET", "/faults")["faults"]
    return [{k: v for k, v in each.items() if k not in passing} for each in found]


def test_after_a_minute_a_reset_stays(visit: Visit) -> None:
    console = visit(path=None)
    console.page.clock.install()
    console.open()
    console.button("Reset").click()
    expect(console.button("Undo")).to_be_visible()
    assert len(own_snapshots(console)) == 1
    with console.page.expect_response(lambda each: each.request.method == "DELETE"):
        console.page.clock.fast_forward(MINUTE)
    expect(console.button("Undo")).to_have_count(0)
    assert own_snapshots(console) == []


def test_the_keys_undo_once_and_not_where_somebody_types(console: Console) -> None:
    pinned(console)
    console.button("Reset").click()
    expect(console.button("Undo")).to_be_visible()
    console.page.get_by_label("Name of the snapshot").press("Control+z")
    expect(console.button(PIN)).to_be_visible()
    console.page.locator("h1").click()
    console.page.keyboard.press("Control+z")
    expect(console.button(PINNED)).to_be_visible()
    console.admin("POST", "/reset")
    expect(console.button(PIN)).to_be_visible()
    console.page.keyboard.press("Control+z")
    expect(console.button("Undo")).to_have_count(0)
    expect(console.button(PIN)).to_be_visible()


def test_what_is_of_another_sandbox_cannot_be_undone(console: Console) -> None:
    console.button("Reset").click()
    expect(console.button("Undo")).to_be_visible()
    console.button("New sandbox").click()
    expect(console.button("Undo")).to_have_count(0)
    expect(notice(console, "is a copy of its own")).to_be_visible()
    console.page.wait_for_function(
        "fetch('snapshots').then((it) => it.json()).then((it) => !it.snapshots.length)"
    )


def test_a_reset_by_others_ends_the_undo(console: Console) -> None:
    console.button("Reset").click()
    expect(console.button("Undo")).to_be_visible()
    expect(console.page.locator("#facts")).to_contain_text("generation 2")
    console.admin("POST", "/reset")
    expect(console.button("Undo")).to_have_count(0)


def test_a_change_right_after_a_reset_can_be_undone(console: Console) -> None:
    held = Held(console.page, SANDBOXES)
    console.button("Reset").click()
    expect(notice(console, "Back to the baseline")).to_be_visible()
    add_inside(edit(console), "More")
    expect(notice(console, "Added More.")).to_be_visible()
    held.let_go()
    expect(console.page.locator("#facts")).to_contain_text("generation 2")
    console.button("Undo").click()
    expect(notice(console, "Undone: Added More.")).to_be_visible()


def test_a_restore_can_be_undone(console: Console) -> None:
    console.admin("PUT", "/snapshots/before")
    pinned(console)
    row = console.part("Snapshots").get_by_role("listitem")
    expect(row).to_contain_text("generation 1")
    console.button("Restore before").click()
    expect(console.button(PIN)).to_be_visible()
    console.button("Undo").click()
    expect(console.button(PINNED)).to_be_visible()
    expect(row).to_have_count(1)


def test_names_that_are_refused_are_told_beside_the_field(console: Console) -> None:
    words = re.compile("^Expected 1 to 64 letters")
    name = console.part("Snapshots").get_by_label("Name of the snapshot")
    name.fill("before demo")
    console.button("Take").click()
    expect(name).to_have_accessible_description(words)
    card = console.part("For clients")
    card.get_by_text("New sandbox with a name").click()
    card.get_by_label("name", exact=True).fill("a b")
    console.button("Make").click()
    expect(card.get_by_label("name", exact=True)).to_have_accessible_description(words)
    assert len(console.admin("GET", "/sandboxes")["sandboxes"]) == 1


def test_a_sandbox_can_have_a_name_and_a_profile(console: Console) -> None:
    card = console.part("For clients")
    card.get_by_text("New sandbox with a name").click()
    card.get_by_label("name", exact=True).fill("mine")
    card.get_by_label("profile").select_option("deployed")
    console.button("Make").click()
    expect(console.page.get_by_role("combobox", name="Sandbox")).to_have_value("mine")
    expect(console.page.locator("#facts")).to_contain_text("deployed")
    expect(card).to_contain_text(re.compile(r"ends at \d\d:\d\d unless it is used"))


def test_each_key_is_shown_once_whole_and_with_its_level(visit: Visit) -> None:
    long = "fastgpt-" + "0123456789" * 12
    console = visit(
        {
            "keys": [
                {"key": long, "permission": "owner"},
                {"key": "fastgpt-reader", "permission": "read"},
            ]
        }
    )
    card = console.part("For clients")
    for key, level in ((long, "owner"), ("fastgpt-reader", "read")):
        row = card.get_by_role("listitem").filter(has_text=key)
        expect(row).to_have_count(1)
        expect(row.locator(".mark")).to_have_text(level)
        shown = row.locator("code")
        assert shown.evaluate("it => it.scrollWidth <= it.clientWidth")


@pytest.mark.skipif(not AXE, reason="needs npm: axe-core, and name it in AXE")
@pytest.mark.parametrize(
    "options", first(2, [{}, PHONE | DARK, DARK, {"locale": "zh-CN"}])
)
def test_forms_and_questions_hinder_nobody(
    visit: Visit, options: dict[str, Any]
) -> None:
    console = visit(bypass_csp=True, **options)
    console.page.evaluate(Path(AXE).read_text(encoding="utf-8"))
    console.button("Guides", None).click()
    console.drawer.locator("summary").click()
    console.drawer.locator("[name=parentId]").fill("nowhere")
    console.drawer.locator("form button.strong").click()
    expect(console.drawer.locator(".error")).to_be_visible()
    assert serious(console) == []
    console.page.keyboard.press("Escape")
    expect(console.page.locator("dialog.question")).to_be_visible()
    assert serious(console) == []
    console.page.locator("dialog.question .danger").click()
    console.page.locator("#reset").click()
    expect(console.page.locator(".notice button").first).to_be_visible()
    assert serious(console) == []
    console.refused.clear()
