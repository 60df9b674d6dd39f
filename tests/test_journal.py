"""The journal: when its entries begin and end, what criteria see, what is not shown."""

import asyncio
import json
import logging
import re
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import product
from typing import Any

import httpx2
import pytest
from account import (
    ACCOUNT,
    COMPLETIONS,
    LIST,
    PIN,
    SENT_PIN,
    Client,
    LocalClient,
    mentions,
    wait_until,
)

from mock_server.admin.journal import entry_events
from mock_server.application import create_app
from mock_server.control import Refused
from mock_server.http.request import ClientRequest
from mock_server.journal import MAX_ENTRIES, Exchange, Journal


def give_up(client: Client, method: str = "PUT", path: str = PIN, body: Any = SENT_PIN) -> None:
    """Send a request, and leave before its response ends."""
    with pytest.raises(httpx2.ReadTimeout):
        client.request(method, path, json=body, timeout=0.1)


def statuses(client: Client) -> list[int]:
    return [it["response"]["status"] for it in client.control.journal]


SEARCHED = "datasetId=d&offset=0"
FIELDS_IN_QUERY = [
    (LIST, None, SEARCHED, "datasetId, offset"),
    (LIST, {}, SEARCHED, "datasetId, offset"),
]
FIELDS_IN_QUERY += [(LIST, {"offset": 0}, SEARCHED, "datasetId"), (LIST, None, "_t=1", "")]
FIELDS_IN_QUERY += [(LIST, {"datasetId": "d", "offset": "x"}, SEARCHED, "")]
FIELDS_IN_QUERY += [("/api/core/app/list", {"parentId": 5}, "datasetId=d", "")]


@pytest.mark.parametrize(("path", "body", "query", "names"), FIELDS_IN_QUERY)
def test_a_hint_and_the_report_show_fields_in_place_of_the_body(client, path, body, query, names):
    assert client.fetch(f"{path}?{query}", body).status_code in (400, 415)
    hint = client.control.journal[-1]["hint"]
    assert mentions(hint, f"{names} query, body") if names else "query" not in str(hint)
    line = client.control.summary().splitlines()[1]
    assert f" ?{query} " in line and line.startswith("  #1 ")


@pytest.mark.parametrize(("key", "exception"), [("write", "none"), ("none", "other")])
def test_a_403_says_what_the_permissions_of_the_dataset_say(client, key, exception):
    said = f"`permissions` 'd' key {exception}"
    assert mentions(client.page(key=key).json()["message"], f"dataset {said}")
    assert mentions(client.control.journal[-1]["hint"], f"key permission {key!r} {said}")
    client.pin(key=key)
    assert mentions(client.control.journal[-1]["hint"], said.replace("'d'", "'app'"))


def test_a_client_that_tries_again_is_counted_twice(client):
    client.add("delay", ms=300)
    give_up(client)
    assert client.pin().status_code == 200
    client.control.assert_called("updateHistory", times=2)
    client.control.assert_called("updateHistory", times=1, cut=True)
    client.control.assert_called("updateHistory", times=1, status=200)


def test_the_time_of_an_entry_is_that_of_its_arrival(client):
    with client.waiting(ms=200) as pinned:
        client.control.clock.advance(60)
        assert pinned.result().status_code == 200
    assert client.control.journal[0]["time"] == "2026-01-01T00:00:00.000Z"


def test_to_wait_for_a_call_ends_on_its_arrival(client):
    client.add("delay", ms=300)
    with ThreadPoolExecutor() as threads:
        threads.submit(client.pin)
        assert client.control.wait_for("updateHistory")["durationMs"] is None
        ended = client.control.wait_for("updateHistory", status=200)
    assert ended["durationMs"] > 250


def test_to_wait_for_an_end_tells_of_a_call_that_goes_on(client):
    why = r"0 s: .* completions .*\n.* #1, \$\.ended: .*true, .*false\n"
    with begun(client, text="word " * 20_000), pytest.raises(AssertionError, match=why):
        client.control.wait_for("completions", status=200, timeout=0)


def test_entries_come_in_the_order_of_requests(client):
    with client.waiting() as first:
        client.page()
        assert [it["operation"] for it in client.control.journal] == ["updateHistory", "listV2"]
        assert statuses(client) == [0, 200]
        assert "-> in progress (delay f" in client.control.summary()
        assert [it["durationMs"] is None for it in client.control.journal] == [True, False]
        assert first.result().status_code == 200
    assert statuses(client) == [200, 200]


