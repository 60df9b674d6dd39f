import pytest


@pytest.mark.mock_server(fixture="small.yaml")
def test_it(mock_server):
    assert mock_server.chat("a", "c").top is False
