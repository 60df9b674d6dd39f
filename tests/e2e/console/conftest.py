"""A server and a page for each test of the console."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from mock_server import MockServer
from tests.e2e.browsers import WIDE
from tests.e2e.browsers import browser as browser
from tests.e2e.console.browsing import Console
from tests.e2e.demo.conftest import visit as beside  # noqa: F401 - a fixture
from tests.support import client_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Visit = Callable[..., Console]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Serves a fixture, by default the demo, and opens the console of it.

    After the test the page must have said nothing and asked nobody else.
    """
    with ExitStack() as stack:
        visited: list[Console] = []

        def visit(
            fixture: Any = None,
            *,
            path: str | None = "/__admin/",
            token: str | None = None,
            **options: Any,
        ) -> Console:
            server = stack.enter_context(MockServer(fixture, admin_token=token))
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            client = client_of(server.url, headers=headers)
            context = browser.new_context(**{"viewport": WIDE} | options)
            stack.callback(context.close)
            context.set_default_timeout(15_000)
            page = context.new_page()
            console = Console(page, server, stack.enter_context(client))
            visited.append(console)
            return console.open(path) if path else console

        yield visit
        for console in visited:
            console.check()


@pytest.fixture
def console(visit: Visit) -> Console:
    """The console of the demo."""
    return visit()
