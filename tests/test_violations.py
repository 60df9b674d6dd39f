"""How a violation is served, which violations fail a test, and what a rule does not hide."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from typing import Any

import httpx2
import pytest
from account import (
    COMPLETIONS,
    HISTORIES,
    LIST,
    OLD_PIN,
    PIN,
    SENT_LIST,
    SENT_PIN,
    Client,
    bearer,
    wait_until,
)

from mock_server import MockServer, UnfiredFaultWarning
from mock_server.choices import choice_table
from mock_server.control.admin_client import Refused

TEXT = "/api/core/dataset/collection/create/text"
ASKED = {"appId": "app", "messages": [{"role": "user", "content": "Hi"}]}


def noted(client: Client) -> list[tuple[str, str]]:
    """The names of the last request's violations, and how they were served."""
    found = client.control.journal[-1]["violations"]
    return [(it["name"], it["served"]) for it in found if it["name"] != "related_route"]


OFFSETLESS = {"datasetId": "d", "parentId": None}
SERVED: list[tuple[str, str, dict[str, Any], list[tuple[str, str]]]] = [
    ("POST", LIST, SENT_LIST | {"pageSize": 100}, [("page_size_max", "as_meant")]),
    ("POST", LIST, SENT_LIST | {"pageSize": 101}, [("page_size_over_limit", "otherwise")]),
    ("POST", LIST, SENT_LIST | {"selectFolder": True}, [("list_filters", "as_meant")]),
    ("POST", LIST, SENT_LIST | {"offset": "0"}, [("numeric_strings", "as_meant")]),
    ("POST", LIST, OFFSETLESS | {"pageNum": 2}, [("offset_missing", "as_meant")]),
    ("POST", LIST, SENT_LIST | {"pageNum": 2}, [("offset_missing", "otherwise")]),
    ("POST", LIST, SENT_LIST | {"parentId": "0" * 24}, [("parent_unknown", "otherwise")]),
    ("POST", LIST, SENT_LIST | {"page": 2}, [("unknown_fields", "otherwise")]),
    ("POST", LIST, SENT_LIST | {"pageSize": 0}, [("invalid_field", "refused")]),
    ("POST", LIST, SENT_LIST | {"searchText": "x" * 101}, [("invalid_field", "refused")]),
    ("POST", LIST, SENT_LIST | {"datasetId": "0" * 24}, []),
    ("PUT", PIN, SENT_PIN | {"chatId": "none"}, [("chat_unknown", "otherwise")]),
    ("PUT", PIN, {"appId": "app", "chatId": "c1"}, [("top_missing", "otherwise")]),
    ("PUT", PIN, {"appId": "app", "chatId": "c1", "title": "T"}, [("top_missing", "as_meant")]),
    ("POST", PIN, SENT_PIN, [("method_mismatch", "as_meant")]),
    ("PUT", OLD_PIN, SENT_PIN, [("legacy_path", "as_meant")]),
    ("POST", HISTORIES, {"appId": "app", "offest": 1}, [("unknown_fields", "otherwise")]),
    ("POST", HISTORIES, {"appId": "app", "offset": 1}, [("lone_offset", "otherwise")]),
    ("POST", HISTORIES, {"appId": "app", "offset": 0}, []),
    ("POST", f"{HISTORIES}?offset=1", {"appId": "app"}, [("lone_offset", "otherwise")]),
    ("POST", f"{HISTORIES}?appId=app", {"appId": "app"}, [("unknown_fields", "otherwise")]),
    ("POST", HISTORIES, {}, [("invalid_field", "refused")]),
    (
        "POST",
        TEXT,
        {"datasetId": "d", "name": "n", "text": "t", "tag": "x"},
        [("unknown_fields", "otherwise")],
    ),
    ("POST", COMPLETIONS, ASKED | {"chat_id": "c"}, [("unknown_fields", "otherwise")]),
    ("POST", COMPLETIONS, ASKED | {"model": "m", "temperature": 0, "shareId": ""}, []),
    ("POST", COMPLETIONS, {"appId": "app"}, [("invalid_field", "refused")]),
    ("POST", COMPLETIONS, {"messages": ASKED["messages"]}, [("invalid_field", "refused")]),
    (
        "GET",
        "/api/core/chat/init?appId=app&chatId=c1&chatid=c1",
        {},
        [("unknown_fields", "otherwise")],
    ),
]


