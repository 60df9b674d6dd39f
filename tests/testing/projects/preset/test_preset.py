import os

import pytest


def test_profile(mock_server):
    assert mock_server.choices["page_size_over_limit"] == "clamp"


@pytest.mark.mock_server(profile="documented", choices={"list_order": "fixture"})
def test_marker(mock_server):
    assert mock_server.choices["page_size_over_limit"] == "reject"
    assert mock_server.choices["list_order"] == "fixture"


def test_variables(mock_server, mock_server_app, mock_server_factory):
    for server in (mock_server, mock_server_app.control, mock_server_factory()):
        assert server.choices["list_order"] == "name"
        assert [fault["status"] for fault in server.faults] == [503]
        server.reset()
        assert [fault["kind"] for fault in server.faults] == ["error"]
        assert [chat.chat_id for chat in server.chats("mine")] == ["c1"]
    assert os.environ["MOCK_SERVER_PORT"] in mock_server.url
