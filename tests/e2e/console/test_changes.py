"""Changes: what is wrong with them is said in its place, and they can be undone."""

from __future__ import annotations

import re
from typing import Any

import pytest

from mock_server.api.faults.presets import PRESETS
from mock_server.api.faults.table import KINDS
from tests.e2e.pages import Console, Visit, expect
from tests.e2e.pages.console import PIN, PINNED
from tests.e2e.pages.part import Part, box
from tests.e2e.pages.screen import CHINESE, DARK, HANDBOOK, PHONE
from tests.support import first, wait

MINUTE = 61_000
SANDBOXES = "**/__admin/sandboxes"  # by them the page learns of another generation


def edit(console: Console) -> Any:
    """Open the folder Guides in the side panel."""
    drawer = console.opens("Guides", console.collections)
    expect(drawer.field("name")).to_have_value("Guides")
    return drawer


def add_inside(console: Console, name: str) -> None:
    """Add a folder to the folder Guides."""
    drawer = edit(console)
    drawer.click("Add inside")
    drawer.add(name=name)


def pinned(console: Console) -> None:
    """Have a chat pinned, and a fault armed."""
    console.pin()
    console.shows(PINNED)
    console.fault(times=3, status=418, operation="listV2")


def own_snapshots(console: Console) -> list[str]:
    return [each["name"] for each in console.admin("GET", "/snapshots")["snapshots"]]


def reset(console: Console) -> None:
    """Reset, and see that it can be undone."""
    console.reset()
    console.shows("Undo")


def reset_undone(console: Console) -> None:
    console.click("Undo")
    console.notices("requests that were listed are not")


@pytest.fixture
def frozen(visit: Visit) -> Any:
    """The console, in a browser whose clock is moved by the test."""
    console = visit(path=None)
    console.page.clock.install()
    return console.open()


def test_a_mistake_is_told_beside_the_field_until_it_is_edited(
    console: Console,
) -> None:
    drawer = edit(console)
    drawer.unfold("More fields")
    field = drawer.field("parentId")
    field.fill("nowhere")
    drawer.unfold("More fields")  # folded away again
    drawer.click("Save")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(re.compile('the string "nowhere"$'))
    field.fill("")
    expect(field).not_to_have_attribute("aria-invalid", "true")
    expect(drawer.find(".error")).to_have_count(0)
    console.refused.clear()


def test_other_errors_stand_at_the_top_of_the_drawer(console: Console) -> None:
    drawer = edit(console)
    console.admin("DELETE", f"/datasets/{HANDBOOK}")
    drawer.save(name="Guidance")
    drawer.part("alert").says("Expected")
    expect(drawer.role("alert")).to_be_in_viewport()
    console.refused.clear()


def test_a_collection_needs_a_name(console: Console) -> None:
    before, drawer = console.state(), edit(console)
    drawer.click("Add inside")
    for name in ("", "  "):
        drawer.add(name=name)
        field = drawer.field("name")
        expect(field).to_have_accessible_description("This has to be filled in.")
    assert console.state() == before


def test_text_that_is_no_json_is_told_where_it_breaks(console: Console) -> None:
    console.faults.unfold("Add another", "When it fires")
    match = console.faults.field("match")
    match.fill('{\n "body": {,}\n}')
    console.click("Add fault")
    expect(match).to_be_focused()
    expect(match).to_have_accessible_description(re.compile("line 2, column 11"))
    assert console.armed() == []


def test_what_was_changed_is_not_lost_by_a_stray_click(console: Console) -> None:
    drawer = edit(console)
    drawer.fill(name="Guidance")
    question = console.part("dialog", "Discard what you have changed?")
    for leave in (
        lambda: console.page.mouse.click(200, 400),
        lambda: console.press("Escape"),
        lambda: drawer.click("Close"),
    ):
        leave()
        question.click("Keep editing")
        expect(drawer.field("name")).to_have_value("Guidance")
    console.press("Escape")
    question.click("Discard")
    drawer.is_gone()


def test_selecting_text_does_not_close_the_drawer(console: Console) -> None:
    drawer, mouse = edit(console), console.page.mouse
    mouse.move(1000, 700)
    mouse.down()
    mouse.move(200, 700)
    mouse.up()
    drawer.is_open()
    mouse.click(200, 700)
    drawer.is_gone()


