"""Servers in this process, shared by all tests of a run."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from mock_server.api.fixture import load_fixture
from mock_server.control.handle import MockServerFixture
from mock_server.domain.access import Caller
from mock_server.domain.generation import Generation
from mock_server.embedding import MockServer
from mock_server.testing.app import MockServerApp
from mock_server.testing.asked import AnyFixture, Setup


class LocalServers:
    """Servers in this process, shared by all tests.

    Each fixture is loaded once. A test begins with the whole state of the server
    replaced, which takes microseconds whatever the size of the fixture.
    """

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._servers: dict[tuple[str, int], MockServer] = {}
        self._running: set[int] = set()
        self._generations: dict[str, Generation] = {}

    def app(self, setup: Setup, *, begun: bool = False) -> MockServerApp:
        """An application in its first state, or as it is (`begun`): no new socket."""
        if begun:
            return MockServerApp(self._servers[_options_name(setup.options), 0].app)
        return MockServerApp(self._prepared(setup, 0).app)

    def running(self, setup: Setup, number: int = 0) -> MockServerFixture:
        """A running server in its first state.

        Those of another `number` are other servers, which a test may have beside it.
        """
        server = self._prepared(setup, number)
        if id(server) not in self._running:
            self._stack.enter_context(server)
            self._running.add(id(server))
        # A new one for each test: it remembers keys, and faults that were added.
        return MockServerFixture(server.client)

    def close(self) -> None:
        """Stop all servers."""
        self._stack.close()

    def _prepared(self, setup: Setup, number: int) -> MockServer:
        options = dict(setup.options)
        if number != 0:
            options.pop("port", None)  # which the test's own server has
        name = _options_name(options), number
        if name not in self._servers:
            # With the demo, whatever the test asks for: `begin` replaces it, below.
            self._servers[name] = MockServer(self._loaded(None), **options)
        server, generation = self._servers[name], self._loaded(setup.fixture)
        profile, choices = setup.chosen()
        # Asked in this order, for choices may note that they are read.
        if not generation.keys and choices.unknown_key == "reject":
            # Without any key the test could not call anything.
            owner = Caller("fastgpt-owner")
            generation = replace(generation, keys={owner.key: owner})
        server.sandbox.begin(generation, profile, choices)
        return server

    def _loaded(self, fixture: AnyFixture) -> Generation:
        """A fixture, loaded when it is first used."""
        if isinstance(fixture, Generation):
            return fixture
        name = _fixture_name(fixture)
        if name not in self._generations:
            self._generations[name] = loaded(fixture)
        return self._generations[name]


def loaded(fixture: AnyFixture) -> Generation:
    """A fixture as a test may ask for it, read anew. Raises FixtureError."""
    if isinstance(fixture, Generation):
        return fixture
    if fixture is None:
        return load_fixture()
    if isinstance(fixture, str | Path | Mapping):
        return load_fixture(fixture)
    return load_fixture(*fixture)


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
