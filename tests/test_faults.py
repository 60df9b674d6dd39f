"""Faults, answers and replies over real sockets."""

import json
from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from time import monotonic
from typing import Any

import httpx2
import pytest
from account import (
    ACCOUNT,
    COMPLETIONS,
    LIST,
    PIN,
    RIGHT_PIN,
    SENT_PIN,
    Live,
    Server,
    error_of,
    read,
)

from mock_server import MockServer
from mock_server.control import Control, Refused


@pytest.fixture(scope="module")
def running() -> Iterator[Live]:
    with MockServer(ACCOUNT) as server, httpx2.Client(base_url=server.url, verify=False) as http:
        yield Live(Control.at(server.url), http)


@pytest.fixture
def live(running: Live) -> Live:
    running.control.reset()
    return running


# Kinds that break a response


@pytest.mark.parametrize(
    "profile, form",
    [
        ("documented", (401, 401, "unauthorized")),
        ("deployed", (500, 514, "unAuthApiKey")),
    ],
)
def test_an_error_is_a_refusal_as_the_profile_sends_it(live, profile, form):
    live.control.call("PUT", "/choices", {"profile": profile})
    live.add("error", refusal="unAuthApiKey", message="Expired")
    response = live.page()
    assert error_of(response) == form and response.json()["message"] == "Expired"
    assert ("www-authenticate" in response.headers) is (profile == "documented")


def test_an_error_has_its_own_status_text(live):
    live.add("error", statusText="quota")
    assert error_of(live.page()) == (503, 503, "quota")


def test_an_error_has_its_status_code_and_message(live):
    live.control.choices["error_http_status"] = "always_200"  # which is not for faults
    live.add("error")
    live.add("error", status=429, code=7, message="Slow down", retryAfter=3)
    first, second = live.page(), live.page()
    assert first.status_code == 503
    assert (first.json()["code"], first.json()["statusText"]) == (503, "injected")
    assert (second.status_code, second.headers["retry-after"]) == (429, "3")
    assert (second.json()["code"], second.json()["message"]) == (7, "Slow down")


@pytest.mark.parametrize("row", [{"ms": 60}, {"min": 60, "max": 70}, {"median": 60, "sigma": 0}])
def test_a_delay_makes_a_right_response_late(live, row):
    live.add("delay", **row)
    start = monotonic()
    assert live.pin().content == RIGHT_PIN
    assert 0.055 < monotonic() - start < 2
    assert live.is_pinned


WAITING = [
    {"kind": "hang"},
    {"kind": "delay", "ms": 60_000},
    {"kind": "answer", "operation": "updateHistory", "text": "Late", "delayMs": 60_000},
]


@pytest.mark.parametrize("row", WAITING)
def test_what_waits_ends_by_a_reset_without_a_response(live, row):
    live.add(**row)
    with closing(live.connect()) as connection:
        connection.settimeout(0.1)
        with pytest.raises(TimeoutError):
            connection.recv(1)
        live.control.reset()
        connection.settimeout(5)
        assert read(connection) == (b"", "FIN")
    assert not live.is_pinned


def test_a_client_may_leave_a_hang(live):
    fault, end = live.add("hang"), monotonic() + 5
    live.connect().close()
    while not live.fired(fault) and monotonic() < end:
        pass
    assert live.statuses(2) == [200, 200]


SLOW_PARTS = [
    {"kind": "reply", "parts": ["One ", {"pauseMs": 60_000}, "two."]},
    {"kind": "reply", "text": "One two.", "stream": {"tokensPerSecond": 0.1}},
    {"kind": "dribble", "ms": 1000, "chunks": 2},
]


@pytest.mark.parametrize("row", SLOW_PARTS)
def test_a_response_that_comes_slowly_breaks_off_by_a_reset(live, row):
    live.add(**row)
    question = {"appId": "says", "stream": True, "messages": [{"role": "user", "content": "x"}]}
    headers = {"Authorization": "Bearer owner"}
    with live.http.stream("POST", COMPLETIONS, json=question, headers=headers) as response:
        pieces = response.iter_raw()
        next(pieces)
        live.control.reset()
        with pytest.raises(httpx2.RemoteProtocolError):
            next(pieces)


