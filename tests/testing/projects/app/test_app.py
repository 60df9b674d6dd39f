import threading

from starlette.testclient import TestClient

CHAT = "/__admin/apps/app-1/chats/chat-1"


def test_app_alone_opens_no_socket(mock_server_app):
    assert TestClient(mock_server_app).get("/__admin/health").status_code == 200
    assert threading.active_count() == 1


def test_both(mock_server_app, pin):
    pin()
    assert TestClient(mock_server_app).get(CHAT).json()["top"] is True


def test_fresh(mock_server_app):
    assert TestClient(mock_server_app).get(CHAT).json()["top"] is False
