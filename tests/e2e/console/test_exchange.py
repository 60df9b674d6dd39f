"""Fixture files: the data saved as one, and one that takes its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mock_server import MockServer
from tests.e2e.pages import Console, expect
from tests.e2e.pages.screen import APP, CHAT

GOOD = """\
apps:
  - id: shop
    name: Shop
    chats: [{title: One}, {title: Two}]
responses: [{method: GET, path: /api/x, text: "1"}]
faults: [{kind: error, status: 418}]
"""
BAD = "apps:\n  - id: shop\n    name: 3\n    nmae: Shop\n"


def choose(console: Console, name: str, text: str) -> None:
    """Choose a file by the button."""
    with console.page.expect_file_chooser() as chooser:
        console.in_file_menu("Import …")
    content: Any = {"name": name, "mimeType": "", "buffer": text.encode()}
    chooser.value.set_files(content)


def replace(console: Console, name: str) -> None:
    """Let the file take the place of the data; it has an app of this name."""
    console.drawer.click("Replace the data")
    console.drawer.is_gone()
    console.chats.says(name)


@pytest.mark.parametrize("kind", ["YAML", "JSON"])
def test_one_click_saves_the_edited_state_as_a_fixture(
    console: Console, tmp_path: Path, kind: str
) -> None:
    console.pin()
    with console.page.expect_download() as download:
        console.in_file_menu(f"Export {kind}")
    path = tmp_path / download.value.suggested_filename
    assert path.name == f"fixture.{kind.lower()}"
    download.value.save_as(path)
    with MockServer(path) as other:
        chat = other.sandbox.chat(APP, CHAT)
        assert chat
        assert chat.top


def test_a_file_is_asked_about_before_it_replaces_anything(console: Console) -> None:
    before = console.state()
    choose(console, "shop.yaml", GOOD)
    rows = ["NowFile", "Datasets20", "Collections480", "Chats122"]
    expect(console.drawer.role("row")).to_have_text(rows)
    console.drawer.says("becomes its baseline")
    assert console.state() == before
    assert len(console.admin("GET", "/sandboxes")["sandboxes"]) == 1
    console.drawer.click("Cancel")
    console.drawer.is_gone()
    assert console.state() == before
    choose(console, "shop.yaml", GOOD)
    replace(console, "Shop")
    console.card("Static responses").says("GET /api/x")
    console.faults.says("1 left")


def test_an_import_can_be_undone(console: Console) -> None:
    baseline = console.state()
    console.pin()
    console.fault(times=7)
    before = console.state()
    choose(console, "shop.json", json.dumps({"apps": [{"id": "a", "name": "Alone"}]}))
    replace(console, "Alone")
    console.click("Undo")
    console.chats.says("Customer support")
    console.faults.says("7 left")
    assert console.state() == before
    console.reset()
    console.facts.says("generation 5")
    assert console.state() == baseline


def test_a_file_may_be_dropped_anywhere(console: Console) -> None:
    console.drop("shop.yml", GOOD, "dragover")
    veil = console.find(".veil")
    expect(veil).to_contain_text("replace the data of sandbox default")
    console.drop("shop.yml", GOOD)
    expect(veil).to_be_hidden()
    replace(console, "Shop")


def test_problems_are_told_with_their_places_and_nothing_changes(
    console: Console,
) -> None:
    before = console.state()
    choose(console, "shop.yaml", BAD)
    items = console.drawer.role("listitem")
    expect(items).to_have_count(2)
    for item, *texts in (
        (
            0,
            "line 3, column 11",
            "Expected a string of up to 8192 characters, got 3: quote it",
        ),
        (1, "did you mean 'name'?", "nmae: Shop"),
    ):
        for text in texts:
            expect(items.nth(item)).to_contain_text(text)
    assert console.state() == before
    console.drop("shop.yaml", GOOD)
    console.drawer.says("Replace the data")
    console.refused.clear()


def test_a_file_that_is_too_large_is_not_sent(console: Console, tmp_path: Path) -> None:
    path = tmp_path / "big.yaml"
    path.write_bytes(b"#" * (33 * 1024 * 1024))
    asked = len(console.asked)
    console.find("input[type=file]").set_input_files(path)
    console.drawer.says("The file has 33.0 MiB; at most 32.0 MiB can be loaded.")
    assert console.asked_for("/state", after=asked) == 0
