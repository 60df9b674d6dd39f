import pytest
from assistant import ask, http


def test_a_client_gives_up(mock_server):
    mock_server.reply("Hello", stream={"firstTokenMs": 30_000})
    with pytest.raises(http.ReadTimeout):
        ask(mock_server, "Hello", stream=True, timeout=0.1)
