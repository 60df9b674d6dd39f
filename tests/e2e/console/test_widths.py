"""Each state of the console at four widths, in both languages and colours."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.pages import Console, Visit, expect
from tests.e2e.pages.screen import AXE, GUIDES, LOOKS, PRODUCTS

UNFOLD = """() => {
    const all = (selector) => document.querySelectorAll(selector);
    all(".fold[aria-expanded=false]").forEach((it) => it.click());
    all("details").forEach((it) => it.open = true);
}"""


def use(console: Console) -> None:
    """Have a request, a mark and a fault of each look, and open all that is folded."""
    console.fault("malformed_json", times=1)
    console.list(PRODUCTS)
    console.fault("answer", operation="POST /api/x/y", json={"a": 1})
    console.client.post("/api/x/y")
    console.client.get("/api/nothing/here")
    console.list(parentId=GUIDES, searchText="install")
    console.list(pageSize=99)
    console.pin(chat="no-such-chat")
    console.presets("flaky")
    match = {"body": {"offset": 7}}
    console.fault("delay", operation="listV2", ms=20, probability=0.5, match=match)
    console.admin("PUT", "/snapshots/before-the-demo")
    expect(console.find(".armed")).to_have_count(6)
    console.run(UNFOLD)
    expect(console.find(".dot").first).to_be_attached()
    part_of(console, "requests")
    expect(console.rows).to_have_count(6)
    console.find("#try form button:not([type])").first.click()
    console.find("#try .answer :is(table, pre)").first.wait_for()


def part_of(console: Console, name: str) -> None:
    """Show a part of the page, where there is only room for one."""
    tab = console.find(f"[data-shows={name}]")
    if tab.is_visible():
        tab.click()


@pytest.mark.parametrize("look", LOOKS)
def test_no_text_is_cut_and_nobody_is_hindered(
    visit: Visit, look: dict[str, Any]
) -> None:
    console = visit(axe=bool(AXE), **look)
    for prepare in (lambda _: None, use):
        prepare(console)
        for part in ("data", "requests", "control"):
            part_of(console, part)
            console.is_legible()
            if look["viewport"]["width"] >= 1100:
                break  # all are seen at once
    part_of(console, "requests")
    console.find("#stream .marks .warn").first.click()
    console.find("#drawer .violations").wait_for()
    console.is_legible()
    console.press("Escape")
    part_of(console, "data")
    console.find("#datasets .folder .link").first.click()
    console.find("#drawer summary").click()
    console.find("#drawer [name=parentId]").fill("nowhere")
    console.find("#drawer form button.strong").click()
    expect(console.find("#drawer .error")).to_be_visible()
    console.is_legible()
    console.press("Escape")
    expect(console.find("dialog.question")).to_be_visible()
    console.is_legible()
    console.find("dialog.question .danger").click()
    console.find("#datasets .dots").nth(1).click()
    console.is_legible()
    console.press("Escape", "Control+k")
    console.page.keyboard.insert_text("re")
    console.find("[role=option] .hint").first.wait_for()
    console.is_legible()
    console.press("Escape")
    console.fault(message="Not today.")
    console.find(".pin").first.click()
    expect(console.find(".notice.error")).to_be_visible()
    console.is_legible()
    console.refused.clear()
