import asyncio

import httpx2
import pytest
from panel import APP, PIN


@pytest.fixture
def control(mock_server_app):
    mock_server_app.control.put_app({"id": APP, "chats": [{"chatId": "c1"}]})
    mock_server_app.control.fault("error", status=503)
    return mock_server_app.control


async def statuses(app):
    body = {"appId": APP, "chatId": "c1", "top": True}
    transport = httpx2.ASGITransport(app=app)
    headers = {"Authorization": f"Bearer {app.key}"}
    async with httpx2.AsyncClient(
        transport=transport, base_url=app.url, headers=headers
    ) as client:
        return [(await client.put(PIN, json=body)).status_code for _ in "12"]


def test_a_pin_is_kept(mock_server_app, control):
    assert asyncio.run(statuses(mock_server_app)) == [503, 200]
    assert control.chat(APP, "c1").top
