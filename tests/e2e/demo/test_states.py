"""What the demo shows while it waits, and when something goes wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.demo.browsing import App
from tests.e2e.demo.conftest import Visit

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
KEYED: dict[str, Any] = {
    "keys": [{"key": "right", "permission": "owner"}],
    "apps": [{"id": "a", "name": "Support", "chats": [{"chatId": "c", "title": "Hi"}]}],
    "datasets": [{"id": "d", "name": "Docs", "collections": [{"name": "Guide"}]}],
}


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        ({"kind": "error"}, "The service has a problem (503)"),
        ({"kind": "error", "status": 200, "code": 500}, "The service has a problem"),
        ({"kind": "error", "status": 422}, "The service refused (422)"),
        ({"kind": "error", "status": 429, "retryAfter": 7}, "Try again in 7 seconds."),
        ({"kind": "error", "status": 429}, "Try again in a moment."),
        ({"kind": "error", "status": 403}, "This key does not open it"),
        ({"kind": "malformed_json"}, "An answer that makes no sense"),
        ({"kind": "garbage"}, "No connection"),
        ({"kind": "truncate"}, "No connection"),
        ({"kind": "reset", "connections": "all"}, "No connection"),
        ({"kind": "empty", "connections": "all"}, "No connection"),
    ],
)
def test_a_failure_is_told_and_a_retry_recovers(
    app: App, fault: dict[str, Any], text: str
) -> None:
    app.fault(operation="listV2", **fault)
    app.button("Reload").click()
    expect(app.failed).to_contain_text(text)
    expect(app.talks).to_have_count(7)
    app.admin("DELETE", "/faults")
    app.button("Retry").click()
    expect(app.articles).to_have_count(8)
    expect(app.failed).to_have_count(0)


def test_a_rate_limit_says_when_to_come_back(app: App) -> None:
    fault = {"kind": "rate_limit", "limit": 1, "window": 60, "operation": "listV2"}
    app.admin("POST", "/faults", fault)
    app.folder("Guides")
    expect(app.articles).to_have_count(4)
    app.button("Reload").click()
    expect(app.failed).to_contain_text("Too many requests")
    expect(app.failed).to_contain_text("Try again in")


def test_a_long_wait_shows_a_skeleton_in_a_page_that_does_not_jump(app: App) -> None:
    panel = app.page.locator("#library .panel")
    before = panel.bounding_box()
    app.fault("hang", operation="listV2")
    app.folder("Guides")
    expect(app.page.locator("#library .skeleton")).to_be_visible()
    expect(panel).to_have_attribute("aria-busy", "true")
    assert panel.bounding_box() == before


def test_a_wait_ends_after_some_seconds(visit: Visit) -> None:
    app = visit(path=None)
    app.page.clock.install()
    app.open()
    app.fault("hang", operation="listV2")
    with app.page.expect_request("**/listV2"):
        app.folder("Guides")
    app.page.clock.fast_forward(9_000)
    expect(app.failed).to_contain_text("There was no answer within 8 seconds.")
    app.button("Retry").click()
    expect(app.articles).to_have_count(4)


def test_what_is_short_flickers_not(app: App) -> None:
    app.page.evaluate(
        "window.seen = 0; new MutationObserver(() => window.seen +="
        " document.querySelectorAll('.skeleton').length)"
        ".observe(document.body, {childList: true, subtree: true})"
    )
    app.page.clock.install()  # what waits for 150 ms waits for ever from now on
    app.page.clock.pause_at(4102444800)
    app.folder("Guides")
    expect(app.articles).to_have_count(4)
    assert app.page.evaluate("seen") == 0


def test_an_empty_account_teaches_what_to_do(visit: Visit) -> None:
    app = visit({"apps": [{"id": "a"}]}, path="/demo/#apps=a")
    expect(app.part("Library")).to_contain_text("This key sees no dataset.")
    expect(app.part("Conversations")).to_contain_text("Ask something")
    app.page.goto("about:blank")
    app.open("/demo/#apps=,")
    expect(app.part("Conversations")).to_contain_text("Say in Connection which apps")


def test_a_wrong_key_leads_to_the_connection(visit: Visit) -> None:
    app = visit(KEYED, path="/demo/#apps=a&key=wrong")
    app.admin("PUT", "/choices", {"choices": {"unknown_key": "reject"}})
    app.button("Reload").click()
    expect(app.failed).to_have_count(2)
    app.failed.first.get_by_role("button", name="Connection").click()
    app.page.get_by_label("API key").fill("right")
    app.button("Connect").click()
    expect(app.articles).to_contain_text("Guide")
    expect(app.talks).to_contain_text("Hi")
    assert "right" not in app.page.url


def test_a_server_of_the_two_operations_is_told_apart(visit: Visit) -> None:
    app = visit(profile="documented")
    app.admin("PUT", "/choices", {"choices": {"related_routes": "off"}})
    app.page.reload()
    chats = app.part("Conversations")
    expect(chats).to_contain_text("This server does not list chats")
    expect(chats).to_contain_text("mock-server --demo")
    expect(app.articles).to_have_count(8)
