"""Replies that a test or a fixture scripts: whole, streamed, in turn."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.api.related.world import APP, OWNER, WORLD, call, related_routes, send
from tests.conftest import MakeApi
from tests.support import Api

COMPLETIONS = "/api/v1/chat/completions"
TOOL = {"name": "weather", "params": {"city": "Ulm"}, "response": "rain"}
LONG = "A question of more than twenty characters"
QUOTE = {"id": "q1", "q": "A question", "sourceName": "Handbook"}
FULL: list[Any] = [
    {"node": "AI chat"},
    {"reasoning": "Let me see"},
    "It is raining.",
    {"tool": TOOL},
    {"quotes": [QUOTE]},
    {"fast": "Goodbye"},
    {"interactive": {"type": "userSelect", "params": {}}},
]


@pytest.fixture
def api(make_api: MakeApi) -> Api:
    """The world under profile `deployed`."""
    return related_routes(make_api)


def reply(api: Api, text: str | None = None, **fields: Any) -> dict[str, Any]:
    given = fields if text is None else {"text": text, **fields}
    answer = api.admin("POST", "/faults", {"kind": "reply", **given})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def ask(api: Api, question: str = "How are you?", **fields: Any) -> Any:
    messages = [{"role": "user", "content": question}]
    body = {"appId": APP, "chatId": "c", "messages": messages} | fields
    return send(api, "POST", COMPLETIONS, body)


def said(answer: Any) -> Any:
    return answer.json()["choices"][0]["message"]["content"]


def events(answer: Any) -> list[tuple[str | None, Any]]:
    """The names and data of a stream's events."""
    found: list[tuple[str | None, Any]] = []
    for event in answer.text.split("\n\n")[:-1]:
        *head, data = event.split("\n")
        text = data.removeprefix("data: ")
        name = head[0].removeprefix("event: ") if head else None
        found.append((name, text if text == "[DONE]" else json.loads(text)))
    return found


def deltas(answer: Any, key: str = "content") -> str:
    """All that the deltas of a stream say."""
    found = [data for _, data in events(answer) if isinstance(data, dict)]
    choices = [each["choices"][0]["delta"] for each in found if "choices" in each]
    return "".join(each.get(key) or "" for each in choices)


def test_a_reply_is_said_until_the_reset(api: Api) -> None:
    reply(api, "Friday.")
    assert [said(ask(api)) for _ in range(2)] == ["Friday.", "Friday."]
    api.admin("POST", "/reset")
    assert said(ask(api)) == "How are you?"


def test_a_question_is_repeated_with_a_hint_where_no_reply_fits(api: Api) -> None:
    reply(api, "Friday.", match={"question": "When"})
    assert said(ask(api)) == "How are you?"
    assert "no reply fits" in api.journal()[-1]["hint"]


def test_replies_with_times_are_a_sequence(api: Api) -> None:
    for text in ("One.", "Two."):
        reply(api, text, times=1)
    assert [said(ask(api)) for _ in range(3)] == ["One.", "Two.", "How are you?"]


def test_no_earlier_question_is_matched_than_the_last(api: Api) -> None:
    reply(api, "Rain.", match={"question": "weather"})
    asked = [{"role": "user", "content": text} for text in ("The weather?", "")]
    assert said(ask(api, messages=asked)) != "Rain."
    assert said(ask(api, messages=asked[::-1])) == "Rain."


def test_a_reply_is_said_to_the_question_that_it_matches(api: Api) -> None:
    reply(api, "Rain.", match={"question": "WEATHER"})
    assert said(ask(api, "How is the weather?")) == "Rain."
    assert said(ask(api, "How are you?")) == "How are you?"


def test_several_texts_are_lines_or_with_detail_parts(api: Api) -> None:
    reply(api, parts=["One.", "Two."])
    assert said(ask(api)) == "One.\nTwo."
    assert said(ask(api, detail=True)) == [
        {"type": "text", "text": {"content": each}} for each in ("One.", "Two.")
    ]


def test_a_whole_reply_holds_every_part_as_the_service_does(api: Api) -> None:
    reply(api, parts=FULL)
    answer = ask(api, detail=True).json()
    message = answer["choices"][0]["message"]
    assert message["reasoning_content"] == "Let me see"
    assert [each["type"] for each in message["content"]] == [
        "reasoning",
        "text",
        "tool",
        "text",
        "interactive",
    ]
    (tool,) = message["content"][2]["tools"]
    assert (tool["toolName"], tool["params"]) == ("weather", '{"city":"Ulm"}')
    data = answer["responseData"]
    assert [each["moduleName"] for each in data] == [
        "AI chat",
        "weather",
        "Dataset search",
    ]
    assert data[2]["quoteList"] == [QUOTE]


