"""`import har`: recorded completions become replies, and nothing else is kept."""

import gzip
import re
from base64 import b64encode
from contextlib import suppress
from io import BytesIO

import httpx2
import pytest
import yaml
from account import Client, examples, mentions
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec import json

from mock_server import MockServer
from mock_server.fixture.load import load_fixture
from mock_server.tools.har import fixture_of_recording

SECRET = "s3cr3t-marker"
PATH = "/api/{}/chat/completions"


@pytest.fixture(scope="module")
def asked():
    with MockServer() as server, Client(server) as client:
        yield client


def entry(content, question="Hi", version="v1", **fields):
    """The entry of a recording for a question with this response."""
    sent = {"messages": [{"role": "user", "content": question}]} | fields
    url = f"https://a.test{PATH.format(version)}?key={SECRET}"
    request = {"method": "POST", "url": url, "postData": {"text": json.encode(sent).decode()}}
    response = {"status": 200, "content": {"text": content}}
    return {"request": request, "response": response, "timings": {"wait": 20.5, "receive": 400}}


def ask(client, question="Hi", version="v1", **fields):
    """The entry of a question to a server, which may break the connection."""
    recorded = entry("", question, version, appId="app", **fields)
    sent = json.decode(recorded["request"]["postData"]["text"])
    response = recorded["response"]
    streamed = client.stream("POST", PATH.format(version), json=sent)
    with suppress(httpx2.RemoteProtocolError), streamed as stream:
        response["status"] = stream.status_code
        for piece in stream.iter_text():
            response["content"]["text"] += piece
    return recorded


def imported(*entries, app=None, **more):
    return fixture_of_recording(BytesIO(json.encode({"log": {"entries": entries}})), app, **more)


def part(name, values):
    return st.fixed_dictionaries({name: values})


WORDS = st.text('ab \n是"\\', max_size=6)
VALUES = st.recursive(st.none() | st.booleans() | WORDS, st.lists, max_leaves=3)
OBJECTS = st.dictionaries(st.sampled_from(["q", "r"]), VALUES, max_size=2)
CALLS = {"name": st.sampled_from(["t", "u"]), "params": WORDS | OBJECTS, "response": WORDS}
HIDDEN = {"fields": {"moduleName": "S", "moduleType": "s"}}
NODES = {"node": st.sampled_from(["A", "B"])}
RAWS = (": ping\n\n", "event: plan\ndata: {}\n\n", "event: answer\ndata: x\n\n", "data: {}\n\n")
PARTS = WORDS.filter(bool) | part("deltas", st.lists(WORDS, min_size=1)) | part("fast", WORDS)
PARTS |= part("reasoning", WORDS.map("{} ".format)) | part("raw", st.sampled_from(RAWS))
PARTS |= st.fixed_dictionaries(NODES, optional={"fields": OBJECTS, "error": WORDS})
PARTS |= part("tool", st.fixed_dictionaries(CALLS)) | part("quotes", st.lists(OBJECTS, max_size=2))
PARTS |= part("interactive", part("params", OBJECTS)) | st.just(HIDDEN)
ENDS = st.sampled_from([[], [{"cut": True}], [{"raw": 'data: {"id'}, {"cut": True}]])
ENDS |= st.tuples(part("error", WORDS | st.just({"code": 9, "statusText": "s", "message": "m"})))
FORMS = {"version": st.sampled_from(["v1", "v2"]), "stream": st.booleans(), "detail": st.booleans()}


def shown(recorded):
    """The response, without what its form does not tell: a tool or a thought beside no text."""
    content = recorded["response"]["content"]["text"]
    if '"choices"' not in content or content[:1] != "{":
        return content
    body = json.decode(content)
    message = body["choices"][0]["message"]
    if not message.get("content"):
        message |= {"content": "", "reasoning_content": ""}
    return body


