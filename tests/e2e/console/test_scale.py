"""The console with 100,000 collections and 10,000 requests.

What it draws and reads is bounded, and its frames are those of a small one. Seconds
depend on the machine: `python -m tests.bench.console` prints them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from mock_server import MockServer
from tests.e2e.browsers import WIDE
from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.console.browsing import Console
from tests.e2e.console.frames import STEPS, SWAYS, document, fill, watch
from tests.support import client_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
COLLECTIONS, REQUESTS = 100_000, 10_000
SMALL = 100
MOST_ROWS, MOST_READ = 700, 60
SLOWER = 4
TRIES = 3
READY_MS = 60_000


@pytest.fixture(scope="module")
def consoles(browser: Browser) -> Iterator[list[Console]]:
    """A console with much in it, and one with little."""
    with ExitStack() as stack:
        yield [
            _console(stack, browser, COLLECTIONS, REQUESTS),
            _console(stack, browser, SMALL, SMALL),
        ]


def _console(
    stack: ExitStack, browser: Browser, collections: int, requests: int
) -> Console:
    server = stack.enter_context(MockServer(document(collections)))
    fill(server.url, requests)
    options: dict[str, Any] = {"viewport": WIDE}
    context = browser.new_context(**options)
    stack.callback(context.close)
    context.set_default_timeout(READY_MS)
    console = Console(context.new_page(), server, stack.enter_context(client_of("")))
    console.open()
    rows = f"{requests + 1}"
    expect(_table(console)).to_have_attribute("aria-rowcount", rows, timeout=READY_MS)
    return console


@pytest.fixture
def console(consoles: list[Console]) -> Iterator[Console]:
    """The large one, from the top and with all requests."""
    console = consoles[0]
    yield console
    console.page.get_by_role("searchbox", name="Search in path").fill("")
    console.check()


def _table(console: Console) -> Locator:
    """The list; it says how many requests it has, drawn or not."""
    return console.page.get_by_role("table", name="List of requests")


def _read(console: Console, what: str) -> int:
    """How often the page has asked the server for something."""
    return sum(what in url for url in console.asked)


def test_of_all_requests_few_are_rows(console: Console) -> None:
    expect(_table(console)).to_have_attribute("aria-rowcount", f"{REQUESTS + 1}")
    assert console.rows.count() <= MOST_ROWS / 10
    watch(console.page, STEPS["scroll the list"])
    assert console.rows.count() <= MOST_ROWS / 10


def test_of_all_collections_few_are_read_and_drawn(console: Console) -> None:
    items = console.page.locator("#datasets li")
    expect(items.first).to_be_attached()
    before = _read(console, "/collections")
    assert before <= MOST_READ / 6
    watch(console.page, STEPS["scroll the tree"])
    assert items.count() <= MOST_ROWS
    assert _read(console, "/collections") - before <= MOST_READ


def test_the_journal_is_read_once(console: Console) -> None:
    before = _read(console, "/journal?since=1&")
    for name in ("filter by text", "scroll the list"):
        watch(console.page, STEPS[name])
    pages = [url for url in console.asked if "/journal?since=" in url]
    assert _read(console, "/journal?since=1&") == before == 1
    assert len([url for url in pages if "&limit=" in url]) <= REQUESTS / 100


def test_typing_finds_requests_among_all(console: Console) -> None:
    console.page.get_by_role("searchbox", name="Search in path").fill("updateHistory")
    expect(_table(console)).to_have_attribute("aria-rowcount", "3335")


@pytest.mark.parametrize("name", STEPS)
def test_frames_are_those_of_a_small_console(
    console: Console, consoles: list[Console], name: str
) -> None:
    def is_as_fast(_: int) -> bool:
        large, small = (
            watch(each.page, (STEPS | SWAYS)[name]) for each in (console, consoles[1])
        )
        print(f"{name}: {large}; with {SMALL} of each: {small}")
        return large.median <= SLOWER * small.median

    # Whatever else runs on the machine may slow one of the two.
    assert any(map(is_as_fast, range(TRIES)))
