"""The servers of a test session: in this process, or elsewhere."""

import dataclasses
import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.admin.views import FaultView, SandboxView
from mock_server.api.fixture_loading import load_fixture, with_faults
from mock_server.control.client import SECONDS, AdminClient, Refused
from mock_server.control.control_object import HasControl, MockServerFixture
from mock_server.control.embedding import MockServer, in_process
from mock_server.control.environment import MAX_SECONDS, variable
from mock_server.control.http_call import Address, Unreachable
from mock_server.domain.access import Caller
from mock_server.domain.objects.fixture_data import Generation
from mock_server.testing.mistakes import warn
from mock_server.testing.setup import SETTINGS_FIXTURE, AnyFixture, Setup

_OPTION = "--mock-server-url"
_FAULT = variable("fault")
_WAS_WARNED: pytest.StashKey[bool] = pytest.StashKey()


def check(url: str) -> None:
    """Raise pytest.UsageError for an invalid URL, or an invalid variable beside it."""
    try:
        Address.of(url)
    except ValueError as error:
        raise pytest.UsageError(f"{error} - at {_OPTION}") from None
    _from_environment()


def _from_environment() -> tuple[str | None, float]:
    """Return the admin token, and the seconds that a call may take.

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
        timeout = SECONDS if seconds is None else float(seconds)
    except ValueError:
        timeout = -1.0
    if not 0 <= timeout <= MAX_SECONDS:
        expected = f"seconds from 0 to {MAX_SECONDS:g}"
        raise pytest.UsageError(f"Expected {expected}, got {seconds} - at {names[1]}")
    return token, timeout


class Baselines:
    """Sandboxes on a server elsewhere, whose baselines tests' sandboxes start from.

    There is one for each fixture, so all tests and their runs load it once: a thousand
    collections take a tenth of a second.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._stack = ExitStack()

    def name_of(self, server: AdminClient, setup: Setup, test: str) -> str:
        """Return the name of the sandbox with the fixture of a test.

        `test` is the first test that needs it. Raises Unreachable or Refused.
        """
        fixture = _fixture_name(setup.fixture)
        if fixture not in self._names:
            kept = f"baseline of {test}"
            self._stack.enter_context(remote_sandbox(server, setup, kept))
            self._names[fixture] = _sandbox_name(kept)
        return self._names[fixture]

    def forget(self, setup: Setup) -> None:
        """Load the fixture again when a test needs it."""
        self._names.pop(_fixture_name(setup.fixture), None)

    def close(self) -> None:
        """Delete the sandboxes, unless they have expired or the server is gone."""
        with suppress(Refused, Unreachable):
            self._stack.close()


def sandbox_of(
    node: pytest.Item,
    url: str,
    setup: Setup,
    stack: ExitStack,
    test: str,
    baselines: Baselines,
) -> MockServerFixture:
    """Return a sandbox for `test` on the server at `url`; `stack` deletes it.

    Raises Unreachable, Refused, or ValueError for a refused admin token.
    """
    _warn_of_options(node, setup)
    # Runs and workers may share the server, but not the sandbox of a test.
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    token, timeout = _from_environment()
    server = AdminClient(url, token=token, timeout=timeout)
    name = f"{run} {worker} {test}"
    try:
        return stack.enter_context(remote_sandbox(server, setup, name, baselines))
    except Refused as error:
        if error.status != 401:
            raise
        why = f"{error} - at {_OPTION} ({variable('admin-token')} is to have the token)"
        raise ValueError(why) from None
    except Unreachable as error:
        raise Unreachable(f"{error} - at {_OPTION}") from None


def _warn_of_options(node: pytest.Item, setup: Setup) -> None:
    """Warn once of settings that cannot affect a server elsewhere."""
    if not setup.options or node.config.stash.get(_WAS_WARNED, False):
        return
    node.config.stash[_WAS_WARNED] = True
    names = ", ".join(setup.options)
    why = f"no effect on a server that runs already ({_OPTION})"
    warn(node, pytest.PytestWarning(f"{names}: {why} - at {SETTINGS_FIXTURE}"))


@contextmanager
def remote_sandbox(
    server: AdminClient, setup: Setup, test: str, baselines: Baselines | None = None
) -> Iterator[MockServerFixture]:
    """Yield a sandbox for one test on a server elsewhere, and delete it at the end.

    Its fixture is that of one of the baselines, if given. Raises Unreachable or
    Refused.
    """
    # If the process is killed during the test, the sandbox expires after 600 s.
    wanted: dict[str, Any] = {"name": _sandbox_name(test), "ttl": 600}
    wanted |= {"profile": setup.profile, "choices": dict(setup.choices)}
    is_loaded = False
    # A fixture that a test has loaded itself has no name.
    if baselines is not None and not isinstance(setup.fixture, Generation | None):
        try:
            name = baselines.name_of(server, setup, test)
            server.json(SandboxView, "POST", "/sandboxes", **wanted, baseline=name)
            is_loaded = True
        except Refused as error:  # an older server, or an expired sandbox
            if error.status == 404:
                baselines.forget(setup)
    if not is_loaded:
        server.json(SandboxView, "POST", "/sandboxes", **wanted)
    mine = dataclasses.replace(server, sandbox=wanted["name"])
    try:
        sandbox = MockServerFixture(mine)
        if setup.fixture is None:
            for fault in setup.faults:
                mine.json(FaultView, "POST", "/faults", **fault.plain_fields())
        elif not is_loaded:
            sandbox.load(with_faults(loaded(setup.fixture), setup.faults, _FAULT))
        yield sandbox
    finally:
        mine.json(SandboxView, "DELETE", "")