@settings(max_examples=examples(50), deadline=None)
@given(st.fixed_dictionaries(FORMS), st.lists(PARTS, min_size=1, max_size=6), ENDS)
def test_a_recorded_reply_comes_again_as_it_came(asked, form, parts, end):
    # A response in one piece does not tell which node says a text after a thought.
    if not form["stream"] and any("reasoning" in it for it in parts):
        parts = [it for it in parts if "node" not in it]
    # A stream of v1 does not show a search or a hidden node between two tools.
    if form["version"] == "v1" and any("tool" in it for it in parts):
        parts = [it for it in parts if "quotes" not in it and it != HIDDEN]
    document = {"apps": [{"id": "app", "replies": [{"parts": [*parts, *end]}]}]}
    asked.admin("PUT", "/state", document)
    recorded = ask(asked, **form)
    # A connection that breaks at once leaves no response.
    assume(shown(recorded))
    document, notes = imported(recorded)
    asked.admin("PUT", "/state", document)
    assert (shown(ask(asked, **form)), notes) == (shown(recorded), [])


def delta(name, text):
    return f'data: {{"choices":[{{"delta":{{"{name}":"{text}"}}}}]}}\n\n'


RESULT = {"moduleName": "AI", "errorText": "E", "quoteList": []}
STREAM = 'event: flowNodeStatus\ndata: {"name":"AI"}\n\n' + delta("reasoning_content", "Hm")
for name, tool in (
    ("Call", {"id": "1", "toolName": "find", "params": "{"}),
    ("Call", {"id": "2", "toolName": "count"}),
    ("Params", {"id": "1", "params": "}"}),
    ("Response", {"id": "1", "response": "R"}),
):
    STREAM += f"event: tool{name}\ndata: {json.encode({'tool': tool}).decode()}\n\n"
RAW = 'event: updateVariables\ndata: {"a":1}\n\n'
STREAM += f"{delta('content', 'So')}{delta('content', ' {{now}}')}{RAW}data: [DONE]\n\n"
STREAM += f"event: flowResponses\ndata: {json.encode([{'moduleName': 'S'}, RESULT]).decode()}\n\n"
SHOWN = [{"fields": {"moduleName": "S"}}, {"node": "AI", "fields": RESULT, "error": "E"}]
SHOWN += [{"reasoningDeltas": ["Hm"]}]
NAMES = {"avatar": "", "functionName": ""}
SHOWN += [{"tool": {"name": "find", "params": "{}", "response": "R", "id": "1"} | NAMES}]
SHOWN += [{"tool": {"name": "count", "params": "", "response": "", "id": "2"} | NAMES}]
SHOWN += [{"deltas": ["So", " {", "{now}}"]}, {"raw": RAW}]


def test_the_parts_of_a_response_are_found():
    whole = json.encode({"responseData": [RESULT], "choices": [{"message": {"content": "So"}}]})
    replies = imported(entry(STREAM), entry(whole.decode()))[0]["apps"][0]["replies"]
    assert [it["parts"] for it in replies] == [SHOWN, [SHOWN[1], {"text": "So"}]]


def of_agent():
    """The events of an agent of FastGPT 4.16 that calls two tools in its first round."""
    status = {"status": "running", "name": "gpt"}
    sent = [("flowNodeStatus", status | {"name": "Agent"}), ("flowNodeStatus", status)]
    names = {"toolName": "Find", "toolAvatar": "/a.svg", "functionName": "find_it"}
    more = [("toolCall", "1", names), ("toolParams", "1", {"params": "{}"})]
    more += [("toolCall", "2", names), ("toolParams", "2", {"params": "{}"})]
    more += [("toolResponse", id, {"response": "R"}) for id in "12"]
    for name, id, shown in more:
        tool = {"id": id, "toolName": "", "toolAvatar": "", "params": ""} | shown
        sent.append((name, {"tool": tool, "responseValueId": id}))
    return [*sent, ("flowNodeStatus", status)]


def test_an_agent_comes_again_with_the_rounds_of_its_model(asked):
    agent = {"moduleName": "Agent", "moduleType": "tools", "toolDetail": [{"id": "1"}]}
    results = [{"moduleName": "Start", "moduleType": "workflowStart"}, agent]
    text = "".join(
        f"event: {name}\ndata: {json.encode(data).decode()}\n\n"
        for name, data in [*of_agent(), ("flowResponses", results)]
    )
    asked.admin("PUT", "/state", imported(entry(f"{text}data: [DONE]\n\n"), app="app")[0])
    again = ask(asked, stream=True, detail=True)["response"]["content"]["text"]
    sent = [(name, json.decode(it)) for name, it in re.findall(r"event: (\w+)\ndata: ({.*)", again)]
    assert [it for it in sent if it[0].startswith(("tool", "flowNode"))] == of_agent()
    assert re.findall('"moduleName":"([^"]*)"', again) == ["Start", "Agent"]


