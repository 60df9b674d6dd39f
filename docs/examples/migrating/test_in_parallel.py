from panel import APP, pin


def test_one_pins(mock_server):
    pin(mock_server.url, mock_server.key)
    mock_server.assert_called("updateHistory", times=1)


def test_another_does_not_see_it(mock_server):
    assert not mock_server.chat(APP, "delivery-late").top
    mock_server.assert_not_called("updateHistory")
