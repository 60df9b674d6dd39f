"""A test whose settings choose another profile than the usual one."""

import pytest


@pytest.fixture(scope="module")
def mock_server_settings():
    return {"profile": "deployed", "choices": {"list_order": "name"}}


@pytest.mark.usefixtures("costly")
def test_a_pin(mock_server):
    assert mock_server.choices["page_size_max"] == 100


@pytest.mark.usefixtures("costly")
@pytest.mark.parametrize("number", [-1, 2])
def test_nothing_is_sent(mock_server, number):
    assert number
    mock_server.assert_not_called("listV2")
