"""A server and a page for each test of the demo front end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from mock_server import MockServer
from tests.e2e.browsers import WIDE
from tests.e2e.browsers import browser as browser
from tests.e2e.demo.browsing import App
from tests.support import client_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Visit = Callable[..., App]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Serves a fixture, by default that of the demo, and opens the demo of it.

    After the test the page must have said nothing and asked nobody else.
    """
    with ExitStack() as stack:
        visited: list[App] = []

        def visit(
            fixture: Any = None,
            *,
            path: str | None = "/demo/",
            profile: str = "deployed",
            demo: bool = True,
            **options: Any,
        ) -> App:
            serving = MockServer(fixture, profile=profile, demo=demo)
            server = stack.enter_context(serving)
            context = browser.new_context(**{"viewport": WIDE} | options)
            stack.callback(context.close)
            context.set_default_timeout(15_000)
            client = stack.enter_context(client_of(server.url))
            app = App(context.new_page(), server, client)
            visited.append(app)
            return app.open(path) if path else app

        yield visit
        for app in visited:
            app.check()


@pytest.fixture
def app(visit: Visit) -> App:
    """The demo, over its own data."""
    return visit()
