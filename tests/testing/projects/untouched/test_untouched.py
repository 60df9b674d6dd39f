def test_it(mock_server):
    assert mock_server.journal == []
