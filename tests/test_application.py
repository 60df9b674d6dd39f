"""The application as an ASGI server meets it, beside requests."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from mock_server import create_app


def test_a_server_that_tells_of_its_start_and_stop_is_answered() -> None:
    with TestClient(create_app()) as client:
        assert client.get("/__admin/health").status_code == 200


def test_a_web_socket_is_refused() -> None:
    client = TestClient(create_app())
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/"):
        pass
