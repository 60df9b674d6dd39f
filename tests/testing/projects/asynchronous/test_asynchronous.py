import httpx2
import pytest


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.mark.anyio
async def test_it(mock_server):
    async with httpx2.AsyncClient(base_url=mock_server.url) as client:
        headers = {"Authorization": f"Bearer {mock_server.key}"}
        body = {"offset": 0, "datasetId": "dataset-1"}
        path = "/api/core/dataset/collection/listV2"
        assert (await client.post(path, json=body, headers=headers)).status_code == 200
    mock_server.assert_called("listV2")
