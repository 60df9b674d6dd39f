import pytest
from assistant import ask, http


def test_a_cut_stream_is_an_error(mock_server):
    mock_server.reply(parts=["One moment ", {"cut": True}])
    with pytest.raises(http.TransportError):
        ask(mock_server, "Hello", stream=True)
