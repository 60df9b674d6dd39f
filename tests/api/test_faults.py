"""What faults do to answers, over every face; those of connections are in `wire`."""

from __future__ import annotations

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from mock_server.api.connection import NeedsConnection
from mock_server.api.faults.table import KINDS
from mock_server.domain.choices.choosing import choose
from tests.conftest import MakeApi
from tests.support import DATASET, LIBRARY, LIST, ROOT, Api, wait

TICK = 0.01
"""How early a timer may be, in seconds."""
EVENTS = "text/event-stream"
CONNECTION_KINDS = ("hang", "reset", "empty", "garbage", "truncate")


def add(api: Api, kind: str, **fields: Any) -> str:
    answer = api.admin("POST", "/faults", {"kind": kind} | fields)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


@pytest.mark.parametrize(("phase", "top"), [("before", False), ("after", True)])
@pytest.mark.parametrize("kind", ["error", "malformed_json"])
def test_only_phase_after_carries_the_operation_out(
    api: Api, kind: str, phase: str, top: bool
) -> None:
    add(api, kind, phase=phase)
    api.pin()
    assert api.top() is top


@pytest.mark.ci
@pytest.mark.parametrize("phase", ["before", "after"])
@pytest.mark.parametrize("form", [{"ms": 60}, {"min": 60, "max": 61}])
def test_a_delayed_answer_is_right_and_late(
    api: Api, phase: str, form: dict[str, int]
) -> None:
    add(api, "delay", phase=phase, **form)
    start = time.monotonic()
    assert api.pin().status_code == 200
    assert time.monotonic() - start >= 0.06 - TICK
    assert api.top() is True


@pytest.mark.ci
@pytest.mark.sampled
@pytest.mark.parametrize(
    ("choices", "status"),
    [({"chat_unknown": "create"}, 200), ({"unknown_key": "reject"}, 401)],
)
def test_what_a_delay_held_up_is_done_as_of_its_end(
    api: Api, choices: dict[str, str], status: int
) -> None:
    add(api, "delay", ms=400)
    with ThreadPoolExecutor() as pool:
        pinned = pool.submit(api.pin, chatId="new")
        wait(lambda: api.sandbox.state.waits)
        assert not pinned.done()
        api.sandbox.choose("documented", choose("documented", choices))
        assert pinned.result().status_code == status
    assert (api.top("new") is True) is (status == 200)


def test_malformed_json_is_framed_and_no_parser_takes_it(api: Api) -> None:
    add(api, "malformed_json", times=2)
    for answer in (api.pin(), api.list_v2()):
        assert answer.status_code == 200
        assert int(answer.headers["content-length"]) == len(answer.content)
        with pytest.raises(json.JSONDecodeError):
            answer.json()


@pytest.mark.parametrize("value", [[], [{"a": 1}], {}, "x", 5])
def test_malformed_json_spoils_any_value(api: Api, value: object) -> None:
    add(api, "answer", operation="GET /api/x", json=value)
    add(api, "malformed_json")
    with pytest.raises(json.JSONDecodeError):
        api.client.get("/api/x").json()


@pytest.mark.parametrize("text", ["[1,2", "[", "", '[1"'])
def test_malformed_json_completes_no_text(api: Api, text: str) -> None:
    add(api, "answer", operation="GET /api/x", text=text)
    add(api, "malformed_json")
    with pytest.raises(json.JSONDecodeError):
        api.client.get("/api/x").json()


def test_malformed_json_leaves_no_part_of_a_key(api: Api) -> None:
    add(api, "answer", operation="GET /api/x", text="a-key-of-mine")
    add(api, "malformed_json")
    key = {"Authorization": "Bearer a-key-of-mine"}
    assert api.client.get("/api/x", headers=key).text == "a-key-of-mine)"
    assert "a-key" not in "".join(map(repr, api.sandbox.journal.since(0)))


@pytest.mark.parametrize("end", ["\n\n", "\r\n\r\n", "\r\r", "\n"])
def test_malformed_json_spoils_each_event_of_a_stream(api: Api, end: str) -> None:
    events = ["data: {}", 'event: flowResponses\ndata: [{"a": [1]}]', "data:[]"]
    text, headers = end.join([*events, "data: [DONE]", ""]), {"Content-Type": EVENTS}
    add(api, "answer", operation="GET /api/x", text=text, headers=headers)
    add(api, "malformed_json")
    spoiled = ["data: {]", 'event: flowResponses\ndata: [{"a": [1]})', "data:[)"]
    assert api.client.get("/api/x").text == end.join([*spoiled, "data: [DONE]", ""])


@pytest.mark.parametrize("text", ["data: {}", '{"a": [1]}', "data: {}\r\n\r\ndata: {}"])
@pytest.mark.parametrize("kind", [EVENTS, EVENTS.title()])
def test_malformed_json_spoils_events_without_a_last_line_end(
    api: Api, text: str, kind: str
) -> None:
    headers = {"Content-Type": kind}
    add(api, "answer", operation="GET /api/x", text=text, headers=headers)
    add(api, "malformed_json")
    assert api.client.get("/api/x").text == text.replace("}", "]")


