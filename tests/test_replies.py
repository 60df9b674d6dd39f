"""What completions make of replies: whole, in streams, over several turns, and left halfway."""

from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest
from account import CHAT, COMPLETIONS, Client, content_of, events

from mock_server.store.replies import Part

pytestmark = pytest.mark.served(profile="fastgpt-4.16", choices={"training": "instant"})
CHOICE = {"type": "userSelect", "params": {"description": "Which?", "userSelectOptions": []}}
FORM = {"type": "userInput", "params": {"inputForm": [{"key": "name", "type": "input"}]}}
CITE = "67e517e74767063e882d6861"


def message(client: Client, *parts: Any, **more: Any) -> Any:
    """The message of a reply with these parts, in one piece."""
    return client.complete_with(*parts, **more).json()["choices"][0]["message"]


def streamed(response: httpx2.Response) -> str:
    """The text that a stream says."""
    chunks = [it for name, it in events(response) if isinstance(it, dict) and "choices" in it]
    return "".join(it["choices"][0]["delta"].get("content") or "" for it in chunks)


WHOLE = [([{"interactive": CHOICE}], True, [{"interactive": CHOICE, "type": "interactive"}])]
WHOLE += [([{"interactive": CHOICE}], False, None), (["A", "B"], False, "AB")]
WHOLE += [(["A", "B"], True, "AB"), ([{"fast": "F"}], False, "\nF")]
WHOLE += [(["A", {"fast": "F"}], False, "A\nF")]
WHOLE += [([{"reasoning": "t"}, "A", "B", {"node": "n"}, "C"], False, "AB\nC")]
WHOLE += [([{"reasoning": "t"}], False, ""), (["A", {"interactive": CHOICE}], False, "A")]


@pytest.mark.parametrize(("parts", "detail", "expected"), WHOLE)
def test_a_whole_reply(client, parts, detail, expected):
    assert message(client, *parts, detail=detail).get("content") == expected


def test_a_tool_alone_is_a_value(client):
    tool = {"name": "find", "params": {"q": 1}}
    (value,) = content_of(client.complete_with({"tool": tool}, detail=True))
    assert (value["type"], value["tools"][0]["params"]) == ("tool", '{"q":1}')


def test_a_thought_and_its_text_are_one_value(client):
    thought = {"role": "assistant", "content": "A", "reasoning_content": "t"}
    assert message(client, {"reasoning": "t"}, "A", detail=True) == thought
    (value,) = client.records()[1]["value"]
    assert value == {"type": "text", "reasoning": {"content": "t"}, "text": {"content": "A"}}


def test_a_node_that_fails(client):
    failing = {"node": "AI chat", "error": "boom"}
    reply = client.complete_with(failing, detail=True).json()
    assert (reply["error"], reply["choices"][0]["message"]["content"]) == ("boom", "")
    assert reply["responseData"][0]["errorText"] == "boom"
    assert client.complete_with(failing, {"node": "B"}, "Yes.").json()["error"] == "boom"
    stream = events(client.complete_with(failing, stream=True))
    assert [name for name, _ in stream] == ["", ""] and stream[-1] == ("", "[DONE]")
    named = dict(events(client.complete_with(failing, stream=True, detail=True)))
    assert "error" not in named and named["flowResponses"][0]["errorText"] == "boom"


@pytest.mark.parametrize("path", ["v1", "v2"])
def test_a_choice_completes_the_old_reply(client, path):
    client.complete_with("Hm.", {"interactive": CHOICE}, responseChatItemId="first")
    with client.control.reply("Blue it is."):
        body = {**CHAT, "messages": [{"role": "user", "content": "blue"}]}
        reply = client.post(f"/api/{path}/chat/completions", json=body).json()
    assert reply["choices"][0]["message"]["content"] == "Blue it is."
    asked, replied = client.records()
    assert (asked["dataId"], replied["dataId"]) == ("first", "first")
    text, choice, more = replied["value"]
    assert choice["interactive"]["params"]["userSelectedVal"] == "blue"
    assert [text["text"]["content"], more["text"]["content"]] == ["Hm.", "Blue it is."]
    client.complete("next", chatId="k")
    assert len(client.records()) == 4


def test_a_form_keeps_its_values(client):
    client.complete_with({"interactive": FORM})
    client.complete('{"name": "Ada"}', chatId="k")
    params = client.records()[1]["value"][0]["interactive"]["params"]
    assert (params["submitted"], params["inputForm"][0]["value"]) == (True, "Ada")


