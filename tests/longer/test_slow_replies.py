"""Replies that are silent for more than ten seconds."""

import httpx2

from mock_server import Control


def deltas(mock_server: Control, *parts: object, **stream: float) -> list[str]:
    """The texts of the deltas of a streamed reply."""
    mock_server.reply(parts=parts, stream=stream)
    body = {"messages": [{"role": "user", "content": "x"}], "stream": True}
    headers = {"Authorization": f"Bearer {mock_server.key}"}
    url = f"{mock_server.url}/api/v1/chat/completions"
    response = httpx2.post(url, json=body, headers=headers, timeout=60)
    return [it.partition('"content":')[2][:4] for it in response.text.split("\n\n")[:-3]]


def test_a_late_first_token_comes_after_an_empty_delta(mock_server):
    assert deltas(mock_server, "One", firstTokenMs=11_500) == ['""},', '"One']


def test_a_long_pause_has_empty_deltas(mock_server):
    assert deltas(mock_server, "One", {"pauseMs": 20_500}, "Two") == [
        '"One', '""},', '""},', '"Two',
    ]  # fmt: skip
