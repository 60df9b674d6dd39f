"""Chat sessions and their records: what a front end does with them."""

from __future__ import annotations

import asyncio
import json
from typing import Any, cast

import httpx2
import pytest

from mock_server.api.event_stream import Chunk, EventStream
from mock_server.api.operations.related.reply_stream import pieces
from mock_server.api.request import RequestBody
from tests.api.related.world import (
    APP,
    related_routes,
    send,
)
from tests.conftest import MakeApi
from tests.support import Api

COMPLETIONS = "/api/v1/chat/completions"
STREAM = "text/event-stream;charset=utf-8"


@pytest.fixture
def api(make_api: MakeApi) -> Api:
    """The world under profile `deployed`."""
    return related_routes(make_api)


def ask(api: Api, question: str = "How are you?", **fields: Any) -> Any:
    """A completion; gives the response."""
    messages = [{"role": "user", "content": question}]
    body = {"appId": APP, "messages": messages} | fields
    return send(api, "POST", COMPLETIONS, body)


def streamed(answer: Any) -> list[Any]:
    """The data of a stream's events, as far as they are JSON."""
    events = answer.text.split("\n\n")[:-1]
    found = [event.splitlines()[-1].removeprefix("data: ") for event in events]
    return [each if each == "[DONE]" else json.loads(each) for each in found]


def spoken(api: Api, parts: list[str]) -> list[str]:
    """The words of a reply of these parts, as a stream has them."""
    api.admin("POST", "/faults", {"kind": "reply", "parts": parts})
    *chunks, _, _ = streamed(ask(api, stream=True))
    return [each["choices"][0]["delta"]["content"] for each in chunks]


@pytest.mark.parametrize("count", [1, 2, 100, 200])
def test_a_long_reply_streams_in_few_pieces(api: Api, count: int) -> None:
    reply = " ".join(map(str, range(1_000)))
    said = spoken(api, [reply] * count)
    assert len(said) <= 200
    assert "".join(said) == reply * count
    assert pieces("") == []


def test_chinese_streams_by_characters() -> None:
    assert pieces("按 Enter 键。") == ["按", " ", "Enter ", "键", "。"]


def test_chinese_streams_in_few_pieces(api: Api) -> None:
    assert len(spoken(api, ["好" * 10_000])) <= 200


@pytest.mark.parametrize(
    ("kind", "fields"),
    [("dribble", {"chunks": 3, "ms": 1}), ("delay", {"ms": 1})],
)
def test_a_stream_that_is_slowed_down_is_whole(
    api: Api, kind: str, fields: dict[str, Any]
) -> None:
    right = ask(api, stream=True).text
    api.admin("POST", "/faults", {"kind": kind} | fields)
    slow = ask(api, stream=True)
    assert (slow.text, slow.headers["content-type"]) == (right, STREAM)


@pytest.mark.parametrize("face", ["zttp", "h11"])
def test_a_stream_that_is_cut_ends_too_early(api: Api) -> None:
    api.admin("POST", "/faults", {"kind": "truncate"})
    with pytest.raises(httpx2.RemoteProtocolError):
        ask(api, stream=True)


def test_each_event_is_sent_on_its_own() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    body = RequestBody.of({"headers": [], "http_version": "1.1"}, None)  # type: ignore[arg-type]
    stream = EventStream.from_chunks([Chunk(b"data: 1\n\n"), Chunk(b"data: 2\n\n")])
    asyncio.run(stream.send([], body, send))
    assert [each.get("body") for each in sent[1:-1]] == [b"data: 1\n\n", b"data: 2\n\n"]
    assert sent[-1] == {"type": "http.response.body", "body": b""}


def test_a_stream_pauses_for_a_minute_at_most_in_all() -> None:
    pauses: list[float] = []

    async def pause(ms: float) -> None:
        pauses.append(ms)

    async def send(_: Any) -> None:
        pass

    paced = EventStream.from_chunks([Chunk(b"x", 25_000)] * 4).with_connection(
        None, pause
    )
    body = RequestBody({"type": "http"}, cast(Any, None), 0, has_arrived=True)
    asyncio.run(paced.send((), body, send))
    assert pauses == [25_000, 25_000, 10_000]


def test_a_stream_is_framed_in_chunks_and_not_kept(api: Api) -> None:
    headers = ask(api, stream=True).headers
    assert headers["content-type"] == STREAM
    assert "content-length" not in headers
    assert headers["cache-control"] == "no-cache, no-transform"


PARTS: list[Any] = [
    {"node": "AI chat"},
    {"reasoning": "Let me see"},
    "It is raining.",
    {"tool": {"name": "weather", "params": {"city": "Ulm"}, "response": "rain"}},
    {"quotes": [{"id": "q1", "q": "A question", "sourceName": "Handbook"}]},
    {"fast": "Goodbye"},
    {"interactive": {"type": "userSelect", "params": {}}},
]


def test_a_reply_of_all_parts_is_put_back_as_it_was(api: Api) -> None:
    api.admin("POST", "/faults", {"kind": "reply", "parts": PARTS})
    ask(api)
    state = api.admin("GET", "/state").json()
    assert api.admin("PUT", "/state", state).status_code == 200
    assert api.admin("GET", "/state").json() == state
