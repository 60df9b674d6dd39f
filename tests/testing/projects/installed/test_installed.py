import json
from urllib.request import Request, urlopen


def test_it(mock_server):
    body = {"appId": "65d8a1f0c3b2a94e7f106a01", "chatId": "delivery-late", "top": True}
    headers = {
        "Authorization": f"Bearer {mock_server.key}",
        "Content-Type": "application/json",
    }
    url = mock_server.url + "/api/core/chat/history/updateHistory"
    urlopen(Request(url, json.dumps(body).encode(), headers, method="PUT")).close()
    assert mock_server.chat("65d8a1f0c3b2a94e7f106a01", "delivery-late").top
    mock_server.assert_no_violations()