@pytest.mark.parametrize("kind, end", [("reset", "RST"), ("empty", "FIN")])
def test_a_connection_ends_without_a_byte(live, kind, end):
    live.add(kind)
    assert live.raw() == (b"", end)
    assert not live.is_pinned


def test_garbage_is_not_http(live):
    live.add("garbage")
    content, end = live.raw()
    assert end == "FIN" and content and b"HTTP/" not in content


@pytest.mark.parametrize("row, length", [({"bytes": 10}, 10), ({"bytes": 0}, 0), ({}, 26)])
def test_a_truncated_response_ends_within_its_body(live, row, length):
    live.add("truncate", **row)
    content, end = live.raw()
    head, _, body = content.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200") and end == "FIN"
    assert b"content-length: %d" % len(RIGHT_PIN) in head.lower()
    assert body == RIGHT_PIN[:length]


def test_malformed_json_has_the_right_length(live):
    right = live.page().content
    live.add("malformed_json")
    response = live.page()
    assert response.status_code == 200 and response.headers["content-type"] == "application/json"
    assert len(response.content) == len(right)
    with pytest.raises(ValueError, match=r"."):
        response.json()


def test_a_dribble_splits_a_stream_inside_a_character():
    question = {"messages": [{"role": "user", "content": "今天下雨。"}], "stream": True}
    with Server() as server:
        server.admin("POST", "/faults", {"kind": "dribble", "chunks": 200, "ms": 0})
        assert "雨" in server.send(COMPLETIONS, question).text
        assert any("\ufffd" in it.decode(errors="replace") for it in server.pieces)


def test_a_dribble_brings_the_whole_response_in_pieces():
    with Server() as server:
        server.admin("POST", "/faults", {"kind": "dribble", "chunks": 5, "ms": 0})
        assert server.pin().content == RIGHT_PIN
        assert len(server.pieces) == 5


# Rate limits


LIMITS = [f"x-ratelimit-{name}" for name in ("limit", "remaining", "reset")]


def test_a_rate_limit_refuses_what_is_too_much(live):
    live.add("rate_limit", limit=2, window=60)
    assert live.statuses(3) == [200, 200, 429]
    response = live.pin()
    assert response.json()["statusText"] == "rateLimited"
    assert [response.headers[it] for it in (*LIMITS, "retry-after")] == ["2", "0", "60", "60"]


def test_a_rate_limit_counts_by_key_and_clock(live):
    live.add("rate_limit", limit=1, window=60)
    assert live.statuses(2) == [200, 429]
    assert live.pin(key="read").status_code == 200
    live.control.clock.advance(59)
    assert live.pin().headers["retry-after"] == "1"
    live.control.clock.advance(1)
    assert live.statuses(2) == [200, 429]


def test_responses_that_a_rate_limit_lets_pass_have_its_headers(live):
    live.add("rate_limit", limit=2, window=60)
    responses = [live.pin(), live.page()]
    shown = [[response.headers.get(it) for it in LIMITS] for response in responses]
    assert shown == [["2", "1", "60"], ["2", "0", "60"]]


# Writes and pages


def test_a_lost_write_succeeds_and_is_not_stored(live):
    fault = live.add("lost_write")
    assert live.page().status_code == 200 and live.fired(fault) == 0
    assert live.pin().content == RIGHT_PIN and live.fired(fault) == 1
    assert not live.is_pinned
    assert live.pin().content == RIGHT_PIN
    assert live.is_pinned


