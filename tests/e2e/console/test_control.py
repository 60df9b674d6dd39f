"""The right side: what steers the sandbox, and what others have steered."""

from __future__ import annotations

import json
import re
from typing import Any

from mock_server.api.faults.presets import PRESETS
from mock_server.api.faults.table import KINDS
from mock_server.domain.choices.table import table
from tests.e2e.pages import Console, Visit, expect
from tests.e2e.pages.console import PIN, PINNED
from tests.e2e.pages.screen import CLIPBOARD

QUIET = "No faults."
SANDBOX = "sandbox-1"


def test_a_reset_brings_everything_back_and_is_seen_if_others_do_it(
    console: Console,
) -> None:
    console.pin()
    console.shows(PINNED)
    console.fault()
    console.faults.says("1 left")
    console.reset()
    console.shows(PIN)
    console.faults.says(QUIET)
    console.stream.lists()
    expect(console.facts.root).to_have_text("documented · FastGPT 4.16 · generation 2")
    assert console.server.sandbox.state.generation == 2
    console.list()
    expect(console.rows).to_have_count(1)
    console.admin("POST", "/reset")
    console.stream.lists()
    console.facts.says("generation 3")


def test_snapshots_are_taken_restored_deleted_and_seen(console: Console) -> None:
    console.snapshots.field("Name of the snapshot").fill("before")
    console.snapshots.click("Take")
    console.shows("Restore before")
    console.pin()
    console.shows(PINNED)
    console.click("Restore before")
    console.shows(PIN)
    console.click("Delete before")
    console.lacks("Restore before")
    left = console.admin("GET", "/snapshots")["snapshots"]
    assert [each for each in left if not each["name"].startswith("undo-")] == []
    console.admin("PUT", "/snapshots/theirs")
    console.shows("Restore theirs")


def test_a_name_that_no_snapshot_can_have_is_told_what_it_may_hold(
    console: Console,
) -> None:
    name = console.snapshots.field("Name of the snapshot")
    said = "it => it.validationMessage"
    name.fill("before demo")
    console.snapshots.click("Take")
    assert name.evaluate(said) == (
        "Expected 1 to 64 letters (A to Z), digits, dots, dashes or underscores; no "
        "spaces."
    )
    assert console.admin("GET", "/snapshots")["snapshots"] == []
    name.fill("before-demo")
    assert name.evaluate(said) == ""