@pytest.mark.parametrize("detail", [False, True])
def test_malformed_json_leaves_no_json_in_a_reply(api: Api, *, detail: bool) -> None:
    add(api, "malformed_json")
    messages = [{"role": "user", "content": "x"}]
    body = {"messages": messages, "stream": True, "detail": detail}
    lines = api.send("POST", "/api/v1/chat/completions", body).text.splitlines()
    data = [each for each in lines if each.startswith(("data: {", "data: ["))]
    assert data.pop() == "data: [DONE]"
    for each in data:
        with pytest.raises(json.JSONDecodeError):
            json.loads(each.removeprefix("data: "))


def test_a_key_is_one_key_whatever_app_id_follows_it(api: Api) -> None:
    add(api, "rate_limit", limit=1, window=10)
    statuses = []
    for app_id in ("", "-65d8a1f0c3b2a94e7f106a01", "-65d8a1f0c3b2a94e7f106a02"):
        headers = {"Authorization": f"Bearer fastgpt-a-key{app_id}"}
        asked = {"offset": 0, "datasetId": DATASET}
        statuses.append(api.client.post(LIST, json=asked, headers=headers).status_code)
    assert statuses == [200, 429, 429]
    called = {"operation": "listV2", "key": "fastgpt-a-key", "exactly": 3}
    assert api.client.post("/__admin/journal/verify", json=called).is_success


def test_declared_keys_that_end_as_an_app_id_does_are_two_keys(
    make_api: MakeApi,
) -> None:
    keys = [f"customer-65d8a1f0c3b2a94e7f106a0{digit}" for digit in (1, 2)]
    api = make_api(LIBRARY | {"keys": [{"key": key} for key in keys]})
    add(api, "rate_limit", limit=1, window=10)
    asked = {"offset": 0, "datasetId": DATASET}
    for key in keys:
        headers = {"Authorization": f"Bearer {key}"}
        called = {"operation": "listV2", "key": key, "exactly": 0}
        assert api.client.post("/__admin/journal/verify", json=called).is_success
        answer = api.client.post(LIST, json=asked, headers=headers)
        assert answer.status_code == 200


def test_a_declared_key_with_the_app_id_of_another_one_is_its_own(
    make_api: MakeApi,
) -> None:
    keys = ["fastgpt-a-key", "fastgpt-a-key-65d8a1f0c3b2a94e7f106a01"]
    api = make_api(LIBRARY | {"keys": [{"key": key} for key in keys]})
    headers = {"Authorization": f"Bearer {keys[0]}"}
    asked = {"offset": 0, "datasetId": DATASET}
    assert api.client.post(LIST, json=asked, headers=headers).is_success
    for key, count in zip(keys, (1, 0), strict=True):
        called = {"operation": "listV2", "key": key, "exactly": count}
        assert api.client.post("/__admin/journal/verify", json=called).is_success


@pytest.mark.parametrize("app_id", ["", "-65d8a1f0c3b2a94e7f106a01"])
def test_a_fault_matches_a_key_with_the_app_id_that_is_sent(
    api: Api, app_id: str
) -> None:
    add(api, "error", match={"key": f"fastgpt-a-key{app_id}"})
    headers = {"Authorization": "Bearer fastgpt-a-key-65d8a1f0c3b2a94e7f106a01"}
    asked = {"offset": 0, "datasetId": DATASET}
    assert api.client.post(LIST, json=asked, headers=headers).status_code == 503


def test_a_page_can_read_the_headers_of_a_rate_limit(api: Api) -> None:
    add(api, "rate_limit", limit=1, window=10)
    headers = {"Authorization": "Bearer k", "Origin": "https://panel.example"}
    body = {"offset": 0, "datasetId": DATASET}
    answer = api.client.post(LIST, json=body, headers=headers)
    exposed = answer.headers["access-control-expose-headers"]
    assert "x-ratelimit-remaining" in exposed
    assert "retry-after" in exposed


@pytest.mark.parametrize("face", ["asgi"])
@pytest.mark.parametrize("kind", CONNECTION_KINDS)
def test_in_process_a_connection_fault_is_an_error_of_the_test(
    api: Api, kind: str
) -> None:
    add(api, kind)
    with pytest.raises(NeedsConnection, match=f"the fault '{kind}' needs a conn"):
        api.pin()
    assert api.top() is False


@pytest.mark.fresh
@pytest.mark.ci
def test_the_same_calls_give_the_same_bytes(make_api: MakeApi) -> None:
    def run() -> tuple[list[bytes], list[dict[str, Any]]]:
        api = make_api()
        for kind in ("error", "duplicate_item", "lost_write", "wrong_total"):
            add(api, kind, probability=0.3, times=1_000, seed=7)
        answers = []
        for number in range(100):
            answers.append(api.pin(top=number % 3 == 0).content)
            answers.append(api.list_v2(pageSize=1 + number % 5).content)
        entries = api.journal()
        for entry in entries:
            del entry["durationMs"], entry["request"]["headers"]["host"]
        return answers, entries

    assert run() == run()


def test_every_kind_has_a_test_here_or_on_the_wire() -> None:
    wire = ROOT / "tests" / "wire" / "test_connection_faults.py"
    added = set(re.findall(r'add\(\w+, "(\w+)"', wire.read_text("utf-8")))
    added |= set(re.findall(r'add\(\w+, "(\w+)"', Path(__file__).read_text("utf-8")))
    stories = ROOT / "tests" / "stories" / "faults.txt"
    added |= set(re.findall(r'"kind": "(\w+)"', stories.read_text("utf-8")))
    # Answers have tests of their own.
    kinds = {name for name, kind in KINDS.items() if not kind.is_answer}
    assert kinds - added - {*CONNECTION_KINDS} == set()
