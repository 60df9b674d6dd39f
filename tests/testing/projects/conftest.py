"""What the projects share: a fixture document, and calls of both operations."""

from functools import partial

import httpx2
import pytest


@pytest.fixture(scope="session")
def mock_server_fixture():
    return "library.json"


# To read certificates that plain HTTP does not need takes 17 ms a call; and a machine
# that is busy may stand still for longer than the 5 seconds of httpx2.
send = partial(httpx2.request, verify=False, timeout=60)


@pytest.fixture
def pin(mock_server):
    """Pins a chat; further fields break the spec."""

    def pin(top=True, **more):
        body = {"appId": "app-1", "chatId": "chat-1", "top": top} | more
        headers = {"Authorization": f"Bearer {mock_server.key}"}
        url = mock_server.url + "/api/core/chat/history/updateHistory"
        return send("PUT", url, json=body, headers=headers)

    return pin


@pytest.fixture
def ids(mock_server):
    """The ids of a page."""

    def ids(**fields):
        body = {"offset": 0, "datasetId": "dataset-1"} | fields
        headers = {"Authorization": f"Bearer {mock_server.key}"}
        url = mock_server.url + "/api/core/dataset/collection/listV2"
        answer = send("POST", url, json=body, headers=headers).json()
        return [item["_id"] for item in answer["data"]["list"]]

    return ids