@pytest.mark.parametrize(("method", "path", "body", "expected"), SERVED)
def test_a_violation_says_how_it_was_served(client, method, path, body, expected):
    client.admin("PUT", "/choices", {"profile": "fastgpt-4.16"})
    client.fetch(path, body or None, method=method)
    assert noted(client) == expected
    counts = not expected or expected[0][1] == "as_meant"
    names = [it["name"] for it in client.control.journal[-1]["violations"]]
    if counts:
        client.control.assert_no_violations()
    else:
        with pytest.raises(AssertionError, match=expected[0][0]):
            client.control.assert_no_violations()
    if names:
        with pytest.raises(AssertionError):
            client.control.assert_no_violations(strict=True)


def test_only_values_that_are_tolerated_or_ignored_are_served_otherwise():
    for name, choice in choice_table().items():
        assert {*choice.otherwise} <= {*choice.values}
        assert {*choice.otherwise} <= {*choice.tolerates} or name == "lone_offset"


def test_an_unknown_field_has_a_suggestion(client):
    client.fetch(HISTORIES, {"appId": "app", "offest": 1})
    assert "'offset'" in client.control.journal[-1]["violations"][-1]["message"]


def test_a_lone_offset_has_a_hint(client):
    client.fetch(HISTORIES, {"appId": "app", "pageNum": 2})
    assert "pageSize" in client.control.journal[-1]["hint"]


# What a rule of a test answers, or breaks, is checked all the same

WRONG = SENT_LIST | {"nope": 1, "pageSize": 50}
BOTH = [("unknown_fields", "otherwise"), ("page_size_over_limit", "refused")]


def test_an_answer_does_not_hide_a_wrong_request(client):
    with client.control.respond("listV2", data={"list": [], "total": 0}):
        assert client.fetch(LIST, WRONG).status_code == 200
        assert noted(client) == BOTH
        client.fetch(LIST, {"datasetId": "d"})
        assert noted(client) == [("invalid_field", "refused")]
        client.fetch(LIST, SENT_LIST | {"datasetId": "unknown"})
        assert noted(client) == []


FAULTS = [{"kind": "error"}, {"kind": "delay", "ms": 1}, {"kind": "reset"}, {"kind": "truncate"}]
FAULTS += [{"kind": "wrong_total"}, {"kind": "rate_limit", "limit": 1, "window": 60}]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda it: it["kind"])
def test_a_fault_does_not_hide_a_wrong_request(client, fault):
    client.fetch(LIST, SENT_LIST)
    client.admin("POST", "/rules", {"operation": "listV2", **fault})
    with suppress(httpx2.TransportError):
        client.fetch(LIST, WRONG)
    assert noted(client) == BOTH


def test_a_function_of_a_reply_does_not_run_twice_beside_an_answer(client):
    ran: list[object] = []
    client.control.reply(lambda request: ran.append(request) or "Hi")
    client.control.respond("completions", json={"choices": []})
    client.fetch(COMPLETIONS, ASKED | {"chat_id": "c"})
    assert (noted(client), ran) == ([("unknown_fields", "otherwise")], [])


OWN = [("documented", "GET", "/api/core/dataset/collection/list"), ("fastgpt-4.16", "GET", LIST)]
OWN += [("documented", "POST", "/api/of/our/own")]


@pytest.mark.parametrize(("profile", "method", "path"), OWN)
def test_what_a_test_answers_itself_is_no_violation(client, profile, method, path):
    client.admin("PUT", "/choices", {"profile": profile})
    client.control.respond(f"{method} {path}", json={"a": 1})
    assert client.request(method, path, params={"any": "thing"}).json() == {"a": 1}
    client.control.assert_no_violations(strict=True)


