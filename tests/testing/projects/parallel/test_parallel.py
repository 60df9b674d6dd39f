import os

import pytest


@pytest.mark.parametrize("_n", range(int(os.environ["TESTS"])))
def test_it(mock_server, pin, _n):
    assert not mock_server.chat("app-1", "chat-1").top
    for top in (True, False, True):
        pin(top)
        assert mock_server.chat("app-1", "chat-1").top is top
    mock_server.assert_called("updateHistory", times=3)
