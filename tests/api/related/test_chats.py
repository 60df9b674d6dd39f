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
    OUTSIDER,
    WORLD,
    call,
    related_routes,
    send,
)
from tests.conftest import MakeApi
from tests.support import FROZEN, PIN, Api

CHAT = "/api/core/chat"
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


def histories(api: Api, **fields: Any) -> list[str]:
    """The ids of the chats of a page."""
    page = call(api, "POST", f"{CHAT}/history/getHistories", appId=APP, **fields)
    return [chat["chatId"] for chat in page["list"]]


def texts(page: Any) -> list[str]:
    """The texts of a page of records."""
    return [record["value"][0]["text"]["content"] for record in page["list"]]


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


def test_from_empty_to_pinned_renamed_deleted_and_cleared(api: Api) -> None:
    call(api, "DELETE", f"{CHAT}/history/clearHistories", appId=APP)
    assert histories(api) == []
    assert ask(api, chatId="first").json()["id"] == "first"
    assert ask(api, chatId="second", stream=True).status_code == 200
    fields = {"appId": APP, "chatId": "first"}
    named = fields | {"top": True, "customTitle": "Kept"}
    assert send(api, "PUT", PIN, named).status_code == 200
    assert histories(api) == ["first", "second"]
    shown = call(api, "POST", f"{CHAT}/history/getHistories", appId=APP)["list"][0]
    assert (shown["customTitle"], shown["title"]) == ("Kept", "How are you?")
    assert call(api, "GET", f"{CHAT}/init", **fields)["title"] == "How are you?"
    call(api, "DELETE", f"{CHAT}/history/delHistory", **fields)
    assert histories(api) == ["second"]
    call(api, "DELETE", f"{CHAT}/history/clearHistories", appId=APP)
    assert histories(api) == []


@pytest.mark.parametrize("path", [f"{CHAT}/history", CHAT])
def test_both_families_of_paths_clear(api: Api, path: str) -> None:
    call(api, "DELETE", f"{path}/clearHistories", appId=APP)
    assert histories(api) == []


def test_a_completion_creates_a_chat_with_a_title_and_two_records(api: Api) -> None:
    answer = ask(api, "A question of more than twenty characters").json()
    page = call(api, "POST", f"{CHAT}/history/getHistories", appId=APP)
    chat = next(each for each in page["list"] if each["chatId"] == answer["id"])
    assert (chat["title"], chat["top"]) == ("A question of more t", False)
    assert chat["updateTime"] == FROZEN
    fields = {"appId": APP, "chatId": answer["id"]}
    found = call(api, "POST", f"{CHAT}/record/getPaginationRecords", **fields)
    assert [record["obj"] for record in found["list"]] == ["Human", "AI"]
    assert {record["time"] for record in found["list"]} == {FROZEN}
    assert found["total"] == 2


def test_a_stream_tells_the_role_the_words_and_the_end(api: Api) -> None:
    answer = ask(api, "one two  three", stream=True)
    assert answer.headers["content-type"] == STREAM
    *chunks, done = streamed(answer)
    choices = [chunk["choices"][0] for chunk in chunks]
    assert choices[0]["delta"]["role"] == "assistant"
    words = [choice["delta"]["content"] for choice in choices[:-1]]
    assert len(words) > 1
    assert "".join(words) == "one two  three"
    reasons = [choice["finish_reason"] for choice in choices]
    assert reasons == [None] * (len(reasons) - 1) + ["stop"]
    assert done == "[DONE]"


def test_a_detailed_stream_names_its_events(api: Api) -> None:
    events = ask(api, stream=True, detail=True).text.split("\n\n")[:-1]
    names = [event.splitlines()[0].removeprefix("event: ") for event in events]
    assert list(dict.fromkeys(names)) == [
        "answer",
        "workflowDuration",
        "chatTitle",
        "flowResponses",
    ]
    assert names[-3:] == ["answer", "flowResponses", "answer"]


def test_replies_come_in_turn_and_again_after_a_reset(make_api: MakeApi) -> None:
    api = make_api(WORLD | {"replies": ["Yes.", "No."]}, profile="deployed")

    def reply() -> str:
        return str(ask(api).json()["choices"][0]["message"]["content"])

    assert [reply(), reply(), reply()] == ["Yes.", "No.", "Yes."]
    made = ask(api).json()["id"]
    api.sandbox.reset()
    assert [reply(), reply(), reply()] == ["Yes.", "No.", "Yes."]
    assert ask(api).json()["id"] == made


def test_a_turn_in_a_chat_keeps_title_and_pin(api: Api) -> None:
    send(api, "PUT", PIN, {"appId": APP, "chatId": "one", "top": True})
    api.sandbox.clock.advance(1_000)
    ask(api, "Another title?", chatId="one")
    chat = api.sandbox.chat(APP, "one")
    assert chat is not None
    assert (chat.title, chat.top) == ("One", True)
    assert chat.update_time == api.sandbox.clock.now()


def test_without_an_app_the_first_that_may_be_read_is_meant(api: Api) -> None:
    body = {"messages": [{"role": "user", "content": "x"}], "chatId": "y", "model": "z"}
    assert send(api, "POST", COMPLETIONS, body).status_code == 200
    assert api.sandbox.chat(APP, "y") is not None
    refused = send(api, "POST", COMPLETIONS, body, OUTSIDER).json()
    assert refused["statusText"] == "appUnExist"


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


