"""Tests that depend on choices, and some that do not pass as they are."""

import pytest


def test_anywhere(ids):
    assert "bottom" in ids(pageSize=30)


def test_small_pages(ids):
    assert len(ids(pageSize=1)) == 1


@pytest.fixture
def found(ids):
    """Breaks in the setup of its tests."""
    assert "bottom" in ids(pageSize=20)


@pytest.mark.usefixtures("found")
def test_in_a_fixture():
    pass


def test_that_fails(ids):
    assert ids(pageSize=1) == []


@pytest.mark.skip
def test_that_is_skipped(ids):
    ids()


@pytest.mark.xfail
def test_that_is_expected_to_fail(ids):
    assert ids(pageSize=1) == []


def test_without_a_server():
    pass
