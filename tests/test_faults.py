"""Faults over real sockets: what each kind does, when it fires, and what kept it from that."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from select import select
from time import monotonic
from typing import Any

import httpx2
import pytest
from account import (
    COMPLETIONS,
    HISTORIES,
    LIST,
    PIN,
    RIGHT_PIN,
    SENT_PIN,
    Client,
    error_of,
    events,
    mentions,
    read_to_end,
)
from starlette.responses import Response

from mock_server.control import Refused
from mock_server.faults.rule_kinds import KINDS
from mock_server.service.call import Call
from mock_server.service.operation import Operation

# What each kind does


def pinned(client: Client) -> tuple[str, bytes, bool]:
    """The media type and the body of the response to a pin, and whether the pin is stored."""
    top = not client.is_pinned()
    response = client.pin(top=top)
    assert response.status_code == 200
    media = response.headers["content-type"].partition(";")[0]
    return media, response.content, client.is_pinned() is top


def late(client: Client) -> tuple[bool, tuple[str, bytes, bool]]:
    """Whether a pin takes 0.3 s, and what comes of it."""
    start = monotonic()
    seen = pinned(client)
    return monotonic() - start > 0.29, seen


def comes(client: Client) -> bool:
    """Whether half a second after a pin a byte has come, or the end of the connection."""
    with closing(client.connect()) as connection:
        return bool(select([connection], [], [], 0.5)[0])


def received(client: Client) -> tuple[bytes, str]:
    """All bytes that come, with the length of a body in place of the head, and how they end."""
    content, end = client.raw()
    head = rb"(?s)^HTTP/1.1 200 .*\ncontent-length: (\d+)\r\n.*\r\n\r\n"
    return re.sub(head, rb"\1 ", content), end


def first_piece(client: Client) -> bytes:
    with client.stream("PUT", PIN, json=SENT_PIN) as response:
        return next(response.iter_raw())


def numbers_of(client: Client, **fields: Any) -> tuple[list[Any], int]:
    """The numbers of the items on a page of the dataset `many`, None for a new one; total."""
    data = client.page(datasetId="many", **fields).json()["data"]
    ids = [it["_id"] for it in data["list"]]
    return [int(id[1:]) if len(id) == 4 else None for id in ids], data["total"]


def page_at(offset: int) -> Callable[[Client], Any]:
    return lambda client: numbers_of(client, offset=offset)


def status(client: Client) -> int:
    return client.pin().status_code


def two_statuses(client: Client) -> list[int]:
    return client.statuses(2)


def fields_of_items(client: Client) -> tuple[bool, bool]:
    """Whether all items on a page have a field `more`, and whether they have `tags`."""
    items = client.items()
    return all("more" in it for it in items), all("tags" in it for it in items)


JSON = "application/json"
LATE = (True, (JSON, RIGHT_PIN, True))
SEEN: list[tuple[str, dict[str, Any], Callable[[Client], Any], Any]] = [
    ("error", {}, status, 503),
    ("rate_limit", {"limit": 1, "window": 60}, two_statuses, [200, 429]),
    ("delay", {"ms": 300}, late, LATE),
    ("delay", {"min": 300, "max": 310}, late, LATE),
    ("hang", {}, comes, False),
    ("hold", {}, comes, False),
    ("reset", {}, received, (b"", "RST")),
    ("empty", {}, received, (b"", "FIN")),
    ("garbage", {}, received, (b"\x16\x03\x01\x00\xff mock \x00\x01\x02\xfe\xff\r\n\r\n", "FIN")),
    ("truncate", {}, received, (b"53 " + RIGHT_PIN[:26], "FIN")),
    ("truncate", {"bytes": 10}, received, (b"53 " + RIGHT_PIN[:10], "FIN")),
    ("truncate", {"bytes": 0}, received, (b"53 ", "FIN")),
    ("malformed_json", {}, pinned, (JSON, RIGHT_PIN[:-1] + b"]", False)),
    ("dribble", {"chunks": 2, "ms": 1000}, first_piece, RIGHT_PIN[:27]),
    ("lost_write", {}, pinned, (JSON, RIGHT_PIN, False)),
    ("alter", {"set": {"more": 1}}, fields_of_items, (True, True)),
    ("alter", {"remove": ["tags"]}, fields_of_items, (False, False)),
    ("wrong_total", {"by": 5}, page_at(0), ([*range(1, 11)], 125)),
    ("duplicate_item", {}, page_at(10), ([10, *range(11, 20)], 120)),
    ("duplicate_item", {}, page_at(0), ([1, *range(1, 10)], 120)),
    ("page_drift", {"remove": 2}, page_at(10), ([*range(13, 23)], 118)),
    ("page_drift", {"insert": 2}, page_at(10), ([*range(9, 19)], 122)),
    ("page_drift", {"insert": 1, "at": 0}, page_at(0), ([None, *range(1, 10)], 121)),
    ("page_drift", {"remove": 1, "at": 12}, page_at(10), ([11, 12, *range(14, 22)], 119)),
    ("page_drift", {"insert": 3, "at": 9}, page_at(10), ([None, None, *range(10, 18)], 123)),
    ("page_drift", {"remove": 8}, page_at(110), ([119, 120], 112)),
]
"""Kinds with fields, what is looked at, and what is seen there: something else than without."""


@pytest.mark.parametrize("kind, fields, look, seen", SEEN)
def test_a_client_sees_what_a_kind_does(client, kind, fields, look, seen):
    assert look(client) != seen, "the row could not fail"
    client.add(kind, **fields)
    assert look(client) == seen


def test_each_kind_has_a_row_that_says_what_a_client_sees():
    kinds = {kind for kind, *_ in SEEN}
    # These are no faults, and have files of their own.
    assert kinds | {"answer", "reply", "hits"} == {*KINDS}


STREAM = "One 两 three. "


def streamed(client: Client) -> list[bytes]:
    """The pieces of a streamed reply, as they come."""
    body = {"appId": "app", "stream": True, "messages": [{"role": "user", "content": STREAM}]}
    with client.stream("POST", COMPLETIONS, json=body) as response:
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        return [*response.iter_raw()]


def test_malformed_json_breaks_one_event_in_mid_stream(client):
    whole = b"".join(streamed(client))
    client.add("malformed_json")
    sent = b"".join(streamed(client)).split(b"\n\n")
    wrong = [it for it in zip(sent, whole.split(b"\n\n"), strict=True) if it[0] != it[1]]
    assert [(it, right[:-1] + b"]") for it, right in wrong] == [(wrong[0][0], wrong[0][0])]
    assert b'"content":' in wrong[0][0] and len(sent) > 4


def test_malformed_json_keeps_the_headers(client):
    client.add("answer", operation="listV2", json={"a": 1}, headers={"X-A": "1", "Age": "7"})
    right = client.page().headers
    client.add("malformed_json")
    wrong = client.page().headers
    assert {*right} == {*wrong} and (wrong["x-a"], wrong["age"]) == ("1", "7")


def test_a_refusal_of_a_stream_is_an_event(client):
    client.add("error", refusal="unAuthApiKey", message="Expired")
    response = client.complete(appId="app", stream=True)
    ((name, data),) = events(response)
    assert (response.status_code, name) == (200, "error")
    assert (data["statusText"], data["message"]) == ("unauthorized", "Expired")


def test_dribble_cuts_a_stream_within_a_character(client):
    client.add("dribble", chunks=8, ms=10)
    pieces = streamed(client)
    assert any(it[0] in range(0x80, 0xC0) for it in pieces[1:])
    assert STREAM[:5] in "".join(re.findall('"content":"(.*?)"', b"".join(pieces).decode()))


BODILESS = [
    ("truncate", {}),
    ("malformed_json", {}),
    ("dribble", {}),
    ("malformed_json", {"text": "No"}),
]


@pytest.mark.parametrize("kind, answer", BODILESS)
def test_a_fault_without_anything_to_break_does_not_fire(client, kind, answer):
    client.add("answer", operation="updateHistory", **answer)
    fault = client.control.fault(kind)
    assert client.pin().status_code == 200
    assert fault.fired == 0 and mentions(fault.missed, f"#1: {kind} status 200")


def test_a_fault_in_pages_waits_for_a_page(client):
    fault = client.add("alter", remove=["x"])
    assert client.pin().content == RIGHT_PIN
    assert client.fired(fault) == 0


# Kinds that break a response


FORMS = {"documented": (401, 401, "unauthorized"), "fastgpt-4.16": (500, 514, "unAuthApiKey")}


@pytest.mark.parametrize("profile, form", FORMS.items())
def test_an_error_is_a_refusal_as_the_profile_sends_it(client, profile, form):
    client.control.call("PUT", "/choices", {"profile": profile})
    client.add("error", refusal="unAuthApiKey", message="Expired")
    response = client.page()
    assert error_of(response) == form and response.json()["message"] == "Expired"
    assert ("www-authenticate" in response.headers) is (profile == "documented")


def test_an_error_has_its_status_code_and_texts(client):
    client.control.choices["error_http_status"] = "always_200"  # which is not for faults
    client.add("error")
    client.add("error", status=429, code=7, statusText="quota", message="Slow", retryAfter=3)
    assert error_of(client.page()) == (503, 503, "injected")
    second = client.page()
    assert error_of(second) == (429, 7, "quota")
    assert (second.headers["retry-after"], second.json()["message"]) == ("3", "Slow")


WAITING = [{"kind": "hang"}, {"kind": "hold"}, {"kind": "delay", "ms": 60_000}]
WAITING += [{"kind": "answer", "operation": "updateHistory", "text": "Late", "delayMs": 60_000}]


@pytest.mark.parametrize("rule", WAITING)
def test_what_waits_ends_by_a_reset_without_a_response(client, rule):
    client.add(**rule)
    with closing(client.connect()) as connection:
        connection.settimeout(0.1)
        with pytest.raises(TimeoutError):
            connection.recv(1)
        client.control.reset()
        connection.settimeout(5)
        assert read_to_end(connection) == (b"", "FIN")
    assert not client.is_pinned()


SLOW_PARTS = [
    {"kind": "reply", "parts": ["One ", {"pauseMs": 60_000}, "two."]},
    {"kind": "reply", "text": "One two.", "stream": {"tokensPerSecond": 0.1}},
    {"kind": "dribble", "ms": 1000, "chunks": 2},
]


@pytest.mark.parametrize("rule", SLOW_PARTS)
def test_a_response_that_comes_slowly_breaks_off_by_a_reset(client, rule):
    client.add(**rule)
    question = {"appId": "says", "stream": True, "messages": [{"role": "user", "content": "x"}]}
    with client.stream("POST", COMPLETIONS, json=question) as response:
        pieces = response.iter_raw()
        next(pieces)
        client.control.reset()
        # What was sent before may still come.
        with pytest.raises(httpx2.RemoteProtocolError):
            b"".join(pieces)


# Rate limits


LIMITS = [f"x-ratelimit-{name}" for name in ("limit", "remaining", "reset")]


def test_a_rate_limit_refuses_what_is_too_much(client):
    client.add("rate_limit", limit=2, window=60)
    responses = [client.pin(), client.page(), client.pin()]
    shown = [[response.headers.get(it) for it in LIMITS] for response in responses]
    assert shown == [["2", "1", "60"], ["2", "0", "60"], ["2", "0", "60"]]
    refused = responses[-1]
    assert (refused.status_code, refused.json()["statusText"]) == (429, "rateLimited")
    assert refused.headers["retry-after"] == "60"


def test_a_rate_limit_counts_by_key_and_clock(client):
    client.add("rate_limit", limit=1, window=60)
    assert client.statuses(2) == [200, 429]
    assert client.pin(key="read").status_code == 200
    client.control.clock.advance(59)
    assert client.pin().headers["retry-after"] == "1"
    client.control.clock.advance(1)
    assert client.statuses(2) == [200, 429]


# Pages


def test_a_last_page_has_room_for_an_item_more_and_behind_it_none_vanishes(client):
    fault = client.add("page_drift", remove=1, at=200)
    assert numbers_of(client) == ([*range(1, 11)], 120) and client.fired(fault) == 1
    client.control.choices["page_size_default"] = 30
    client.add("duplicate_item")
    assert numbers_of(client, offset=100)[0] == [100, *range(101, 121)]


def test_an_item_appears_in_an_answer_that_lists_none(client):
    client.control.respond("listV2", data={"list": [], "total": 0})
    client.add("page_drift", insert=2)
    page = client.page(datasetId="many").json()["data"]
    assert (len(page["list"]), page["total"]) == (2, 2)


def test_many_faults_look_at_one_performance_of_the_operation(client, monkeypatch):
    performed = []
    perform = Operation.perform

    def counted(operation: Operation, call: Call) -> Response:
        performed.append(call)
        return perform(operation, call)

    monkeypatch.setattr(Operation, "perform", counted)
    for number in range(20):
        client.add("wrong_total", by=number, skip=number)
    numbers_of(client)
    # The faults are asked about one outcome; another is made when the response is due.
    assert len(performed) == 2


DATASET = "/api/core/dataset"
DATA_LIST = f"{DATASET}/data/v2/list"
RECORDS = "/api/core/chat/record/getPaginationRecords"
DRIFT = {"kind": "page_drift", "remove": 2}
TWICE = {"kind": "duplicate_item"}
SECOND = {"offset": 0, "pageNum": 2, "pageSize": 2}
SMALL_PAGES = [
    (HISTORIES, TWICE, SECOND, "23", 5),
    (HISTORIES, DRIFT, {"offset": 2}, "345", 3),  # a lone offset is ignored
    (HISTORIES, DRIFT | {"at": 1}, SECOND, "5", 3),
    (DATA_LIST, TWICE, SECOND, "23", 5),
    (DATA_LIST, DRIFT, {"offset": 2}, "345", 3),
    # The newest record is the first of the list, and the last of its page.
    (RECORDS, TWICE, SECOND, "32", 5),
    (RECORDS, DRIFT, {"offset": 2}, "543", 3),
    (RECORDS, {"kind": "page_drift", "insert": 1, "at": 1}, SECOND, "32", 6),
]


@pytest.mark.parametrize("path, fault, page, shown, total", SMALL_PAGES)
def test_faults_find_the_page_that_a_request_means(client, path, fault, page, shown, total):
    times = [f"2024-01-0{9 - n}T00:00:00Z" for n in range(1, 6)]
    records = [{"obj": "Human", "text": f"{n}", "dataId": f"{n}"} for n in range(5, 0, -1)]
    chats = [{"chatId": f"{n}", "updateTime": it} for n, it in enumerate(times, 1)]
    chats[0]["records"] = records
    client.admin("PUT", "/apps/paged", {"chats": chats})
    rows = [{"_id": f"row-{n}", "q": f"{n}", "chunkIndex": n} for n in range(1, 6)]
    client.admin("PUT", "/datasets/d/collections/paged", {"name": "Paged", "data": rows})
    client.add(**fault)
    sent = {"appId": "paged", "chatId": "1", "collectionId": "paged"}
    data = client.fetch(path, sent | page).json()["data"]
    numbers = [it.get("q") or it.get("chatId") or it["dataId"] for it in data["list"]]
    assert ("".join(numbers), data["total"]) == (shown, total)


def test_a_new_item_has_the_fields_of_its_list(client):
    client.complete(chatId="k", key="owner")
    sent = {"appId": "app", "chatId": "k", "pageSize": 9}
    for path, own in ((HISTORIES, ["chatId", "title"]), (RECORDS, ["_id", "dataId"])):
        client.add("page_drift", insert=1, at=1)
        drifted, right = [client.fetch(path, sent).json()["data"]["list"] for _ in range(2)]
        (new,) = [it for it in drifted if it not in right]
        # A new item is like the first one, which is the last of a page of records.
        like = right[0 if path == HISTORIES else -1]
        assert [name for name in new if new[name] != like.get(name)] == own


@pytest.mark.parametrize("fault, names", [(DRIFT, "c"), (DRIFT | {"at": 2}, "ab"), (TWICE, "aab")])
def test_faults_take_the_list_of_an_answer_as_it_is(client, fault, names):
    client.add("answer", data={"list": [{"name": it} for it in "abc"], "total": 3})
    client.add(**fault)
    assert "".join(it["name"] for it in client.page().json()["data"]["list"]) == names


# When a fault fires


def test_a_fault_skips_and_fires_as_often_as_it_says(client):
    first = client.add("error")
    assert first.items() >= {"times": 1, "ttl": None, "fired": 0}.items()
    assert client.statuses(2) == [503, 200]
    named = {"id": first["id"], "kind": "error"}
    assert client.control.journal[0]["rule"].items() >= named.items()
    fault = client.add("error", skip=1, times=2)
    assert (fault["remaining"], fault["fired"]) == (2, 0)
    assert client.statuses(4) == [200, 503, 503, 200]
    view = client.control.call("GET", f"/rules/{fault['id']}")
    assert (view["remaining"], view["fired"]) == (0, 2)


def test_a_fault_ends_by_its_ttl(client):
    client.add("error", operation="updateHistory", times=10_000, ttl=0.3)
    client.add("answer", operation="GET /api/slow", delayMs=310, text="")
    assert client.statuses(1) == [503]
    client.fetch("/api/slow", method="GET")
    assert client.statuses(1) == [200]


def test_no_time_ends_a_fault_that_names_none(client):
    client.add("rate_limit", limit=1, window=1)
    client.control.call("POST", "/rules", {"preset": "flaky"})
    with client.control.fault("error"):
        assert {it["endsIn"] for it in client.control.rules} == {None}
        assert client.statuses(1) == [503]


def test_a_fault_fires_by_its_seed_or_never_or_always(client):
    runs = []
    for seed in (1, 1, 2):
        client.control.reset()
        client.add("error", times=20, probability=0.5, seed=seed)
        runs.append(client.statuses(20))
    assert runs[0] == runs[1] != runs[2]
    assert 3 < runs[0].count(503) < 17
    for probability, status in ((0, 200), (1, 503)):
        client.control.reset()
        client.add("error", probability=probability, times=9)
        assert set(client.statuses(5)) == {status}


BREAKING = ["error", "reset", "empty", "garbage", "truncate", "malformed_json"]


@pytest.mark.parametrize("kind", BREAKING)
@pytest.mark.parametrize("phase", ["before", "after"])
def test_the_phase_says_whether_the_write_is_done(client, kind, phase):
    client.add(kind, phase=phase)
    content, _ = client.raw()
    assert RIGHT_PIN not in content
    assert client.is_pinned() is (phase == "after")


MATCHES: list[tuple[dict[str, Any], bool]] = [({"key": "owner"}, True), ({"key": "read"}, False)]
MATCHES += [({"body": {"top": True}}, True), ({"body": {"top": 1}}, False)]
MATCHES += [({"body": {"chatId": {"contains": "1"}, "more": {"absent": True}}}, True)]
MATCHES += [({"query": {"a": "1"}}, True), ({"query": {"a": {"contains": "2"}}}, False)]
MATCHES += [({"headers": {"X-Test": {"contains": "es"}}}, True)]
MATCHES += [({"headers": {"x-test": "other"}}, False)]
MATCHES += [({"headers": {"X-Other": {"absent": True}}, "key": "owner"}, True)]
NEVER = ({"absent": False}, {"contains": True}, {"contains": "x", "absent": True}, {})


@pytest.mark.parametrize("match, is_met", MATCHES)
def test_a_fault_matches_requests(client, match, is_met):
    client.add("error", operation="updateHistory", match=match)
    assert client.page().status_code == 200
    response = client.fetch(f"{PIN}?a=1", SENT_PIN, method="PUT", headers={"X-Test": "test"})
    assert response.status_code == (503 if is_met else 200)


def test_a_question_is_the_text_of_a_search_too(client):
    client.add("error", match={"question": "refund"})
    new = {"datasetId": "d", "name": "n", "text": "refund"}
    assert client.fetch(f"{DATASET}/collection/create/text", new).status_code == 200
    for text, status in (("prices", 200), ("my REFUND", 503)):
        search = {"datasetId": "d", "text": text}
        assert client.fetch(f"{DATASET}/searchTest", search).status_code == status


NOTHING = "request operation"
MISSES: list[tuple[dict[str, Any], str]] = [
    ({"operation": "updateHistory"}, "no request of its operation has come since it was added"),
    ({"operation": "GET /api/x"}, f"{NOTHING} 'GET /api/x'"),
    ({"match": {"body": {"a": {"b": 1}}}}, '#1: $.body.a: {"b":1}, nothing'),
    ({"match": {"body": {"offset": 5}}}, "#1: $.body.offset: 5, 0"),
    ({"match": {"query": {"a": "1"}}}, '#1: $.query.a: "1", nothing'),
    ({"match": {"headers": {"X-A": "1"}}}, '#1: $.headers.x-a: "1", nothing'),
    ({"match": {"question": "a"}}, '#1: $.question: {"contains":"a"}, ""'),
    ({"skip": 1}, "#1: skip"),
    ({"ttl": 0.0001}, "#1: ttl"),
    ({"kind": "lost_write"}, "#1: lost_write status 200"),
    ({"kind": "answer", "operation": f"GET {LIST}", "json": 1}, f"{NOTHING} #1 POST"),
    ({"kind": "answer", "operation": f"GET {PIN}", "json": 1}, NOTHING),
    ({"kind": "reply", "text": "x"}, "#1: reply status 200"),
]


def missed_by(client: Client, index: int = 0) -> Any:
    """Why the rule at this place in the list did not fire."""
    id = client.control.rules[index]["id"]
    return client.control.call("GET", f"/rules/{id}")["missed"]


@pytest.mark.parametrize("rule, missed", MISSES)
def test_what_kept_a_fault_from_a_request_is_told(client, rule, missed):
    client.add(**{"kind": "error"} | rule)
    assert "#" not in missed_by(client)
    client.page()
    assert mentions(missed_by(client), missed)


def test_the_nearest_request_is_that_with_the_fewest_differences(client):
    client.page(offset=1)
    client.add("error", match={"body": {"offset": 1, "parentId": "folder"}})
    client.page(offset=2)
    client.page(offset=1, parentId=None)
    client.pin()
    assert mentions(missed_by(client), '#3: $.body.parentId: "folder", null')
    client.page(offset=1, parentId="folder")
    assert missed_by(client) is None


def test_what_kept_a_fault_shows_no_secret(client):
    secret = {"key": "hidden-1", "headers": {"X-Api-Key": "hidden-2"}, "body": {"password": "h"}}
    client.add("error", match=secret)
    sent = {"password": {"a": "hidden-3"}}
    client.fetch(PIN, sent, headers={"x-api-key": "hidden-4"})
    missed = missed_by(client)
    assert "$.key: " in missed and "$.headers.x-api-key: " in missed and "$.body.password" in missed
    assert "hidden" not in missed and "owner" not in missed


WARNED: list[tuple[dict[str, Any], str]] = [
    ({"kind": "reply", "app": "later", "text": "x"}, "app 'later'"),
    ({"kind": "reply", "app": "says", "text": "x"}, ""),
    ({"kind": "hits", "rows": [{"q": "x"}, {"row": "later"}]}, "row 'later'"),
    ({"kind": "lost_write", "operation": "listV2"}, "lost_write listV2, data"),
    ({"kind": "lost_write", "operation": "updateHistory"}, ""),
    ({"kind": "lost_write"}, ""),
    ({"kind": "alter", "remove": ["x"], "operation": "updateHistory"}, "alter updateHistory, page"),
    ({"kind": "alter", "remove": ["x"], "operation": "getHistories"}, ""),
    ({"kind": "alter", "remove": ["x"], "operation": "getRecords_v2"}, ""),
    ({"kind": "error", "operation": f"POST {LIST[:-1]}3"}, f"'POST {LIST}'"),
    ({"kind": "error", "operation": f"PATCH {LIST}"}, f"'PATCH {LIST}'"),
    ({"kind": "error", "operation": "POST /api/core/{any:path}"}, ""),
    ({"kind": "answer", "operation": "GET /api/any", "json": 1}, ""),
]


@pytest.mark.parametrize("rule, warning", WARNED)
def test_what_cannot_fire_is_added_with_a_warning(client, rule, warning):
    added = client.add(**rule)
    assert ("warning" in added) is bool(warning)
    assert mentions(added.get("warning"), warning)
    assert len(client.control.rules) == 1


def test_a_fault_that_is_over_can_be_read_after_120_others(client):
    first = client.control.fault("error", operation="updateHistory")
    assert client.statuses(1) == [503]
    for _ in range(120):
        client.control.fault("error", ttl=0.0001)
    assert first.fired == 1


def test_no_declared_reply_gets_the_id_of_another(client):
    for app in ("a", "b", "a"):
        client.control.put_app({"id": app, "replies": ["Hi."]})
    # The fixture declares d1 and d2, and the second `a` takes the place of the first.
    shown = {id: client.control.call("GET", f"/rules/{id}")["app"] for id in ("d4", "d5")}
    assert shown == {"d4": "b", "d5": "a"}


def test_the_first_fault_that_fires_wins_and_others_name_it(client):
    client.add("error", status=500, skip=1)
    client.add("error", status=501)
    client.add("error", status=502)
    assert client.statuses(2) == [501, 500]
    first = client.control.rules[0]["id"]
    assert mentions(missed_by(client, 2), f"#2: {first}")
    assert client.statuses(2) == [502, 200]


def test_a_fault_comes_after_authorization_and_json_and_before_the_fields(client):
    fault = client.add("error")
    assert client.pin(key="wrong").status_code == 401
    for media in ("application/json", "Application/JSON"):
        assert client.fetch(PIN, b"{", headers={"Content-Type": media}).status_code == 400
    assert client.fired(fault) == 0
    assert client.pin(top="x").status_code == 503


@pytest.mark.parametrize("body", [b"[]", b"null", b" null\n"])
def test_a_fault_comes_before_the_check_that_a_body_is_an_object(client, body):
    assert error_of(client.fetch(PIN, body)) == (400, 400, "badJson")
    client.add("error")
    assert client.fetch(PIN, body).status_code == 503


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "'kind' error, delay, $.kind"),
    ({"kind": ["x"]}, "error, delay, $.kind"),
    ({"kind": "error", "operation": "listV3"}, "'listV3' 'listV2'"),
    ({"kind": "error", "operation": "stop"}, "'stop' 'chat.stop'"),
    ({"kind": "error", "operation": "v2.list"}, "'v2.list' 'data.list'"),
    ({"kind": "error", "status": 200}, "400 599, 200 $.status"),
    ({"kind": "error", "skip": None}, "0 $.skip"),
    ({"kind": "error", "refusal": "unAuthApiKy"}, "'unAuthApiKy' 'unAuthApiKey' $.refusal"),
    ({"kind": "error", "refusal": "zz"}, "unAuthTeam, 'zz' $.refusal"),
    ({"kind": "error", "refusal": "appUnExist", "status": 400}, "refusal, status, statusText"),
    ({"kind": "delay", "min": 5, "max": 0}, "min max"),
    ({"kind": "lost_write", "phase": "after"}, "before, 'after' $.phase"),
    ({"kind": "rate_limit", "limit": 1}, "window"),
    ({"kind": "page_drift", "insert": 1, "remove": 1}, "insert"),
    ({"kind": "answer", "text": "a", "json": 1}, "data, json, text body"),
    ({"kind": "answer", "headers": {"a b": "c"}}, "header 'a b'"),
    ({"kind": "answer", "body": "&"}, "base64, '&' $.body"),
    ({"kind": "hang", "match": {"query": {"a": {"has": "b"}}}}, "$.match.query.a"),
    ({"kind": "answer", "operation": "GET /__admin/x"}, "server '/__admin/x'"),
    ({"kind": "answer", "operation": "GET /openapi.json"}, "server '/openapi.json'"),
    ({"kind": "answer", "operation": "GET /api/x?a=b"}, "query, `match` '/api/x?a=b'"),
    ({"kind": "answer", "operation": "GET /api/caf%C3%A9"}, "'/api/café', '/api/caf%C3%A9'"),
    ({"kind": "answer", "operation": "GET /{a}{b}"}, "one parameter segment '/{a}{b}'"),
    ({"kind": "answer", "operation": "GET /{a:path}/{b:path}"}, "one path '/{a:path}/{b:path}'"),
    ({"kind": "answer", "operation": "GET /{a}/{a}"}, "parameter '/{a}/{a}'"),
    ({"kind": "answer", "operation": "GET /{a:date}"}, "brackets '/{a:date}'"),
    ({"kind": "answer", "operation": f"GET /{'a' * 1000}"}, "1000"),
    ({"preset": "flakey"}, "flaky"),
]


@pytest.mark.parametrize("rule, message", REFUSED)
def test_a_wrong_rule_is_refused_and_not_stored(client, rule, message):
    with pytest.raises(Refused) as refused:
        client.control.call("POST", "/rules", rule)
    assert refused.value.status == 400
    assert mentions(refused.value, message)
    assert client.control.rules == []


def test_clients_at_the_same_time_use_up_a_fault_once(client):
    client.add("error", times=3)
    with ThreadPoolExecutor(4) as pool:
        statuses = [*pool.map(lambda _: client.pin().status_code, range(12))]
    assert statuses.count(503) == 3


@pytest.mark.parametrize("condition", NEVER)
def test_a_condition_on_a_text_that_is_never_met_is_refused(server, condition):
    with pytest.raises(Refused, match=r" \$.match"):
        server.fault("error", match={"headers": {"x": condition}})


@pytest.mark.parametrize(("refusal", "code"), [("unExistDataset", 501002), ("unAuthChat", 504000)])
def test_a_refusal_that_several_have_is_the_first_of_them(client, refusal, code):
    client.control.choices["error_form"] = "service"
    client.add("error", refusal=refusal)
    assert client.pin().json()["code"] == code
