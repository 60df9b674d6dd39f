"""Clients that people use beside httpx2, and replies that try their patience."""

import json
import sys
from typing import Any

import openai
import pytest
import requests
from account import COMPLETIONS, LIST, bearer
from commands import run_command
from test_docs import OPTIONS, ROOT, blocks

from mock_server import Control

MESSAGES: Any = [{"role": "user", "content": "The weather?"}]


@pytest.fixture
def gpt(mock_server: Control) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{mock_server.url}/api/v1", api_key=mock_server.key)


def test_requests_lists(mock_server):
    headers = bearer(mock_server.key)
    body = {"offset": 0, "datasetId": "6593e137231a2be9c5603ba7", "pageSize": 2}
    response = requests.post(mock_server.url + LIST, json=body, headers=headers, timeout=5)
    assert len(response.json()["data"]["list"]) == 2


def test_openai_joins_what_was_split(mock_server, gpt):
    mock_server.reply("今天下雨。")
    mock_server.fault("dribble", operation="completions", chunks=1000, ms=0)
    stream = gpt.chat.completions.create(model="any", messages=MESSAGES, stream=True)
    assert "".join(it.choices[0].delta.content or "" for it in stream) == "今天下雨。"


def test_openai_is_answered_by_a_function(mock_server, gpt):
    mock_server.reply(lambda request: request.question.upper())
    completion = gpt.chat.completions.create(model="any", messages=MESSAGES)
    assert completion.choices[0].message.content == "THE WEATHER?"


def test_openai_retries_an_error(mock_server, gpt):
    mock_server.fault("error", operation="completions", status=503)
    gpt.chat.completions.create(model="any", messages=MESSAGES)
    mock_server.assert_called("completions", times=2)


def test_openai_raises_nothing_on_an_error_in_a_stream(mock_server, gpt):
    mock_server.reply(parts=["It ", {"error": "boom"}])
    first, last = gpt.chat.completions.create(model="any", messages=MESSAGES, stream=True)
    assert (first.choices[0].delta.content, last.choices, last.message) == ("It ", None, "boom")


def test_openai_sees_events_with_detail(mock_server, gpt):
    mock_server.reply(parts=[{"node": "AI chat"}, "Yes."])
    chunks = gpt.chat.completions.create(
        model="any", messages=MESSAGES, stream=True, extra_body={"detail": True}
    )
    *seen, results = chunks
    assert [it.choices is None for it in seen] == [True, True, False, True, False]
    assert isinstance(results, list)


def test_openai_has_an_app_key_as_in_the_guide(pytester):
    (example,) = blocks("py", ROOT / "docs/guides/test-a-chat-client.md")
    pytester.makepyfile(example)
    pytester.runpytest_inprocess(*OPTIONS).assert_outcomes(passed=1)


def test_openai_cancels(mock_server, gpt):
    mock_server.reply(parts=["It ", {"pauseMs": 60_000}, "rains"], times=1)
    with gpt.chat.completions.create(model="any", messages=MESSAGES, stream=True) as stream:
        next(iter(stream))
    mock_server.wait_for("completions", cut=True)
    mock_server.reply("Next.")
    reply = gpt.chat.completions.create(model="any", messages=MESSAGES)
    assert reply.choices[0].message.content == "Next."


# Replies that are silent for more than ten seconds


def deltas(mock_server: Control, *parts: object, **stream: float) -> list[str]:
    """The texts of the deltas of a streamed reply."""
    mock_server.reply(parts=parts, stream=stream)
    body = {"messages": MESSAGES, "stream": True}
    headers = bearer(mock_server.key)
    url = mock_server.url + COMPLETIONS
    response = requests.post(url, json=body, headers=headers, timeout=60)
    return [it.partition('"content":')[2][:4] for it in response.text.split("\n\n")[:-3]]


def test_a_late_first_token_comes_after_an_empty_delta(mock_server):
    assert deltas(mock_server, "One", firstTokenMs=11_500) == ['""},', '"One']


def test_a_long_pause_has_empty_deltas(mock_server):
    found = deltas(mock_server, "One", {"pauseMs": 20_500}, "Two")
    assert found == ['"One', '""},', '""},', '"Two']


def test_a_broken_stream_has_no_empty_deltas(mock_server):
    mock_server.fault("dribble", ms=0)
    assert deltas(mock_server, "One", {"pauseMs": 10_500}, "Two") == ['"One', '"Two']


def test_a_held_stream_has_an_empty_delta(mock_server):
    hold = mock_server.reply(parts=["One", {"hold": True}, "Two"])
    body = {"messages": MESSAGES, "stream": True}
    headers = bearer(mock_server.key)
    url = mock_server.url + COMPLETIONS
    with requests.post(url, json=body, headers=headers, timeout=60, stream=True) as response:
        lines = (it for it in response.iter_lines() if b'"content":' in it)
        assert b'"One"' in next(lines) and b'""' in next(lines)
        hold.remove()
        assert b'"Two"' in next(lines)


# Faults on streams


def streamed(gpt: openai.OpenAI) -> str:
    """The text of a streamed reply that waits for nothing: four words of two letters."""
    stream = gpt.chat.completions.create(model="any", messages=MESSAGES, stream=True)
    return "".join(it.choices[0].delta.content or "" for it in stream)


def test_openai_fails_on_malformed_json_in_a_stream(mock_server, gpt):
    mock_server.reply("It is so. 好。")
    with mock_server.fault("malformed_json"), pytest.raises(json.JSONDecodeError):
        streamed(gpt)
    assert streamed(gpt) == "It is so. 好。"


def test_openai_fails_on_a_truncated_stream(mock_server, gpt):
    mock_server.reply("It is so. 好。")
    with mock_server.fault("truncate"), pytest.raises(openai.APIConnectionError):
        streamed(gpt)


def test_each_worker_of_xdist_holds_its_own_calls(mock_server_session, pytester):
    pytester.makepyfile("""
import threading, httpx2, pytest

def list_apps(server, seen):
    headers = {"Authorization": f"Bearer {server.key}"}
    response = httpx2.post(server.url + "/api/core/app/list", json={}, headers=headers)
    seen.append(response.status_code)

@pytest.mark.parametrize("run", range(8))
def test_hold(mock_server, run):
    seen = []
    with mock_server.fault("hold", operation="app.list") as hold:
        client = threading.Thread(target=list_apps, args=(mock_server, seen))
        client.start()
        mock_server.wait_for("app.list")
        assert (hold.held, seen) == (1, [])
    client.join()
    assert seen == [200]
""")
    options = ["-n2", "-pno:cacheprovider", f"--mock-server-url={mock_server_session.url}"]
    pytester.runpytest_subprocess(*options, timeout=60).assert_outcomes(passed=8)


FAKED = """
from pyfakefs.fake_filesystem_unittest import Patcher
from mock_server import MockServer
with MockServer() as server, Patcher():
    server.load("paging")
    assert 'id="data"' in server.http.get("/__admin/console").text
    assert server.http.get("/__admin/").status_code == 200
    with MockServer("permissions") as other:
        assert other.key
"""


def test_a_test_may_fake_the_file_system():
    run_command(sys.executable, "-c", FAKED)