def test_a_route_of_the_service_is_checked_however_an_answer_names_it(client):
    client.control.respond(f"POST {LIST}", json={"a": 1})
    client.fetch(LIST, WRONG)
    assert noted(client) == BOTH


# Clients that wait, and conditions that hardly match


@pytest.mark.parametrize("is_patient", [True, False])
def test_a_client_that_waits_for_all_of_a_hang_fails_its_test(client, is_patient):
    hang = client.control.fault("hang", seconds=0.3)
    url = client.control.url + LIST
    timeout = 5 if is_patient else 0.05
    with suppress(httpx2.TransportError):
        httpx2.post(url, json=SENT_LIST, headers=bearer("owner"), timeout=timeout, verify=False)
    wait_until(lambda: not hang.held)
    assert client.admin("GET", f"/rules/{hang.id}")["outwaited"] == int(is_patient)
    with pytest.raises(AssertionError, match=r"0\.3 s") if is_patient else nullcontext():
        assert [*client.control.leftovers()] == []


def test_a_hang_that_is_removed_was_not_waited_for(client):
    hang = client.control.fault("hang", times=None)
    with ThreadPoolExecutor() as threads:
        response = threads.submit(client.page)
        wait_until(lambda: hang.held)
        hang.remove()
        assert isinstance(response.exception(5), httpx2.TransportError)
    assert [*client.control.leftovers()] == []


def test_a_block_without_pytest_tells_what_it_has_left():
    with pytest.warns(UnfiredFaultWarning, match="never fired"), MockServer({}) as server:
        server.fault("error")
    with pytest.raises(AssertionError, match="did not give up"), MockServer({}) as server:
        server.fault("hang", seconds=0.01)
        with suppress(httpx2.TransportError):
            httpx2.get(f"{server.url}/api/core/chat/init", headers=bearer(server.key), verify=False)


ODD = [{"user.name": "a"}, {"$.offset": 0}, {"messages[0].content": "Hi"}]
ODD += [{"name": {"regex": "a.*"}}, {"n": {"contains": 0}}, {"n": {"absent": False}}]
ODD += [{"user": {"a.b": 1}}]
MEANT: list[dict[str, Any]] = [{"user": {"name": "a"}}, {"name": {"contains": "a"}}]
MEANT += [{"name": {"absent": True}}, {"regex": "a"}, {"messages": [{"content": "Hi"}]}]


@pytest.mark.parametrize(("body", "count"), [*((it, 1) for it in ODD), *((it, 0) for it in MEANT)])
def test_a_condition_that_hardly_matches_is_warned_of(client, body, count):
    added = client.admin("POST", "/rules", {"kind": "error", "match": {"body": body}})
    assert bool(added.get("warning")) == bool(count)


def test_a_path_says_why_its_answer_did_not_match(client):
    answer = client.control.respond("GET /api/x", json=[1], match={"query": {"page": "1"}})
    refused = client.get("/api/x?page=2").json()
    assert refused["code"] == 404
    assert {answer.id, "$.query.page:", '"2"'} <= {*refused["message"].split()} | {'"2"'}


def test_a_key_without_app_is_told_what_to_send(client):
    client.admin("PUT", "/choices", {"profile": "fastgpt-4.16"})
    client.fetch(COMPLETIONS, ASKED | {"appId": None, "stream": True})
    line, hint = client.control.summary().splitlines()[1:3]
    assert "200" in line and "error" in line and "stream" in line and "appId" in hint


def test_the_rows_of_a_collection_can_be_read(client):
    made = client.fetch(TEXT, {"datasetId": "d", "name": "n", "text": "One. " * 3000})
    rows = client.control.rows("d", made.json()["data"]["collectionId"])
    assert len(rows) > 1 and rows[0].q.startswith("One.") and rows[0].a == ""
    with pytest.raises(Refused):
        client.control.rows("d", "none")
