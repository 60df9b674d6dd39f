def test_it(mock_server, pin):
    mock_server.fault("error", operation="listV2")
    pin(extra=1)
    mock_server.assert_called("updateHistory", body={"top": False})
