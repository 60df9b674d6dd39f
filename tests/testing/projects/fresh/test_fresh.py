import pytest


@pytest.mark.parametrize("_n", range(3))
def test_it(mock_server, pin, _n):
    assert mock_server.journal == []
    assert not mock_server.chat("app-1", "chat-1").top
    assert mock_server.clock.now == "2026-01-01T00:00:00.000Z"
    assert mock_server.choices["list_order"] == "update_time_desc"
    assert mock_server.faults == []
    assert pin().status_code == 200
    mock_server.fault("error", times=5)
    mock_server.clock.advance(60)
    mock_server.choices["list_order"] = "name"
    assert mock_server.journal[0]["seq"] == 1
