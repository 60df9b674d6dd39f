"""The middle: what clients do, live."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from urllib.parse import urlsplit

import pytest

from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.console.browsing import Console
from tests.e2e.console.conftest import Visit

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
APP, CHAT, DATASET = (
    "65d8a1f0c3b2a94e7f106a01",
    "delivery-late",
    ("6593e137231a2be9c5603ba7"),
)
STREAM = "What clients do"
BRACKETS = "/odd/[1-3]/{a,b}/$(id)'?x=[]"


def test_requests_are_listed_as_they_come(console: Console) -> None:
    expect(console.part(STREAM)).to_contain_text("Nothing yet.")
    console.pin(APP, CHAT)
    console.list(DATASET, pageSize=99)
    expect(console.rows).to_have_count(2)
    latest, first = console.rows.nth(0), console.rows.nth(1)
    expect(first).to_contain_text("pin")
    expect(first).to_contain_text("200")
    expect(latest).to_contain_text("400")
    expect(latest).to_contain_text("1 violation")
    (key,) = {each["key"] for each in console.admin("GET", "/journal")["entries"]}
    expect(latest).to_contain_text(key)


def test_what_was_before_the_page_is_listed_too(visit: Visit) -> None:
    console = visit(path=None)
    for _ in range(3):
        console.list(DATASET)
    expect(console.open().rows).to_have_count(3)
    expect(console.part(STREAM)).to_contain_text("3 requests")


def test_a_fault_marks_its_request(console: Console) -> None:
    console.admin("POST", "/faults", {"kind": "malformed_json"})
    console.list(DATASET)
    expect(console.rows.first.locator(".mark.fault")).to_have_text("malformed_json")


def test_a_click_shows_request_answer_and_violations(console: Console) -> None:
    console.list(DATASET, pageSize=99)
    console.rows.first.get_by_role("button").click()
    expect(console.drawer).to_contain_text("Section 4.2")
    expect(console.drawer).to_contain_text("page_size_over_limit")
    for name, part in (("Request's body", "99"), ("Answer's body", "invalidField")):
        body = console.drawer.get_by_role("region", name=name)
        expect(body).to_contain_text(part)
    console.page.keyboard.press("Escape")
    expect(console.drawer).to_have_count(0)
    expect(console.rows.first.get_by_role("button")).to_be_focused()


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("/api/core/chat/history/updateHistory", json.dumps({"chatId": "it's $(id)"})),
        ("/api/core/dataset/collection/listV2", "@/etc/hostname"),
        ("/api/core/dataset/collection/listV2", "tab\there\x1b[31m'; id #\\'\n"),
        (BRACKETS, "{}"),
    ],
)
def test_the_copied_command_sends_the_same_again(
    visit: Visit, path: str, content: str
) -> None:
    console = visit(permissions=["clipboard-read", "clipboard-write"])
    headers = {"Content-Type": "application/json", "Authorization": "Bearer k"}
    console.client.post(path, content=content, headers=headers)
    console.rows.first.get_by_role("button").click()
    console.button("Copy as curl").click()
    expect(console.drawer.get_by_text("Copied")).to_be_visible()
    command = console.page.evaluate("navigator.clipboard.readText()")
    subprocess.run(["bash", "-c", command], check=True, capture_output=True)
    first, again = console.admin("GET", "/journal")["entries"]
    for name in ("method", "path", "query", "body"):
        assert again["request"][name] == first["request"][name]


def test_a_journal_that_others_empty_is_empty_here(console: Console) -> None:
    console.list(DATASET)
    expect(console.rows).to_have_count(1)
    console.admin("DELETE", "/journal")
    expect(console.rows).to_have_count(0)
    console.list(DATASET)
    expect(console.rows).to_have_count(1)
    console.button("Clear", STREAM).click()
    expect(console.rows).to_have_count(0)
    assert console.admin("GET", "/journal")["kept"] == 0


def test_the_page_reads_again_only_what_a_request_has_changed(console: Console) -> None:
    console.list(DATASET)
    expect(console.part(STREAM)).to_contain_text("1 request")
    console.pin(APP, CHAT)
    expect(console.button("Pinned Where is my parcel?")).to_be_visible()
    asked = Counter(urlsplit(url).path for url in console.asked)
    for name in ("sandboxes", "faults", "snapshots", "clock", "choices"):
        assert asked[f"/__admin/{name}"] == 1
    assert asked[f"/__admin/apps/{APP}/chats"] > 1


def test_a_pause_holds_the_list_and_loses_nothing(console: Console) -> None:
    console.button("Pause", STREAM).click()
    console.list(DATASET)
    expect(console.part(STREAM)).to_contain_text("1 request")
    expect(console.rows).to_have_count(0)
    console.button("Continue", STREAM).click()
    expect(console.rows).to_have_count(1)


def test_a_flood_of_requests_is_listed_and_few_rows_are_drawn(console: Console) -> None:
    for n in range(300):
        console.list(DATASET, offset=n)
    expect(console.part(STREAM)).to_contain_text("300 requests")
    table = console.page.get_by_role("table", name="List of requests")
    expect(table).to_have_attribute("aria-rowcount", "301")
    assert console.rows.count() < 60
    console.rows.first.get_by_role("button").click()
    body = console.drawer.get_by_role("region", name="Request's body")
    expect(body).to_contain_text('"offset": 299')