PAGES = [
    ("wrong_total", {"by": 5}, 0, [*range(1, 11)], 125),
    ("duplicate_item", {}, 10, [10, *range(11, 20)], 120),
    ("duplicate_item", {}, 0, [1, *range(1, 10)], 120),
    ("page_drift", {"remove": 2}, 10, [*range(13, 23)], 118),
    ("page_drift", {"insert": 2}, 10, [*range(9, 19)], 122),
    ("page_drift", {"insert": 1, "at": 0}, 0, [None, *range(1, 10)], 121),
    ("page_drift", {"remove": 1, "at": 12}, 10, [11, 12, *range(14, 22)], 119),
    ("page_drift", {"insert": 3, "at": 9}, 10, [None, None, *range(10, 18)], 123),
    ("page_drift", {"remove": 8}, 110, [119, 120], 112),
    ("page_drift", {"remove": 1, "at": 200}, 0, [*range(1, 11)], 120),
]


@pytest.mark.parametrize("kind, row, offset, numbers, total", PAGES)
def test_a_page_is_wrong_once(live, kind, row, offset, numbers, total):
    right = live.numbers(offset=offset)
    fault = live.add(kind, **row)
    live.pin()
    assert live.fired(fault) == 0
    assert live.numbers(offset=offset) == (numbers, total)
    assert live.numbers(offset=offset) == right


def test_a_total_that_is_a_text_is_wrong_as_a_text(live):
    live.add("answer", operation="listV2", data={"list": [], "total": "7", "more": 1})
    live.add("wrong_total", by=-2)
    assert live.page().json()["data"] == {"list": [], "total": "5", "more": 1}


def test_alter_sets_and_removes_fields_of_items(live):
    live.add("alter", set={"type": "hologram", "more": 1}, remove=["tags"])
    for item in live.page().json()["data"]["list"]:
        assert (item["type"], item["more"]) == ("hologram", 1) and "tags" not in item


# When a fault fires


def test_a_fault_skips_and_fires_as_often_as_it_says(live):
    assert live.add("error").items() >= {"times": 1, "ttl": None, "fired": 0}.items()
    assert live.statuses(2) == [503, 200]
    assert live.control.journal[0]["fault"].items() >= {"id": "f1", "kind": "error"}.items()
    fault = live.add("error", skip=1, times=2)
    assert (fault["remaining"], fault["fired"]) == (2, 0)
    assert live.statuses(4) == [200, 503, 503, 200]
    view = live.control.call("GET", f"/faults/{fault['id']}")
    assert (view["remaining"], view["fired"]) == (0, 2)


def test_a_fault_ends_by_its_ttl(live):
    live.add("error", operation="updateHistory", times=10_000, ttl=0.3)
    live.add("answer", operation="GET /api/slow", delayMs=310, text="")
    assert live.statuses(1) == [503]
    live.send("GET", "/api/slow")
    assert live.statuses(1) == [200]


def test_no_time_ends_a_fault_that_names_none(live):
    with live.control.fault("error"):
        live.add("rate_limit", limit=1, window=1)
        live.control.call("POST", "/faults", {"preset": "flaky"})
        assert {it["endsIn"] for it in live.control.faults} == {None}
        assert live.statuses(1) == [503]


def test_the_same_seed_gives_the_same_firings(live):
    runs = []
    for seed in (1, 1, 2):
        live.control.reset()
        live.add("error", times=20, probability=0.5, seed=seed)
        runs.append(live.statuses(20))
    assert runs[0] == runs[1] != runs[2]
    assert 3 < runs[0].count(503) < 17


@pytest.mark.parametrize("probability, status", [(0, 200), (1, 503)])
def test_a_fault_fires_never_or_always(live, probability, status):
    live.add("error", probability=probability, times=9)
    assert set(live.statuses(5)) == {status}


BREAKING = ["error", "reset", "empty", "garbage", "truncate", "malformed_json"]


@pytest.mark.parametrize("kind", BREAKING)
@pytest.mark.parametrize("phase", ["before", "after"])
def test_the_phase_says_whether_the_write_is_done(live, kind, phase):
    live.add(kind, phase=phase)
    content, _ = live.raw()
    assert RIGHT_PIN not in content
    assert live.is_pinned is (phase == "after")