def test_a_client_in_process_leaves_by_a_cancellation():
    app = create_app(ACCOUNT)

    async def call() -> list[Any]:
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            await client.post("/__admin/rules", json={"kind": "delay", "ms": 60_000})
            headers = {"Authorization": "Bearer owner"}
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(client.put(PIN, json=SENT_PIN, headers=headers), 0.05)
            return (await client.get("/__admin/journal")).json()["entries"]

    (entry,) = asyncio.run(call())
    assert entry["response"]["cut"] and entry["durationMs"] is not None


SLOW: list[tuple[dict[str, Any], int]] = [({"kind": "delay", "ms": 60_000}, 0)]
SLOW += [({"kind": "answer", "operation": "updateHistory", "text": "x", "delayMs": 60_000}, 0)]
SLOW += [({"kind": "dribble", "chunks": 60, "ms": 1000}, 200), ({"kind": "hang"}, 0)]


@pytest.mark.parametrize("row, status", SLOW)
def test_a_client_that_leaves_cuts_the_response(client, row, status):
    client.add(**row)
    give_up(client)
    entry = client.control.wait_for("updateHistory", cut=True)
    assert (entry["response"]["cut"], entry["response"]["status"]) == (True, status)
    assert 50 < entry["durationMs"] < 5000
    client.control.reset()  # which ends what still waits


@contextmanager
def begun(client: Client, **reply: Any) -> Iterator[None]:
    """While a streamed reply comes, of which the client has read the first part."""
    client.control.reply(**reply)
    body = {"messages": [{"role": "user", "content": "x"}], "stream": True}
    request = client.build_request("POST", COMPLETIONS, json=body)
    response = client.send(request, stream=True)
    pieces = response.iter_raw()  # kept, as a stream ends with its iterator
    next(pieces)
    yield
    response.close()


@pytest.mark.parametrize("tokens_per_second", [None, 20])
def test_a_client_that_leaves_a_stream_cuts_it(client, caplog, tokens_per_second):
    pace = {"stream": {"tokensPerSecond": tokens_per_second}} if tokens_per_second else {}
    with caplog.at_level(logging.WARNING):
        with begun(client, text="word " * 3000, **pace):
            pass
        entry = client.control.wait_for("completions", cut=True)
    assert entry["response"]["cut"] and entry["response"]["status"] == 200
    assert caplog.records == []


def test_others_are_served_while_a_stream_without_a_pace_is_sent(client):
    tracemalloc.start()
    with begun(client, text="x " * 400_000):
        # Its events are made one at a time: all of them would have 200 MB.
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
        tracemalloc.stop()
        assert client.page().status_code == 200
        stream, page = client.control.journal
        assert (stream["durationMs"], page["response"]["status"]) == (None, 200)
    client.control.wait_for("completions", cut=True)


@pytest.mark.parametrize("kind", ["reset", "empty", "garbage", "truncate"])
def test_a_whole_response_and_one_that_a_fault_ends_have_no_word_of_a_cut(client, kind):
    client.pin()
    client.add(kind)
    client.raw()
    assert "cut" not in client.control.journal[0]["response"]
    client.control.assert_called("updateHistory", times=2, cut=False)


def test_what_a_delay_holds_back_is_done_though_the_client_has_left(client):
    client.add("delay", ms=200)
    give_up(client, body=SENT_PIN | {"more": "x" * 10_000})  # more than the journal keeps
    assert not client.is_pinned()
    wait_until(client.is_pinned)
    (entry,) = client.control.journal
    assert (entry["response"]["cut"], entry["response"]["status"]) == (True, 0)


def test_the_duration_is_that_of_the_whole_response(client):
    client.add("dribble", chunks=3, ms=30)
    client.pin()
    client.control.reply(parts=["One ", {"pauseMs": 60}, "two."])
    client.complete(appId="says", stream=True)
    assert all(it["durationMs"] > 55 for it in client.control.journal)


def test_the_head_of_a_stream_leaves_its_connection_to_others(client):
    response = client.head("/__admin/journal/stream?since=1")
    assert response.headers["content-type"].startswith("text/event-stream")
    assert client.page().status_code == 200