@pytest.mark.parametrize("error", ["down", ""])
def test_a_choice_stays_open_while_the_answer_fails(client, error):
    client.complete_with({"interactive": CHOICE})
    client.complete_with({"error": error})
    assert "userSelectedVal" not in client.records()[1]["value"][0]["interactive"]["params"]
    assert len(client.records()) == 2


def test_a_conversation_that_is_sent_along_answers_no_choice(client):
    client.complete_with({"interactive": CHOICE})
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    client.complete("", chatId="k", messages=[*messages, {"role": "user", "content": "c"}])
    assert len(client.records()) == 4


def test_variables_are_kept(client):
    client.complete(chatId="k", variables={"name": "Ada", "age": 3})
    reply = client.complete(chatId="k", variables={"age": 4}, detail=True).json()
    assert reply["newVariables"] == {"name": "Ada", "age": 4}
    opened = client.data("GET", "/chat/init?appId=app&chatId=k")
    assert opened["variables"] == {"name": "Ada", "age": 4}


def test_marks_of_citations_are_left_out(client):
    whole = f"a[{CITE}](CITE)b[id](CITE)"
    parts = (whole[:1], whole[1:])
    assert message(client, *parts)["content"] == "ab"
    assert client.records()[-1]["value"][0]["text"]["content"] == "ab"
    assert streamed(client.complete_with(*parts, stream=True)) == "ab"
    assert client.records()[-1]["value"][0]["text"]["content"] == whole
    kept = {"retainDatasetCite": True}
    assert message(client, *parts, **kept)["content"] == f"a[{CITE}](CITE)b"
    assert streamed(client.complete_with(*parts, stream=True, **kept)) == whole
    assert message(client, {"reasoning": f"r[{CITE}]"}, "x")["reasoning_content"] == "r"


@pytest.mark.parametrize("at", [2, 10, 27, 30])
def test_a_mark_that_is_split_leaves_no_rest(client, at):
    cut = [f"a [{CITE}](CITE)."[:at], f"a [{CITE}](CITE)."[at:]]
    for parts in (cut, [{"deltas": cut}], [cut[0], {"pauseMs": 1}, {"node": "N"}, cut[1]]):
        assert message(client, *parts)["content"] == "a ."
        assert streamed(client.complete_with(*parts, stream=True)) == "a ."
    thoughts = [{"reasoning": it} for it in cut]
    assert message(client, *thoughts, "x")["reasoning_content"] == "a ."
    assert message(client, "[i", "d](CITE)", retainDatasetCite=True)["content"] == ""


def question(url: str, type: str = "image_url") -> list[Any]:
    image = {"type": type, "image_url": {"url": url}, "url": url, "name": "a.pdf"}
    return [{"role": "user", "content": [{"type": "text", "text": "See"}, image]}]


@pytest.mark.parametrize("data", ["png;base64,!!!", "png;base64,AAAAA", "png,x"])
def test_a_broken_image_is_refused(client, data):
    url = f"data:image/{data}"
    refused = client.complete("", messages=question(url))
    assert (refused.status_code, refused.json()["code"]) == (500, 500)
    assert "Invalid image base64 data URL" in refused.json()["message"]
    ((name, data),) = events(client.complete("", messages=question(url), stream=True))
    assert name == "error" and "code" not in data


def test_files_of_a_question_are_kept(client):
    image = "data:image/png;base64," + b64encode(b"pixels").decode()
    sent = [(image, "image_url"), ("http://a/b.png", "image_url"), ("http://a/b", "file_url")]
    for url, type in sent:
        client.complete("", messages=question(url, type), chatId="k")
    values = [it["value"] for it in client.records() if it["obj"] == "Human"]
    assert [it[0] for it in values] == [{"type": "text", "text": {"content": "See"}}] * 3
    files = [it[1]["file"] for it in values]
    assert files[0]["key"].endswith(".png") and files[0]["url"] == ""
    others = [(it["type"], it["url"]) for it in files[1:]]
    assert others == [("image", "http://a/b.png"), ("file", "http://a/b")]


PAUSED = ("One ", "two ", {"pauseMs": 60_000}, "three")