MATCHES: list[tuple[dict[str, Any], bool]] = [
    ({"key": "owner"}, True),
    ({"key": "read"}, False),
    ({"body": {"top": True}}, True),
    ({"body": {"top": 1}}, False),
    ({"body": {"chatId": {"contains": "1"}, "more": {"absent": True}}}, True),
    ({"query": {"a": "1"}}, True),
    ({"query": {"a": {"contains": "2"}}}, False),
    ({"headers": {"X-Test": {"contains": "es"}}}, True),
    ({"headers": {"x-test": "other"}}, False),
    ({"headers": {"X-Other": {"absent": True}}, "key": "owner"}, True),
]


@pytest.mark.parametrize("match, is_met", MATCHES)
def test_a_fault_matches_requests(live, match, is_met):
    live.add("error", operation="updateHistory", match=match)
    assert live.page().status_code == 200
    response = live.send("PUT", f"{PIN}?a=1", SENT_PIN, headers={"X-Test": "test"})
    assert response.status_code == (503 if is_met else 200)


DATASET = "/api/core/dataset"


@pytest.mark.parametrize(
    "path, body, is_met",
    [
        (f"{DATASET}/searchTest", {"text": "my REFUND"}, True),
        (f"{DATASET}/searchTest", {"text": "prices"}, False),
        (f"{DATASET}/collection/create/text", {"name": "n", "text": "refund"}, False),
    ],
)
def test_a_question_is_the_text_of_a_search_too(live, path, body, is_met):
    live.add("error", match={"question": "refund"})
    response = live.send("POST", path, {"datasetId": "d"} | body)
    assert response.status_code == (503 if is_met else 200)


NOTHING = "no request of its operation has come since it was added"
MISSES: list[tuple[dict[str, Any], str]] = [
    ({"operation": "updateHistory"}, NOTHING),
    ({"operation": "GET /api/x"}, NOTHING),
    ({"match": {"body": {"a": {"b": 1}}}}, 'nearest #1: $.body.a: expected {"b":1}, got nothing'),
    ({"match": {"body": {"offset": 5}}}, "nearest #1: $.body.offset: expected 5, got 0"),
    ({"match": {"query": {"a": "1"}}}, 'nearest #1: $.query.a: expected "1", got nothing'),
    ({"match": {"headers": {"X-A": "1"}}}, 'nearest #1: $.headers.x-a: expected "1", got nothing'),
    ({"match": {"question": "a"}}, 'nearest #1: $.question: expected {"contains":"a"}, got ""'),
    ({"skip": 1}, "nearest #1: it matched, but skip let it pass"),
    ({"ttl": 0.0001}, "nearest #1: its ttl had ended"),
    ({"kind": "lost_write"}, "nearest #1: lost_write does not apply to it (status 200)"),
    ({"kind": "reply", "text": "x"}, "nearest #1: reply does not apply to it (status 200)"),
]


def missed_by(live: Live, id: str) -> Any:
    return live.control.call("GET", f"/faults/{id}")["missed"]


@pytest.mark.parametrize("row, missed", MISSES)
def test_what_kept_a_fault_from_a_request_is_told(live, row, missed):
    live.add(**{"kind": "error"} | row)
    assert missed_by(live, "f1") == NOTHING
    live.page()
    assert missed_by(live, "f1") == missed


def test_the_nearest_request_is_that_with_the_fewest_differences(live):
    live.page(offset=1)
    live.add("error", match={"body": {"offset": 1, "parentId": "folder"}})
    live.page(offset=2)
    live.page(offset=1, parentId=None)
    live.pin()
    expected = 'nearest #3: $.body.parentId: expected "folder", got null'
    assert missed_by(live, "f1") == expected
    live.page(offset=1, parentId="folder")
    assert missed_by(live, "f1") is None


def test_a_fault_names_the_one_that_fired_first(live):
    live.add("error", times=2)
    live.add("reset")
    live.statuses(2)
    assert missed_by(live, "f2") == "nearest #2: f1 fired first"


def test_what_kept_a_fault_shows_no_secret(live):
    secret = {"key": "hidden-1", "headers": {"X-Api-Key": "hidden-2"}, "body": {"password": "h"}}
    live.add("error", match=secret)
    live.send("PUT", PIN, {"password": {"a": "hidden-3"}}, headers={"x-api-key": "hidden-4"})
    missed = missed_by(live, "f1")
    assert "$.key: " in missed and "$.headers.x-api-key: " in missed and "$.body.password" in missed
    assert "hidden" not in missed and "owner" not in missed


