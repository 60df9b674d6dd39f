import asyncio

import pytest


@pytest.mark.asyncio
@pytest.mark.parametrize("_n", range(10))
async def test_async(mock_server, pin, _n):
    assert mock_server.journal == []
    answers = await asyncio.gather(*(asyncio.to_thread(pin) for _ in "12"))
    assert [answer.status_code for answer in answers] == [200, 200]


@pytest.mark.parametrize("_n", range(10))
def test_sync(mock_server, pin, _n):
    assert mock_server.journal == []
    assert pin().status_code == 200