def test_a_stream_that_a_reset_overtakes_at_its_start_is_of_the_new_journal():
    async def two_events() -> list[bytes]:
        return [await anext(stream), await anext(stream)]

    with LocalClient() as client:
        client.pin()
        default = client.sandboxes.default
        stream = entry_events(client.sandboxes, default, default.state.journal, since=2)
        client.admin("POST", "/reset")
        client.pin()
        assert b'"seq":1' in asyncio.run(two_events())[1]


def test_an_entry_in_progress_streams_again_at_its_end(client):
    path = "/__admin/journal/stream?since=1"
    with client.waiting(), client.stream("GET", path) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        client.page()
        lines = (it for it in stream.iter_lines() if it.startswith("data: "))
        entries = [json.loads(next(lines)[6:]) for _ in range(3)]
    assert [(it["seq"], it["response"]["status"]) for it in entries] == [(1, 0), (2, 200), (1, 200)]


def test_the_console_shows_an_entry_in_progress(client):
    with client.waiting():
        shown = client.get("/__admin/console?entry=1").text
    assert "in progress" in shown and "Response 200" not in shown
    assert "in progress" not in client.get("/__admin/console?entry=1").text


def test_a_stream_that_goes_on_sends_the_ends_that_were_missed(client):
    with client.waiting():
        client.page()
        headers = {"Last-Event-ID": "2"}
        with client.stream("GET", "/__admin/journal/stream", headers=headers) as stream:
            line = next(it for it in stream.iter_lines() if it.startswith("data: "))
    entry = json.loads(line[6:])
    assert (entry["seq"], entry["response"]["status"]) == (1, 200)


# Criteria


def upload(client: Client, **fields: str) -> Any:
    path = "/api/core/dataset/collection/create/localFile"
    return client.post(path, files={"file": ("a.txt", b"Hello")}, data=fields)


def test_criteria_see_a_body_that_is_shown_cut(client):
    client.complete(appId="says", chatId="c1", more="x" * 9000)
    assert client.control.journal[0]["request"]["truncated"]
    client.control.assert_called("completions", times=1, body={"chatId": "c1"})
    with pytest.raises(AssertionError, match=r"0 calls .* 1\n"):
        client.control.assert_not_called("completions", body={"chatId": "c1"})


def test_criteria_see_the_fields_of_forms(client):
    assert upload(client, data='{"datasetId": "d"}').status_code == 200
    client.control.assert_called("localFile", body={"data": {"datasetId": "d"}})
    client.control.assert_called("localFile", body={"file": {"filename": "a.txt"}})
    client.control.respond("POST /form", text="")
    client.post("/form", data={"a": "1", "b": ["2", "3"]})
    client.control.assert_called("POST /form", body={"a": "1", "b": ["2", "3"]})
    client.control.assert_not_called("POST /form", body={"a": "2"})
    # JSON that is sent as a form
    client.fetch(PIN, SENT_PIN, headers={"Content-Type": "application/x-www-form-urlencoded"})
    client.control.assert_called("updateHistory", body=SENT_PIN, status=415)


def test_a_fault_matches_the_fields_of_a_form(client):
    client.add("error", operation="localFile", match={"body": {"data": {"datasetId": "d"}}})
    assert upload(client, data='{"datasetId": "many"}').status_code == 200
    assert upload(client, data='{"datasetId": "d"}').status_code == 503


def test_criteria_take_a_secret_as_it_was_sent_or_as_it_is_shown(client):
    client.pin(password="p4ssw0rd")
    shown = client.control.journal[0]["request"]["body"]["password"]
    for password in ("p4ssw0rd", shown):
        client.control.assert_called("updateHistory", body={"password": password})
    with pytest.raises(AssertionError) as raised:
        client.control.assert_called("updateHistory", body={"password": "0ther"})
    assert "p4ssw0rd" not in str(raised.value) and "0ther" not in str(raised.value)


def test_a_question_about_a_body_that_is_not_kept_fails(client):
    client.page(more="x" * 1_100_000)
    client.control.assert_called("listV2", status=413)
    client.control.assert_not_called("listV2", status=200, body={"datasetId": "d"})
    with pytest.raises(Refused, match=r"body .*entry 1, "):
        client.control.assert_not_called("listV2", body={"datasetId": "d"})


