"""The demo at another origin, and what its address says."""

from __future__ import annotations

import re
from pathlib import Path

import mock_server
from mock_server import MockServer
from mock_server.domain.journal import redacted_key
from tests.e2e.pages import Demo, Visit, expect
from tests.e2e.pages.screen import APP, PARCEL, STORED
from tests.e2e.sites import files, site

FOLDER = Path(mock_server.__file__).parent / "demo"


def test_it_works_from_another_origin(visit: Visit) -> None:
    app = visit(path=None, serving={"demo": False})
    with site(files(FOLDER)) as url:
        app.page.goto(f"{url}/#server={app.server.url}&key=mine")
        app.read_library()
        app.has(8, 7)
        with app.page.expect_response(
            lambda it: it.request.method == "PUT" and it.url.endswith("/updateHistory")
        ):
            app.click(f"Pin {PARCEL}")
        expect(app.talks.first).to_contain_text(PARCEL)
        app.fault("rate_limit", limit=1, window=60, operation="listV2")
        app.folders("Guides")
        app.has(4)
        app.click("Reload")
        app.fails("Try again in")
        expect(app.role("link")).to_have_count(0)
    assert app.top()
    app.asked = [each for each in app.asked if not each.startswith(url)]


def test_where_it_is_not_let_in_it_says_what_to_look_at(visit: Visit) -> None:
    app = visit(path=None)
    with site(files(FOLDER)) as url:
        app.page.goto(f"{url}/#server=http://127.0.0.1:9")
        expect(app.failed).to_have_count(2)
        for words in ("No connection", "does it let this page in?"):
            expect(app.failed.first).to_contain_text(words)
    app.asked = [app.server.url]


def test_the_key_does_not_stay_in_the_address_and_the_rest_does(visit: Visit) -> None:
    app = visit(path=f"/demo/#server=http://localhost:1&key=s3cret&apps={APP}")
    assert "s3cret" not in app.page.url
    assert f"apps={APP}" in app.page.url
    assert app.run(STORED) == '[{},{},""]'
    app.go("key=other")
    expect(app.page).not_to_have_url(re.compile("other"))
    expect(app.failed).to_have_count(2)
    app.asked = [each for each in app.asked if "localhost:1/" not in each]


def test_a_link_to_another_server_does_not_take_the_key_along(visit: Visit) -> None:
    app = visit(path="/demo/#key=my-own-key")
    app.has(talks=7)
    with MockServer() as other:
        with app.page.expect_response(f"{other.url}/**"):
            app.go(f"server={other.url}")
        app.rest()
        keys = {each.key for each in other.sandbox.journal.since(0)}
        app.asked = [each for each in app.asked if not each.startswith(other.url)]
    assert keys == {redacted_key("fastgpt-demo")}


def test_another_language_keeps_the_key(app: Demo) -> None:
    app.click("Connection")
    app.fill(**{"API key": "my-own-key"})
    app.click("Connect")
    app.rest()
    app.click("中文")
    expect(app.role("heading", "知识文章", exact=False)).to_be_visible()
    app.has(talks=7)
    assert "my-own-key" not in app.page.url
    app.click("English")
    expect(app.role("heading", "Library", exact=False)).to_be_visible()
    app.rest()
    keys = [each["key"] for each in app.entries()]
    mine = keys.index("***-key") if "***-key" in keys else keys.index(keys[-1])
    assert len(set(keys[mine:])) == 1


def test_the_console_is_one_click_away(app: Demo) -> None:
    app.role("link", "Show the console beside it", exact=False).click()
    app.find("#live.on").wait_for()
    app.framed.is_read()
    expect(app.framed.role("link")).to_have_count(0)
