"""A browser for the tests of the console and the demo."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

pytest.register_assert_rewrite("look")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"]
FLAGS += ["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("needs chromium")
    expect.set_options(timeout=15_000)  # on a busy machine, too
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a page in a context of its own; options are those of the context.

    At the end, no script of it may have failed, and it may have asked no other server.
    """
    failures: list[str] = []
    with ExitStack() as stack:

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