def test_the_latest_long_bodies_are_kept_whole():
    journal = Journal()
    for number in range(6):
        body = json.dumps({"number": number, "more": "x" * 8_000_000}).encode()
        exchange = Exchange(ClientRequest("POST", "/", b"", {}, body))
        journal.add(exchange, 0, 1)
        journal.complete(exchange)
    assert [it.request.is_whole for it in journal.exchanges] == [False, False, *[True] * 4]
    shown = [it.entry().request for it in journal.exchanges]
    assert [it.body[:12] for it in shown] == [f'{{"number":{n},' for n in range(6)]
    assert all(it.truncated and len(it.body) == 8192 for it in shown)


def test_only_the_beginning_of_a_long_stream_is_kept():
    exchange = Exchange(ClientRequest("GET", "/", "", {}, b""))
    for _ in range(40):
        exchange.note_sent({"type": "http.response.body", "body": bytes(2**20), "more_body": True})
    assert exchange.long_bytes == 32 * 2**20


def test_what_the_journal_has_dropped_counts():
    with LocalClient() as client:
        journal = client.sandboxes.default.state.journal
        client.control.assert_no_violations()
        client.fetch("/v1/chat", {})
        for _ in range(MAX_ENTRIES - 1):
            journal.add(Exchange(ClientRequest("GET", "/", b"", {}, b"")), 0, 1)
        client.pin()
        with pytest.raises(AssertionError, match=r"unknown_route: 1 .*dropped"):
            client.control.assert_no_violations()
        client.control.assert_no_violations(["unknown_route"])
        pins = {"operation": "updateHistory"}
        assert client.admin("POST", "/journal/verify", pins)["ok"]
        answer = client.admin("POST", "/journal/verify", pins | {"exactly": 1}, 409)
    assert mentions(answer["message"], "1 call updateHistory, 1 dropped 1")


def test_questions_about_many_calls_are_answered_by_the_server(client):
    for _ in range(150):
        client.page()
    sizes: list[int] = []
    hooks = client.control.http.event_hooks
    hooks["response"].append(lambda it: sizes.append(len(it.read())))
    client.control.assert_called("listV2", times=150)
    assert "listV2 (150)" in client.control.summary()
    assert client.control.wait_for("listV2", times=150)["seq"] == 150
    assert client.control.last_call("listV2")["seq"] == 150
    hooks["response"].clear()
    assert len(sizes) == 6 and sum(sizes) < 40_000


# What is noted, and what is shown


def test_at_most_20_violations_are_noted(client):
    client.page(**{f"{n:05}": 1 for n in range(9_000)})
    client.control.choices["unknown_fields"] = "reject"
    client.fetch(LIST, {f"{n:05}": 1 for n in range(900)})
    assert [len(it["violations"]) for it in client.control.journal] == [20, 1]


EVENTS = {"Content-Type": "text/event-stream"}
S3CRET = "a-s3cret-that-is-long"
SENT: list[dict[str, Any]] = [{"json": {"password": [S3CRET]}}]
SENT += [{"json": {"token": {"value": S3CRET}}}, {"json": {"secretKey": S3CRET}}]
SENT += [{"json": {"apiKeys": [S3CRET]}}, {"json": {"password": f"{S3CRET}…"}}]
SENT += [{"json": {"deep": [{"accessKey": S3CRET}], "more": "x" * 9000}}]
SENT += [{"json": {"password": S3CRET, "more": "x" * 1_100_000}}, {"data": {"password": S3CRET}}]
SENT += [{"data": {"data": json.dumps({"token": S3CRET})}}]
SENT += [{"files": {"file": ("a.txt", b"x")}, "data": {"password": S3CRET}}]
SENT += [{"headers": {"X-Access-Key": S3CRET}}]
SENT += [{"headers": {"Authorization": f"Bearer {S3CRET}", "Cookie": f"fastgpt_token={S3CRET}"}}]
SENT += [{"params": {"accessKey": S3CRET, "token": S3CRET}}]
SENT += [{"params": {"a[pass]": S3CRET, "key[0]": S3CRET}}]
SENT += [{"data": {"a[password]": S3CRET, "token[]": S3CRET, "b[key][]": S3CRET}}]
SENT += [{"json": {"pwd": S3CRET, "dbPasscode": S3CRET, "user_pass": S3CRET}}]
SENT += [{"headers": {"X-Other-Key": S3CRET, "X-Session-Id": S3CRET}}]
SENT += [{"json": {"jwt": S3CRET, "passwordHash": S3CRET, "sessionId": S3CRET}}]
SENT += [{"json": {"signature": S3CRET, "deviceKey": S3CRET, "other_key": S3CRET}}]
SENT += [{"json": {"deviceToken": S3CRET, "a": {"idTokens": S3CRET}}}]
SENT += [{"headers": {"Referer": f"https://a.test/?token={S3CRET}&a=1"}}]
TEXTS = [f'{{"password": "{S3CRET}", "a": ', f'{{"password": "{S3CRET}', f"{{'token': '{S3CRET}'"]
TEXTS += [f'{{"apiKeys": ["x", "{S3CRET}"', json.dumps(json.dumps({"secret": f'a"{S3CRET}'}))[1:-1]]
TEXTS += [f"password = {S3CRET}", f"Authorization: Bearer {S3CRET}\nb: c"]
TEXTS += [f"<password>{S3CRET}</password>", f"--b\r\nX: y\r\n\r\ndeviceKey:{S3CRET}"]
TEXTS += [f"a=b&pass%77ord={S3CRET}"]
PART = f'--b\r\nContent-Disposition: form-data; name="token"\r\nX: y\r\n\r\na\n{S3CRET}'
FORM = "multipart/form-data; boundary=b"
MEDIA = ("application/json", "application/x-www-form-urlencoded", "text/plain", "a/xml", FORM)
UNREADABLE = [*product(TEXTS, MEDIA), (PART, FORM), (PART, "text/plain")]


