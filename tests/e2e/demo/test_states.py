"""What the demo shows while it waits, and when something goes wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.pages import Demo, Visit, expect

KEYED: dict[str, Any] = {
    "keys": [{"key": "right", "permission": "owner"}],
    "apps": [{"id": "a", "name": "Support", "chats": [{"chatId": "c", "title": "Hi"}]}],
    "datasets": [{"id": "d", "name": "Docs", "collections": [{"name": "Guide"}]}],
}
FAILURES: list[tuple[dict[str, Any], str]] = [
    ({"kind": "error"}, "The service has a problem (503)"),
    ({"kind": "error", "status": 200, "code": 500}, "The service has a problem"),
    ({"kind": "error", "status": 422}, "The service refused (422)"),
    ({"kind": "error", "status": 429, "retryAfter": 7}, "Try again in "),
    ({"kind": "error", "status": 429}, "Try again in a moment."),
    ({"kind": "error", "status": 403}, "This key does not open it"),
    ({"kind": "malformed_json"}, "An answer that makes no sense"),
    ({"kind": "garbage"}, "No connection"),
    ({"kind": "truncate"}, "No connection"),
    # A browser asks again by itself on each of its old connections.
    ({"kind": "reset", "times": 100}, "No connection"),
    ({"kind": "empty", "times": 100}, "No connection"),
]


@pytest.mark.parametrize(("fault", "text"), FAILURES)
def test_a_failure_is_told_and_a_retry_recovers(
    app: Demo, fault: dict[str, Any], text: str
) -> None:
    app.fault(operation="listV2", **fault)
    app.click("Reload")
    app.fails(text)
    app.has(talks=7)
    app.admin("DELETE", "/faults")
    app.click("Retry")
    app.has(8)
    expect(app.failed).to_have_count(0)


def test_a_wait_counts_down_and_no_range_stands_below_it(app: Demo) -> None:
    expect(app.pager).to_have_text("1-8 of 8")
    app.fault(status=429, retryAfter=3, operation="listV2")
    app.click("Reload")
    app.fails("Try again in ")
    expect(app.pager).to_have_text("")
    app.fails("Try again now.")


def test_a_rate_limit_says_when_to_come_back(app: Demo) -> None:
    app.fault("rate_limit", limit=1, window=60, operation="listV2")
    app.folders("Guides")
    app.has(4)
    app.click("Reload")
    app.fails("Too many requests", "Try again in")


def test_a_long_wait_shows_a_skeleton_in_a_page_that_does_not_jump(app: Demo) -> None:
    panel = app.find("#library .panel")
    before = panel.bounding_box()
    app.fault("hang", operation="listV2")
    app.folders("Guides")
    expect(app.find("#library .skeleton")).to_be_visible()
    expect(panel).to_have_attribute("aria-busy", "true")
    assert panel.bounding_box() == before


def test_a_wait_ends_after_some_seconds(visit: Visit) -> None:
    app = visit(path=None)
    app.page.clock.install()
    app.open()
    app.fault("hang", operation="listV2")
    with app.page.expect_request("**/listV2"):
        app.folders("Guides")
    app.page.clock.fast_forward(9_000)
    app.fails("There was no answer within 8 seconds.")
    app.click("Retry")
    app.has(4)


def test_a_fast_load_shows_no_skeleton(app: Demo) -> None:
    app.run("""() => {
        window.seen = 0;
        const look = () => { seen += document.querySelectorAll(".skeleton").length; };
        const what = { childList: true, subtree: true };
        new MutationObserver(look).observe(document.body, what);
    }""")
    app.page.clock.install()  # what waits for 150 ms waits for ever from now on
    app.page.clock.pause_at(4102444800)
    app.folders("Guides")
    app.has(4)
    assert app.run("seen") == 0


def test_an_empty_account_teaches_what_to_do(visit: Visit) -> None:
    app = visit({"apps": [{"id": "a"}]}, path="/demo/#apps=a")
    app.library.says("This key sees no dataset.")
    app.conversations.says("Ask something")
    app.page.goto("about:blank")
    app.open("/demo/#apps=,")
    app.conversations.says("Say in Connection which apps")


def test_a_wrong_key_leads_to_the_connection(visit: Visit) -> None:
    app = visit(KEYED, path="/demo/#apps=a&key=wrong")
    app.choose(unknown_key="reject")
    app.click("Reload")
    expect(app.failed).to_have_count(2)
    app.failed.first.get_by_role("button", name="Connection").click()
    app.fill(**{"API key": "right"})
    app.click("Connect")
    expect(app.articles).to_contain_text("Guide")
    expect(app.talks).to_contain_text("Hi")
    assert "right" not in app.page.url


def test_a_server_of_the_two_operations_is_told_apart(visit: Visit) -> None:
    app = visit(serving={"profile": "documented"})
    app.choose(related_routes="off")
    app.page.reload()
    server = ("This server does not list chats", "mock-server --demo")
    app.conversations.says(*server)
    app.has(8)
