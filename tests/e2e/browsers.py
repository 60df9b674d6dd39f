"""One browser for all tests of a package; its conftest imports the fixture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.e2e.chromium import CHROMIUM, FLAGS

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WIDE = {"width": 1280, "height": 900}


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium, with a profile that is thrown away.

    No longer than for these tests: while it is there, an event loop is running.
    """
    playwright = pytest.importorskip("playwright.sync_api")
    playwright.expect.set_options(timeout=15_000)  # on a busy machine too
    with playwright.sync_playwright() as driver:
        options = {"executable_path": CHROMIUM, "args": FLAGS}
        browser = driver.chromium.launch(**options)
        yield browser
        browser.close()
