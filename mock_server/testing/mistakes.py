"""Mistakes of a test's author, told in one line: no frame of ours would help."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from mock_server.app import MissingLibrary
from mock_server.client import NotRunning, Refused
from mock_server.control.faults import UnfiredFaultWarning, unfired
from mock_server.control.handle import MockServerFixture
from mock_server.fixture.problems import FixtureError
from mock_server.http_call import Unreachable
from mock_server.server import CannotBind

__tracebackhide__ = True

# UnknownChoice is a ValueError.
MISTAKES = (
    TypeError,
    ValueError,
    FixtureError,
    MissingLibrary,
    Refused,
    Unreachable,
    CannotBind,
)
"""What is raised for mistakes of a test's author, and for servers that are not."""


@contextmanager
def told_in_one_line() -> Iterator[None]:
    """Have a mistake, or a server that is not there, fail a test by its message."""
    try:
        yield
    except MISTAKES as error:
        raise _failure(error) from None


def warn(node: pytest.Item, warning: Warning) -> None:
    """Warn of something in a test; with `-W error` that fails it."""
    try:
        node.warn(warning)
    except type(warning) as error:
        raise _failure(error) from None


def unfired_ids(server: MockServerFixture) -> list[str]:
    """The ids of faults that have been added, and have never fired."""
    return [each["id"] for each in _unfired(server)]


def warn_of_unfired(
    item: pytest.Item, server: MockServerFixture, known: Collection[str] = ()
) -> None:
    """Warn of faults that a test has added, and that have never fired.

    Those of the ids in `known` were there before the test.
    """
    for fault in _unfired(server):
        if fault["id"] not in known:
            warn(item, UnfiredFaultWarning(unfired(fault)))


def _unfired(server: MockServerFixture) -> list[dict[str, Any]]:
    try:
        return server.unfired()
    except (Refused, Unreachable, NotRunning):
        return []  # that the server has gone is the test's business


def _failure(error: Exception) -> BaseException:
    """To be raised without its cause, which would show the message twice."""
    return pytest.fail.Exception(f"mock-server: {error}", pytrace=False)
