"""Provides the servers of a test session, in this process or with --mock-server-url."""

import dataclasses
import hashlib
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.admin.views import FaultView, SandboxView
from mock_server.api.fixture_loading import load_fixture, with_faults
from mock_server.control.client import TIMEOUT_SECONDS, AdminClient, Refused
from mock_server.control.control_object import HasControl, MockServerFixture
from mock_server.control.embedding import MockServer, in_process
from mock_server.control.environment import MAX_SECONDS, variable
from mock_server.control.http_call import Address, Unreachable
from mock_server.domain.access import Caller
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.testing.mistakes import warn
from mock_server.testing.setup import SETTINGS_FIXTURE, AnyFixture, Setup

_OPTION = "--mock-server-url"
_FAULT = variable("fault")
_WAS_WARNED: pytest.StashKey[bool] = pytest.StashKey()


def check(url: str) -> None:
    """Raise pytest.UsageError for an invalid URL, admin token or timeout."""
    try:
        Address.of(url)
    except ValueError as error:
        raise pytest.UsageError(f"{error} - at {_OPTION}") from None
    _from_environment()


def _from_environment() -> tuple[str | None, float]:
    """Return the admin token, and the timeout of calls in seconds.

    Raises pytest.UsageError for an empty or invalid variable.
    """
    names = variable("admin-token"), variable("timeout")
    token, seconds = map(os.environ.get, names)
    for name, value in zip(names, (token, seconds), strict=True):
        if value is not None and not value.strip():
            raise pytest.UsageError(f"Expected a value, got an empty one - at {name}")
    if token is not None and not (token.isascii() and token.isprintable()):
        raise pytest.UsageError(f"Expected visible ASCII - at {names[0]}")
    try:
        timeout = TIMEOUT_SECONDS if seconds is None else float(seconds)
    except ValueError:
        timeout = -1.0
    if not 0 <= timeout <= MAX_SECONDS:
        expected = f"seconds from 0 to {MAX_SECONDS:g}"
        raise pytest.UsageError(f"Expected {expected}, got {seconds} - at {names[1]}")
    return token, timeout


class Baselines:
    """Sandboxes of a remote server with the fixtures from which tests start.

    Each fixture is loaded only once for all tests, because a thousand collections take
    a tenth of a second.
    """

    def __init__(self) -> None:
        self.process = secrets.token_hex(8)
        """Names this process, because others may share the server."""
        self._names: dict[str, str] = {}
        self._exit_stack = ExitStack()

    def name_of(self, client: AdminClient, setup: Setup, test: str) -> str:
        """Return the name of the sandbox with this fixture; create it if needed.

        The name contains that of the first `test`. Raises Unreachable or Refused.
        """
        fixture = _fixture_name(setup.fixture)
        if fixture not in self._names:
            baseline = f"baseline of {test}"
            self._exit_stack.enter_context(remote_sandbox(client, setup, baseline))
            self._names[fixture] = _sandbox_name(baseline)
        return self._names[fixture]

    def forget(self, setup: Setup) -> None:
        """Load the fixture again for the next test that needs it."""
        self._names.pop(_fixture_name(setup.fixture), None)

    def close(self) -> None:
        """Delete the sandboxes, unless they have expired or the server is gone."""
        with suppress(Refused, Unreachable):
            self._exit_stack.close()


def remote_server(
    node: pytest.Item,
    url: str,
    setup: Setup,
    exit_stack: ExitStack,
    test: str,
    baselines: Baselines,
) -> MockServerFixture:
    """Return a sandbox for `test` on the server at `url`; `exit_stack` deletes it.

    Raises Unreachable, Refused, or ValueError for a refused admin token.
    """
    _warn_of_options(node, setup)
    token, timeout = _from_environment()
    client = AdminClient(url, token=token, timeout=timeout)
    name = f"{baselines.process} {test}"
    try:
        return exit_stack.enter_context(remote_sandbox(client, setup, name, baselines))
    except Refused as error:
        if error.status != 401:
            raise
        hint = f"{variable('admin-token')} must have the token"
        raise ValueError(f"{error} - at {_OPTION} ({hint})") from None
    except Unreachable as error:
        raise Unreachable(f"{error} - at {_OPTION}") from None


def _warn_of_options(node: pytest.Item, setup: Setup) -> None:
    """Warn once of settings that cannot affect a remote server."""
    if not setup.options or node.config.stash.get(_WAS_WARNED, False):
        return
    node.config.stash[_WAS_WARNED] = True
    names = ", ".join(setup.options)
    text = f"no effect on a server that runs already ({_OPTION})"
    warn(node, pytest.PytestWarning(f"{names}: {text} - at {SETTINGS_FIXTURE}"))


@contextmanager
def remote_sandbox(
    client: AdminClient, setup: Setup, test: str, baselines: Baselines | None = None
) -> Iterator[MockServerFixture]:
    """Yield a sandbox for one test on a remote server, and delete it at the end.

    If there are `baselines`, the sandbox starts from one of them. Raises Unreachable or
    Refused.
    """
    # The sandbox expires after 600 s if the process is killed during the test.
    body: dict[str, Any] = {"name": _sandbox_name(test), "ttl": 600}
    body |= {"profile": setup.profile, "choices": dict(setup.choices)}
    is_loaded = False
    # Baselines have fixtures by name, which loaded fixture data lacks.
    if baselines is not None and not isinstance(setup.fixture, FixtureData | None):
        try:
            name = baselines.name_of(client, setup, test)
            client.json(SandboxView, "POST", "/sandboxes", **body, baseline=name)
            is_loaded = True
        except Refused as error:  # an older server, or an expired sandbox
            if error.status == 404:
                baselines.forget(setup)
    if not is_loaded:
        client.json(SandboxView, "POST", "/sandboxes", **body)
    sandbox_client = dataclasses.replace(client, sandbox=body["name"])
    try:
        sandbox = MockServerFixture(sandbox_client)
        if setup.fixture is None:
            for fault in setup.faults:
                sandbox_client.json(
                    FaultView, "POST", "/faults", **fault.plain_fields()
                )
        elif not is_loaded:
            sandbox.load(with_faults(load(setup.fixture), setup.faults, _FAULT))
        yield sandbox
    finally:
        sandbox_client.json(SandboxView, "DELETE", "")


