"""The right side: what steers the sandbox, and what others have steered."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from mock_server.api.faults.presets import PRESETS
from mock_server.api.faults.table import KINDS
from mock_server.domain.choices.table import table
from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.console.browsing import Console, Held
from tests.e2e.console.conftest import Visit

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
APP, CHAT, DATASET = (
    "65d8a1f0c3b2a94e7f106a01",
    "delivery-late",
    ("6593e137231a2be9c5603ba7"),
)


def faults(console: Console) -> list[dict[str, Any]]:
    return list(console.admin("GET", "/faults")["faults"])


def test_a_reset_brings_everything_back(console: Console) -> None:
    console.pin(APP, CHAT)
    expect(console.button("Pinned Where is my parcel?")).to_be_visible()
    console.admin("POST", "/faults", {"kind": "error"})
    expect(console.part("Faults")).to_contain_text("1 left")
    console.button("Reset").click()
    expect(console.button("Pin Where is my parcel?")).to_be_visible()
    expect(console.part("Faults")).to_contain_text("Nothing goes wrong on purpose.")
    expect(console.rows).to_have_count(0)
    expect(console.page.locator("#facts")).to_have_text("documented · generation 2")
    assert console.server.sandbox.state.generation == 2


def test_a_reset_by_others_is_seen(console: Console) -> None:
    console.list(DATASET)
    expect(console.rows).to_have_count(1)
    console.admin("POST", "/reset")
    expect(console.rows).to_have_count(0)
    expect(console.page.locator("#facts")).to_contain_text("generation 2")


def test_snapshots_are_taken_restored_and_deleted(console: Console) -> None:
    console.part("Snapshots").get_by_label("Name of the snapshot").fill("before")
    console.button("Take").click()
    restore = console.button("Restore before")
    expect(restore).to_be_visible()
    console.pin(APP, CHAT)
    expect(console.button("Pinned Where is my parcel?")).to_be_visible()
    restore.click()
    expect(console.button("Pin Where is my parcel?")).to_be_visible()
    console.button("Delete before").click()
    expect(restore).to_have_count(0)
    left = console.admin("GET", "/snapshots")["snapshots"]
    assert [each for each in left if not each["name"].startswith("undo-")] == []


def test_a_name_that_no_snapshot_can_have_is_told_what_it_may_hold(
    console: Console,
) -> None:
    name = console.part("Snapshots").get_by_label("Name of the snapshot")
    name.fill("before demo")
    console.part("Snapshots").get_by_role("button", name="Take").click()
    said = "each => each.validationMessage"
    assert name.evaluate(said) == (
        "Expected 1 to 64 letters (A to Z), digits, dots, dashes or underscores; no "
        "spaces."
    )
    assert console.admin("GET", "/snapshots")["snapshots"] == []
    name.fill("before-demo")
    assert name.evaluate(said) == ""


def test_a_snapshot_by_others_is_seen(console: Console) -> None:
    console.admin("PUT", "/snapshots/theirs")
    expect(console.button("Restore theirs")).to_be_visible()


def unfold(console: Console, card: str) -> None:
    """Open a card that is folded at first."""
    console.part(card).locator(".fold[aria-expanded=false]").click()


def test_the_clock_is_frozen_moved_set_and_let_run(console: Console) -> None:
    console.admin("PUT", "/clock", {"now": "2026-01-01T00:00:00Z", "frozen": True})
    expect(console.part("Clock").locator(".note")).to_have_text(
        "2026-01-01 00:00:00 · frozen"
    )
    unfold(console, "Clock")
    face = console.page.locator(".face")
    expect(face).to_have_text("2026-01-01 00:00:00 · frozen")
    console.button("+1 h").click()
    expect(face).to_have_text("2026-01-01 01:00:00 · frozen")
    console.part("Clock").get_by_label("Seconds to move forward").fill("90")
    console.button("Advance").click()
    expect(face).to_have_text("2026-01-01 01:01:30 · frozen")
    console.part("Clock").get_by_label("Time to set, in UTC").fill(
        "2026-02-03T04:05:06"
    )
    console.button("Set time").click()
    expect(face).to_have_text("2026-02-03 04:05:06 · frozen")
    console.button("Run").click()
    expect(console.button("Freeze")).to_be_visible()
    clock = console.admin("GET", "/clock")
    assert not clock["frozen"]
    assert clock["now"] >= "2026-02-03T04:05:06"


def test_the_header_says_the_time_and_whether_it_stands_still(console: Console) -> None:
    now = console.page.locator("header time")
    expect(now).to_have_text(re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$"))
    console.admin("PUT", "/clock", {"now": "2026-01-01T00:00:00Z", "frozen": True})
    expect(now).to_have_text("2026-01-01 00:00:00 · frozen")
    expect(now).to_be_visible()


def test_the_profile_is_switched(console: Console) -> None:
    unfold(console, "Choices")
    choices = console.part("Choices")
    choices.get_by_role("radio", name="deployed").check()
    expect(console.page.locator("#facts")).to_contain_text("deployed")
    assert console.server.sandbox.state.profile == "deployed"
    console.admin("PUT", "/choices", {"profile": "documented"})
    expect(choices.get_by_role("radio", name="documented")).to_be_checked()


def test_every_choice_is_there_and_one_changes_no_other(console: Console) -> None:
    unfold(console, "Choices")
    choices = console.part("Choices")
    choices.get_by_text("Single choices").click()
    expect(choices.get_by_role("combobox")).to_have_count(len(table()))
    changed = {"chat_unknown": "create", "list_order": "name"}
    for n, (name, value) in enumerate(changed.items(), 1):
        choices.get_by_label(name).select_option(value)
        expect(choices).to_contain_text(f"{n} of {len(table())} differ")
        expect(choices.get_by_label(name)).to_have_value(value)
    now = console.admin("GET", "/choices")["choices"]
    assert (now["chat_unknown"], now["list_order"]) == ("create", "name")
    console.admin("PUT", "/choices", {"choices": {"legacy_paths": "off"}})
    expect(choices.get_by_label("legacy_paths")).to_have_value("off")
    expect(choices.get_by_label("list_order")).to_have_value("update_time_desc")


def test_a_change_of_a_choice_keeps_one_that_has_no_answer_yet(
    console: Console,
) -> None:
    unfold(console, "Choices")
    choices = console.part("Choices")
    choices.get_by_text("Single choices").click()
    held = Held(console.page, "**/__admin/choices")
    choices.get_by_label("chat_unknown").select_option("create")
    choices.get_by_label("list_order").select_option("name")
    held.let_go()
    expect(choices).to_contain_text(f"2 of {len(table())} differ")
    now = console.admin("GET", "/choices")["choices"]
    assert (now["chat_unknown"], now["list_order"]) == ("create", "name")


def test_choices_are_filtered_by_word_and_by_difference(console: Console) -> None:
    console.admin("PUT", "/choices", {"choices": {"page_size_over_limit": "clamp"}})
    unfold(console, "Choices")
    choices, rows = console.part("Choices"), console.page.locator(".choices li")
    choices.get_by_text("Single choices").click()
    choices.get_by_label("Filter the choices").fill("page_size")
    names = [name for name in table() if "page_size" in name]
    expect(rows).to_have_count(len(names))
    choices.get_by_label("only those that differ").check()
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("page_size_over_limit")
    choices.get_by_label("Filter the choices").fill("no such words")
    expect(choices).to_contain_text("No choice is like that.")
    expect(rows).to_have_count(0)


def test_a_choice_has_an_address(visit: Visit) -> None:
    console = visit(path="/__admin/#/control/choices/page_size_over_limit")
    expect(console.page.get_by_label("page_size_over_limit")).to_be_focused()
    assert console.page.url.endswith("#/control/choices/page_size_over_limit")


def test_the_form_knows_every_kind_of_fault(console: Console) -> None:
    console.part("Faults").get_by_text("Add another").click()
    for name, kind in KINDS.items():
        console.part("Faults").get_by_label("Kind").select_option(name)
        words = kind.sentence().replace("`", "")
        expect(console.part("Faults")).to_contain_text(words)
        for field, value in kind.least.items():
            console.part("Faults").get_by_label(field, exact=True).fill(
                json.dumps(value)
            )
        console.button("Add fault").click()
        notice = console.page.locator("#notice")
        expect(notice).to_have_text(f"Fault {name} is armed.")
    assert [fault["kind"] for fault in faults(console)] == [*KINDS]


def test_the_form_sends_what_was_put_in(console: Console) -> None:
    card = console.part("Faults")
    card.get_by_text("Add another").click()
    card.get_by_label("status", exact=True).fill("418")
    card.get_by_text("When it fires").click()
    card.get_by_label("operation").select_option("listV2")
    card.get_by_label("times").fill("7")
    card.get_by_label("match").fill('{"body": {"offset": 0}}')
    console.button("Add fault").click()
    expect(card).to_contain_text("7 left")
    (fault,) = faults(console)
    assert (fault["status"], fault["operation"]) == (418, "listV2")
    assert fault["match"]["body"] == {"offset": 0}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_one_click_and_taken_back_at_another(
    console: Console, preset: str
) -> None:
    button = console.button(preset, "Faults")
    sentence = PRESETS[preset].sentence
    expect(console.page.locator(f"#preset-{preset}")).to_have_text(sentence)
    expect(button).to_have_accessible_description(sentence)
    button.click()
    rows = console.page.locator(".group .armed")
    expect(rows).to_have_count(len(PRESETS[preset].faults))
    assert len(faults(console)) == len(PRESETS[preset].faults)
    console.button(f"Remove preset {preset}").click()
    expect(rows).to_have_count(0)
    assert faults(console) == []


def test_taking_back_a_preset_leaves_other_faults(console: Console) -> None:
    console.admin("POST", "/faults", {"kind": "error"})
    for preset in ("flaky", "slow"):
        console.admin("POST", "/faults", {"preset": preset})
    expect(console.page.locator(".group")).to_have_count(2)
    console.button("Remove preset flaky").click()
    expect(console.page.locator(".group")).to_have_count(1)
    assert [fault["kind"] for fault in faults(console)] == ["error", "delay"]


def test_what_remains_of_a_fault_is_counted(console: Console) -> None:
    console.admin("POST", "/faults", {"kind": "error", "times": 2})
    row = console.page.locator(".armed")
    expect(row).to_contain_text("2 left")
    console.list(DATASET)
    expect(row).to_contain_text("1 left")
    console.list(DATASET)
    console.part("Faults").get_by_text("1 spent").click()
    expect(row).to_contain_text("over · fired 2")
    console.button("Remove error f1").click()
    expect(row).to_have_count(0)
    assert faults(console) == []


FIGURES: list[tuple[dict[str, Any], str]] = [
    ({"kind": "error", "status": 418}, "error · 418"),
    ({"kind": "delay", "ms": 2000}, "delay · 2,000 ms"),
    ({"kind": "delay", "min": 5, "max": 10}, "delay · 5–10 ms"),
    ({"kind": "delay", "median": 300, "sigma": 0.8}, "delay · about 300 ms"),
    ({"kind": "rate_limit", "limit": 3, "window": 10}, "rate_limit · 3 in 10 s"),
    ({"kind": "truncate", "bytes": 1234}, "truncate · 1,234 bytes"),
    ({"kind": "dribble", "chunks": 3, "ms": 20}, "dribble · 3 × 20 ms"),
    ({"kind": "page_drift", "remove": 2}, "page_drift · −2"),
    ({"kind": "wrong_total", "by": 7}, "wrong_total · +7"),
    ({"kind": "alter", "set": {"a": 1}, "remove": ["b"]}, "alter · a, −b"),
    ({"kind": "hang"}, "hang"),
]


def test_every_fault_tells_its_figure(console: Console) -> None:
    for fault, _ in FIGURES:
        console.admin("POST", "/faults", fault)
    marks = console.page.locator(".armed .mark")
    expect(marks).to_have_text([figure for _, figure in FIGURES])


def test_a_row_tells_operation_probability_and_match(console: Console) -> None:
    match = {"key": "mine", "body": {"offset": 0}}
    fault = {"operation": "listV2", "probability": 0.3, "times": 5, "match": match}
    console.admin("POST", "/faults", {"kind": "error", **fault})
    row = console.page.locator(".armed")
    expect(row.locator(".where")).to_have_text("list")
    expect(row.locator(".rest")).to_contain_text("30 % · 5 left · fired 0")
    expect(row.locator(".match")).to_have_text('mine {"offset":0}')


def test_the_time_left_runs_down_and_the_fault_folds_away(console: Console) -> None:
    console.admin("POST", "/faults", {"kind": "error", "ttl": 9})
    left = console.page.locator(".armed time")
    expect(left).to_have_text(re.compile("0:0[2-9]"))
    text, asked = left.text_content() or "", len(console.asked)
    expect(left).not_to_have_text(text)
    expect(console.part("Faults").get_by_text("1 spent")).to_be_visible(timeout=15_000)
    assert not [url for url in console.asked[asked:] if "/faults" in url]
    expect(console.part("Faults")).to_contain_text("Nothing goes wrong on purpose.")


def test_the_next_decisions_of_a_fault_are_drawn(console: Console) -> None:
    fault = {"kind": "error", "probability": 0.5, "times": 100, "seed": 9}
    console.admin("POST", "/faults", fault)
    row = console.page.locator(".armed")
    row.locator("summary").click()
    dots = row.locator(".dot")

    def expect_plan() -> None:
        plan = console.admin("GET", "/faults/f1?plan=40")["plan"]
        kinds = ["dot fires" if each["fires"] else "dot" for each in plan]
        expect(dots).to_have_class(kinds)

    expect_plan()
    console.list(DATASET)
    expect_plan()


def test_one_that_always_fires_has_nothing_to_draw(console: Console) -> None:
    console.admin("POST", "/faults", {"kind": "error", "message": "Down for tea"})
    row = console.page.locator(".armed")
    row.locator("summary").click()
    expect(row).to_contain_text("Down for tea")
    expect(row.locator(".dot")).to_have_count(0)


def test_an_application_meets_a_503_and_recovers_in_four_clicks(
    console: Console,
) -> None:
    console.button("Fail next list").click()
    expect(console.page.locator("#notice")).to_have_text("An error is armed.")
    list_button = console.page.get_by_role("button", name="List", exact=True)
    for status in ("503", "200"):
        list_button.click()
        expect(console.rows.first).to_contain_text(status)
    expect(console.part("Faults").get_by_text("1 spent")).to_be_visible()


def test_all_faults_are_removed(console: Console) -> None:
    console.admin("POST", "/faults", {"preset": "flaky"})
    console.button("Remove all").click()
    expect(console.page.locator(".armed")).to_have_count(0)
    assert faults(console) == []


def test_a_sandbox_is_made_looked_at_and_ended(console: Console) -> None:
    console.button("New sandbox").click()
    select = console.page.get_by_role("combobox", name="Sandbox")
    expect(select).to_have_value("sandbox-1")
    key = console.page.locator("#sandboxes code", has_text="fastgpt-sbx-")
    expect(key).to_be_visible()
    console.button("Pin Where is my parcel?").click()
    expect(console.button("Pinned Where is my parcel?")).to_be_visible()
    select.select_option("default")
    expect(console.button("Pin Where is my parcel?")).to_be_visible()
    select.select_option("sandbox-1")
    expect(console.button("Pinned Where is my parcel?")).to_be_visible()
    expect(console.rows).to_have_count(1)  # all has been read
    console.button("End this sandbox").click()
    expect(select).to_have_value("default")
    assert len(console.admin("GET", "/sandboxes")["sandboxes"]) == 1


def test_only_the_requests_of_the_sandbox_are_listed(console: Console) -> None:
    mine = console.admin("POST", "/sandboxes", {"name": "mine"})
    select = console.page.get_by_role("combobox", name="Sandbox")
    select.select_option("mine")
    console.list(DATASET)
    console.list(DATASET, key=mine["key"], pageSize=5)
    expect(console.rows).to_have_count(1)
    select.select_option("default")
    expect(console.rows).to_have_count(1)


def test_a_sandbox_that_others_end_is_left(console: Console) -> None:
    console.admin("POST", "/sandboxes", {"name": "mine"})
    select = console.page.get_by_role("combobox", name="Sandbox")
    select.select_option("mine")
    expect(console.page.locator("#live.on")).to_be_visible()
    expect(console.button("End this sandbox")).to_be_visible()
    console.admin("DELETE", "/sandboxes/mine")
    expect(select).to_have_value("default")
    expect(console.page.locator("#live.on")).to_be_visible()
    assert {path for status, path in console.refused if status == 404} <= {
        f"/__admin/sandboxes/mine/{name}" for name in ("journal", "journal/stream")
    }
    console.refused.clear()


def test_key_and_address_are_copied(visit: Visit) -> None:
    console = visit(permissions=["clipboard-read", "clipboard-write"])
    for label, text in (
        ("Address", console.server.url),
        ("Key", console.server.key),
    ):
        console.button(f"Copy {label}").click()
        expect(console.part("For clients").get_by_text("Copied").first).to_be_visible()
        console.page.wait_for_function(
            "text => navigator.clipboard.readText().then((got) => got === text)",
            arg=text,
        )


def test_declared_keys_are_told_with_what_to_send(visit: Visit) -> None:
    console = visit({"keys": [{"key": "fastgpt-reader", "permission": "read"}]})
    console.button("New sandbox").click()
    card = console.part("For clients")
    declared = card.get_by_role("listitem").filter(has_text="fastgpt-reader")
    expect(declared).to_have_count(1)
    expect(declared).to_contain_text(re.compile("fastgpt-reader.*fastgpt-sbx-"))


def test_declared_responses_are_listed_and_can_fail(console: Console) -> None:
    card = console.page.locator("#responses")
    expect(card).to_be_hidden()
    late = {"method": "GET", "path": "/api/x/{id}", "status": 203, "delayMs": 5}
    state = console.admin("GET", "/state")
    console.admin("PUT", "/state", state | {"responses": [late]})
    expect(card).to_contain_text("GET /api/x/{id} 203 after 5 ms")
    console.button("Fail next GET /api/x/{id}").click()
    row = console.page.locator(".armed")
    expect(row).to_contain_text("error · 503")
    expect(row.locator(".where")).to_have_text("GET /api/x/{id}")
    (fault,) = faults(console)
    assert (fault["kind"], fault["operation"]) == ("error", "GET /api/x/{id}")
