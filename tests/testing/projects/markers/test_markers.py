import pytest

pytestmark = pytest.mark.mock_server(profile="deployed", choices={"list_order": "name"})


@pytest.mark.mock_server(choices={"page_size_default": 1})
def test_inner(mock_server):
    assert mock_server.choices["page_size_default"] == 1
    assert mock_server.choices["list_order"] == "update_time_desc"
    assert mock_server.choices["chat_unknown"] == "ignore"


def test_outer(mock_server):
    assert mock_server.choices["list_order"] == "name"