def test_a_recorded_text_has_no_placeholders(asked):
    parts = [{"reasoning": "{"}, {"reasoning": "{count}} "}, {"text": "{"}, {"text": "{now}}"}]
    asked.admin("PUT", "/state", {"apps": [{"id": "app", "replies": [{"parts": parts}]}]})
    for form in ({"stream": False}, {"stream": True}):
        recorded = ask(asked, **form)
        asked.admin("PUT", "/state", imported(recorded)[0])
        assert shown(ask(asked, **form)) == shown(recorded)


FORMS_OF_STREAMS = {
    "no space": STREAM.replace(": ", ":"),
    "CR": STREAM.replace("\n", "\r"),
    "CRLF": STREAM.replace("\n", "\r\n"),
    "id and retry": STREAM.replace("data: ", "id: 7\nretry: 10\ndata: "),
    "a BOM": f"\ufeff{STREAM}",
    "default event": STREAM.replace('\n\ndata: {"cho', '\n\nevent: message\ndata: {"cho'),
    "no last line": STREAM.rstrip("\n"),
    "several lines": STREAM.replace('{"choices":', '{"choices":\ndata: '),
}


@pytest.mark.parametrize("stream", FORMS_OF_STREAMS.values(), ids=FORMS_OF_STREAMS)
def test_events_are_read_by_the_html_standard(stream):
    (rule,) = imported(entry(stream))[0]["apps"][0]["replies"]
    assert [it for it in rule["parts"] if "raw" not in it] == SHOWN[:-1]


def test_the_deltas_of_a_thought_come_again(asked):
    recorded = entry(delta("reasoning_content", "I am th") + delta("reasoning_content", "inking."))
    asked.admin("PUT", "/state", imported(recorded, app="app")[0])
    again = ask(asked, stream=True)["response"]["content"]["text"]
    assert re.findall('"reasoning_content":"([^"]*)', again) == ["I am th", "inking."]


STARTS = ["2026-01-01T00:00:00.100Z", "2026-01-01T00:00:00.250Z", "2026-01-01T00:00:02.000Z"]


@pytest.mark.parametrize("order", [1, -1])
def test_recordings_are_taken_in_the_order_of_time(order):
    entries = [entry(delta("content", it)) | {"startedDateTime": it} for it in STARTS]
    (app,) = imported(*entries[::order])[0]["apps"]
    assert [it["parts"][0]["deltas"] for it in app["replies"]] == [[it] for it in STARTS]


@pytest.mark.parametrize("order", [1, -1])
def test_replies_to_a_question_take_turns_and_a_longer_one_has_its_own(asked, order):
    pairs = [("Hi", "A"), ("hi", "B"), ("Hi there", "C")]
    entries = [entry(f"data: {it}\n\ndata: [DONE]\n\n", question) for question, it in pairs]
    for number, recorded in enumerate(entries):
        recorded["startedDateTime"] = f"2026-01-01T00:00:0{number}Z"
    asked.admin("PUT", "/state", imported(*entries[::order], app="app")[0])
    asks = [ask(asked, it, stream=True) for it in ("Hi there", "Hi", "HI", "hi", "Well, hi there")]
    assert "".join(it["response"]["content"]["text"][6] for it in asks) == "CABBC"


def test_with_pace_a_reply_takes_as_long_as_its_recording():
    entries = entry(delta("content", "a") * 5 + "data: [DONE]\n\n"), entry('{"message": "down"}')
    fast, failed = imported(*entries, keeps_pace=True)[0]["apps"][0]["replies"]
    assert fast["parts"] == [{"pauseMs": 20.5}, {"deltas": ["a"] * 5}]
    assert fast["stream"] == {"tokensPerSecond": 10}
    assert failed["parts"] == [{"pauseMs": 20.5}, {"error": "down"}] and "stream" not in failed
    entries[0]["timings"] |= {"wait": 90_000, "receive": 0}
    load_fixture(imported(*entries, keeps_pace=True)[0])


