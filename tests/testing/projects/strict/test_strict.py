import pytest


def test_on(pin):
    pin()


def test_off(pin):
    pin(extra=1)


@pytest.mark.xfail(strict=True)
def test_expected(pin):
    pin(extra=1)
