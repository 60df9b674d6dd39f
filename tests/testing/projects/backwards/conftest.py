"""Runs tests in the other order, and counts what is set up."""

import pytest

SET_UP: list[str] = []


@pytest.hookimpl
def pytest_collection_modifyitems(items):
    items.reverse()


@pytest.fixture
def costly(request):
    SET_UP.append(request.node.name)


def pytest_terminal_summary(terminalreporter):
    terminalreporter.section("fixtures")
    terminalreporter.line(f"set up: {len(SET_UP)}")
