"""What people come for, as they do it: clicks and keys are counted."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mock_server import MockServer
from tests.e2e.pages import Console, Demo, Part, Visit, expect
from tests.e2e.pages.console import AS_HTTPX, PIN, PINNED
from tests.e2e.pages.demo import SPLIT
from tests.e2e.pages.screen import CLIPBOARD, COUNT_CLICKS, HANDBOOK, PARCEL
from tests.support import client_of

Task = Callable[[Console], Iterator[None]]
OLD, NEW = "Manual entries", "Rules of the house"


@pytest.fixture
def counted(visit: Visit) -> Visit:
    """Opens a page that counts every click."""

    def opened(path: str = "", **how: Any) -> Any:
        screen = visit(path=None, permissions=CLIPBOARD, **how)
        screen.page.add_init_script(COUNT_CLICKS)
        return screen.open(path)

    return opened


@pytest.fixture
def console(counted: Visit) -> Any:
    """The console of the demo, with every click counted."""
    return counted()


def test_a_demo_app_shows_a_503_and_recovers(counted: Visit) -> None:
    screen = counted(SPLIT, kind=Demo)
    screen.framed.is_read()
    with screen.at_most(4, "show a 503 and recover"):
        screen.click("Fail next listV2")
        screen.framed.failed.says("503")
        screen.framed.click("Retry")
        screen.framed.is_read()
    screen.framed.failed.is_gone()


def test_a_stranger_needs_six_clicks_at_most(counted: Visit) -> None:
    console = counted("/")
    with console.at_most(6, "pin, fail, look, reset"):
        console.click(PIN, "Fail next listV2")
        console.faults.has(1)
        console.click("Try it", "List")
        expect(console.rows.first).to_contain_text("503")
        console.row_opens().says("Injected by a fault")
        console.press("Escape")
        console.click("Reset")
        console.dialog.says("1 fault and 2 requests")
        console.press("Enter")
        console.shows(PIN)
        console.stream.lists()


@pytest.mark.parametrize("remedy", ["Leave out parentId", "Choose search_scope"])
def test_an_empty_search_is_explained_and_put_right(
    console: Console, remedy: str
) -> None:
    trying = console.trying
    trying.field("searchText").fill("install")
    console.press("Enter")
    trying.says("0 of 0")
    with console.at_most(2, "find why it is empty"):
        trying.asks_why().part("status").says("parentId null", "search_scope=folder")
        trying.why.role("button", remedy, exact=False).click()
        expect(trying.role("row", "Install", exact=False)).to_be_visible()


def test_a_collection_is_renamed(console: Console) -> None:
    named = console.tree.role("button")
    with console.at_most(3, "rename a collection"):
        named.filter(has_text=OLD).click()
        name = console.drawer.field("name")
        name.click()
        name.press("Control+a")
        name.press_sequentially(NEW)
        console.drawer.click("Save")
        expect(named.filter(has_text=NEW)).to_be_visible()
    assert renamed(console.state())


def renamed(state: Any) -> bool:
    """Whether the store, or a fixture, has the new name; replies quote the old one."""
    datasets = str(state["datasets"])
    return NEW in datasets and OLD not in datasets


def test_a_failing_request_is_copied_as_python(console: Console) -> None:
    console.list("nowhere")
    console.list(HANDBOOK)
    expect(console.rows).to_have_count(2)
    bad = console.page.locator(".mark.bad, .status .mark.warn")
    with console.at_most(2, "copy a failing request as Python"):
        console.rows.filter(has=bad).click()
        console.drawer.click("Copy as Python")
        console.drawer.says("Copied")
    text = console.clipboard()
    assert text.startswith("import httpx\n")
    assert '"datasetId": "nowhere"' in text
    command = [sys.executable, "-c", AS_HTTPX]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("404 ")
    assert console.admin("GET", "/journal")["total"] == 3


@pytest.mark.parametrize("kind", ["YAML", "JSON"])
def test_what_is_renamed_in_the_tree_is_saved_as_a_fixture(
    console: Console, tmp_path: Path, kind: str
) -> None:
    with console.at_most(3, "rename a collection in the tree"):
        console.menu(OLD, "Rename")
        console.page.keyboard.type(NEW)
        console.press("Enter")
        console.tree.says(NEW)
    assert renamed(console.state())
    with (
        console.at_most(2, f"save the state as {kind}"),
        console.page.expect_download() as download,
    ):
        console.in_file_menu(f"Export {kind}")
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    with MockServer(path) as other, client_of(other.url) as client:
        assert renamed(client.get("/__admin/state").json())


def jump(console: Console, text: str) -> None:
    """Go to the first result of the search."""
    console.search(text)
    console.press("Enter")
    expect(console.palette.root).to_be_hidden()


def go(console: Console, button: str, within: Part | None = None) -> None:
    """Go to a button by Tab, and press it."""
    found = (within or console).role("button", button)
    found.wait_for()
    console.tab_to(found)
    console.press("Enter")


def fail_a_list(console: Console) -> Iterator[None]:
    console.click("Fail next listV2")
    console.faults.has(1)
    yield
    expect(console.rows).to_have_count(3)
    console.row_opens()


def fail_a_list_by_keys(console: Console) -> Iterator[None]:
    jump(console, "Fail next listV2")
    console.faults.has(1)
    yield
    jump(console, "#3")


def answer_a_completion(console: Console) -> Iterator[None]:
    console.answers_next().add(text="Friday.")
    console.faults.has(1)
    yield


def answer_a_completion_by_keys(console: Console) -> Iterator[None]:
    jump(console, "#1")
    console.drawer.is_open()
    go(console, "Answer next …", console.drawer)
    expect(console.drawer.field("text")).to_be_focused()
    console.press("Control+a")
    console.page.keyboard.insert_text("Friday.")
    go(console, "Add", console.drawer)
    console.faults.has(1)
    yield


def pin(console: Console) -> Iterator[None]:
    console.click(PIN)
    yield


def pin_by_keys(console: Console) -> Iterator[None]:
    jump(console, PARCEL)
    console.drawer.is_open()
    console.press("Escape")
    go(console, PIN)
    yield


def mend_an_empty_list(console: Console) -> Iterator[None]:
    console.click("Try it")
    field = console.trying.field("searchText")
    field.click()
    field.fill("install")
    console.press("Enter")
    console.click("Why is this empty?")
    console.click("Leave out parentId")
    yield


def mend_an_empty_list_by_keys(console: Console) -> Iterator[None]:
    jump(console, "Try it")
    console.tab_to(console.trying.field("searchText"))
    console.page.keyboard.insert_text("install")
    console.press("Enter")
    for button in ("Why is this empty?", "Leave out parentId"):
        console.shows(button)
        jump(console, button)
    yield


def move_the_clock(console: Console) -> Iterator[None]:
    console.click("Clock", "+1 h")
    yield


def move_the_clock_by_keys(console: Console) -> Iterator[None]:
    jump(console, "+1 h")
    yield


TASKS: list[tuple[Task, int, Task, int, str]] = [
    (fail_a_list, 2, fail_a_list_by_keys, 2, "#drawer >> text=Injected by a fault"),
    (answer_a_completion, 3, answer_a_completion_by_keys, 10, ".marks >> text=reply"),
    (pin, 2, pin_by_keys, 4, f"[aria-label='{PINNED}']"),
    (
        mend_an_empty_list,
        4,
        mend_an_empty_list_by_keys,
        11,
        ".answer tr >> text=Install",
    ),
    (move_the_clock, 2, move_the_clock_by_keys, 1, "#now >> text=ahead"),
]
"""Tasks by pointer and by keys alone, each with the most clicks or keys, and what is
seen then; where they yield, a client completes and lists."""


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task[0].__name__)
def test_five_tasks_take_few_clicks_or_keys(
    counted: Visit, task: tuple[Task, int, Task, int, str]
) -> None:
    by_pointer, clicks, by_keys, keys, seen = task
    for way, most, what in (by_pointer, clicks, "clicks"), (by_keys, keys, "keys"):
        console = counted()
        console.complete()
        with console.at_most(most, way.__name__, what):
            for _ in way(console):
                console.complete()
                console.list()
            expect(console.find(seen).first).to_be_visible()