def test_closing_leads_back_to_where_one_was(console: Console) -> None:
    edit(console)
    expect(console.page).to_have_url(re.compile(f"#/data/{HANDBOOK}/"))
    console.press("Escape")
    expect(console.collections.button("Guides")).to_be_focused()
    console.at("")


@pytest.mark.parametrize(
    ("width", "least", "most"), [(390, 390, 390), (3840, 800, 1300)]
)
def test_the_drawer_fits_the_screen(
    visit: Visit, width: int, least: int, most: int
) -> None:
    drawer = edit(visit(viewport={"width": width, "height": 900}))
    place = box(drawer.root)
    assert least <= place["width"] <= most
    assert place["x"] + place["width"] == width


def test_a_notice_stands_above_the_drawer(console: Console) -> None:
    held = console.hold(SANDBOXES)
    console.reset()
    console.notices("Back to the baseline")
    edit(console)
    console.drawer.says("Back to the baseline")
    held.let_go()
    console.facts.says("generation 2")
    console.drawer.click("Undo")
    console.drawer.says("requests that were listed are not")
    console.press("Escape")
    console.drawer.is_gone()
    console.notices("requests that were listed are not")


def test_errors_stay_until_they_are_closed_and_successes_go(frozen: Console) -> None:
    frozen.fault(message="Not today.")
    frozen.click(PIN)
    error = frozen.notices("Not today.")
    frozen.page.clock.fast_forward(10_000)
    expect(error).to_be_visible()
    Part(error).click("Close")
    expect(error).to_be_hidden()
    frozen.click("Fail next listV2")
    added = frozen.notices("added")
    frozen.page.clock.fast_forward(10_000)
    expect(added).to_be_hidden()


def test_what_was_said_of_another_sandbox_goes(frozen: Console) -> None:
    frozen.admin("POST", "/sandboxes", {"name": "mine"})
    frozen.click("Fail next listV2")
    added = frozen.notices("added")
    frozen.page.clock.fast_forward(2000)
    frozen.sandbox.select_option("mine")
    expect(added).to_be_hidden()


def test_a_reset_can_be_undone(console: Console) -> None:
    pinned(console)
    console.freeze()
    console.admin("PUT", "/choices", {"profile": "deployed"})
    console.facts.says("deployed")
    console.reset()
    console.shows(PIN)
    expect(console.find("#snapshots li")).to_have_count(0)
    reset_undone(console)
    console.shows(PINNED)
    assert console.admin("GET", "/clock")["now"] == "2026-01-01T00:00:00.000Z"
    assert console.admin("GET", "/choices")["profile"] == "deployed"
    (fault,) = console.armed()
    assert (fault["status"], fault["remaining"]) == (418, 3)
    wait(lambda: own_snapshots(console) == [])


def test_all_faults_come_back_with_an_undo(console: Console) -> None:
    for kind, row in KINDS.items():
        console.fault(kind, **row.required_fields)
    console.presets(*PRESETS)
    before = definitions(console)
    console.reset()
    console.notices("Back to the baseline")
    reset_undone(console)
    assert definitions(console) == before
    console.shows(*(f"Remove preset {preset}" for preset in PRESETS))


def definitions(console: Console) -> list[dict[str, Any]]:
    """What faults do and when, without what is counted while they are armed."""
    passing = {"id", "endsIn", "ttl"}
    return [
        {k: v for k, v in each.items() if k not in passing} for each in console.armed()
    ]


def test_after_a_minute_a_reset_stays(frozen: Console) -> None:
    reset(frozen)
    assert len(own_snapshots(frozen)) == 1
    with frozen.page.expect_response(lambda each: each.request.method == "DELETE"):
        frozen.page.clock.fast_forward(MINUTE)
    frozen.lacks("Undo")
    assert own_snapshots(frozen) == []


def test_the_keys_undo_once_and_not_where_somebody_types(console: Console) -> None:
    pinned(console)
    reset(console)
    console.snapshots.field("Name of the snapshot").press("Control+z")
    console.shows(PIN)
    console.find("h1").click()
    console.press("Control+z")
    console.shows(PINNED)
    console.admin("POST", "/reset")
    console.shows(PIN)
    console.press("Control+z")
    console.lacks("Undo")
    console.shows(PIN)


