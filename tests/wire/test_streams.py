"""Streams on a real connection: paced, cut, and spoiled in their middle."""

from __future__ import annotations

import json
from contextlib import ExitStack, suppress
from select import select
from time import perf_counter
from typing import Any

import httpx2
import pytest

from tests.conftest import MakeApi
from tests.support import SECONDS, Api
from tests.wire.spoiled import add, connected, exchanged, received, request

pytestmark = pytest.mark.parametrize("face", ["zttp", "h11"])
TICK = 0.01
"""How early a timer may be, in seconds."""
COMPLETIONS = "/api/v1/chat/completions"
WORDS = ("one ", "two ", "three")
DONE = b"data: [DONE]\n\n"


def question(**fields: Any) -> bytes:
    messages = [{"role": "user", "content": "x"}]
    body = {"messages": messages, "appId": None, "stream": True, "top": None}
    return request(COMPLETIONS, "POST", **(body | fields))


def words(content: bytes) -> list[str]:
    """What the deltas of a stream say that has arrived as a whole or in part."""
    found = []
    for line in content.decode().splitlines():
        if line.startswith('data: {"id"'):
            delta = json.loads(line.removeprefix("data: "))["choices"][0]["delta"]
            found.append(delta["content"] or "")
    return found


def times_of(api: Api) -> list[tuple[float, str]]:
    """When each word of a stream came, in seconds, and the word."""
    found, start = [], perf_counter()
    body = {"messages": [{"role": "user", "content": "x"}], "stream": True}
    headers = {"Authorization": "Bearer any"}
    with api.client.stream("POST", COMPLETIONS, json=body, headers=headers) as answer:
        for line in answer.iter_lines():
            found += [(perf_counter() - start, each) for each in words(line.encode())]
    return found


def test_a_cut_reply_is_reset_after_what_was_said(api: Api) -> None:
    add(api, "reply", parts=[*WORDS[:2], {"cut": True}])
    content, end = exchanged(api, question())
    assert (words(content), end) == ([*WORDS[:2]], "RST")
    assert DONE not in content


def test_a_whole_reply_that_is_cut_has_no_byte(api: Api) -> None:
    add(api, "reply", parts=["one", {"cut": True}])
    assert exchanged(api, question(stream=False)) == (b"", "RST")


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "delay", "ms": 1, "afterChunks": 2},
        {"kind": "dribble", "ms": 1},
        {"kind": "dribble", "ms": 1, "afterChunks": 2},
        {"kind": "truncate"},
        {"kind": "malformed_json"},
    ],
)
def test_a_cut_before_the_first_byte_stays_one(api: Api, fault: dict[str, Any]) -> None:
    add(api, "reply", parts=[{"cut": True}])
    add(api, **fault)
    assert exchanged(api, question()) == (b"", "RST")


@pytest.mark.parametrize(("kind", "end"), [("reset", "RST"), ("truncate", "FIN")])
@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_connection_ends_after_so_many_events(
    api: Api, kind: str, end: str, after: int
) -> None:
    add(api, "reply", text="".join(WORDS))
    add(api, kind, afterChunks=after)
    content, found = exchanged(api, question())
    assert (words(content), found) == ([*WORDS[:after]], end)
    assert b"\r\n0\r\n\r\n" not in content


@pytest.mark.parametrize(
    ("kind", "fields"),
    [("reset", {}), ("truncate", {}), ("delay", {"ms": 1}), ("dribble", {"ms": 1})],
)
def test_a_fault_beyond_the_end_of_a_stream_is_hinted_at(
    api: Api, kind: str, fields: dict[str, Any]
) -> None:
    body = {"messages": [{"role": "user", "content": "x"}], "stream": True}
    add(api, "reply", text="".join(WORDS))
    for after in (2, 90):
        add(api, kind, afterChunks=after, **fields)
        with suppress(httpx2.TransportError):
            api.send("POST", COMPLETIONS, body)
    add(api, kind, afterChunks=2, **fields)
    with suppress(httpx2.TransportError):
        api.send("POST", COMPLETIONS, body | {"stream": False})
    _, long, plain = [entry["hint"] for entry in api.journal()]
    assert f"{kind!r} is 90, but the response has " in long
    assert f"{kind!r} is 2, but the response is no stream" in plain


def test_a_stream_hangs_after_an_event_until_a_reset(api: Api) -> None:
    add(api, "reply", text="".join(WORDS))
    add(api, "hang", afterChunks=1)
    with connected(api) as connection:
        connection.sendall(question())
        content = connection.recv(65_536)
        while not words(content):
            content += connection.recv(65_536)
        api.admin("POST", "/reset")
        rest, end = received(connection)
    assert (words(content + rest), end) == ([WORDS[0]], "FIN")


