"""The journal over the admin API: entries, filters, bounds, redaction."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from mock_server.domain.journal import Journal
from mock_server.domain.limits import DEFAULT_LIMITS, Published
from mock_server.domain.memory import Memory
from tests.domain.entries import entry
from tests.support import LIST, PIN, Api, wait

KEY = "fastgpt-secret-key"


def test_an_entry_has_headers_without_the_key_and_how_long_it_took(api: Api) -> None:
    api.pin(key=KEY)
    (entry,) = api.journal()
    assert 0 < entry["durationMs"] == round(entry["durationMs"], 3)
    headers = entry["request"]["headers"]
    assert headers["authorization"] == "[redacted]"
    assert headers["content-type"] == "application/json"
    assert entry["answer"]["headers"]["x-mock-sandbox"] == "default"


def test_headers_of_one_name_are_joined(api: Api) -> None:
    sent = [("x-a", "1"), ("x-b", "2"), ("x-a", "3")]
    api.client.put(PIN, content=b"{}", headers=sent)
    headers = api.journal()[0]["request"]["headers"]
    assert (headers["x-a"], headers["x-b"]) == ("1, 3", "2")


def test_an_entry_lists_a_bounded_number_of_violations(api: Api) -> None:
    for count in (5_000, 100):
        api.send("PUT", PIN, {f"field-{number}": 1 for number in range(count)})
    for each in api.journal():
        assert len(each["violations"]) == Published.violations


@pytest.mark.ci
@pytest.mark.sampled
def test_a_request_on_its_way_enters_an_emptied_journal(api: Api) -> None:
    fault = {"kind": "delay", "ms": 500}
    api.admin("POST", "/faults", fault)
    with ThreadPoolExecutor() as pool:
        pinned = pool.submit(api.pin)
        wait(lambda: api.sandbox.state.waits)
        api.sandbox.empty_journal()
        assert pinned.result().status_code == 200
    assert len(api.sandbox.journal) == 1


@pytest.mark.ci
def test_journals_of_all_sandboxes_together_are_bounded() -> None:
    memory = Memory()
    journals = [Journal(memory=memory) for _ in range(12)]
    for _ in range(4_000):
        for journal in journals:
            journal.append(entry(DEFAULT_LIMITS.journal_body_bytes))
    assert memory.usage()["journals"] <= DEFAULT_LIMITS.journals_bytes
    assert all(len(each) + each.dropped == 4_000 for each in journals)
    for journal in journals:
        journal.successor()
    assert memory.used == 0


def test_an_entry_that_comes_too_late_is_nobodys() -> None:
    journal = Journal()
    new = journal.successor()
    journal.append(entry(0))
    assert (len(journal), len(new), journal.memory.used) == (0, 0, 0)


@pytest.mark.parametrize(
    "content",
    [
        b'{"n": 123456789012345678901234567890}',
        b'{"s": "\\ud800"}',
        b'{"n": 1e999}',
        b"\xff\xfe\x00",
        b"[" * 5_000,
        b"\x1b[31m\r\n",
        b'{\r\n "pretty": [1,\n 2]\r}',
    ],
)
def test_whatever_was_sent_can_be_shown(api: Api, content: bytes) -> None:
    headers = {"Authorization": "Bearer k", "Content-Type": "application/json"}
    api.client.request("POST", LIST + "?q=%FF", content=content, headers=headers)
    (entry,) = api.journal()
    assert entry["request"]["query"] == "q=%FF"
    assert api.admin("GET", "/health").status_code == 200


def test_a_key_is_redacted_wherever_the_client_puts_it(api: Api) -> None:
    headers = {
        "Authorization": f"Bearer {KEY}",
        "X-Api-Key": KEY,
        "Cookie": f"key={KEY}",
        "Referer": f"http://x/?key={KEY}",
    }
    body = {"appId": KEY, "chatId": KEY, "top": True}
    api.client.request("PUT", f"{PIN}?key={KEY}", json=body, headers=headers)
    api.client.request("PUT", f"/{KEY}", json=body, headers=headers)
    assert KEY not in json.dumps(api.journal())
    assert api.journal()[0]["request"]["body"]["appId"] == "[redacted]"


def test_the_journal_is_bounded_by_entries() -> None:
    journal = Journal()
    for _ in range(DEFAULT_LIMITS.journal_entries + 7):
        journal.append(entry(0))
    assert (len(journal), journal.dropped) == (DEFAULT_LIMITS.journal_entries, 7)
    assert journal.total == DEFAULT_LIMITS.journal_entries + 7
    assert next(journal.since(0)).seq == 8


def test_the_journal_is_bounded_by_bytes() -> None:
    journal = Journal()
    for _ in range(5_000):
        journal.append(entry(DEFAULT_LIMITS.journal_body_bytes))
    kept = sum(entry.size for entry in journal.since(0))
    assert DEFAULT_LIMITS.journal_bytes - 20_000 < kept <= DEFAULT_LIMITS.journal_bytes
    assert len(journal) + journal.dropped == 5_000
