import pytest
from panel import DATASET, http, names, pin


@pytest.fixture(scope="session")
def mock_server_fixture():
    return {
        "keys": [{"key": "mine"}, {"key": "theirs", "permission": "none"}],
        "apps": [
            {"id": "65d8a1f0c3b2a94e7f106a01", "chats": [{"chatId": "delivery-late"}]}
        ],
        "datasets": [{"id": DATASET, "collections": [{"name": "Prices"}]}],
    }


def test_a_pin_comes_before_the_list(mock_server):
    pin(mock_server.url, mock_server.keys["mine"])
    assert names(mock_server.url, mock_server.keys["mine"]) == ["Prices"]
    mock_server.assert_in_order(["updateHistory", "listV2"])
    mock_server.assert_no_violations()


def test_a_slow_answer_is_waited_for(mock_server):
    with mock_server.fault("delay", ms=50) as slow:
        pin(mock_server.url, mock_server.keys["mine"])
        assert slow.fired == 1
    entry = mock_server.wait_for("updateHistory")
    assert entry["request"]["body"]["chatId"] == "delivery-late"


def test_a_wrong_key_is_refused(mock_server):
    with pytest.raises(http.HTTPError):
        pin(mock_server.url, mock_server.keys["theirs"])
    mock_server.assert_called("updateHistory", status=403)
