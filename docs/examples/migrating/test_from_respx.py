import pytest
from panel import APP, DATASET, http, names, pin


def test_a_pin_is_sent(mock_server):
    pin(mock_server.url, mock_server.key)
    mock_server.assert_called("updateHistory", times=1, body={"top": True})
    assert mock_server.chat(APP, "delivery-late").top  # it was not only sent


def test_an_error_is_tried_again(mock_server):
    mock_server.fault("error", status=503)
    pin(mock_server.url, mock_server.key)
    mock_server.assert_called("updateHistory", times=2)


def test_a_broken_connection_is_told(mock_server):
    mock_server.fault("reset")
    with pytest.raises(http.TransportError):
        pin(mock_server.url, mock_server.key)


def test_names_are_listed(mock_server):
    mock_server.put_dataset({"id": DATASET, "collections": [{"name": "Prices"}]})
    assert names(mock_server.url, mock_server.key) == ["Prices"]