WARNED: list[tuple[dict[str, Any], str]] = [
    ({"kind": "reply", "app": "later", "text": "x"}, "There is no app 'later' yet"),
    ({"kind": "hits", "rows": [{"q": "x"}, {"row": "later"}]}, "There is no row 'later' yet"),
    ({"kind": "lost_write", "operation": "listV2"}, "which changes no data"),
    ({"kind": "alter", "operation": "updateHistory"}, "which returns no page"),
    ({"kind": "error", "operation": f"POST {LIST[:-1]}3"}, f"did you mean 'POST {LIST}'?"),
    ({"kind": "error", "operation": f"PATCH {LIST}"}, "only an answer for it can fail"),
]


@pytest.mark.parametrize("row, warning", WARNED)
def test_what_cannot_fire_is_added_with_a_warning(live, row, warning):
    assert warning in live.add(**row)["warning"]
    assert len(live.control.faults) == 1


FIRING = [
    {"kind": "reply", "app": "says", "text": "x"},
    {"kind": "lost_write", "operation": "updateHistory"},
    {"kind": "alter", "operation": "getHistories"},
    {"kind": "lost_write"},
    {"kind": "error", "operation": "POST /api/core/{any:path}"},
    {"kind": "answer", "operation": "GET /api/any", "json": 1},
]


@pytest.mark.parametrize("row", FIRING)
def test_what_can_fire_has_no_warning(live, row):
    assert "warning" not in live.add(**row)


def test_a_fault_that_is_over_can_be_read_after_120_others(live):
    first = live.control.fault("error", operation="updateHistory")
    assert live.statuses(1) == [503]
    for _ in range(120):
        live.control.fault("error", ttl=0.0001)
    assert first.fired == 1


def test_a_declared_fault_that_is_over_can_be_read(live):
    live.control.load(ACCOUNT | {"faults": [{"kind": "error", "times": 1}]})
    assert live.statuses(2) == [503, 200]
    assert live.control.call("GET", "/faults/d1")["fired"] == 1
    assert live.control.faults == []
    live.control.load(ACCOUNT)


def test_no_declared_reply_gets_the_id_of_another(live):
    for app in ("a", "b", "a"):
        live.control.put_app({"id": app, "replies": ["Hi."]})
    # The fixture declares d1 and d2, and the second `a` takes the place of the first.
    shown = {id: live.control.call("GET", f"/faults/{id}")["app"] for id in ("d4", "d5")}
    assert shown == {"d4": "b", "d5": "a"}


def test_the_first_fault_that_fires_wins(live):
    live.add("error", status=500, skip=1)
    live.add("error", status=501)
    live.add("error", status=502)
    assert live.statuses(4) == [501, 500, 502, 200]


def test_a_fault_comes_after_authorization_and_json_and_before_the_fields(live):
    fault = live.add("error")
    assert live.pin(key="wrong").status_code == 401
    headers = {"Content-Type": "application/json", "Authorization": "Bearer owner"}
    assert live.http.request("PUT", PIN, content=b"{", headers=headers).status_code == 400
    assert live.fired(fault) == 0
    assert live.pin(top="x").status_code == 503