def test_the_clock_is_told_frozen_moved_set_and_let_run(console: Console) -> None:
    clock, now = console.clock, console.find("header time")
    expect(now).to_have_text(re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$"))
    console.freeze()
    for told, day in ((now, "2026-01-01 "), (clock.note, "")):
        expect(told).to_have_text(f"{day}00:00:00 UTC · frozen")
        expect(told).to_be_visible()
    clock.unfolded()
    face = console.find(".face")
    for fields, buttons, time in (
        ({}, [], "2026-01-01 00:00:00"),
        ({}, ["+1 h"], "2026-01-01 01:00:00"),
        ({"Seconds to move forward": "90"}, ["Advance"], "2026-01-01 01:01:30"),
        (
            {"Time to set, in UTC": "2026-02-03T04:05:06"},
            ["Set time"],
            "2026-02-03 04:05:06",
        ),
    ):
        clock.fill(**fields)
        clock.click(*buttons)
        expect(face).to_have_text(f"{time} UTC · frozen")
    clock.click("Run")
    clock.shows("Freeze")
    found = console.admin("GET", "/clock")
    assert not found["frozen"]
    assert found["now"] >= "2026-02-03T04:05:06"


def test_the_profile_is_switched(console: Console) -> None:
    choices = console.choices.unfolded()
    choices.role("radio", "deployed What", exact=False).check()
    console.facts.says("deployed")
    assert console.server.sandbox.state.profile == "deployed"
    console.admin("PUT", "/choices", {"profile": "documented"})
    expect(choices.role("radio", "documented", exact=False)).to_be_checked()


def test_every_choice_is_there_and_one_changes_no_other(console: Console) -> None:
    choices = console.choices.unfolded("Single choices")
    expect(choices.role("combobox")).to_have_count(len(table()))
    changed = {"chat_unknown": "create", "list_order": "name"}
    for n, (name, value) in enumerate(changed.items(), 1):
        choices.field(name).select_option(value)
        choices.says(f"{n} of {len(table())} differ")
        expect(choices.field(name)).to_have_value(value)
    assert changed.items() <= console.admin("GET", "/choices")["choices"].items()
    console.choose(legacy_paths="off")
    expect(choices.field("legacy_paths")).to_have_value("off")
    expect(choices.field("list_order")).to_have_value("update_time_desc")
    held = console.hold("**/__admin/choices")
    for name, value in changed.items():  # before the first has an answer
        choices.field(name).select_option(value)
    held.let_go()
    choices.says(f"3 of {len(table())} differ")
    assert changed.items() <= console.admin("GET", "/choices")["choices"].items()


def test_choices_are_filtered_by_word_and_by_difference(console: Console) -> None:
    console.choose(page_size_over_limit="clamp")
    choices, rows = console.choices, console.find(".choices li")
    choices.unfolded("Single choices")
    choices.fill(**{"Filter the choices": "page_size"})
    expect(rows).to_have_count(len([name for name in table() if "page_size" in name]))
    choices.field("only those that differ").check()
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("page_size_over_limit")
    choices.fill(**{"Filter the choices": "no such words"})
    choices.says("No choice is like that.")
    expect(rows).to_have_count(0)


def test_a_choice_has_an_address(visit: Visit) -> None:
    address = "#/control/choices/page_size_over_limit"
    console = visit(path=f"/__admin/{address}")
    expect(console.choices.field("page_size_over_limit")).to_be_focused()
    console.at(address)


def test_the_form_knows_every_kind_of_fault(console: Console) -> None:
    console.faults.unfold("Add another")
    for number, (name, kind) in enumerate(KINDS.items(), 1):
        console.faults.root.get_by_label("Kind").select_option(name)
        console.faults.says(kind.sentence().replace("`", ""))
        least = dict(kind.required_fields)
        if operation := least.pop("operation", None):
            console.faults.field("operation").select_option(operation)
        console.faults.fill(**{f: json.dumps(v) for f, v in least.items()})
        console.faults.click("Add fault")
        console.notices(f"Fault {name} added.")
        # The list moves the form when it grows, maybe beneath a click.
        expect(console.faults.button(f"Remove {name} f{number}")).to_be_visible()
    assert [fault["kind"] for fault in console.armed()] == [*KINDS]


def test_the_form_sends_what_was_put_in(console: Console) -> None:
    card = console.faults
    card.unfold("Add another", "When it fires")
    card.field("operation").select_option("listV2")
    card.fill(status="418", times="7", match='{"body": {"offset": 0}}')
    card.click("Add fault")
    card.says("7 left")
    (fault,) = console.armed()
    assert (fault["status"], fault["operation"]) == (418, "listV2")
    assert fault["match"]["body"] == {"offset": 0}


def test_a_preset_is_one_click_and_taken_back_at_another(console: Console) -> None:
    rows = console.find(".group .armed")
    console.faults.unfold("Presets")
    for preset, row in PRESETS.items():
        button = console.faults.button(preset)
        expect(console.find(f"#preset-{preset}")).to_have_text(row.sentence)
        expect(button).to_have_accessible_description(row.sentence)
        button.click()
        expect(rows).to_have_count(len(row.faults))
        assert len(console.armed()) == len(row.faults)
        console.click(f"Remove preset {preset}")
        expect(rows).to_have_count(0)
        assert console.armed() == []


def test_taking_back_a_preset_leaves_other_faults(console: Console) -> None:
    console.fault()
    console.presets("flaky", "slow")
    groups = console.find(".group")
    expect(groups).to_have_count(2)
    console.click("Remove preset flaky")
    expect(groups).to_have_count(1)
    assert [fault["kind"] for fault in console.armed()] == ["error", "delay"]
    console.click("Remove all")
    console.faults.has(0)
    assert console.armed() == []


def test_what_remains_of_a_fault_is_counted(console: Console) -> None:
    console.click("Fail next listV2")
    expect(console.notice.root).to_have_text("An error added.")
    for status in ("503", "200"):
        console.trying.form().click("List")
        expect(console.rows.first).to_contain_text(status)
    console.faults.says("1 spent")
    console.admin("DELETE", "/faults")
    console.faults.has(0)
    console.fault(times=2)
    for left in ("2 left", "1 left"):
        console.faults.row_says(left)
        console.list()
    console.faults.unfold("1 spent")
    console.faults.row_says("ended · fired 2")
    console.click("Remove error f2")
    console.faults.has(0)
    assert console.armed() == []


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


def test_every_fault_tells_its_figure_operation_and_match(console: Console) -> None:
    for fault, _ in FIGURES:
        console.fault(**fault)
    figures = [figure for _, figure in FIGURES]
    expect(console.find(".armed .mark")).to_have_text(figures)
    console.admin("DELETE", "/faults")
    console.faults.has(0)
    match = {"key": "mine", "body": {"offset": 0}}
    console.fault(operation="listV2", probability=0.3, times=5, match=match)
    row = console.faults.rows
    expect(row.locator(".where")).to_have_text("listV2")
    expect(row.locator(".rest")).to_contain_text("30 % · 5 left · fired 0")
    expect(row.locator(".match")).to_have_text('mine {"offset":0}')


def test_the_time_left_runs_down_and_the_fault_folds_away(console: Console) -> None:
    console.fault(ttl=9)
    left = console.find(".armed time")
    expect(left).to_have_text(re.compile("0:0[2-9]"))
    text, asked = left.text_content() or "", len(console.asked)
    expect(left).not_to_have_text(text)
    expect(console.faults.root.get_by_text("1 spent")).to_be_visible(timeout=15_000)
    assert console.asked_for("/faults", after=asked) == 0
    console.faults.says(QUIET)


def test_the_next_decisions_of_a_fault_are_drawn(console: Console) -> None:
    console.fault(probability=0.5, times=100, seed=9)
    row = console.faults.rows
    row.locator("summary").click()
    for _ in range(2):
        plan = console.admin("GET", "/faults/f1?plan=40")["plan"]
        kinds = ["dot fires" if each["fires"] else "dot" for each in plan]
        expect(row.locator(".dot")).to_have_class(kinds)
        console.list()
    console.admin("DELETE", "/faults")
    console.faults.has(0)
    console.fault(message="Down for tea")  # fires always
    console.faults.rows.locator("summary").click()
    console.faults.row_says("Down for tea")
    expect(console.find(".dot")).to_have_count(0)


def test_a_sandbox_is_made_looked_at_and_ended(console: Console) -> None:
    console.clients.click("New sandbox")
    expect(console.sandbox).to_have_value(SANDBOX)
    expect(console.find("#sandboxes code", has_text="fastgpt-sbx-")).to_be_visible()
    console.click(PIN)
    console.shows(PINNED)
    for name, shown in (("default", PIN), (SANDBOX, PINNED)):
        console.sandbox.select_option(name)
        console.shows(shown)
    console.stream.lists(1)  # all has been read
    console.click("End this sandbox")
    expect(console.sandbox).to_have_value("default")
    assert len(console.admin("GET", "/sandboxes")["sandboxes"]) == 1


def test_only_the_requests_of_the_sandbox_are_listed_until_others_end_it(
    console: Console,
) -> None:
    mine = console.admin("POST", "/sandboxes", {"name": "mine"})
    console.sandbox.select_option("mine")
    console.list()
    console.list(key=mine["key"], pageSize=5)
    console.stream.lists(1)
    console.sandbox.select_option("default")
    console.stream.lists(1)
    console.sandbox.select_option("mine")
    console.rest()
    console.clients.shows("End this sandbox")
    console.admin("DELETE", "/sandboxes/mine")
    expect(console.sandbox).to_have_value("default")
    console.rest()
    paths = {path for status, path in console.refused if status == 404}
    assert all(path.startswith("/__admin/sandboxes/mine/") for path in paths)
    console.refused.clear()


def test_key_and_address_are_copied(visit: Visit) -> None:
    console = visit(permissions=CLIPBOARD)
    server = console.server
    for label, text in (("Address", server.url), ("Key", server.key)):
        console.clients.click(f"Copy {label}")
        copied = console.clients.root.get_by_text("Copied")
        expect(copied.first).to_be_visible()
        is_copied = "it => navigator.clipboard.readText().then((got) => got === it)"
        console.page.wait_for_function(is_copied, arg=text)


def test_declared_keys_are_told_with_what_to_send(visit: Visit) -> None:
    console = visit({"keys": [{"key": "fastgpt-reader", "permission": "read"}]})
    console.clients.click("New sandbox")
    declared = console.clients.role("listitem").filter(has_text="fastgpt-reader")
    expect(declared).to_have_count(1)
    expect(declared).to_contain_text(re.compile("fastgpt-reader.*fastgpt-sbx-"))


def test_declared_responses_are_listed_and_can_fail(console: Console) -> None:
    card, path = console.find("#responses"), "/api/x/{id}"
    expect(card).to_be_hidden()
    late = {"method": "GET", "path": path, "status": 203, "delayMs": 5}
    console.admin("PUT", "/state", console.state() | {"responses": [late]})
    expect(card).to_contain_text(f"GET {path} 203 after 5 ms")
    console.click(f"Fail next GET {path}")
    console.faults.row_says("error · 503")
    expect(console.find(".armed .where")).to_have_text(f"GET {path}")
    (fault,) = console.armed()
    assert (fault["kind"], fault["operation"]) == ("error", f"GET {path}")
