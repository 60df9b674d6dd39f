import httpx2


def test_allowed(pin):
    pin(extra=1)


def test_not_allowed(pin):
    pin(top=1)


def test_related_routes(mock_server):
    url = f"{mock_server.url}/api/core/chat/history/getHistories"
    assert httpx2.get(url, verify=False, timeout=60).status_code == 405


def test_outside_the_description(mock_server):
    url = f"{mock_server.url}/api/core/chat/updateHistory"
    body = {"appId": "app-1", "chatId": "chat-1", "top": True}
    headers = {"Authorization": f"Bearer {mock_server.key}"}
    answer = httpx2.post(url, json=body, headers=headers, verify=False, timeout=60)
    assert answer.status_code == 200
    mock_server.assert_no_violations()