def _sandbox_name(test: str) -> str:
    # Hashed, because ids of tests can be longer than names of sandboxes.
    return f"pytest-{hashlib.sha256(test.encode()).hexdigest()[:24]}"


__tracebackhide__ = True

URL = "http://mock-server"
"""The base address for clients; its host is one that the server admits."""


class MockServerApp(HasControl):
    """A mock server as an ASGI application, and its control object."""

    def __init__(self, app: ASGIApp, token: str | None = None) -> None:
        """Wrap an application; `token` is its admin token."""
        self._app = app
        client = AdminClient(URL, token=token, send=in_process(app))
        self._control = MockServerFixture(client)

    @property
    def control(self) -> MockServerFixture:
        """The control object, of the same type as the pytest fixture `mock_server`."""
        return self._control

    @property
    def url(self) -> str:
        """The base address for clients that call the application."""
        return self.control.url

    @property
    def key(self) -> str:
        """An API key of level owner. Raises LookupError if there is none."""
        return self.control.key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


def server_for(
    request: pytest.FixtureRequest, setup: Setup, exit_stack: ExitStack, number: int = 0
) -> MockServerFixture:
    """Return a server with the setup of a test, in this process or remote.

    `exit_stack` ends it. A test may have several servers, each with its own `number`.
    """
    url = request.config.getoption(_OPTION)
    servers: LocalServers = request.getfixturevalue("_mock_servers")
    if url is None:
        return servers.run(setup, number)
    test = f"{request.node.nodeid} {number}"
    return remote_server(request.node, url, setup, exit_stack, test, servers.baselines)


class LocalServers:
    """Servers in this process for all tests; `baselines` are for a remote server.

    Each fixture is loaded once. Before each test the state of the server is replaced,
    which takes microseconds for a fixture of any size.
    """

    def __init__(self) -> None:
        self.baselines = Baselines()
        self._exit_stack = ExitStack()
        self._servers: dict[tuple[str, int], MockServer] = {}
        self._running_ids: set[int] = set()
        self._fixtures: dict[str, FixtureData] = {}

    def app(self, setup: Setup, *, keeps_state: bool = False) -> MockServerApp:
        """Return an application without a socket, at its baseline or as it is."""
        name = _options_name(setup.options), 0
        server = self._servers[name] if keeps_state else self._prepare(setup, 0)
        return MockServerApp(server.app, setup.options.get("admin_token"))

    def run(self, setup: Setup, number: int = 0) -> MockServerFixture:
        """Return a running server at its baseline; each `number` is another server."""
        server = self._prepare(setup, number)
        if id(server) not in self._running_ids:
            self._exit_stack.enter_context(server)
            self._running_ids.add(id(server))
        # Each test has a new control object, which remembers keys and added faults.
        return MockServerFixture(server.client)

    def close(self) -> None:
        self._exit_stack.close()
        self.baselines.close()

    def _prepare(self, setup: Setup, number: int) -> MockServer:
        """Return the server with these options, reset to the setup of a test."""
        options = dict(setup.options)
        if number != 0:
            options.pop("port", None)  # the test's first server has this port
        name = _options_name(options), number
        if name not in self._servers:
            # The demo is only a start, which `begin` below replaces.
            self._servers[name] = MockServer(self._load(None), **options)
        server = self._servers[name]
        fixture = with_faults(self._load(setup.fixture), setup.faults, _FAULT)
        profile, choices = setup.profile_and_choices()
        # The choice is read last, because choices may record that they are read.
        if not fixture.keys and choices.unknown_key == "reject":
            # Without a key the test could not call any operation.
            owner = Caller("fastgpt-owner")
            fixture = replace(fixture, keys={owner.key: owner})
        server.sandbox.begin(fixture, profile, choices)
        return server

    def _load(self, fixture: AnyFixture) -> FixtureData:
        """Return a fixture, which is loaded on first use."""
        if isinstance(fixture, FixtureData):
            return fixture
        name = _fixture_name(fixture)
        if name not in self._fixtures:
            self._fixtures[name] = load(fixture)
        return self._fixtures[name]


def load(fixture: AnyFixture) -> FixtureData:
    """Load a fixture in any form that a test may use. Raises FixtureError."""
    if isinstance(fixture, FixtureData):
        return fixture
    if isinstance(fixture, str | Path | Mapping):
        return load_fixture(fixture)
    return load_fixture(*(fixture or ()))


def _fixture_name(fixture: AnyFixture) -> str:
    if isinstance(fixture, Mapping):
        # The content, because a pytest fixture may return an equal dict for each test.
        return msgspec.json.encode(fixture).decode()
    if isinstance(fixture, str | Path):
        path = Path(fixture)
        # With its time and size, because a changed file must be loaded again.
        stat = path.stat() if path.exists() else None
        return f"{path} {stat and (stat.st_mtime_ns, stat.st_size)}"
    if isinstance(fixture, Sequence):
        return repr([*map(_fixture_name, fixture)])
    return repr(fixture)


def _options_name(options: Mapping[str, Any]) -> str:
    return repr(sorted(options.items()))