PRESETS = ["flaky", "slow", "rate-limited", "offline", "eventually-consistent"]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_adds_faults_with_its_seed(live, preset):
    added = live.control.call("POST", "/faults", {"preset": preset, "seed": 3})["faults"]
    assert added and {it["seed"] for it in added} == {3}
    assert [it["id"] for it in live.control.faults] == [it["id"] for it in added]


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"kind": "eror"}, "'eror'"),
    ({"kind": "error", "staus": 1}, "did you mean 'status'"),
    ({"kind": "error", "operation": "listV3"}, "did you mean 'listV2'"),
    ({"kind": "error", "status": 200}, "$.status"),
    ({"kind": "error", "refusal": "unAuthApiKy"}, "did you mean 'unAuthApiKey'"),
    ({"kind": "error", "refusal": "unExistDataset"}, "Expected refusal unAuthorization, "),
    ({"kind": "error", "times": 10_001}, "$.times"),
    ({"kind": "error", "ttl": 601}, "$.ttl"),
    ({"kind": "delay", "ms": 60_001}, "$.ms"),
    ({"kind": "delay", "min": 5, "max": 0}, "min up to max"),
    ({"kind": "lost_write", "phase": "after"}, "Expected before, got 'after' - at $.phase"),
    ({"kind": "rate_limit", "limit": 1}, "window"),
    ({"kind": "page_drift", "insert": 1, "remove": 1}, "insert"),
    ({"kind": "answer", "text": "a", "json": 1}, "one of"),
    ({"kind": "answer", "operation": "GET /__admin/x"}, "$.operation"),
    ({"preset": "flakey"}, "flaky"),
]


@pytest.mark.parametrize("row, message", REFUSED)
def test_a_wrong_row_is_refused_and_not_stored(live, row, message):
    with pytest.raises(Refused) as refused:
        live.control.call("POST", "/faults", row)
    assert refused.value.status == 400
    assert str(refused.value).startswith("Expected ") and message in str(refused.value)
    assert live.control.faults == []


# Answers

BODIES: list[tuple[dict[str, Any], bytes, str]] = [
    ({"json": {"a": 1}}, b'{"a":1}', "application/json"),
    ({"text": "Hé"}, "Hé".encode(), "text/plain"),
    ({"body": b64encode(b"\x00\xff").decode()}, b"\x00\xff", "application/octet-stream"),
    ({"data": [1]}, b'{"code":200,"statusText":"","message":"","data":[1]}', "application/json"),
]


@pytest.mark.parametrize("row, content, media", BODIES)
def test_an_answer_has_the_body_that_it_declares(live, row, content, media):
    live.add("answer", operation="GET /api/any", **row)
    response = live.send("GET", "/api/any")
    assert (response.status_code, response.content) == (200, content)
    assert response.headers["content-type"].partition(";")[0] == media
    assert response.headers["x-mock-sandbox"] == "default"


def test_an_answer_has_its_status_headers_and_delay(live):
    row = {"status": 201, "headers": {"X-A": "b"}, "delayMs": 60, "json": None}
    live.add("answer", operation="listV2", **row)
    start = monotonic()
    response = live.page()
    assert (response.status_code, response.headers["x-a"], response.json()) == (201, "b", None)
    assert monotonic() - start > 0.055


def test_an_answer_fills_its_placeholders(live):
    json = ["{{path.id}}", "{{query.q}}!", "{{body.a.b}}", "{{body.none}}", "{{count}}", "{{now}}"]
    live.add("answer", operation="POST /api/x/{id}", json=json)
    body = {"a": {"b": [1, True]}}
    live.send("POST", "/api/x/7?q=w", body)
    found = live.send("POST", "/api/x/7?q=w", body).json()
    assert found == ["7", "w!", [1, True], None, 2, "2026-01-01T00:00:00.000Z"]


def test_an_answer_matches_requests_and_parameters(live):
    live.add("answer", operation="GET /api/x/{id}", match={"path": {"id": "7"}}, text="seven")
    live.add("answer", operation="listV2", match={"body": {"offset": 5}}, data="five")
    assert live.send("GET", "/api/x/7").text == "seven"
    assert live.send("GET", "/api/x/8").status_code == 404
    assert live.page(offset=5).json()["data"] == "five"
    assert live.page().json()["data"]["total"] == 4


def test_answers_that_a_test_adds_come_before_those_of_the_fixture(live):
    declared = [{"method": "GET", "path": "/api/any", "text": "declared"}]
    sandbox = live.control.create_sandbox(state={"answers": declared})
    key = sandbox.key
    assert live.send("GET", "/api/any", key=key).text == "declared"
    sandbox.respond("GET /api/any", text="first", times=1)
    sandbox.respond("GET /api/any", text="second", times=1)
    texts = [live.send("GET", "/api/any", key=key).text for _ in range(4)]
    assert texts == ["first", "second", "declared", "declared"]
    sandbox.remove_sandbox()