def test_a_stream_with_detail_has_the_events_of_the_service_in_order(api: Api) -> None:
    reply(api, parts=FULL)
    answer = ask(api, stream=True, detail=True)
    names = [name for name, _ in events(answer)]
    assert list(dict.fromkeys(names)) == [
        "flowNodeStatus",
        "answer",
        "toolCall",
        "toolParams",
        "toolResponse",
        "fastAnswer",
        "interactive",
        "workflowDuration",
        "chatTitle",
        "flowResponses",
    ]
    assert names[-3:] == ["answer", "flowResponses", "answer"]
    assert deltas(answer) == "It is raining.\nGoodbye"
    assert deltas(answer, "reasoning_content") == "Let me see"


def test_a_stream_without_detail_has_deltas_without_names(api: Api) -> None:
    reply(api, parts=FULL)
    answer = ask(api, stream=True)
    assert {name for name, _ in events(answer)} == {None}
    assert deltas(answer) == "It is raining.\nGoodbye"
    assert events(answer)[-1] == (None, "[DONE]")
    first = events(answer)[0][1]["choices"][0]["delta"]
    assert first == {"role": "assistant", "reasoning_content": "Let "}


def test_a_stream_is_framed_in_chunks_and_not_kept(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    headers = ask(api, stream=True).headers
    assert headers["content-type"] == "text/event-stream;charset=utf-8"
    assert "content-length" not in headers
    assert headers["cache-control"] == "no-cache, no-transform"


@pytest.mark.parametrize(
    ("error", "status_text", "shown"),
    [
        ("Model is busy", "error", {"message": "Model is busy"}),
        (
            {"code": 514, "statusText": "unAuthApiKey", "message": "No"},
            "unAuthApiKey",
            {"code": 514, "statusText": "unAuthApiKey", "message": "No", "data": None},
        ),
    ],
)
def test_an_error_ends_a_stream_without_stop_and_done(
    api: Api, error: Any, status_text: str, shown: Any
) -> None:
    reply(api, parts=["One ", {"error": error}])
    answer = ask(api, stream=True)
    assert answer.status_code == 200
    assert events(answer)[-1] == ("error", shown)
    assert deltas(answer) == "One "
    whole = ask(api)
    assert (whole.status_code, whole.json()["statusText"]) == (500, status_text)


def test_a_reply_is_kept_in_the_records(api: Api) -> None:
    reply(api, parts=FULL)
    ask(api)
    path = "/api/core/chat/record/getPaginationRecords"
    *_, record = call(api, "POST", path, appId=APP, chatId="c")["list"]
    assert [each["type"] for each in record["value"]] == [
        "reasoning",
        "text",
        "tool",
        "text",
        "interactive",
    ]
    state = api.admin("GET", "/state").json()
    assert api.admin("PUT", "/state", state).status_code == 200
    assert api.admin("GET", "/state").json() == state


def test_the_first_turn_makes_the_title_and_tells_it(api: Api) -> None:
    first, second = (ask(api, text, chatId="n").json() for text in (LONG, "Another"))
    assert first["title"] == "A question of more t"
    assert "title" not in second


def test_the_replies_of_an_app_take_turns_and_end_by_times(make_api: MakeApi) -> None:
    replies = [
        {"text": "Once.", "times": 1},
        "Again.",
        {"text": "Rain.", "match": {"question": "weather"}},
    ]
    apps = [{"id": APP, "replies": replies}]
    api = make_api({"apps": apps, "replies": ["Never."]}, profile="deployed")
    assert [said(ask(api)) for _ in range(3)] == ["Once.", "Again.", "Again."]
    assert said(ask(api, "The weather?")) == "Rain."
    document = api.admin("GET", "/state").json()
    assert document["apps"][0]["replies"] == replies
    api.admin("POST", "/reset")
    assert said(ask(api)) == "Once."


def test_a_match_goes_before_none_and_those_with_the_same_take_turns(
    make_api: MakeApi,
) -> None:
    rain, snow = {"question": "rain"}, {"question": "snow"}
    replies = [
        "General.",
        {"text": "Rain 1.", "match": rain},
        {"text": "Snow.", "match": snow},
        {"text": "Rain 2.", "match": rain},
    ]
    api = make_api({"apps": [{"id": APP, "replies": replies}]}, profile="deployed")
    questions = ("Rain?", "Hello", "Snow?", "Rain and snow?", "Snow?", "Rain?")
    assert [said(ask(api, each)) for each in questions] == [
        "Rain 1.",
        "General.",
        "Snow.",
        "Rain 2.",
        "Snow.",
        "Rain 1.",
    ]


def test_a_test_replies_before_the_fixture_does(make_api: MakeApi) -> None:
    api = make_api(WORLD | {"replies": ["Declared."]}, profile="deployed")
    reply(api, "Added.", times=1)
    assert [said(ask(api)) for _ in range(2)] == ["Added.", "Declared."]


def test_a_snapshot_knows_whose_turn_it_is(make_api: MakeApi) -> None:
    api = make_api(WORLD | {"replies": ["One.", "Two."]}, profile="deployed")
    ask(api)
    api.admin("PUT", "/snapshots/s")
    assert said(ask(api)) == "Two."
    api.admin("POST", "/snapshots/s/restore")
    assert said(ask(api)) == "Two."


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "Expected text or parts, got nothing - at $.text"),
        ({"text": "", "parts": []}, "Expected text or parts, got both - at $.text"),
        ({"parts": [{}]}, "Expected exactly one of text, reasoning, node, fast, tool"),
        ({"parts": [{"text": "", "node": ""}]}, "got text and node - at $.parts.0"),
        ({"parts": [{"error": "x"}, "y"]}, "Expected nothing after this part"),
        ({"parts": [{"txt": "x"}]}, "unknown field 'txt' (did you mean 'text'?)"),
        ({"parts": [{"pauseMs": 60_001}]}, "- at $.parts[0].pauseMs"),
        ({"parts": [{"pauseMs": 40_000}] * 2}, "pauses of at most 60000 ms together"),
        ({"parts": ["x"] * 201}, "Expected at most 200 parts, got 201"),
        ({"text": "x", "stream": {"tokensPerSecond": 0}}, "- at $.stream"),
        ({"text": "x", "operation": "listV2"}, "Expected completions, got"),
    ],
)
def test_a_wrong_reply_is_refused(
    api: Api, fields: dict[str, Any], message: str
) -> None:
    answer = api.admin("POST", "/faults", {"kind": "reply", **fields})
    assert answer.status_code == 400
    assert message in answer.json()["message"]


