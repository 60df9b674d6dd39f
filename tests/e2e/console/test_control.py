"""The right side: what steers the sandbox, and what others have steered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from mock_server.api.faults.table import KINDS, PRESETS
from mock_server.domain.choices import table
from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.console.browsing import Console
from tests.e2e.console.conftest import Visit

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
APP, CHAT, DATASET = (
    "65d8a1f0c3b2a94e7f106a01",
    "delivery-late",
    ("6593e137231a2be9c5603ba7"),
)
NEEDED: Mapping[str, Mapping[str, str]] = {
    "delay": {"ms": "5"},
    "rate_limit": {"limit": "3", "window": "60"},
    "page_drift": {"insert": "1"},
    "alter": {"set": '{"type": "hologram"}'},
}
"""What kinds of faults want to be told; the others have defaults for everything."""


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


def test_the_clock_is_frozen_moved_and_let_run(console: Console) -> None:
    console.admin("PUT", "/clock", {"now": "2026-01-01T00:00:00Z", "frozen": True})
    face = console.page.locator(".face")
    expect(face).to_have_text("2026-01-01 00:00:00 · frozen")
    console.button("+1 h").click()
    expect(face).to_have_text("2026-01-01 01:00:00 · frozen")
    console.part("Clock").get_by_label("Seconds to move forward").fill("90")
    console.button("Advance").click()
    expect(face).to_have_text("2026-01-01 01:01:30 · frozen")
    console.button("Run").click()
    expect(console.button("Freeze")).to_be_visible()
    clock = console.admin("GET", "/clock")
    assert not clock["frozen"]
    assert clock["now"] >= "2026-01-01T01:01:30"


def test_the_profile_is_switched(console: Console) -> None:
    choices = console.part("Choices")
    choices.get_by_role("radio", name="deployed").check()
    expect(console.page.locator("#facts")).to_contain_text("deployed")
    assert console.server.sandbox.state.profile == "deployed"
    console.admin("PUT", "/choices", {"profile": "documented"})
    expect(choices.get_by_role("radio", name="documented")).to_be_checked()


def test_every_choice_is_there_and_one_changes_no_other(console: Console) -> None:
    choices = console.part("Choices")
    choices.get_by_text("Single choices").click()
    expect(choices.get_by_role("combobox")).to_have_count(len(table()))
    for name, value in (("chat_unknown", "create"), ("list_order", "name")):
        choices.get_by_label(name).select_option(value)
        expect(choices.get_by_label(name)).to_have_value(value)
    expect(choices).to_contain_text(f"2 of {len(table())} differ")
    now = console.admin("GET", "/choices")["choices"]
    assert (now["chat_unknown"], now["list_order"]) == ("create", "name")
    console.admin("PUT", "/choices", {"choices": {"legacy_paths": "on"}})
    expect(choices.get_by_label("legacy_paths")).to_have_value("on")
    expect(choices.get_by_label("list_order")).to_have_value("update_time_desc")


def test_the_form_knows_every_kind_of_fault(console: Console) -> None:
    console.part("Faults").get_by_text("Add another").click()
    for name, kind in KINDS.items():
        console.part("Faults").get_by_label("Kind").select_option(name)
        words = kind.sentence.replace("`", "")
        expect(console.part("Faults")).to_contain_text(words)
        for field, value in NEEDED.get(name, {}).items():
            console.part("Faults").get_by_label(field, exact=True).fill(value)
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
def test_a_preset_is_one_click(console: Console, preset: str) -> None:
    button = console.button(preset, "Faults")
    expect(button).to_have_attribute("title", PRESETS[preset].sentence)
    button.click()
    rows = console.page.locator(".faults li")
    expect(rows).to_have_count(len(PRESETS[preset].faults))
    assert len(faults(console)) == len(PRESETS[preset].faults)


def test_what_remains_of_a_fault_is_counted(console: Console) -> None:
    console.admin("POST", "/faults", {"kind": "error", "times": 2})
    row = console.page.locator(".faults li")
    expect(row).to_contain_text("2 left")
    console.list(DATASET)
    expect(row).to_contain_text("1 left")
    console.list(DATASET)
    expect(row).to_contain_text("over · fired 2")
    console.button("Remove error f1").click()
    expect(row).to_have_count(0)
    assert faults(console) == []


def test_all_faults_are_removed(console: Console) -> None:
    console.admin("POST", "/faults", {"preset": "flaky"})
    console.button("Remove all").click()
    expect(console.page.locator(".faults li")).to_have_count(0)
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
    expect(card.get_by_role("listitem")).to_have_count(1)
    expect(card.get_by_role("listitem")).to_contain_text(
        re.compile("fastgpt-reader.*fastgpt-sbx-")
    )


def test_declared_responses_are_listed_and_can_fail(console: Console) -> None:
    card = console.page.locator("#responses")
    expect(card).to_be_hidden()
    late = {"method": "GET", "path": "/api/x/{id}", "status": 203, "delayMs": 5}
    state = console.admin("GET", "/state")
    console.admin("PUT", "/state", state | {"responses": [late]})
    expect(card).to_contain_text("GET /api/x/{id} 203 after 5 ms")
    console.button("Fail next GET /api/x/{id}").click()
    expect(console.part("Faults")).to_contain_text("error · GET /api/x/{id}")
    (fault,) = faults(console)
    assert (fault["kind"], fault["operation"]) == ("error", "GET /api/x/{id}")
