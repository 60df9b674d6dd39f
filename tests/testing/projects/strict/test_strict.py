import pytest


def test_on(pin):
    pin()


def test_off(pin):
    pin(extra=1)


@pytest.mark.xfail(strict=True)
def test_expected(pin):
    pin(extra=1)


@pytest.mark.xfail(strict=True)
def test_expected_before_a_reset(mock_server, pin):
    pin(extra=1)
    mock_server.reset()


@pytest.mark.xfail(strict=True)
def test_expected_before_a_load(mock_server, pin):
    pin(extra=1)
    mock_server.load({"apps": []})
