"""What completions take for the question, and when they take none."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest
from account import CHAT, COMPLETIONS, Client, content_of, events
from test_replies import leaving

pytestmark = pytest.mark.served(profile="fastgpt-4.16", choices={"training": "instant"})

STREAM = CHAT | {"stream": True}
IMAGE = {"type": "image_url", "image_url": {"url": "http://a/b.png"}}
TEXT = {"type": "text", "text": "C"}


def user(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, **more}


def other(role: str, content: Any = "x", **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


FUNCTION = {"name": "f", "arguments": "{}"}
CALL = {"id": "t", "type": "function", "function": FUNCTION}
CALLS = {"role": "assistant", "tool_calls": [CALL]}
TOOL = other("tool", tool_call_id="t")


def talk(client: Client, *messages: Any, **more: Any) -> Any:
    return client.complete("", messages=messages, **{"chatId": "k"} | more).json()


@pytest.mark.parametrize(
    ("messages", "question"),
    [
        ([user("A"), user("B")], "AB"),
        ([user("A"), TOOL, user("B")], "AB"),
        ([user([{"type": "file", "file": {}}, TEXT])], "C"),
        ([user("A"), CALLS, TOOL, user("B")], "B"),
        ([user("A"), CALLS | {"content": ""}, TOOL, other("assistant", "X")], "X"),
        ([user("A"), CALLS | {"tool_calls": []}, TOOL, user("B")], "AB"),
        ([user("A"), other("assistant", None, reasoning_content="X"), user("B")], "B"),
        ([user("A"), other("assistant", [TEXT], reasoning_content=""), user("B")], "AB"),
        ([user("A"), other("developer"), user([TEXT, IMAGE, TEXT])], "ACC"),
        ([user("A"), other("function", None, name="f"), user("")], "A"),
        ([user("A"), user("B", dataId="b")], "B"),
        ([user("A"), other("assistant", "X"), user("B")], "B"),
        ([user("A"), other("assistant", None), user("B")], "AB"),
        ([user("A"), {"role": "assistant"}, user([])], "A"),
        ([user("A"), other("system", "S"), user("B")], "B"),
        ([user("A"), other("assistant", "B")], "B"),
        ([user("A"), other("system", [TEXT])], "C"),
        ([user("A"), other("assistant", [TEXT])], "A"),
    ],
)
def test_the_end_of_the_messages_is_the_question(client, messages, question):
    reply = talk(client, *messages)
    assert reply["choices"][0]["message"]["content"] == reply["title"] == question
    texts = [it["text"]["content"] for it in client.records()[0]["value"] if "text" in it]
    assert "".join(texts) == question


def test_a_reply_matches_all_of_the_question(client):
    with client.control.reply("Yes.", match={"question": "AB"}):
        assert talk(client, user("A"), user("B"))["choices"][0]["message"]["content"] == "Yes."


NO_TEXTS = [[user("")], [user(" \n")], [user([IMAGE])], [user("A"), CALLS, TOOL]]


@pytest.mark.parametrize("messages", NO_TEXTS)
def test_a_question_without_text_is_an_error_of_the_node(client, messages):
    reply = talk(client, *messages, detail=True)
    assert reply["error"] == "chat:AI_input_is_empty"
    assert reply["choices"][0]["message"]["content"] == "" and "title" not in reply
    asked, replied = client.records()
    assert replied["errorText"] == {"moduleName": "AI Chat", "errorText": reply["error"]}
    if messages == NO_TEXTS[2]:
        assert asked["value"][0]["file"]["key"] is None


NO_QUESTIONS = [({"role": "user"}, 400), ({"role": "tool", "tool_call_id": "t"}, 400), (TOOL, 500)]
NO_QUESTIONS += [({"role": "function", "name": "f"}, 400), (user(None), 400), (user([]), 500)]


@pytest.mark.parametrize(("message", "code"), NO_QUESTIONS)
def test_messages_that_are_refused(client, message, code):
    refused = talk(client, message)
    assert refused["code"] == code and "errorType" not in refused
    assert talk(client)["errorType"] == "UserError"


CALLED = "messages.1.tool_calls.0"
BAD_CALLS = [({"id": 5}, ".id"), ({"type": "x"}, ".type"), ({"function": {}}, ".function.name")]
BAD_CALLS += [({"function": {"name": "f"}}, ".function.arguments"), ({"function": 5}, ".function")]
BAD_PARTS = [{"type": "image_url", "image_url": "http://a/b.png"}, {"type": "image_url"}]
BAD_PARTS += [{"type": "text"}, {"type": "file_url"}, {"type": "nope"}, {"text": "x"}]
WRONG = [(CALLS | {"tool_calls": [CALL | it]}, CALLED + path) for it, path in BAD_CALLS]
WRONG += [(user([TEXT, it]), "messages.1.content.1") for it in BAD_PARTS]
WRONG += [(other("tool"), "messages.1.tool_call_id"), (CALLS | {"tool_calls": None}, CALLED[:-2])]


@pytest.mark.parametrize(("message", "path"), WRONG)
def test_a_wrong_field_of_a_message_is_refused(client, message, path):
    refused = talk(client, user("A"), message, user("B"), stream=True)
    assert refused["code"] == 400
    assert ".".join(map(str, refused["zodError"][0]["path"])) == path


CUT = [("🧳🗼🌍🍜✈️" * 5, "🧳🗼🌍🍜✈️" * 2), ("a" + "🧳" * 12, "a" + "🧳" * 9 + "�")]
CUT += [("  hello  there and so on", "hello  there and so ")]


@pytest.mark.parametrize(("question", "title"), CUT)
def test_a_title_is_cut_in_utf_16(client, question, title):
    assert talk(client, user(question))["title"] == title
    # The service keeps it without blanks.
    assert client.data("GET", "/chat/init?appId=app&chatId=k")["title"] == title.strip()


def test_the_title_comes_first_in_a_stream_with_detail(client):
    stream = events(client.complete_with("Hi.", stream=True, detail=True))
    assert stream[0] == ("chatTitle", {"title": "x"})
    again = [name for name, _ in events(client.complete_with("Hi.", stream=True, detail=True))]
    assert "chatTitle" not in again


def test_variables_that_an_app_does_not_declare_are_dropped(client):
    given = {"city": "Rome", "other": 1}
    for names, kept in ((["city", "age"], {"city": "Rome"}), ([], {}), (None, given)):
        client.control.put_app({"id": "app", "variables": names})
        assert talk(client, user("x"), variables=given, detail=True)["newVariables"] == kept
        opened = client.data("GET", "/chat/init?appId=app&chatId=k")["variables"]
        assert opened == dict.fromkeys(names or ()) | kept
        assert client.control.chat("app", "k").variables == kept


@pytest.mark.parametrize("app", ["app", "plug-in"])
def test_numbers_of_variables_are_those_of_javascript(client, app):
    client.control.put_app({"id": "plug-in", "type": "plugin"})
    sent = '[1192715994825625601, {"a": [1.0, -0.0, 18446744073709551615, 1e400]}, 0.5, true]'
    content = json.dumps(CHAT | {"appId": app, "detail": True, "messages": [user("x")]})[:-1]
    with client.control.reply("Yes.", variables={"n": "{{body.variables.n}}"}):
        response = client.fetch(COMPLETIONS, f'{content}, "variables": {{"n": {sent}}}}}'.encode())
    kept = '{"n":[1192715994825625600,{"a":[1,0,18446744073709552000,null]},0.5,true]}'
    opened = client.get(f"/api/core/chat/init?appId={app}&chatId=k")
    assert f'"newVariables":{kept}' in response.text and f'"variables":{kept}' in opened.text


@pytest.mark.parametrize("path", ["v1", "v2"])
def test_a_chat_that_asks_for_no_record_keeps_nothing(client, path):
    unkept = {"chatId": "NO_RECORD_HISTORIES", "responseChatItemId": "r"}
    with leaving(client, path, **unkept):
        assert talk(client, user("x"), **unkept)["id"] == unkept["chatId"]
    stream = events(client.complete(stream=True, detail=True, **unkept))
    assert "chatTitle" not in dict(stream)
    assert client.records(**unkept) == [] and client.chats() == ["c2", "c1"]


REFUSED = [({"key": "wrong"}, 514), ({"key": "wrong", "messages": []}, 514)]
REFUSED += [({"appId": "0" * 24}, 502000), ({"messages": []}, 500)]


@pytest.mark.parametrize("sent, code", REFUSED)
def test_a_stream_that_fails_before_it_begins_has_no_content_type(client, sent, code):
    refused = client.complete(stream=True, **sent)
    assert refused.status_code == 200 and "content-type" not in refused.headers
    ((name, data),) = events(refused)
    assert (name, data.get("code", 500)) == ("error", code)


def test_a_body_that_is_too_large_is_no_stream(client):
    refused = client.fetch(COMPLETIONS, b'{"stream": true}' + b" " * 10 * 1024**2)
    assert (refused.status_code, refused.text) == (413, "Body exceeded 10mb limit")


def test_other_streams_have_a_content_type(client):
    assert "content-type" in client.complete_with({"error": "late"}, stream=True).headers
    assert client.complete(detail="maybe", stream=True).status_code == 400
    for path in (COMPLETIONS, COMPLETIONS.replace("v1", "v2")):
        refused = client.fetch(path, STREAM | {"appId": "nope", "messages": [user("x")]})
        assert (refused.status_code, refused.json()["zodError"][0]["path"]) == (400, ["appId"])


# One question at a time


def status(client: Client) -> tuple[Any, Any]:
    """What `init` and `getHistories` say of the chat."""
    opened = client.data("GET", "/chat/init?appId=app&chatId=k")
    listed = client.data("POST", "/chat/getHistories", {"appId": "app"})["list"]
    (shown,) = (it for it in listed if it["chatId"] == "k")
    return opened["chatGenerateStatus"], shown["chatGenerateStatus"]


@pytest.mark.parametrize("path", ["v1", "v2"])
def test_a_chat_takes_no_other_question_while_its_reply_streams(client, path):
    with leaving(client, path):
        assert status(client) == (0, 0)
        refused = client.complete(chatId="k")
        assert (refused.status_code, refused.json()["code"]) == (500, 504001)
        ((name, data),) = events(client.complete(**STREAM))
        assert (name, data["statusText"]) == ("error", "chatIsGenerating")
        assert client.complete(chatId="another").status_code == 200
        assert client.complete(appId="says", chatId="k").status_code == 200
    client.control.wait_for("completions" if path == "v1" else "v2.completions", cut=True)
    client.control.remove_chat("app", "another")
    assert status(client) == (1, 1)
    assert client.complete(chatId="k").status_code == 200


def test_a_chat_takes_no_other_question_while_a_whole_reply_waits(client):
    client.control.reply("Late.", stream={"firstTokenMs": 300}, times=1)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(client.complete, "x", chatId="k")
        client.control.wait_for("completions")
        assert client.complete_with("Second.").json()["code"] == 504001
        assert first.result().status_code == 200
    assert client.complete_with("Third.").status_code == 200


def test_a_request_that_a_fault_holds_back_keeps_no_chat_busy(client):
    body = {**STREAM, "messages": [user("x")]}
    for phase in ("before", "after"):
        client.control.fault("delay", operation="completions", ms=60_000, phase=phase)
        with pytest.raises(httpx2.ReadTimeout):
            client.post(COMPLETIONS, json=body, timeout=0.1)
        assert client.complete(chatId="k").status_code == 200


def test_a_question_that_is_too_deep_is_no_json(client):
    deep: Any = {}
    for _ in range(65):
        deep = {"a": deep}
    response = client.complete(variables=deep)
    assert (response.status_code, response.text) == (400, "Invalid JSON")


def test_a_question_without_an_app_is_not_for_a_folder(serve):
    apps = [{"id": "folder", "type": "folder"}, {"id": "app", "replies": ["Hello."]}]
    with Client(serve({"apps": apps})) as client:
        assert content_of(client.complete(appId=None)) == "Hello."
