"""Twelve mocks of clients for FastGPT and OpenAI, as public tests have them, in a few lines each.

docs/guides/migrating.md refers to this file: `ask` stands for the client under test.
"""

import re

import httpx2
import pytest

APP = "65d8a1f0c3b2a94e7f106a01"


def asking(server, text="The weather?", headers=None, timeout=5, **body):
    headers = {"Authorization": f"Bearer {server.key}", **(headers or {})}
    body = {"appId": APP, "messages": [{"role": "user", "content": text}], **body}
    url = f"{server.url}/api/v1/chat/completions"
    return httpx2.stream("POST", url, json=body, headers=headers, timeout=timeout)


def ask(server, *arguments, **more):
    with asking(server, *arguments, **more) as response:
        response.read()
    return response


def said(response):
    return response.json()["choices"][0]["message"]["content"]


def events(response):
    return re.findall("^event: (.*)", response.text, re.MULTILINE)


def test_canned_answer(mock_server):
    mock_server.reply("It is raining.")
    assert said(ask(mock_server)) == "It is raining."


def test_failing_call(mock_server):
    mock_server.fault("error", operation="completions", status=429, retry_after=2)
    response = ask(mock_server)
    assert (response.status_code, response.headers["Retry-After"]) == (429, "2")


def test_failing_then_right(mock_server):
    mock_server.fault("error", operation="completions", status=503, times=2)
    assert [ask(mock_server).status_code for _ in range(3)] == [503, 503, 200]


def test_slow_call(mock_server):
    mock_server.fault("delay", operation="completions", ms=60_000)
    with pytest.raises(httpx2.ReadTimeout):
        ask(mock_server, timeout=0.1)


def test_assertion_on_a_request(mock_server):
    ask(mock_server, "The weather?", variables={"city": "Bonn"})
    mock_server.assert_called("completions", times=1, body={"variables": {"city": "Bonn"}})
    sent = mock_server.last_call("completions")["request"]["body"]
    assert sent["messages"][-1]["content"] == "The weather?"


def test_header_assertion(mock_server):
    ask(mock_server, headers={"X-Trace": "t-1"})
    mock_server.assert_called("completions", key=mock_server.key)
    assert mock_server.last_call("completions")["request"]["headers"]["x-trace"] == "t-1"


def test_sequence_of_answers(mock_server):
    for text in ("One.", "Two."):
        mock_server.reply(text, times=1)
    assert [said(ask(mock_server)) for _ in range(2)] == ["One.", "Two."]


def test_scripted_stream(mock_server):
    mock_server.reply(parts=["It is ", {"pauseMs": 20}, "raining."])
    lines = ask(mock_server, stream=True).text.split("\n\n")
    assert '"content":"raining."' in lines[2] and lines[-2] == "data: [DONE]"


def test_stream_with_nodes(mock_server):
    mock_server.reply(parts=[{"node": "Search"}, {"node": "AI chat"}, "Rain."])
    seen = events(ask(mock_server, stream=True, detail=True))
    assert seen[:4] == ["chatTitle", "flowNodeStatus", "flowNodeStatus", "answer"]


def test_tool_call(mock_server):
    tool = {"name": "weather", "params": {"city": "Bonn"}, "response": "Rain"}
    mock_server.reply(parts=[{"tool": tool}, "It is raining."])
    seen = events(ask(mock_server, stream=True, detail=True))
    assert seen[1:5] == ["toolCall", "toolParams", "toolResponse", "answer"]


def test_error_in_mid_stream(mock_server):
    mock_server.reply(parts=["It is ", {"error": "Model is busy"}])
    response = ask(mock_server, stream=True)
    assert response.status_code == 200 and events(response) == ["error"]


def test_connection_broken_in_mid_stream(mock_server):
    mock_server.reply(parts=["It is ", {"cut": True}])
    seen = []
    with asking(mock_server, stream=True) as response, pytest.raises(httpx2.RemoteProtocolError):
        seen.extend(response.iter_text())
    assert '"content":"is "' in "".join(seen)