def test_a_wrong_reply_of_a_fixture_is_told_with_its_place(api: Api) -> None:
    apps = [{"id": "a", "replies": ["x", {"parts": [{"node": "n", "cut": True}]}]}]
    refused = api.admin("PUT", "/state", {"apps": apps}).json()["message"]
    assert "Expected exactly one of text, reasoning" in refused
    assert "state:1:45" in refused


@pytest.mark.parametrize(
    ("match", "message"),
    [
        ({"body": {"q": "x" * 1_024}}, "Expected at most 1024 bytes, got more"),
        ({"body": {"q": [0] * 64}}, "Expected at most 64 fields and items, nested"),
        ({"body": {"q": [{"contains": "x"}] * 3}}, "Expected at most 2 texts with a"),
        ({"headers": {"x-a": 5}}, 'Expected a text, {"contains": "..."} or'),
    ],
)
def test_the_match_of_a_declared_reply_is_bounded(
    api: Api, match: dict[str, Any], message: str
) -> None:
    replies = [{"text": "x", "match": match}]
    for document in ({"replies": replies}, {"apps": [{"id": "a", "replies": replies}]}):
        refused = api.admin("PUT", "/state", document)
        assert message in refused.json()["message"]


def test_a_declared_reply_matches_headers_in_any_case(make_api: MakeApi) -> None:
    replies = [{"text": "Yes.", "match": {"headers": {"X-Own": "a"}}}]
    api = make_api({"apps": [{"id": APP}], "replies": replies})
    body = {"appId": APP, "messages": [{"role": "user", "content": "x"}]}
    headers = {"authorization": f"Bearer {OWNER}", "x-oWN": "a"}
    assert said(api.client.post(COMPLETIONS, json=body, headers=headers)) == "Yes."
