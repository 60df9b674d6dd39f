"""The servers that tests use: one in this process, or sandboxes of a server elsewhere."""

import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from msgspec import json
from starlette.types import Receive, Scope, Send

from mock_server.application import load_baseline
from mock_server.choices import merged_choices
from mock_server.control import Control
from mock_server.control.admin_client import client_at
from mock_server.embedded_server import MockServer, NotStarted
from mock_server.fixture.load import load_fixture, read_profile
from mock_server.plugin.server_options import FixtureWarning, Setup, plain_errors
from mock_server.sandbox import Baseline

MISROUTED_CALLS = (
    "no call came to the sandbox of this test, and {} came to sandbox 'default' meanwhile: "
    "does the client send the key of this test?"
)


class Servers:
    """The server that tests share: it starts once, and each test gets new sandboxes.

    With a URL, `control` and `session` use sandboxes on that server; `application` does not.
    """

    def __init__(self, url: str | None = None) -> None:
        self._url = url
        self.local = MockServer({})
        self._fixture: Baseline | None = None
        self._source_version: Any = None
        """The `source_version` of the fixture when it was loaded."""
        self._prepared: Setup | None = None

    def control(self, setup: Setup) -> AbstractContextManager[Control]:
        """Control a server with fresh data of a setup and nothing that an earlier test left."""
        if self._url:
            return remote_sandbox(self._url, setup)
        server = self._prepare(setup)
        if isinstance(server.http, NotStarted):
            server.start()
        if server.http.is_closed:
            server.http = client_at(server.url)
        server.http.cookies.clear()
        return nullcontext(Control(server.http, application=server.application))

    def application(self, setup: Setup) -> "MockServerApp":
        """The server of this process with fresh data of a setup, as an application."""
        return MockServerApp.of(self._prepare(setup).application)

    def session(self, setup: Setup) -> AbstractContextManager[Control]:
        """Control a server for a whole session, with the data of a setup."""
        if self._url:
            return remote_sandbox(self._url, setup)
        return Servers()._prepare(setup)

    def _prepare(self, setup: Setup) -> MockServer:
        """The server of this process with fresh data of a setup, maybe not started yet."""
        # Another pytest fixture of the same test may have prepared the server.
        if setup is self._prepared:
            return self.local
        with plain_errors():
            baseline = load_baseline(
                self._load(setup.fixture),
                profile=setup.profile or "documented",
                choices=setup.choices,
            )
        # A sandbox refers to its baseline: this costs microseconds, whatever the size of the data.
        self.local.run(lambda: self.local.sandboxes.restart(baseline))
        self._prepared = setup
        return self.local

    def _load(self, source: Any) -> Baseline:
        """Load a fixture, unless it is the one of the last call and has not changed."""
        if self._fixture is not None and source_version(source) == self._source_version:
            return self._fixture
        self._fixture = load_fixture("demo" if source is None else source)
        self._source_version = source_version(source)
        # pytest shows a warning once, however often its fixture is loaded.
        for text in self._fixture.warnings:
            warnings.warn(FixtureWarning(text), stacklevel=2)
        return self._fixture


def source_version(source: Any) -> Any:
    """A value that differs for another source, and for a source that has changed."""
    if isinstance(source, Path):
        return source, source.read_bytes()
    if isinstance(source, Mapping):
        return json.encode(source)
    return source


class MockServerApp(Control):
    """The server of the test as an ASGI application, with its control: it opens no socket."""

    @property
    def control(self) -> Control:
        return self

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.application(scope, receive, send)


@contextmanager
def remote_sandbox(url: str, setup: Setup) -> Iterator[Control]:
    """A sandbox on a running server, for as long as the block lasts."""
    server = Control.at(url, token=os.environ.get("MOCK_SERVER_ADMIN_TOKEN"))
    profile = None
    choices = setup.choices
    with server.http:
        with plain_errors():
            # The file of a profile is on this machine, and maybe not on the server's.
            if setup.profile:
                file = read_profile(setup.profile)
                profile = file.profile
                choices = merged_choices(file.choices, choices)
            control = server.create_sandbox(profile=profile, choices=choices or None)
            calls_before = calls_of(server)
        try:
            if setup.fixture is not None:
                with plain_errors():
                    control.load(setup.fixture)
            yield control
        finally:
            # The test may have removed its sandbox, or ended the server.
            with plain_errors():
                misrouted = calls_of(server) - calls_before
                if misrouted > 0 and not calls_of(control):
                    warnings.warn(MISROUTED_CALLS.format(misrouted), stacklevel=2)
                control.remove_sandbox()


def calls_of(control: Control) -> int:
    """How many calls have come to a sandbox since its last reset."""
    total: int = control.call("GET", "/journal", limit=1)["total"]
    return total
