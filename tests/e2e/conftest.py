"""One browser for all tests that need one; a server and a page of its own for each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from mock_server import MockServer
from tests.e2e.chromium import CHROMIUM, FLAGS
from tests.support import client_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.e2e.pages import Console, Screen, Visit

WIDE: Any = {"width": 1280, "height": 900}


LONGEST = ("anything", "hind", "thousand", "frames", "copied")
"""In the names of tests that take ten seconds and more: at the end a worker would be
alone with them."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep what needs a browser for the long runs of machines that have one."""
    skip = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
    for item in filter(needs_browser, items):
        item.add_marker(pytest.mark.ci)
        item.add_marker(skip)
    items.sort(key=lambda item: not (needs_browser(item) and is_long(item)))


def needs_browser(item: pytest.Item) -> bool:
    """Whether a test opens a page."""
    return "browser" in getattr(item, "fixturenames", ())


def is_long(item: pytest.Item) -> bool:
    """Whether a test begins before the others."""
    return any(each in item.name for each in LONGEST)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium, with a profile that is thrown away.

    No longer than for these tests: while it is there, an event loop is running.
    """
    playwright = pytest.importorskip("playwright.sync_api")
    playwright.expect.set_options(timeout=15_000)  # on a busy machine too
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Serves a fixture, by default the demo's, and opens a page in a fresh context.

    `kind` is the page, `path` what is opened of it (None: nothing yet), `serving` what
    the server is started with; all else is for the context. With `axe` the page can be
    asked whom it hinders, with `trap` what it has let through. After the test the page
    must have said nothing and asked nobody else.
    """
    from tests.e2e.hostile_names import TRAP
    from tests.e2e.pages import Console
    from tests.e2e.pages.screen import AXE

    with ExitStack() as stack:
        visited: list[Screen] = []

        def visit(
            fixture: Any = None,
            *,
            kind: type[Screen] = Console,
            path: str | None = "",
            token: str | None = None,
            axe: bool = False,
            trap: bool = False,
            serving: dict[str, Any] | None = None,
            **options: Any,
        ) -> Screen:
            if axe and not AXE:
                pytest.skip("needs npm: axe-core, and name it in AXE")
            how = {**kind.serving, **(serving or {}), "admin_token": token}
            server = stack.enter_context(MockServer(fixture, **how))
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            client = stack.enter_context(client_of(server.url, headers=headers))
            options = {"viewport": WIDE, "bypass_csp": axe} | options
            context = browser.new_context(**options)
            stack.callback(context.close)
            context.set_default_timeout(15_000)
            screen = kind(context.new_page(), server, client)
            if trap:
                screen.page.add_init_script(TRAP)
            visited.append(screen)
            return screen if path is None else screen.open(path)

        yield visit
        for screen in visited:
            screen.check()


@pytest.fixture
def console(visit: Visit) -> Console:
    """The console of the demo's data."""
    found: Console = visit()
    return found
