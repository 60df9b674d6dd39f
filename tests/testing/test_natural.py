"""What a new user writes first passes without any configuration."""

from __future__ import annotations

import pytest

from mock_server.control.control_object import MockServerFixture
from tests.support import fetch

APP, CHAT = "65d8a1f0c3b2a94e7f106a01", "delivery-late"
HISTORIES = "/api/core/chat/getHistories"


def headers(server: MockServerFixture) -> dict[str, str]:
    return {"Authorization": f"Bearer {server.key}"}


def test_a_pin_by_post_on_the_older_path(mock_server: MockServerFixture) -> None:
    body = {"appId": APP, "chatId": CHAT, "top": True}
    url = f"{mock_server.url}/api/core/chat/updateHistory"
    assert (
        fetch("POST", url, json=body, headers=headers(mock_server)).status_code == 200
    )
    assert mock_server.chat(APP, CHAT).top
    mock_server.assert_called("updateHistory", times=1, body={"top": True})
    mock_server.assert_no_violations()
    with pytest.raises(AssertionError, match="legacy_path: the spec does not"):
        mock_server.assert_no_violations(strict=True)
    mock_server.assert_no_violations(["legacy_path"], strict=True)


@pytest.mark.parametrize("path", [HISTORIES, "/api/core/chat/history/getHistories"])
def test_histories_show_the_chats(mock_server: MockServerFixture, path: str) -> None:
    body = {"appId": APP, "offset": 0, "pageSize": 20}
    answer = fetch(
        "POST", mock_server.url + path, json=body, headers=headers(mock_server)
    )
    chats = {each["chatId"] for each in answer.json()["data"]["list"]}
    assert CHAT in chats
    mock_server.assert_no_violations()
    with pytest.raises(AssertionError, match="related_route: the spec"):
        mock_server.assert_no_violations(strict=True)


@pytest.mark.parametrize("stream", [False, True])
def test_a_completion_as_the_openai_sdk_asks_for_it(
    mock_server: MockServerFixture, stream: bool
) -> None:
    body = {
        "model": "any",
        "messages": [{"role": "user", "content": "Hello"}],
        "stream": stream,
    }
    url = f"{mock_server.url}/api/v1/chat/completions"
    answer = fetch("POST", url, json=body, headers=headers(mock_server))
    assert answer.status_code == 200
    if stream:
        assert answer.text.rstrip().endswith("data: [DONE]")
    else:
        assert answer.json()["choices"][0]["message"]["content"]
    mock_server.assert_no_violations()


def test_a_fault_on_histories(mock_server: MockServerFixture) -> None:
    mock_server.fault("error", operation="getHistories", status=503, times=1)
    url, body = mock_server.url + HISTORIES, {"appId": APP}
    statuses = [
        fetch("POST", url, json=body, headers=headers(mock_server)).status_code
        for _ in range(2)
    ]
    assert statuses == [503, 200]
