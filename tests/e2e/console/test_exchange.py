"""Fixture files: the data saved as one, and one that takes its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mock_server import MockServer
from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.console.browsing import Console

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
APP, CHAT = "65d8a1f0c3b2a94e7f106a01", "delivery-late"
GOOD = """\
apps:
  - id: shop
    name: Shop
    chats: [{title: One}, {title: Two}]
responses: [{method: GET, path: /api/x, text: "1"}]
faults: [{kind: error, status: 418}]
"""
BAD = "apps:\n  - id: shop\n    name: 3\n    nmae: Shop\n"
DROP = """([type, name, text]) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], name));
    const options = { dataTransfer, bubbles: true, cancelable: true };
    document.querySelector("#stream").dispatchEvent(new DragEvent(type, options));
}"""


def choose(console: Console, name: str, text: str) -> None:
    """Choose a file by the button."""
    with console.page.expect_file_chooser() as chooser:
        console.button("Import …").click()
    content: Any = {"name": name, "mimeType": "", "buffer": text.encode()}
    chooser.value.set_files(content)


def replace(console: Console) -> None:
    console.drawer.get_by_role("button", name="Replace the data").click()
    expect(console.drawer).to_have_count(0)


def state(console: Console) -> Any:
    return console.admin("GET", "/state")


@pytest.mark.parametrize("kind", ["YAML", "JSON"])
def test_one_click_saves_the_edited_state_as_a_fixture(
    console: Console, tmp_path: Path, kind: str
) -> None:
    console.pin(APP, CHAT)
    with console.page.expect_download() as download:
        console.button(f"Export {kind}").click()
    path = tmp_path / download.value.suggested_filename
    assert path.name == f"fixture.{kind.lower()}"
    download.value.save_as(path)
    with MockServer(path) as other:
        chat = other.sandbox.chat(APP, CHAT)
        assert chat
        assert chat.top


def test_a_file_is_asked_about_before_it_replaces_anything(console: Console) -> None:
    before = state(console)
    choose(console, "shop.yaml", GOOD)
    rows = console.drawer.get_by_role("row")
    expect(rows).to_have_text(["NowFile", "Datasets20", "Collections480", "Chats122"])
    expect(console.drawer).to_contain_text("a reset leads back to it")
    assert state(console) == before
    assert len(console.admin("GET", "/sandboxes")["sandboxes"]) == 1
    console.drawer.get_by_role("button", name="Cancel").click()
    expect(console.drawer).to_have_count(0)
    assert state(console) == before


def test_responses_and_faults_of_a_file_come_with_it(console: Console) -> None:
    choose(console, "shop.yaml", GOOD)
    replace(console)
    expect(console.part("Apps and their chats")).to_contain_text("Shop")
    expect(console.part("Declared responses")).to_contain_text("GET /api/x")
    expect(console.part("Faults")).to_contain_text("1 left")


def test_an_import_can_be_undone(console: Console) -> None:
    console.pin(APP, CHAT)
    console.admin("POST", "/faults", {"kind": "error", "times": 7})
    before = state(console)
    choose(console, "shop.json", json.dumps({"apps": [{"id": "a", "name": "Alone"}]}))
    replace(console)
    expect(console.part("Apps and their chats")).to_contain_text("Alone")
    console.button("Undo").click()
    apps = console.part("Apps and their chats")
    expect(apps).to_contain_text("Customer support")
    expect(console.part("Faults")).to_contain_text("7 left")
    assert state(console) == before
    console.button("Reset").click()
    expect(console.page.locator("#facts")).to_contain_text("generation 5")
    assert state(console) == before


def test_a_file_may_be_dropped_anywhere(console: Console) -> None:
    file = ["shop.yml", GOOD]
    console.page.evaluate(DROP, ["dragover", *file])
    veil = console.page.locator(".veil")
    expect(veil).to_contain_text("replace the data of sandbox default")
    console.page.evaluate(DROP, ["drop", *file])
    expect(veil).to_be_hidden()
    replace(console)
    expect(console.part("Apps and their chats")).to_contain_text("Shop")


def test_problems_are_told_with_their_places_and_nothing_changes(
    console: Console,
) -> None:
    before = state(console)
    choose(console, "shop.yaml", BAD)
    items = console.drawer.get_by_role("listitem")
    expect(items).to_have_count(2)
    expect(items.first).to_contain_text("line 3, column 11")
    expect(items.first).to_contain_text("Expected a string, got 3: quote it")
    expect(items.last).to_contain_text("did you mean 'name'?")
    expect(items.last).to_contain_text("nmae: Shop")
    assert state(console) == before
    console.page.evaluate(DROP, ["drop", "shop.yaml", GOOD])
    expect(console.drawer).to_contain_text("Replace the data")
    console.refused.clear()


def test_a_file_that_is_too_large_is_not_sent(console: Console, tmp_path: Path) -> None:
    path = tmp_path / "big.yaml"
    path.write_bytes(b"#" * (33 * 1024 * 1024))
    asked = len(console.asked)
    console.page.locator("input[type=file]").set_input_files(path)
    words = "It has 33.0 MiB; a state may have 32.0 MiB."
    expect(console.drawer).to_contain_text(words)
    assert not [url for url in console.asked[asked:] if "/state" in url]
