import asyncio

import httpx2
import pytest


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.mark.anyio
async def test_it(mock_server):
    async with httpx2.AsyncClient(base_url=mock_server.url, timeout=60) as client:
        headers = {"Authorization": f"Bearer {mock_server.key}"}
        body = {"offset": 0, "datasetId": "dataset-1"}
        path = "/api/core/dataset/collection/listV2"
        assert (await client.post(path, json=body, headers=headers)).status_code == 200
    mock_server.assert_called("listV2")


@pytest.mark.anyio
async def test_waiting_lets_the_loop_send(mock_server_app):
    control = mock_server_app.control
    transport = httpx2.ASGITransport(mock_server_app)
    path = "/api/core/dataset/collection/listV2"
    async with httpx2.AsyncClient(transport=transport, base_url=control.url) as client:
        sent = asyncio.create_task(client.post(path, json={}))
        with pytest.raises(RuntimeError, match=r"await wait_for_async.'listV2'"):
            control.wait_for("listV2", timeout=2)
        entry = await control.wait_for_async("listV2", timeout=60)
        assert entry["answer"]["status"] == (await sent).status_code
        assert control.wait_for("listV2") == entry
        task = asyncio.create_task(control.wait_for_async("listV2"))
        assert await task == entry
    with pytest.raises(AssertionError, match="listV2 was called 1 of 2 times in 0 s"):
        await control.wait_for_async("listV2", times=2, timeout=0)