def test_a_stream_halts_before_an_event(api: Api) -> None:
    add(api, "reply", text="".join(WORDS))
    add(api, "delay", ms=60, afterChunks=2)
    (_, one), (before, two), (then, three), _ = times_of(api)
    assert (one, two, three) == WORDS
    assert then - before >= 0.06 - TICK


def test_a_dribbled_stream_is_the_right_one(api: Api) -> None:
    add(api, "reply", text="".join(WORDS))
    add(api, "dribble", chunks=5, ms=1, afterChunks=1)
    found = [word for _, word in times_of(api)]
    assert found == [*WORDS, ""]


def test_words_come_at_their_pace_and_pauses_are_kept(api: Api) -> None:
    pace = {"firstTokenMs": 40, "tokensPerSecond": 25}
    add(api, "reply", parts=[*WORDS[:2], {"pauseMs": 40}, WORDS[2]], stream=pace)
    # From the start: a reader who is late for one word has less to wait for the next.
    times = [time for time, _ in times_of(api)[:3]]
    assert times[0] >= 0.04 - TICK
    assert times[1] >= 0.08 - TICK
    assert times[2] >= 0.16 - TICK


@pytest.mark.parametrize("end", [[], [{"node": "n"}]])
def test_a_pause_before_the_end_is_kept(api: Api, end: list[dict[str, Any]]) -> None:
    add(api, "reply", parts=["one", {"pauseMs": 60}, *end])
    assert times_of(api)[-1][0] >= 0.06 - TICK


def test_a_pause_before_a_cut_is_kept(api: Api) -> None:
    add(api, "reply", parts=["one", {"pauseMs": 60}, {"cut": True}])
    start = perf_counter()
    content, end = exchanged(api, question())
    assert (words(content), end) == (["one"], "RST")
    assert perf_counter() - start >= 0.06 - TICK


@pytest.mark.ci
def test_the_demo_streams_as_somebody_types(make_api: MakeApi) -> None:
    api = make_api({"apps": [{"id": "a", "replies": ["".join(WORDS)]}]}, demo=True)
    times = [time for time, _ in times_of(api)[:3]]
    assert times[0] >= 0.4 - TICK
    assert times[2] >= 0.4 + 2 / 30 - TICK


@pytest.mark.parametrize("place", ["app", "reply"])
def test_what_the_data_says_of_a_pace_goes_before_the_demo(
    make_api: MakeApi, place: str
) -> None:
    pace: dict[str, Any] = {"stream": {}}
    reply = {"text": "word " * 190, **(pace if place == "reply" else {})}
    app = {"id": "a", "replies": [reply], **(pace if place == "app" else {})}
    api = make_api({"apps": [app]}, demo=True)
    assert times_of(api)[-1][0] < 190 / 30 - 1


def test_an_old_client_has_its_stream_until_the_close(api: Api) -> None:
    old = question().replace(b" HTTP/1.1", b" HTTP/1.0", 1)
    content, end = exchanged(api, old)
    head, _, body = content.partition(b"\r\n\r\n")
    assert b"\r\ntransfer-encoding:" not in head.lower()
    assert body.startswith(b"data: {")
    assert (body.endswith(DONE), end) == (True, "FIN")


def test_streams_that_wait_are_charged_and_refused(make_api: MakeApi) -> None:
    api = make_api(memory=1_100_000)
    add(api, "reply", text="x" * 200_000, stream={"firstTokenMs": 60_000})
    with connected(api) as first, connected(api) as second:
        first.sendall(question())
        assert b" 200 " in first.recv(65_536)
        second.sendall(question())
        refusal = second.recv(65_536)
    assert b'"statusText":"limitReached"' in refusal


def test_answers_that_are_held_up_are_charged_and_refused(make_api: MakeApi) -> None:
    api = make_api(memory=600_000)
    fields = {"operation": "GET /slow", "text": "x" * 100_000, "delayMs": 60_000}
    add(api, "answer", **fields)
    with ExitStack() as stack:
        waiting = [stack.enter_context(connected(api)) for _ in range(5)]
        for connection in waiting:
            connection.sendall(request("/slow", "GET"))
        ready, _, _ = select(waiting, [], [], SECONDS)
        refusal = ready[0].recv(65_536)
    assert b'"statusText":"limitReached"' in refusal


def test_a_paced_stream_ends_with_a_reset(api: Api) -> None:
    add(api, "reply", text="one two", stream={"tokensPerSecond": 0.1})
    with connected(api) as connection:
        connection.sendall(question())
        content = connection.recv(65_536)
        while not words(content):
            content += connection.recv(65_536)
        api.admin("POST", "/reset")
        rest, end = received(connection)
    assert (words(content + rest), end) == (["one "], "FIN")