def test_a_fault_that_never_fires_uses_up_no_answer(live):
    live.add("answer", operation="listV2", data={"list": [], "total": 7}, times=1)
    never = live.add("wrong_total", probability=0)
    live.add("error")
    assert live.page().status_code == 503
    assert [live.page().json()["data"]["total"] for _ in range(2)] == [7, 4]
    assert live.fired(never) == 0


def test_a_key_of_a_gone_sandbox_gets_no_answer_of_the_default_one(live):
    sandbox = live.control.create_sandbox()
    key = sandbox.key
    sandbox.remove_sandbox()
    live.add("answer", operation="GET /api/any", text="default")
    live.add("answer", operation="listV2", data="default")
    refused = live.send("GET", "/api/any", key=key)
    assert refused.status_code == 401 and "accepted with" not in refused.text
    assert live.page(key=key).status_code == 401


# Replies


def test_the_replies_of_an_app_take_turns(live):
    assert [live.text() for _ in range(3)] == ["Hello.", "Again.", "Hello."]


def test_a_reply_that_a_test_adds_comes_first(live):
    live.add("reply", text="Added", times=1)
    live.add("reply", text="Refund", match={"question": "REFUND"})
    assert live.text() == "Added"
    assert live.text("my refund, please") == "Refund"
    assert live.text() == "Hello."


REPLY_MATCHES: list[tuple[dict[str, Any], bool]] = [
    ({"key": "read"}, True),
    ({"key": "owner"}, False),
    ({"body": {"appId": "says"}}, True),
    ({"body": {"appId": "app"}}, False),
    ({"headers": {"X-No": "a"}}, False),
]


@pytest.mark.parametrize("match, is_met", REPLY_MATCHES)
def test_a_reply_matches_requests(live, match, is_met):
    live.add("reply", text="Matched", match=match)
    assert live.text(key="read") == ("Matched" if is_met else "Hello.")


def test_a_reply_of_parts_is_one_message(live):
    live.add("reply", parts=[{"reasoning": "hm"}, "One ", {"text": "two."}], times=1)
    live.add("reply", parts=["Half", {"error": {"code": 504001, "message": "busy"}}], times=1)
    assert live.text() == "One two."
    assert live.say().json()["code"] == 504001


def test_a_pause_and_a_pace_delay_a_stream(live):
    live.add("reply", parts=["One ", {"pauseMs": 40}, "two."], stream={"firstTokenMs": 40})
    start = monotonic()
    content = live.say(stream=True).text
    assert monotonic() - start > 0.075
    assert "two." in content and content.endswith("data: [DONE]\n\n")


def test_a_stream_of_1000_parts_has_1000_events(live):
    texts = [f"{number} " for number in range(1000)]
    live.control.reply(parts=texts)
    *events, stop, done, end = live.say(stream=True).text.split("\n\n")
    deltas = [json.loads(it.removeprefix("data: "))["choices"][0]["delta"] for it in events]
    assert [it["content"] for it in deltas] == texts
    assert '"stop"' in stop and (done, end) == ("data: [DONE]", "")


@pytest.mark.parametrize("stream", [True, False])
def test_a_cut_breaks_the_connection_and_logs_nothing(live, stream, caplog):
    live.add("reply", parts=["Half", {"cut": True}])
    with pytest.raises(httpx2.TransportError):
        live.say(stream=stream)
    assert caplog.records == []


def test_responses_on_a_kept_connection_come_at_once(live):
    start = monotonic()
    live.statuses(20)
    assert monotonic() - start < 0.5  # 20 delayed acknowledgements take 0.8 s


def test_clients_at_the_same_time_use_up_a_fault_once(live):
    live.add("error", times=3)
    with ThreadPoolExecutor(4) as pool:
        statuses = [*pool.map(lambda _: live.pin().status_code, range(12))]
    assert statuses.count(503) == 3
