"""Answers: given, told, taken away."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import httpx2
import pytest

from mock_server import MockServerFixture
from mock_server.exceptions import AnswerWarning

Send = Callable[..., httpx2.Response]
Pin = Callable[..., int]
Ids = Callable[..., list[str]]


@pytest.mark.filterwarnings("ignore:.*The answer differs")
def test_an_operation_is_answered_until_a_reset(
    server: MockServerFixture, ids: Ids
) -> None:
    added = server.respond("listV2", data={"list": [{"_id": "a"}], "total": 1}, times=2)
    assert [ids(), ids(), ids()] == [["a"], ["a"], ["guides", "install"]]
    assert (added.kind, added.fired) == ("answer", 2)
    server.respond("listV2", data={"list": [], "total": 0})
    assert ids() == []
    server.reset()
    assert ids() == ["guides", "install"]


@pytest.mark.parametrize(
    ("fields", "content"),
    [
        ({"json": None}, b"null"),
        ({"text": "é"}, "é".encode()),
        ({"body": b"\xff"}, b"\xff"),
        ({}, b""),
    ],
)
def test_any_path_is_answered(
    server: MockServerFixture, send: Send, fields: dict[str, Any], content: bytes
) -> None:
    headers = {"X-Trace": "7"}
    server.respond("POST /api/x/{id}", status=201, headers=headers, **fields)
    answer = send("POST", "/api/x/5", None)
    assert (answer.status_code, answer.content) == (201, content)
    assert answer.headers["x-trace"] == "7"


def test_an_answer_may_be_for_some_requests_late_or_after_the_operation(
    server: MockServerFixture, pin: Pin
) -> None:
    match = {"body": {"top": True}}
    server.respond("updateHistory", status=500, match=match, skip=1, phase="after")
    assert [pin(False), pin(True), pin(True)] == [200, 200, 500]
    assert server.chat("app-1", "chat-1").top
    long = timedelta(seconds=1)
    server.respond("GET /api/x", delay_ms=long, ttl=timedelta(minutes=2))
    late = server.faults[-1]
    assert (late["delayMs"], late["ttl"]) == (1000, 120)


def test_an_answer_lasts_as_long_as_its_block(
    server: MockServerFixture, pin: Pin
) -> None:
    fault = partial(server.fault, "answer", operation="updateHistory")
    for add in (partial(server.respond, "updateHistory"), fault):
        with add(status=500) as added:
            assert [pin(), pin()] == [500, 500]
            assert server.faults[0]["endsIn"] is None
        assert (pin(), added.fired) == (200, 2)
    never = r"the answer f3 \(answer of listV2\) matched no request and never fired"
    with (
        pytest.raises(AssertionError, match=never),
        server.respond("listV2", status=500),
    ):
        pin()
    assert server.faults == []


def test_a_chat_completion_says_what_a_test_wants(
    server: MockServerFixture, send: Send
) -> None:
    def said(question: str) -> Any:
        messages = [{"role": "user", "content": question}]
        path, body = "/api/v1/chat/completions", {"appId": "app-1", "chatId": "new"}
        answer = send("POST", path, "owner-key", **body, messages=messages).json()
        return answer["choices"][0]["message"]["content"]

    with server.reply("Within 30 days.", match={"question": "refund"}) as added:
        assert said("Is a Refund possible?") == "Within 30 days."
        assert said("Hello") != "Within 30 days."
    assert added.fired == 1
    server.reply(
        parts=[{"reasoning": "Hm."}, "Yes."], stream={"firstTokenMs": 1}, times=1
    )
    assert said("refund") == "Yes."


def test_only_faults_have_to_fire(server: MockServerFixture) -> None:
    server.respond("listV2", status=500)
    faults = server.faults
    assert [each["kind"] for each in faults] == ["answer"]
    assert (faults.all_fired(), server.unfired()) == (True, [])


def test_what_may_not_be_meant_is_warned_of(server: MockServerFixture) -> None:
    with pytest.warns(AnswerWarning, match=r"Expected an array, got 5 - at \$.data"):
        added = server.respond("listV2", data={"list": 5})
    assert len(added.warnings) == 1
    with pytest.warns(AnswerWarning, match="f1, added before") as told:
        server.respond("listV2", status=500)
    assert told[0].filename == __file__
    with pytest.warns(AnswerWarning, match="200 is no error") as told:
        server.fault("error", status=200).remove()
    assert told[0].filename == __file__