NOTES = """skipped 1 exchange: number 3 is unusable: no text, save it with its content
skipped 1 exchange: number 4 is unusable: no text, save it with its content
skipped 1 exchange: number 5 is unusable: the response is none of a completion
skipped 1 exchange: number 6 is unusable: the response is none of a completion
skipped 2 exchanges: GET /api/core/app/list
skipped 1 exchange: completion with status 401
skipped 1 exchange: completion without a question
skipped 1 exchange: number 11 is unusable: Incorrect padding
skipped 1 exchange: number 12 is unusable: a compressed response, record it decoded
skipped 1 exchange: number 13 lacks 'request'
wrote 1 exchange as replies of app b to {0}
wrote 1 exchange as replies of app recorded to {0}
"""


def test_the_command_says_what_it_skips(run, tmp_path):
    path, output = tmp_path / "a.har", tmp_path / "f.yaml"
    stream, refused, broken = entry("", "Ä?", appId="b"), entry("{}"), entry("xx")
    packed = entry(b64encode(gzip.compress(b"{}")).decode())
    packed["response"]["content"]["encoding"] = "base64"
    # Chrome records a stream in base64.
    text = b64encode((delta("content", "ü") * 2).encode()).decode()
    stream["response"]["content"] = {"text": text, "encoding": "base64"}
    broken["response"]["content"]["encoding"] = "base64"
    refused["response"]["status"] = 401
    other = {"request": {"method": "GET", "url": "https://a.test/api/core/app/list?token=x"}}
    skipped = [entry(it) for it in (None, "", "<html>", "{}")]
    skipped += [other, other, refused, entry("{}", " "), broken, packed, {}]
    recording = {"log": {"entries": [stream, entry(delta("content", "u")), *skipped]}}
    path.write_bytes(b"\xef\xbb\xbf" + json.encode(recording))
    assert run("import", "har", path, "--output", output) == (0, "", NOTES.format(output))
    code, _, err = run("import", "har", path, "--output", path)
    assert code == 1 and mentions(err, f"{path} --output")
    assert run("import", "har", path, "--output", tmp_path / "f.json")[0] == 0
    written = yaml.safe_load(output.read_bytes())
    assert json.decode((tmp_path / "f.json").read_bytes()) == written
    (tmp_path / "f.json").unlink()
    (rule,) = written["apps"][0]["replies"]
    assert rule == {"match": {"question": "Ä?"}, "parts": [{"deltas": ["ü", "ü"]}, {"cut": True}]}
    (app,) = yaml.safe_load(run("import", "har", path, "--app", "mine", "--pace")[1])["apps"]
    assert (app["id"], len(app["replies"])) == ("mine", 2)
    assert {*tmp_path.iterdir()} == {path, output}


NO_REPLIES = [('{"log": {"entries": []}}', 1, "a.har"), ('{"log": {}}', 2, "HAR log.entries")]
NO_REPLIES += [("<html>", 2, "HAR log.entries"), ("[]", 2, "HAR object array")]
NO_REPLIES += [('{"info": {}, "item": []}', 2, "HAR log")]
CROWD = {"log": {"entries": [entry('{"message": "down"}', f"{n}?") for n in range(1001)]}}
NO_REPLIES += [(json.encode(CROWD).decode(), 2, "1000 completions 1001")]


@pytest.mark.parametrize(("content", "code", "facts"), NO_REPLIES)
def test_a_file_without_replies_makes_no_fixture(run, tmp_path, content, code, facts):
    path, output = tmp_path / "a.har", tmp_path / "f.yaml"
    path.write_text(content, "utf-8")
    ended, _, err = run("import", "har", path, "--output", output)
    assert ended == code and mentions(err, facts) and err.count("\n") == 1 and not output.exists()
    ended, _, err = run("import", "har", output)
    assert ended == 2 and str(output) in err


def objects_in(value):
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value] * isinstance(value, dict) + [it for each in inside for it in objects_in(each)]


@pytest.mark.parametrize("name", ["headers", "cookies", "queryString", "apiKey", "variables"])
@pytest.mark.parametrize("value", [SECRET, [{"name": "key", "value": SECRET}], {SECRET: SECRET}])
def test_no_secret_gets_into_a_fixture(name, value):
    whole = {"responseData": [RESULT], "choices": [{"message": {"content": "So"}}], name: value}
    entries = [entry(STREAM, **{name: value}), entry(json.encode(whole).decode(), "Why?")]
    for each in objects_in(entries):
        each.setdefault(name, value)
    document, notes = imported(*entries)
    assert len(document["apps"][0]["replies"]) == 2 and SECRET not in f"{document}{notes}"