@contextmanager
def leaving(
    client: Client, path: str = "v1", parts: Any = PAUSED, last="two", pace: Any = None, **more: Any
) -> Iterator[None]:
    """Read a stream up to a word, and leave at the end of the block."""
    body = {**CHAT, "stream": True, **more}
    body["messages"] = [{"role": "user", "content": "x"}]
    client.control.reply(parts=parts, times=1, stream=pace)
    with client.stream("POST", f"/api/{path}/chat/completions", json=body) as response:
        pieces = response.iter_text()  # kept, as a stream ends with its iterator
        next(it for it in pieces if last in it)
        yield


def test_a_client_that_leaves_ends_the_run(client):
    with leaving(client):
        assert len(client.records()) == 2
    entry = client.control.wait_for("completions", cut=True)
    assert entry["response"]["cut"] is True
    assert "two" in entry["response"]["body"] and "three" not in entry["response"]["body"]
    assert client.records()[1]["value"][0]["text"]["content"] == "One two "
    client.control.assert_called("completions", times=1, cut=True)
    client.complete()
    client.control.assert_called("completions", times=1, cut=False)


@pytest.mark.parametrize("name", ["text", "reasoning"])
def test_a_client_that_leaves_within_a_part_has_its_first_words(client, name):
    slowly = {"tokensPerSecond": 0.1}
    with leaving(client, parts=[{name: "One two three"}], last="One", pace=slowly):
        pass
    client.control.wait_for("completions", cut=True)
    assert client.control.chat("app", "k").records[-1].parts == (Part(**{name: "One "}),)


def test_a_client_that_leaves_v2_does_not_end_the_run(client):
    with leaving(client, "v2"):
        pass
    assert client.control.wait_for("v2.completions", cut=True)["response"]["cut"] is True
    assert client.records()[1]["value"][0]["text"]["content"] == "One two three"


def test_a_client_that_leaves_before_a_whole_reply(client):
    client.control.reply(parts=PAUSED, times=1)
    asked = {**CHAT, "messages": [{"role": "user", "content": "x"}]}
    with pytest.raises(httpx2.ReadTimeout):
        client.post(COMPLETIONS, json=asked, timeout=0.1)
    assert client.control.wait_for("completions", cut=True)["response"]["body"] is None
    assert client.records()[1]["value"] == [{"type": "text", "text": {"content": ""}}]


@pytest.mark.parametrize("detail", [False, True])
def test_a_reply_that_is_stopped_ends_in_order(client, detail):
    client.control.reply(parts=PAUSED, times=1)
    question = {"role": "user", "content": "x"}
    asked = {**CHAT, "stream": True, "detail": detail, "messages": [question]}
    with client.stream("POST", "/api/v2/chat/completions", json=asked) as response:
        pieces = response.iter_text()
        sent = next(it for it in pieces if "two" in it)
        stopped = client.post("/api/v2/chat/stop", json=CHAT).json()["data"]
        sent += "".join(pieces)
    assert stopped == {"success": True, "completed": True, "chatGenerateStatus": 1}
    assert "three" not in sent and sent.endswith("data: [DONE]\n\n")
    assert '"finish_reason":"stop"' in sent
    assert client.records()[1]["value"][0]["text"]["content"] == "One two "


def test_a_reply_of_v1_is_not_stopped(client):
    with leaving(client):
        stop = client.post("/api/v2/chat/stop", json=CHAT)
    assert stop.json()["data"] == {"success": True, "completed": False, "chatGenerateStatus": 0}


def test_a_reply_in_one_piece_that_is_stopped_comes_whole(client):
    client.control.reply(parts=PAUSED, times=1)
    asked = {**CHAT, "messages": [{"role": "user", "content": "x"}]}
    with ThreadPoolExecutor() as pool:
        coming = pool.submit(client.post, "/api/v2/chat/completions", json=asked)
        client.control.wait_for("v2.completions", cut=None)
        client.post("/api/v2/chat/stop", json=CHAT)
        reply = coming.result().json()
    assert reply["choices"][0]["message"]["content"] == "One two three"


def test_a_stop_where_nothing_streams_changes_nothing(client):
    client.complete_with("Whole.")
    before = client.control.call("GET", "/state")
    assert client.post("/api/v2/chat/stop", json=CHAT).json()["data"]["completed"] is True
    assert client.post("/api/v2/chat/stop", json=CHAT | {"chatId": "no"}).json()["code"] == 200
    assert client.post("/api/v2/chat/stop", json=CHAT | {"appId": "no"}).json()["code"] == 400
    assert client.control.call("GET", "/state") == before


