"""Tests on a server that runs already: --mock-server-url, a sandbox for each test."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from mock_server.admin.resources.sandboxes import SandboxView
from mock_server.client import SECONDS, AdminClient, Refused
from mock_server.control.handle import MockServerFixture
from mock_server.environment import variable
from mock_server.http_call import Address, Unreachable
from mock_server.setting_names import MAX_SECONDS
from mock_server.testing.asked import SETTINGS_FIXTURE, Setup
from mock_server.testing.mistakes import warn
from mock_server.testing.servers import loaded

_OPTION = "--mock-server-url"
_WAS_WARNED: pytest.StashKey[bool] = pytest.StashKey()


def check(url: str) -> None:
    """Raises pytest.UsageError for a URL, or a variable beside it, that cannot be."""
    try:
        Address.of(url)
    except ValueError as error:
        raise pytest.UsageError(f"{error} - at {_OPTION}") from None
    _from_environment()


def _from_environment() -> tuple[str | None, float]:
    """The admin token, and the seconds that a call may take.

    Raises pytest.UsageError for a variable that is empty or has another kind of value.
    """
    names = variable("admin-token"), variable("timeout")
    token, seconds = map(os.environ.get, names)
    for name, value in zip(names, (token, seconds), strict=True):
        if value is not None and not value.strip():
            raise pytest.UsageError(f"Expected a value, got an empty one - at {name}")
    if token is not None and not (token.isascii() and token.isprintable()):
        raise pytest.UsageError(f"Expected visible ASCII - at {names[0]}")
    try:
        timeout = SECONDS if seconds is None else float(seconds)
    except ValueError:
        timeout = -1.0
    if not 0 <= timeout <= MAX_SECONDS:
        expected = f"seconds from 0 to {MAX_SECONDS:g}"
        raise pytest.UsageError(f"Expected {expected}, got {seconds} - at {names[1]}")
    return token, timeout


def sandbox_of(
    node: pytest.Item, url: str, setup: Setup, stack: ExitStack, test: str
) -> MockServerFixture:
    """A sandbox for `test` on the server at `url`; it ends with the stack.

    Raises Unreachable or Refused.
    """
    _warn_of_options(node, setup)
    # Runs and workers may share the server, but not the sandbox of a test.
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    token, timeout = _from_environment()
    name = f"{run} {worker} {test}"
    try:
        return stack.enter_context(remote_sandbox(url, token, setup, name, timeout))
    except Refused as error:
        if error.status != 401:
            raise
        why = f"{error} - at {_OPTION} ({variable('admin-token')} is to have the token)"
        raise ValueError(why) from None
    except Unreachable as error:
        why = f"{error} - at {_OPTION} (is mock-server running there?)"
        raise Unreachable(why) from None


def _warn_of_options(node: pytest.Item, setup: Setup) -> None:
    """Warn, once, of settings that only a server of the tests' own could have."""
    if not setup.options or node.config.stash.get(_WAS_WARNED, False):
        return
    node.config.stash[_WAS_WARNED] = True
    names = ", ".join(setup.options)
    why = f"no effect on a server that runs already ({_OPTION})"
    warn(node, pytest.PytestWarning(f"{names}: {why} - at {SETTINGS_FIXTURE}"))


@contextmanager
def remote_sandbox(
    url: str,
    token: str | None,
    setup: Setup,
    test: str,
    timeout: float = SECONDS,
) -> Iterator[MockServerFixture]:
    """A sandbox for one test on the server at `url`; it ends with the context.

    `timeout` is in seconds, for each call. Raises Unreachable or Refused.
    """
    server = AdminClient(url, token=token, timeout=timeout)
    # The sandbox ends by itself, after 600 s, if the process is killed before the test
    # is over.
    wanted: dict[str, Any] = {"name": _sandbox_name(test), "ttl": 600}
    wanted |= {"profile": setup.profile, "choices": dict(setup.choices)}
    made = server.json(SandboxView, "POST", "/sandboxes", **wanted)
    mine = AdminClient(url, made["name"], token, timeout)
    try:
        sandbox = MockServerFixture(mine)
        if setup.fixture is not None:
            sandbox.load(loaded(setup.fixture))
        yield sandbox
    finally:
        mine.json(SandboxView, "DELETE", "")


def _sandbox_name(test: str) -> str:
    """A name for the sandbox of a test, distinct for distinct tests."""
    # Test ids can have any length and character, names of sandboxes cannot.
    return f"pytest-{hashlib.sha256(test.encode()).hexdigest()[:24]}"
