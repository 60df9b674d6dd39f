"""One request in the side panel: what is told of it, copied, compared, made to fail."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import Any

import pytest

from tests.e2e.pages import Console, Visit, expect
from tests.e2e.pages.console import AS_HTTPX
from tests.e2e.pages.screen import CLIPBOARD
from tests.support import LIST, PIN

JSON = "application/json"
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
    "the name of a file": (LIST, "@/etc/hostname", JSON),
    "no type": (LIST, '{"datasetId": "x"}', None),
    "another type": (LIST, "a=1&b=2", "text/plain; charset=utf-8"),
    "an odd path": ("/odd/[1-3]/{a,b}/$(id)'?x=[]&y=%27", "{}", JSON),
    "no body": ("/api/x", None, None),
}


@pytest.fixture
def copying(visit: Visit) -> Any:
    """The console, where the clipboard can be read."""
    return visit(permissions=CLIPBOARD)


def copied(console: Console, name: str) -> str:
    """What the button of that name puts into the clipboard."""
    button = console.button(f"Copy as {name}")
    button.click()
    expect(button.locator("xpath=following-sibling::*")).to_have_text("Copied")
    return console.clipboard()


def send(console: Console, path: str, content: str | None, kind: str | None) -> None:
    """What some client does."""
    headers = {"Authorization": "Bearer k"} | ({"Content-Type": kind} if kind else {})
    body = None if content is None else content.encode()
    console.client.post(path, content=body, headers=headers)


@pytest.mark.parametrize("language", RUNNERS)
def test_what_is_copied_sends_the_same_again(copying: Console, language: str) -> None:
    program, command = RUNNERS[language]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    for n, sent in enumerate(SENT.values()):
        send(copying, *sent)
        copying.stream.row(2 * n + 1).click()
        text = copied(copying, language)
        copying.press("Escape")
        run = subprocess.run(command, input=text, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
    entries = copying.entries()
    for name, first, again in zip(SENT, entries[::2], entries[1::2], strict=True):
        # What is refused unread (415) may be answered before its body has come.
        is_read = first["answer"]["status"] != 415
        one, other = first["request"], again["request"]
        for part in ("method", "path", "query", *["body"] * is_read):
            assert other[part] == one[part], name
        kinds = {each["headers"].get("content-type") for each in (one, other)}
        assert len(kinds) == 1, name


def test_what_was_cut_is_said_in_each_copy(copying: Console) -> None:
    send(copying, LIST, json.dumps({"a": "x" * 10_000}), JSON)
    copying.row_opens()
    for language in RUNNERS:
        assert "the body was longer" in copied(copying, language)


def test_violations_time_key_and_hint_are_told(console: Console) -> None:
    console.list(pageSize=99)
    violation = console.row_opens().find(".violations li")
    for told in ("Section 4.2", "$.pageSize", "page_size_over_limit", "refused"):
        expect(violation).to_contain_text(told)
    for name, text in (("Request's body", "99"), ("Answer's body", "invalidField")):
        console.drawer.part("region", name).says(text)
    console.press("Escape")
    console.drawer.is_gone()
    expect(console.rows.first.get_by_role("button")).to_be_focused()
    console.list(searchText="nothing is called so")
    entry = console.entries()[1]
    expect(console.rows).to_have_count(2)
    facts = (entry["time"], entry["key"], entry["hint"], " ms", "Generation")
    console.row_opens().says(*facts)


def test_a_fault_tells_its_draw_and_threshold(console: Console) -> None:
    console.fault(probability=0.999, seed=1)
    console.list()
    fired = console.entries()[0]["fault"]
    drawn = f"{fired['draw']:.3f} was drawn"
    console.row_opens().says(drawn, "below its probability 0.999")


def test_previous_and_next_go_through_what_is_listed(console: Console) -> None:
    for n in range(3):
        console.list(offset=n)
        console.pin()
    expect(console.rows).to_have_count(6)
    console.stream.field("Operation").select_option("listV2")
    title = console.row_opens(1).role("heading", level=2)
    expect(title).to_have_text("listV2 · #3")
    console.click("‹ Previous")
    expect(title).to_have_text("listV2 · #1")
    expect(console.button("‹ Previous")).to_be_disabled()
    console.click("Next ›")
    expect(title).to_have_text("listV2 · #3")
    console.press("Escape")
    expect(console.stream.row(3).get_by_role("button")).to_be_focused()


def test_the_address_says_which_request_is_open_and_opens_it(console: Console) -> None:
    console.list()
    console.pin()
    expect(console.rows).to_have_count(2)
    console.row_opens()
    console.at("#/requests/2")
    console.press("Escape")
    console.drawer.is_gone()
    console.at("")
    console.page.goto("about:blank")
    console.open("/__admin/#/requests/1")
    console.drawer.says("listV2 · #1")
    console.go("#/requests/7")
    console.drawer.says("This request is gone")


def test_the_next_one_like_this_can_be_made_to_fail(console: Console) -> None:
    console.list(searchText="a")
    console.row_opens().click("Fail the next one like this")
    console.press("Escape")
    expect(console.find(".faults li")).to_have_count(1)
    console.list("another")
    console.list(searchText="b")
    console.list()
    expect(console.rows).to_have_count(4)
    failed = [bool(each["fault"]) for each in console.entries()]
    assert failed == [False, False, True, False]


def test_two_marked_requests_are_compared_field_by_field(console: Console) -> None:
    console.list(searchText="manual", parentId=None)
    console.list(pageSize=99, parentId=None)
    expect(console.rows).to_have_count(2)
    for row in console.rows.all():
        row.hover()
        row.get_by_role("checkbox").check()
    console.stream.click("Compare")
    console.at("#/requests/compare/1/2")
    body = console.drawer.part("table", "Request's body")
    expect(body.role("row")).to_have_count(3)
    body.says('$.searchText"manual"not there', "$.pageSizenot there99")
    console.drawer.part("table", "Answer").says("status200400")
    headers = console.drawer.role("table", "headers", exact=False).first
    expect(headers).to_contain_text("content-length")


def test_a_comparison_has_an_address(console: Console) -> None:
    console.list()
    console.list()
    expect(console.rows).to_have_count(2)
    console.row_opens().click("Compare with #1")
    console.at("#/requests/compare/1/2")
    address = console.page.url
    for told in ("#1 and #2", "Request #1 is gone."):
        console.page.goto("about:blank")
        console.page.goto(address)
        console.drawer.says(told)
        console.admin("DELETE", "/journal")


def test_odd_bodies_are_only_text_in_rows_copies_and_comparisons(
    console: Console,
) -> None:
    markup = {"datasetId": "<i>x</i>", "parentId": ".."}
    for body in ("<b>x</b>", markup, {"chatId": "\u202e"}):
        send(console, LIST, json.dumps(body), JSON)
        send(console, PIN, json.dumps(body), JSON)
    expect(console.rows).to_have_count(6)
    console.row_opens().click("Compare with #4")
    console.drawer.says("#4 and #6")
    expect(console.find("i, #stream b")).to_have_count(0)