def test_a_reset_keeps_its_records_when_an_older_client_leaves(client):
    with leaving(client, responseChatItemId="i"):
        client.control.reset()
        client.complete_with("Whole.", responseChatItemId="i")
    client.complete()  # the server has read the end of the older connection by then
    assert client.records()[1]["value"][0]["text"]["content"] == "Whole."


def test_a_choice_is_answered_though_the_client_leaves(client):
    client.complete_with({"interactive": CHOICE})
    with leaving(client):
        pass
    client.control.wait_for("completions", cut=True)
    choice, text = client.records()[1]["value"]
    assert choice["interactive"]["params"]["userSelectedVal"] == "x"
    assert text["text"]["content"] == "One two "


def test_histories_of_a_source_or_a_time(client):
    client.complete(chatId="k")
    old = {"chatId": "old", "source": "share", "createTime": "2020-01-01T00:00:00Z"}
    client.control.put_chat("app", old)
    assert client.chats(source="share") == ["old"]
    assert client.chats(source="api", startUpdateTime="2025-01-01") == ["k"]
    assert client.chats(endCreateTime="2020-01-01T00:00:00.000Z") == ["old"]
    assert client.code("POST", "/chat/getHistories", {"appId": "app", "endCreateTime": "x"}) == 500
    client.data("DELETE", "/chat/clearHistories?appId=app")
    assert client.chats() == ["old"]


def test_deltas_are_streamed_exactly_so(client):
    deltas = ["Hel", "lo, good", " world"]
    stream = events(client.complete_with({"deltas": deltas}, "One two", stream=True))
    texts = [it["choices"][0]["delta"]["content"] for _, it in stream if isinstance(it, dict)]
    assert texts == [*deltas, "One ", "two", None]
    assert client.records()[1]["value"][0]["text"]["content"] == "Hello, good worldOne two"


def test_variables_that_a_workflow_sets_are_kept(client):
    client.control.put_app({"id": "app", "variables": ["city"]})
    client.control.reply("Hello.", variables={"d3": [1]}, times=1)
    body = {"appId": "app", "chatId": "k", "detail": True, "variables": {"city": "Bonn", "x": 1}}
    for _ in range(2):
        found = client.complete("Hi.", **body).json()["newVariables"]
        assert found == {"city": "Bonn", "d3": [1]}
    opened = client.data("GET", "/chat/init?appId=app&chatId=k")
    assert opened["variables"] == {"city": "Bonn", "d3": [1]}


@pytest.mark.parametrize("stream", [False, True])
def test_a_node_has_the_fields_that_a_reply_says(client, stream):
    plan = {"node": "Plan", "fields": {"textOutput": "A", "pluginOutput": {"b": 1}}}
    parts = [{"fields": {"moduleName": "S"}}, plan, "Done."]
    response = client.complete_with(*parts, detail=True, stream=stream)
    results = response.json()["responseData"] if not stream else None
    if stream:
        results = next(it for name, it in events(response) if name == "flowResponses")
    assert [it["moduleName"] for it in results] == ["S", "Plan"]
    assert (results[1]["textOutput"], results[1]["pluginOutput"]) == ("A", {"b": 1})
    assert response.text.count("flowNodeStatus") == stream


@pytest.mark.parametrize("part", [{"deltas": []}, {"fields": 1}, {"node": "n", "text": "x"}])
def test_a_part_says_one_thing(client, part):
    with pytest.raises(ValueError, match=r"deltas$|fields"):
        client.control.reply(parts=[part])


def test_placeholders_are_filled_in_replies(client):
    parts = ["Dear {{body.variables.name}}, no. {{count}}.", {"deltas": ["{{body.n}}"]}]
    node = {"node": "N {{body.n}}", "fields": {"n": "{{body.n}}"}}
    client.control.reply(parts=[*parts, node], variables={"n": "{{body.n}}"})
    body = {"appId": "app", "detail": True, "variables": {"name": "Ann"}, "n": 7}
    found = client.complete("Hi.", **body).json()
    assert found["choices"][0]["message"]["content"] == "Dear Ann, no. 1.7"
    assert found["newVariables"]["n"] == found["responseData"][0]["n"] == 7
    assert found["responseData"][0]["moduleName"] == "N 7"


def test_a_reply_whose_placeholders_find_nothing_is_no_failure(client):
    parts = [{"interactive": {"type": "{{body.no}}", "params": {"inputForm": []}}}]
    parts += [{"tool": {"name": "{{body.no}}", "params": {"a": "{{body.no}}"}}}]
    for _ in range(2):
        assert client.complete_with(*parts, detail=True).status_code == 200
