import pytest


@pytest.mark.parametrize("_n", range(4))
@pytest.mark.mock_server(profile="deployed")
def test_it(mock_server, pin, _n):
    assert mock_server.key.startswith("fastgpt-sbx-")
    assert not mock_server.chat("app-1", "chat-1").top
    assert mock_server.choices["chat_unknown"] == "ignore"
    pin()
    assert mock_server.chat("app-1", "chat-1").top
    mock_server.assert_called("updateHistory", times=1)
