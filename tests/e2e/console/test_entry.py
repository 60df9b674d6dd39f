"""One request in the side panel: what is told of it, copied, compared, made to fail."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import Any

import pytest

from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.console.browsing import Console
from tests.e2e.console.conftest import Visit
from tests.support import LIST, PIN

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
APP, CHAT = "65d8a1f0c3b2a94e7f106a01", "delivery-late"
DATASET = "6593e137231a2be9c5603ba7"
STREAM = "What clients do"
CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}
JSON = "application/json"
AS_HTTPX = "import sys, httpx2; sys.modules['httpx'] = httpx2; exec(sys.stdin.read())"
RUNNERS = {
    "curl": ("curl", ["bash", "-s"]),
    "Python": (sys.executable, [sys.executable, "-c", AS_HTTPX]),
    "JavaScript": ("node", ["node", "--input-type=module", "-"]),
}
SENT = {
    "quotes": (LIST, json.dumps({"datasetId": 'it\'s "$(id)" `id` ${HOME}'}), JSON),
    "unicode": (LIST, json.dumps({"a": "快速 \U0001f600 \u2028 é"}), JSON),
    "backslashes": (LIST, json.dumps({"a": "\\n \\ \\\\u0041 %s {x}"}), JSON),
    "control characters": (LIST, json.dumps({"a": "\0\x1b[31m\r\n\t\x7f\x85"}), JSON),
    "all kinds of values": (
        LIST,
        json.dumps([None, True, False, -1.5e-9, 0, [], {}, {"__proto__": {"a": 1}}]),
        JSON,
    ),
    "half a pair": (LIST, '{"a": "\\ud800"}', JSON),
    "a text of JSON": (LIST, '"only a text"', JSON),
    "no JSON": (LIST, "@/etc/hostname tab\there\x1b[31m'; id #\\'\n", JSON),
    "no type": (LIST, '{"datasetId": "x"}', None),
    "another type": (LIST, "a=1&b=2", "text/plain; charset=utf-8"),
    "an odd path": ("/odd/[1-3]/{a,b}/$(id)'?x=[]&y=%27", "{}", JSON),
    "no body": ("/api/x", None, None),
}


def opened(console: Console, line: int = 0) -> Console:
    """The side panel on a row."""
    console.rows.nth(line).click()
    expect(console.drawer).to_be_visible()
    return console


def at(console: Console, fragment: str) -> None:
    """The address says what is open."""
    expect(console.page).to_have_url(f"{console.server.url}/__admin/{fragment}")


def copied(console: Console, name: str) -> str:
    """What the button of that name puts into the clipboard."""
    button = console.button(f"Copy as {name}")
    button.click()
    expect(button.locator("xpath=following-sibling::*")).to_have_text("Copied")
    return str(console.page.evaluate("navigator.clipboard.readText()"))


def send(console: Console, path: str, content: str | None, kind: str | None) -> None:
    """What some client does."""
    headers = {"Authorization": "Bearer k"}
    if kind:
        headers["Content-Type"] = kind
    body = None if content is None else content.encode()
    console.client.post(path, content=body, headers=headers)


@pytest.mark.parametrize("language", RUNNERS)
def test_what_is_copied_sends_the_same_again(visit: Visit, language: str) -> None:
    program, command = RUNNERS[language]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    console = visit(**CLIPBOARD)
    for n, (path, content, kind) in enumerate(SENT.values()):
        send(console, path, content, kind)
        row = console.page.locator(f'#stream [data-seq="{2 * n + 1}"]')
        row.click()
        text = copied(console, language)
        console.page.keyboard.press("Escape")
        run = subprocess.run(command, input=text, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
    entries = console.admin("GET", "/journal")["entries"]
    for name, first, again in zip(SENT, entries[::2], entries[1::2], strict=True):
        # What is refused unread (415) may be answered before its body has come.
        is_read = first["answer"]["status"] != 415
        for part in ("method", "path", "query", *["body"] * is_read):
            assert again["request"][part] == first["request"][part], name
        kinds = [
            each["request"]["headers"].get("content-type") for each in (first, again)
        ]
        assert kinds[0] == kinds[1], name


def test_a_failing_request_is_two_clicks_from_python(visit: Visit) -> None:
    console = visit(**CLIPBOARD)
    console.list(DATASET, pageSize=99)
    count = "window.clicks = 0; addEventListener('click', () => clicks++, true)"
    console.page.evaluate(count)
    text = copied(opened(console), "Python")
    assert text.startswith("import httpx\n")
    assert '"pageSize": 99' in text
    assert console.page.evaluate("clicks") == 2


def test_what_was_cut_is_said_in_each_copy(visit: Visit) -> None:
    console = visit(**CLIPBOARD)
    send(console, LIST, json.dumps({"a": "x" * 10_000}), JSON)
    opened(console)
    for language in RUNNERS:
        assert "the body was longer" in copied(console, language)


def test_violations_tell_their_section_and_effect(console: Console) -> None:
    console.list(DATASET, pageSize=99)
    violation = opened(console).drawer.locator(".violations li")
    for part in ("Section 4.2", "$.pageSize", "page_size_over_limit", "refused"):
        expect(violation).to_contain_text(part)


def test_a_fault_tells_its_draw_and_threshold(console: Console) -> None:
    fault = {"kind": "error", "probability": 0.999, "seed": 1}
    console.admin("POST", "/faults", fault)
    console.list(DATASET)
    fired = console.admin("GET", "/journal")["entries"][0]["fault"]
    told = opened(console).drawer
    expect(told).to_contain_text(f"{fired['draw']:.3f} was drawn")
    expect(told).to_contain_text("below its probability 0.999")


def test_time_key_and_hint_are_told(console: Console) -> None:
    console.list(DATASET, searchText="nothing is called so")
    (entry,) = console.admin("GET", "/journal")["entries"]
    told = opened(console).drawer
    for part in (entry["time"], entry["key"], entry["hint"], " ms", "Generation"):
        expect(told).to_contain_text(part)


def test_previous_and_next_go_through_what_is_listed(console: Console) -> None:
    for n in range(3):
        console.list(DATASET, offset=n)
        console.pin(APP, CHAT)
    expect(console.rows).to_have_count(6)
    operation = console.part(STREAM).get_by_label("Operation", exact=True)
    operation.select_option("listV2")
    title = opened(console, 1).drawer.get_by_role("heading", level=2)
    expect(title).to_have_text("list · #3")
    console.button("‹ Previous").click()
    expect(title).to_have_text("list · #1")
    expect(console.button("‹ Previous")).to_be_disabled()
    console.button("Next ›").click()
    expect(title).to_have_text("list · #3")
    console.page.keyboard.press("Escape")
    row = console.page.locator('#stream [data-seq="3"]')
    expect(row.get_by_role("button")).to_be_focused()


def test_the_address_says_which_request_is_open_and_opens_it(console: Console) -> None:
    console.list(DATASET)
    console.pin(APP, CHAT)
    expect(console.rows).to_have_count(2)
    opened(console)
    at(console, "#/requests/2")
    console.page.keyboard.press("Escape")
    expect(console.drawer).to_have_count(0)
    at(console, "")
    console.page.goto("about:blank")
    console.open("/__admin/#/requests/1")
    expect(console.drawer).to_contain_text("list · #1")


def test_an_entry_that_is_gone_says_so(console: Console) -> None:
    console.list(DATASET)
    expect(console.rows).to_have_count(1)
    console.page.goto(console.server.url + "/__admin/#/requests/7")
    expect(console.drawer).to_contain_text("This request is gone")


def test_the_next_one_like_this_can_be_made_to_fail(console: Console) -> None:
    console.list(DATASET, searchText="a")
    opened(console)
    console.button("Fail the next one like this").click()
    console.page.keyboard.press("Escape")
    expect(console.page.locator(".faults li")).to_have_count(1)
    console.list("another")
    console.list(DATASET, searchText="b")
    console.list(DATASET)
    expect(console.rows).to_have_count(4)
    entries = console.admin("GET", "/journal")["entries"]
    assert [bool(each["fault"]) for each in entries] == [False, False, True, False]


def test_two_marked_requests_are_compared_field_by_field(console: Console) -> None:
    console.list(DATASET, searchText="manual", parentId=None)
    console.list(DATASET, pageSize=99, parentId=None)
    expect(console.rows).to_have_count(2)
    for line in (0, 1):
        console.rows.nth(line).hover()
        console.rows.nth(line).get_by_role("checkbox").check()
    console.button("Compare", STREAM).click()
    at(console, "#/requests/compare/1/2")
    told = console.drawer
    body = told.get_by_role("table", name="Request's body")
    expect(body.get_by_role("row")).to_have_count(3)
    expect(body).to_contain_text('$.searchText"manual"not there')
    expect(body).to_contain_text("$.pageSizenot there99")
    expect(told.get_by_role("table", name="Answer", exact=True)).to_contain_text(
        "status200400"
    )
    expect(told.get_by_role("table", name="headers").first).to_contain_text(
        "content-length"
    )


def test_a_comparison_has_an_address(console: Console) -> None:
    console.list(DATASET)
    console.list(DATASET)
    expect(console.rows).to_have_count(2)
    opened(console)
    console.button("Compare with #1").click()
    at(console, "#/requests/compare/1/2")
    address = console.page.url
    console.page.goto("about:blank")
    console.page.goto(address)
    expect(console.drawer).to_contain_text("#1 and #2")
    console.admin("DELETE", "/journal")
    console.page.goto("about:blank")
    console.page.goto(address)
    expect(console.drawer).to_contain_text("Request #1 is gone.")


def bodies() -> list[Any]:
    """Bodies that are hard to show."""
    return [
        "<b>x</b>",
        {"datasetId": "<i>x</i>", "parentId": ".."},
        {"chatId": "\u202e"},
    ]


def test_odd_bodies_are_only_text_in_rows_copies_and_comparisons(visit: Visit) -> None:
    console = visit(**CLIPBOARD)
    for body in bodies():
        send(console, LIST, json.dumps(body), JSON)
        send(console, PIN, json.dumps(body), JSON)
    expect(console.rows).to_have_count(6)
    opened(console)
    console.button("Compare with #4").click()
    expect(console.drawer).to_contain_text("#4 and #6")
    assert console.page.locator("i, #stream b").count() == 0
