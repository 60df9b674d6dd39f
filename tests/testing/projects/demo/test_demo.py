def test_it(mock_server):
    assert mock_server.chat("65d8a1f0c3b2a94e7f106a01", "refund-4711").top