def test_pages_of_records_count_from_the_newest(api: Api) -> None:
    for question in "abc":
        ask(api, question, chatId="x")
    fields = {"appId": APP, "chatId": "x", "pageSize": 4}
    path = f"{CHAT}/record/getPaginationRecords"
    assert texts(call(api, "POST", path, **fields)) == ["b", "b", "c", "c"]
    older = call(api, "POST", f"{CHAT}/getPaginationRecords", **fields, pageNum=2)
    assert (texts(older), older["total"]) == (["a", "a"], 6)
    assert call(api, "POST", path, appId=APP) == {"list": [], "total": 0}


def test_records_are_scrolled_both_ways(api: Api) -> None:
    for question in "abc":
        ask(api, question, chatId="x")

    def part(**more: Any) -> Any:
        fields = {"appId": APP, "chatId": "x", "pageSize": 2} | more
        return call(api, "POST", f"{CHAT}/record/getRecords_v2", **fields)

    last = part()
    assert (texts(last), last["hasMorePrev"], last["hasMoreNext"]) == (
        ["c", "c"],
        True,
        False,
    )
    before = part(prevId=last["list"][0]["id"])
    assert texts(before) == ["b", "b"]
    assert before["list"][0]["dataId"] == before["list"][0]["id"]
    assert texts(part(nextId=before["list"][1]["id"])) == ["c", "c"]
    around = part(initialId=before["list"][0]["id"], pageSize=3)
    assert texts(around) == ["a", "b", "b"]


def test_records_of_a_deleted_chat_are_gone(api: Api) -> None:
    ask(api, chatId="x")
    fields = {"appId": APP, "chatId": "x"}
    call(api, "DELETE", f"{CHAT}/history/delHistory", **fields)
    ask(api, "Again", chatId="x")
    found = call(api, "POST", f"{CHAT}/record/getPaginationRecords", **fields)
    assert texts(found) == ["Again", "Again"]


def test_a_batch_is_deleted_and_unknown_ids_are_passed_over(api: Api) -> None:
    ask(api, chatId="x")
    path = f"{CHAT}/history/batchDelete"
    call(api, "POST", path, appId=APP, chatIds=["x", "x", "nowhere"])
    assert histories(api) == ["one"]


def test_the_status_of_chats_is_told_and_marking_one_answers_nothing(api: Api) -> None:
    path = f"{CHAT}/history/getHistoryStatus"
    found = call(api, "POST", path, appId=APP, chatIds=["one", "nowhere"])["list"]
    assert [(each["chatId"], each["hasBeenRead"]) for each in found] == [("one", True)]
    fields = {"appId": APP, "chatId": "one"}
    assert call(api, "POST", f"{CHAT}/history/markRead", **fields) is None


def test_init_creates_nothing(api: Api) -> None:
    opened = call(api, "GET", f"{CHAT}/init", appId=APP, chatId="new")
    assert (opened["title"], opened["app"]["name"]) == ("", "App")
    assert histories(api) == ["one"]


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

    paced = EventStream.from_chunks([Chunk(b"x", 25_000)] * 4).on(None, pause)
    body = RequestBody({"type": "http"}, cast(Any, None), 0, has_arrived=True)
    asyncio.run(paced.send((), body, send))
    assert pauses == [25_000, 25_000, 10_000]


@pytest.mark.parametrize("name", ["chatID", "chat_id"])
def test_a_field_that_a_completion_misspells_is_a_violation(
    api: Api, name: str
) -> None:
    ask(api, "a", **{name: "x", "model": "m", "stream_options": {}})
    (found,) = api.journal()[-1]["violations"]
    assert (found["name"], found["effect"]) == ("unknown_fields", "ignored")
    assert found["message"].endswith(f'$.{name} (did you mean "chatId"?)')


def test_a_refusal_for_want_of_a_field_names_the_misspelt_one(api: Api) -> None:
    answer = send(api, "POST", f"{CHAT}/history/getHistories", {"appID": APP})
    said = '$.appId (unknown field "appID": did you mean "appId"?)'
    assert answer.json()["message"].endswith(said)
    assert answer.json()["statusText"] == "unAuthChat"


def test_a_restore_goes_on_with_the_next_reply(make_api: MakeApi) -> None:
    api = make_api(WORLD | {"replies": ["Yes.", "No."]}, profile="deployed")
    ask(api)
    api.sandbox.take_snapshot("asked")
    ask(api)
    api.sandbox.restore("asked")
    assert ask(api).json()["choices"][0]["message"]["content"] == "No."


def test_faults_of_pages_spoil_pages_of_records(api: Api) -> None:
    ask(api, "a", chatId="x")
    fields = {"appId": APP, "chatId": "x", "pageSize": 2}
    path = f"{CHAT}/record/getPaginationRecords"
    api.admin("POST", "/faults", {"kind": "page_drift", "insert": 1})
    assert texts(call(api, "POST", path, **fields)) == ["a", "Appeared 1"]
    api.admin("POST", "/faults", {"kind": "wrong_total", "by": 5})
    assert call(api, "POST", path, **fields)["total"] == 7