def _sandbox_name(test: str) -> str:
    # Test ids can have any length and character, names of sandboxes cannot.
    return f"pytest-{hashlib.sha256(test.encode()).hexdigest()[:24]}"


__tracebackhide__ = True

URL = "http://mock-server"
"""The base address for clients; its host is one that the server admits."""


class MockServerApp(HasControl):
    """A mock server as an ASGI application, and its control object."""

    def __init__(self, app: ASGIApp, token: str | None = None) -> None:
        """`token` is the admin token of the application."""
        self._app = app
        client = AdminClient(URL, token=token, send=in_process(app))
        self._control = MockServerFixture(client)

    @property
    def control(self) -> MockServerFixture:
        """Return the control object, as the pytest fixture `mock_server` is one."""
        return self._control

    @property
    def url(self) -> str:
        """Return a base address for clients that call the application."""
        return self.control.url

    @property
    def key(self) -> str:
        """Return an API key of level owner. Raises LookupError if there is none."""
        return self.control.key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


def server_for(
    request: pytest.FixtureRequest, setup: Setup, stack: ExitStack, number: int = 0
) -> MockServerFixture:
    """A server as a test asks for it, here or elsewhere; it ends with the stack.

    A test may have several, each of another number.
    """
    url = request.config.getoption(_OPTION)
    servers: LocalServers = request.getfixturevalue("_mock_servers")
    if url is None:
        return servers.running(setup, number)
    test = f"{request.node.nodeid} {number}"
    return sandbox_of(request.node, url, setup, stack, test, servers.baselines)


class LocalServers:
    """Servers in this process, shared by all tests, and `baselines` elsewhere.

    Each fixture is loaded once. Before each test the whole state of the server is
    replaced, which takes microseconds for a fixture of any size.
    """

    def __init__(self) -> None:
        self.baselines = Baselines()
        self._stack = ExitStack()
        self._servers: dict[tuple[str, int], MockServer] = {}
        self._running: set[int] = set()
        self._generations: dict[str, Generation] = {}

    def app(self, setup: Setup, *, begun: bool = False) -> MockServerApp:
        """Return an application at its baseline, or (`begun`) as it is: no socket."""
        name = _options_name(setup.options), 0
        server = self._servers[name] if begun else self._prepared(setup, 0)
        return MockServerApp(server.app, setup.options.get("admin_token"))

    def running(self, setup: Setup, number: int = 0) -> MockServerFixture:
        """Return a running server at its baseline.

        Each `number` is another server, which a test may use beside its own.
        """
        server = self._prepared(setup, number)
        if id(server) not in self._running:
            self._stack.enter_context(server)
            self._running.add(id(server))
        # A new control object for each test: it remembers keys and added faults.
        return MockServerFixture(server.client)

    def close(self) -> None:
        self._stack.close()
        self.baselines.close()

    def _prepared(self, setup: Setup, number: int) -> MockServer:
        options = dict(setup.options)
        if number != 0:
            options.pop("port", None)  # which the test's own server has
        name = _options_name(options), number
        if name not in self._servers:
            # With the demo data: `begin`, below, replaces them.
            self._servers[name] = MockServer(self._loaded(None), **options)
        server = self._servers[name]
        generation = with_faults(self._loaded(setup.fixture), setup.faults, _FAULT)
        profile, choices = setup.chosen()
        # In this order, as choices may record that they are read.
        if not generation.keys and choices.unknown_key == "reject":
            # Without any key the test could not call anything.
            owner = Caller("fastgpt-owner")
            generation = replace(generation, keys={owner.key: owner})
        server.sandbox.begin(generation, profile, choices)
        return server

    def _loaded(self, fixture: AnyFixture) -> Generation:
        """Return a fixture, loaded when it is first used."""
        if isinstance(fixture, Generation):
            return fixture
        name = _fixture_name(fixture)
        if name not in self._generations:
            self._generations[name] = loaded(fixture)
        return self._generations[name]


def loaded(fixture: AnyFixture) -> Generation:
    """Load a fixture of any form that a test may give. Raises FixtureError."""
    if isinstance(fixture, Generation):
        return fixture
    if isinstance(fixture, str | Path | Mapping):
        return load_fixture(fixture)
    return load_fixture(*(fixture or ()))


def _fixture_name(fixture: AnyFixture) -> str:
    if isinstance(fixture, Mapping):
        # By content: a pytest fixture may make an equal document for each test.
        return msgspec.json.encode(fixture).decode()
    if isinstance(fixture, str | Path):
        path = Path(fixture)
        # A file that has changed since it was loaded is another fixture.
        return f"{path} {path.stat().st_mtime_ns if path.exists() else 0}"
    return repr(fixture)


def _options_name(options: Mapping[str, Any]) -> str:
    return repr(sorted(options.items()))
