"""A page of another origin, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mock_server import MockServer
from tests.e2e.scripts import script
from tests.e2e.sites import files, site
from tests.support import LIBRARY, LIST, PIN

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAGE = script("other_origin.html")


def test_a_page_of_another_origin_pins_and_lists(
    browser: Browser, tmp_path: Path
) -> None:
    with (
        MockServer(LIBRARY) as server,
        site(files(tmp_path)) as origin,
        browser.new_context() as context,
    ):
        text = PAGE % {"url": server.url, "pin": PIN, "list": LIST}
        (tmp_path / "index.html").write_text(text)
        page = context.new_page()
        page.goto(origin)
        page.wait_for_function(
            "/^(hidden|failed) /m.test(document.querySelector('pre')?.textContent)"
        )
        said = page.locator("pre").inner_text().splitlines()
        chat = server.sandbox.chat("app-1", "chat-1")
    assert said == [
        "pinned 200 default 200 ",
        "listed 200 Folder,ALPHA,Gamma,Beta",
        "refused 400 invalidField",
        "hidden yes",
    ]
    assert chat is not None
    assert chat.top is True
