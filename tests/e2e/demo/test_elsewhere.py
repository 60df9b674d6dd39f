"""The demo at another origin, and what its address says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import mock_server
from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.demo.browsing import APP, PARCEL, App
from tests.e2e.demo.conftest import Visit

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
FOLDER = Path(mock_server.__file__).parent / "demo"


class Silent(SimpleHTTPRequestHandler):
    """A server of files that says nothing."""

    def log_message(self, *args: Any) -> None:
        """Called for each request."""


@contextmanager
def elsewhere() -> Iterator[str]:
    """The folder of the demo, served by somebody else."""
    handler = partial(Silent, directory=str(FOLDER))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_it_works_from_another_origin(visit: Visit) -> None:
    app = visit(path=None, demo=False)
    with elsewhere() as url:
        app.page.goto(f"{url}/#server={app.server.url}&key=mine")
        app.rest()
        expect(app.articles).to_have_count(8)
        with app.page.expect_response(
            lambda it: it.request.method == "PUT" and it.url.endswith("/updateHistory")
        ):
            app.button(f"Pin {PARCEL}").click()
        expect(app.talks.first).to_contain_text(PARCEL)
        app.fault("rate_limit", limit=1, window=60, operation="listV2")
        app.folder("Guides")
        expect(app.articles).to_have_count(4)
        app.button("Reload").click()
        expect(app.failed).to_contain_text("Try again in")
        expect(app.page.get_by_role("link")).to_have_count(0)
    chat = app.server.sandbox.chat(APP, "delivery-late")
    assert chat is not None
    assert chat.top
    app.asked = [each for each in app.asked if not each.startswith(url)]


def test_where_it_is_not_let_in_it_says_what_to_look_at(visit: Visit) -> None:
    app = visit(path=None)
    with elsewhere() as url:
        app.page.goto(f"{url}/#server=http://127.0.0.1:9")
        expect(app.failed).to_have_count(2)
        expect(app.failed.first).to_contain_text("No connection")
        expect(app.failed.first).to_contain_text("does it let this page in?")
    app.asked.clear()
    app.asked.append(app.server.url)


def test_the_key_does_not_stay_in_the_address_and_the_rest_does(visit: Visit) -> None:
    app = visit(path=f"/demo/#server=http://localhost:1&key=s3cret&apps={APP}")
    assert "s3cret" not in app.page.url
    assert f"apps={APP}" in app.page.url
    stored = "JSON.stringify([localStorage, sessionStorage, document.cookie])"
    assert app.page.evaluate(stored) == '[{},{},""]'
    app.page.evaluate("location.hash = 'key=other'")
    expect(app.page).not_to_have_url(re.compile("other"))
    expect(app.failed).to_have_count(2)
    app.asked = [each for each in app.asked if "localhost:1/" not in each]


def test_another_language_keeps_the_key(app: App) -> None:
    app.button("Connection").click()
    app.page.get_by_label("API key").fill("my-own-key")
    app.button("Connect").click()
    app.rest()
    app.button("中文").click()
    expect(app.page.get_by_role("heading", name="知识文章")).to_be_visible()
    expect(app.talks).to_have_count(7)
    assert "my-own-key" not in app.page.url
    app.button("English").click()
    expect(app.page.get_by_role("heading", name="Library")).to_be_visible()
    app.rest()
    entries = app.admin("GET", "/journal")["entries"]
    keys = [each["key"] for each in entries]
    mine = keys.index("***-key") if "***-key" in keys else keys.index(keys[-1])
    assert len(set(keys[mine:])) == 1


def test_the_console_is_one_click_away(app: App) -> None:
    app.page.get_by_role("link", name="Show the console beside it").click()
    app.page.locator("#live.on").wait_for()
    frame = app.page.frame_locator("#demo iframe")
    expect(frame.locator(".articles > li")).to_have_count(8)
    expect(frame.get_by_role("link")).to_have_count(0)
