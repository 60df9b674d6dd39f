import httpx2
import pytest


@pytest.fixture
def mock_server_settings():
    return {"profile": "deployed", "admin_token": "s3cret", "host": "127.0.0.1"}


def test_it(mock_server):
    assert mock_server.choices["method_mismatch"] == "accept"
    state = mock_server.url + "/__admin/state"
    assert httpx2.get(state, timeout=60).status_code == 401