def test_what_is_of_another_sandbox_or_was_reset_by_others_cannot_be_undone(
    console: Console,
) -> None:
    reset(console)
    console.clients.click("New sandbox")
    console.lacks("Undo")
    console.notices("Requests with its API key")
    console.page.wait_for_function(
        "fetch('snapshots').then((it) => it.json()).then((it) => !it.snapshots.length)"
    )
    reset(console)
    console.facts.says("generation 2")
    name = console.sandbox.input_value()
    console.admin("POST", f"/sandboxes/{name}/reset")  # by others
    console.lacks("Undo")


def test_a_change_right_after_a_reset_can_be_undone(console: Console) -> None:
    held = console.hold(SANDBOXES)
    console.reset()
    console.notices("Back to the baseline")
    add_inside(console, "More")
    console.notices("Added More.")
    held.let_go()
    console.facts.says("generation 2")
    console.click("Undo")
    console.notices("Undone: Added More.")


def test_a_reset_without_a_way_back_says_why(console: Console) -> None:
    for number in range(100):
        console.admin("PUT", f"/snapshots/s{number}", {})
    console.reset()
    console.notices("Undo is not possible: Expected at most 100 snapshots")
    console.lacks("Undo")
    ((status, _),) = console.refused
    assert status == 409
    console.refused.clear()


def test_a_restore_can_be_undone(console: Console) -> None:
    console.admin("PUT", "/snapshots/before")
    pinned(console)
    row = console.snapshots.part("listitem")
    row.says("generation 1")
    console.click("Restore before")
    console.shows(PIN)
    console.click("Undo")
    console.shows(PINNED)
    expect(row.root).to_have_count(1)


def test_names_that_are_refused_are_told_beside_the_field(console: Console) -> None:
    words = re.compile("^Expected 1 to 64 letters")
    console.clients.unfold("New sandbox with a name")
    for card, label, name, button in (
        (console.snapshots, "Name of the snapshot", "before demo", "Take"),
        (console.clients, "name", "a b", "Create"),
    ):
        card.field(label).fill(name)
        console.click(button)
        expect(card.field(label)).to_have_accessible_description(words)
    assert len(console.admin("GET", "/sandboxes")["sandboxes"]) == 1


def test_a_sandbox_can_have_a_name_and_a_profile(console: Console) -> None:
    card = console.clients
    card.unfold("New sandbox with a name")
    card.fill(name="mine")
    card.field("profile").select_option("deployed")
    console.click("Create")
    expect(console.sandbox).to_have_value("mine")
    console.facts.says("deployed")
    card.says(re.compile(r"ends at \d\d:\d\d unless it is used"))


def test_each_key_is_shown_once_whole_and_with_its_level(visit: Visit) -> None:
    levels = {"fastgpt-" + "0123456789" * 12: "owner", "fastgpt-reader": "read"}
    keys = [{"key": key, "permission": level} for key, level in levels.items()]
    card = visit({"keys": keys}).clients
    for key, level in levels.items():
        row = card.role("listitem").filter(has_text=key)
        expect(row).to_have_count(1)
        expect(row.locator(".mark")).to_have_text(level)
        shown = row.locator("code")
        assert shown.evaluate("it => it.scrollWidth <= it.clientWidth")


@pytest.mark.parametrize("options", first(2, [{}, PHONE | DARK, DARK, CHINESE]))
def test_forms_and_questions_hinder_nobody(
    visit: Visit, options: dict[str, Any]
) -> None:
    console = visit(axe=True, **options)
    drawer = console.opens("Guides")
    drawer.find("summary").click()
    drawer.find("[name=parentId]").fill("nowhere")
    drawer.find("form button.strong").click()
    expect(drawer.find(".error")).to_be_visible()
    console.hinders_nobody()
    console.press("Escape")
    expect(console.find("dialog.question")).to_be_visible()
    console.hinders_nobody()
    console.find("dialog.question .danger").click()
    console.reset()
    expect(console.find(".notice button").first).to_be_visible()
    console.hinders_nobody()
    console.refused.clear()