@pytest.mark.parametrize("text, media", UNREADABLE)
def test_a_body_that_cannot_be_read_shows_no_secret(client, text, media):
    client.control.respond("POST /any", text=text, headers={"Content-Type": media})
    client.post("/any", content=text.encode(), headers={"Content-Type": media})
    page = client.get("/__admin/console?entry=1").text
    # The rule itself is shown as the test has written it.
    (requests,) = re.findall('<section id="requests".*?</section>', page, re.DOTALL)
    shown = json.dumps(client.control.journal) + requests
    verified = client.admin("POST", "/journal/verify", {"body": "other"}, 409)
    assert "s3cret" not in f"{shown}{verified}"


def test_criteria_see_a_text_as_it_was_sent_or_as_it_is_shown(client):
    client.control.respond("POST /any", json=1)
    client.post("/any", content=b"password=a-s3cret", headers={"Content-Type": "text/plain"})
    shown = client.control.journal[0]["request"]["body"]
    for body in ({"contains": "a-s3cret"}, "password=a-s3cret", shown):
        client.control.assert_called("POST /any", body=body)


SHOWN = [({"json": {"max_tokens": 100, "searchKey": "a", "keys": 1}}, "100")]
SHOWN += [
    ({"json": {"searchKey": "shown"}}, "shown"),
    ({"content": b'{"max_tokens": 12345, '}, "12345"),
]
SHOWN += [
    ({"content": b'{"searchKey": "shown", '}, "shown"),
    ({"content": b"monkey: shown"}, "shown"),
]


@pytest.mark.parametrize("sent, shown", SHOWN)
def test_what_is_no_secret_is_shown(client, sent, shown):
    client.control.respond("POST /any", text='data: {"key": "k"}\n\n', headers=EVENTS)
    client.post("/any", **sent)
    (entry,) = client.control.journal
    assert shown in str(entry["request"]["body"])
    assert entry["response"]["body"] == 'data: {"key": "k"}\n\n'


@pytest.mark.parametrize("text", ["a" * 900_000, 'name="a"\n' * 90_000, "a: \\" * 200_000])
def test_a_long_text_is_looked_through_in_one_pass(client, text):
    client.timeout = 5
    client.post("/any", content=text.encode())
    assert client.control.journal[0]["request"]["truncated"]


@pytest.mark.parametrize("sent", SENT)
def test_no_secret_is_shown_whatever_its_form(client, sent):
    client.control.respond("POST /any", json=None)
    client.post("/any", **sent)
    assert "s3cret" not in json.dumps(client.control.journal)


def test_no_secret_of_a_reply_is_shown_in_the_console(client):
    tool = {"name": "search", "params": {"apiKey": S3CRET}, "response": "ok"}
    client.control.reply(parts=[{"tool": tool}])
    assert "s3cret" not in client.get("/__admin/console").text
