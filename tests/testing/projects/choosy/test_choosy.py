import pytest


@pytest.mark.mock_server(choices={"parent_omitted": "root"})
def test_root(ids):
    assert "bottom" not in ids(pageSize=30)


def test_pin(pin):
    assert pin().status_code == 200


@pytest.mark.parametrize("size", [20, 30])
def test_anywhere(ids, size):
    assert "bottom" in ids(pageSize=size)
