"""What people come for, as they do it: clicks are counted, and the time is told."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mock_server import MockServer
from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.console.browsing import Console
from tests.e2e.console.conftest import Visit
from tests.support import client_of

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
HANDBOOK = "6593e137231a2be9c5603ba7"
OLD, NEW = "Manual entries", "Rules of the house"
COUNTING = """(() => {
    const count = ({ isTrusted, detail }) => {
        if (isTrusted && detail > 0) top.clicks = (top.clicks ?? 0) + 1;
    };
    addEventListener("click", count, true);
    addEventListener("auxclick", count, true);
})()"""
"""In every frame: clicks of a pointer only, as Enter on a button is a click as well."""
CLIPBOARD = ["clipboard-read", "clipboard-write"]
AS_HTTPX = "import sys, httpx2; sys.modules['httpx'] = httpx2; exec(sys.stdin.read())"


@contextmanager
def at_most(clicks: int, console: Console, task: str) -> Iterator[None]:
    """No more clicks than these are needed for what is done within."""
    count = "() => { const made = window.clicks ?? 0; window.clicks = 0; return made; }"
    console.page.evaluate(count)
    start = time.perf_counter()
    yield
    seconds = time.perf_counter() - start
    made = console.page.evaluate(count)
    print(f"{task}: {made} clicks, {seconds:.1f} s")
    assert 0 < made <= clicks


@pytest.fixture
def console(visit: Visit) -> Console:
    """The console of the demo, with every click counted."""
    return counted(visit(path=None)).open()


def counted(console: Console) -> Console:
    console.page.add_init_script(COUNTING)
    console.page.context.grant_permissions(CLIPBOARD)
    return console


def test_a_demo_app_shows_a_503_and_recovers(beside: Visit) -> None:
    console = counted(beside(path=None)).open("/__admin/#/demo")
    app = console.page.frame_locator("#demo iframe")
    expect(app.locator(".articles > li")).to_have_count(8)
    with at_most(4, console, "show a 503 and recover"):
        console.button("Fail next list").click()
        expect(app.locator(".failed")).to_contain_text("503")
        app.get_by_role("button", name="Retry").click()
        expect(app.locator(".articles > li")).to_have_count(8)
    expect(app.locator(".failed")).to_have_count(0)


@pytest.mark.parametrize("remedy", ["Leave out parentId", "Choose search_scope"])
def test_an_empty_search_is_explained_and_put_right(
    console: Console, remedy: str
) -> None:
    trying = console.part("Try it")
    trying.get_by_role("textbox", name="searchText").fill("install")
    console.page.keyboard.press("Enter")
    expect(trying).to_contain_text("0 of 0")
    with at_most(2, console, "find why it is empty"):
        console.button("Why is this empty?").click()
        why = trying.get_by_role("region", name="Why", exact=True)
        expect(why.get_by_role("status")).to_contain_text("parentId null")
        expect(why.get_by_role("status")).to_contain_text("search_scope=folder")
        why.get_by_role("button", name=remedy).click()
        expect(trying.get_by_role("row", name="Install")).to_be_visible()


def test_a_collection_is_renamed(console: Console) -> None:
    named = console.page.locator("#datasets").get_by_role("button")
    with at_most(3, console, "rename a collection"):
        named.filter(has_text=OLD).click()
        name = console.drawer.get_by_label("name", exact=True)
        name.click()
        name.press("Control+a")
        name.press_sequentially(NEW)
        console.drawer.get_by_role("button", name="Save").click()
        expect(named.filter(has_text=NEW)).to_be_visible()
    assert renamed(console.admin("GET", "/state"))


def test_a_collection_is_renamed_in_the_tree(console: Console) -> None:
    with at_most(3, console, "rename a collection in the tree"):
        rename(console)
    assert renamed(console.admin("GET", "/state"))


def rename(console: Console) -> None:
    """By the menu of its row."""
    tree = console.page.locator("#datasets")
    row = tree.locator(".row").filter(has_text=OLD)
    row.get_by_role("button", name=f"More for {OLD}").click()
    console.page.get_by_role("menuitem", name="Rename").click()
    console.page.keyboard.type(NEW)
    console.page.keyboard.press("Enter")
    expect(tree).to_contain_text(NEW)


def renamed(state: Any) -> bool:
    """Whether the store, or a fixture, has the new name."""
    return NEW in str(state) and OLD not in str(state)


def test_a_failing_request_is_copied_as_python(console: Console) -> None:
    console.list("nowhere")
    console.list(HANDBOOK)
    expect(console.rows).to_have_count(2)
    with at_most(3, console, "copy a failing request as Python"):
        console.rows.filter(
            has=console.page.locator(".mark.bad, .status .mark.warn")
        ).click()
        console.drawer.get_by_role("button", name="Copy as Python").click()
        expect(console.drawer.get_by_text("Copied")).to_be_visible()
    text = console.page.evaluate("navigator.clipboard.readText()")
    command = [sys.executable, "-c", AS_HTTPX]
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("404 ")
    assert console.admin("GET", "/journal")["total"] == 3


@pytest.mark.parametrize("kind", ["YAML", "JSON"])
def test_the_edited_state_is_saved_as_a_fixture(
    console: Console, tmp_path: Path, kind: str
) -> None:
    rename(console)
    with (
        at_most(2, console, f"save the state as {kind}"),
        console.page.expect_download() as download,
    ):
        console.button(f"Export {kind}").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    with MockServer(path) as other, client_of(other.url) as client:
        assert renamed(client.get("/__admin/state").json())
