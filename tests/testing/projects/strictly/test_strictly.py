"""What has to be on contract: every server of a test, unless its marker says so."""

from typing import Any

import pytest
from starlette.testclient import TestClient

PIN = "/api/core/chat/history/updateHistory"


def send(server: Any, app: Any) -> None:
    body = {"appId": "app-1", "chatId": "chat-1", "top": True, "extra": 1}
    headers = {"Authorization": f"Bearer {server.key}"}
    TestClient(app).put(PIN, json=body, headers=headers)


def test_in_process(mock_server_app):
    send(mock_server_app, mock_server_app)


def test_of_the_session(mock_server_session, mock_server):
    assert mock_server_session.url != mock_server.url


@pytest.mark.mock_server(strict=False)
def test_lifted(mock_server_app):
    send(mock_server_app, mock_server_app)


@pytest.mark.mock_server(strict=["unknown_fields"])
def test_allowed(mock_server_app):
    send(mock_server_app, mock_server_app)


@pytest.mark.mock_server(strict=["parent_unknown"])
def test_not_allowed(mock_server_app):
    send(mock_server_app, mock_server_app)
