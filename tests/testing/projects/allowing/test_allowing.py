import httpx2


def test_allowed(pin):
    pin(extra=1)


def test_not_allowed(pin):
    pin(top=1)


def test_neighbours(mock_server):
    url = f"{mock_server.url}/api/core/chat/history/getHistories"
    assert httpx2.get(url, verify=False).status_code == 404
