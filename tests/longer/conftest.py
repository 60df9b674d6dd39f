"""A browser for the tests of the console and the demo."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from commands import SECONDS, limited
from playwright.sync_api import Browser, BrowserType, Page, expect, sync_playwright

pytest.register_assert_rewrite("look")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"]
FLAGS += ["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []


class Chromium:
    """A browser that tests share, and a new one after it was killed."""

    def __init__(self, chromium: BrowserType) -> None:
        self._chromium = chromium
        self._browser: Browser | None = None
        self._group = 0

    def processes(self, kind: str) -> list[int]:
        """The ids of the browser's processes of a kind."""
        assert self._browser is not None
        found = self._browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")
        return [it["id"] for it in found["processInfo"] if it["type"] == kind]

    @contextmanager
    def limited(self, seconds: float = SECONDS) -> Iterator[Browser]:
        """The browser, for a block that is not to wait for it any longer than this."""
        if self._browser is None or not self._browser.is_connected():
            self._browser = self._chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            self._group = os.getpgid(*self.processes("browser"))
        with limited("the browser", self._group, seconds):
            yield self._browser


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    if CHROMIUM is None:
        pytest.skip("needs chromium")
    expect.set_options(timeout=15_000)  # on a busy machine, too
    with sync_playwright() as driver:
        chromium = Chromium(driver.chromium)
        yield chromium
        with chromium.limited() as browser:
            browser.close()


@pytest.fixture
def visit(chromium: Chromium) -> Iterator[Callable[..., Page]]:
    """Opens a page in a context of its own; options are those of the context.

    At the end, no script of it may have failed, and it may have asked no other server.
    """
    failures: list[str] = []
    with chromium.limited() as browser, ExitStack() as stack:

        def visit(url: str, *, width: int = 1280, height: int = 900, **options: Any) -> Page:
            size: Any = {"width": width, "height": height}
            context = browser.new_context(viewport=size, **options)
            stack.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(15_000)
            page.on("pageerror", lambda error: failures.append(str(error)))
            own = "/".join(url.split("/", 3)[:3])
            page.on(
                "request", lambda it: it.url.startswith((own, "data:")) or failures.append(it.url)
            )
            page.goto(url)
            return page

        yield visit
    assert failures == []
