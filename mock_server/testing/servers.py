"""The sandboxes of tests: on servers of this process, or on one that runs already."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace
from starlette.types import ASGIApp

from mock_server.admin.resources.sandboxes import SandboxView
from mock_server.client import SECONDS, AdminClient
from mock_server.domain.access import Caller
from mock_server.domain.choices import Choices, Profile, Value, as_profile, choose
from mock_server.domain.store import Generation, Store
from mock_server.fixture.dump import to_document
from mock_server.fixture.files import FixtureLike
from mock_server.fixture.load import load_fixture
from mock_server.server import MockServer
from mock_server.testing.handle import MockServerFixture
from mock_server.views import ResetView

AnyFixture = FixtureLike | Generation | Sequence[FixtureLike] | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a test wants: its fixture, profile and choices, and how to serve them."""

    fixture: AnyFixture = None
    profile: str = "documented"
    choices: Mapping[str, Value] = field(default_factory=dict)
    serving: Mapping[str, Any] = field(default_factory=dict)

    def chosen(self) -> tuple[Profile, Choices]:
        """The profile and all choices. Raises UnknownChoice."""
        return as_profile(self.profile), choose(self.profile, self.choices)


class OwnServers:
    """Servers in this process, one for each way of serving; the same one for all tests.

    A fixture is loaded once, a test's sandbox begins by a swap of pointers.
    """

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._servers: dict[str, MockServer] = {}
        self._running: set[str] = set()
        self._loaded: dict[str, Generation] = {}

    def app(self, wanted: Wanted) -> ASGIApp:
        """An application that begins anew; no socket is opened."""
        return self._begun(wanted).app

    def handle(self, wanted: Wanted) -> MockServerFixture:
        """The handle of a running server of which the sandbox begins anew."""
        server = self._begun(wanted)
        name = _name(wanted.serving)
        if name not in self._running:
            self._stack.enter_context(server)
            self._running.add(name)
        sandbox = server.sandbox
        token = wanted.serving.get("admin_token")
        client = AdminClient(server.url, token=token)
        return MockServerFixture(client, sandbox.key, sandbox.keys)

    def close(self) -> None:
        """Stop all servers."""
        self._stack.close()

    def _begun(self, wanted: Wanted) -> MockServer:
        name = _name(wanted.serving)
        if name not in self._servers:
            self._servers[name] = MockServer(self.generation(None), **wanted.serving)
        server, generation = self._servers[name], self.generation(wanted.fixture)
        profile, choices = wanted.chosen()
        if choices.unknown_key == "reject" and not generation.keys:
            # There must be a key to call with.
            owner = Caller("fastgpt-owner")
            generation = replace(generation, keys={owner.key: owner})
        server.sandbox.begin(generation, profile, choices)
        return server

    def generation(self, fixture: AnyFixture) -> Generation:
        """A fixture, loaded when it is first asked for."""
        if isinstance(fixture, Generation):
            return fixture
        name = _fixture_name(fixture)
        if name not in self._loaded:
            self._loaded[name] = _load(fixture)
        return self._loaded[name]


@contextmanager
def shared(
    url: str,
    token: str | None,
    wanted: Wanted,
    test: str,
    timeout: float = SECONDS,
) -> Iterator[MockServerFixture]:
    """A handle of a server that runs already: a sandbox that lasts as long as the test.

    Raises Unreachable or Refused.
    """
    server = AdminClient(url, token=token, timeout=timeout)
    asked: dict[str, Any] = {"name": sandbox_name(test), "ttl": 600}
    asked |= {"profile": wanted.profile, "choices": dict(wanted.choices)}
    made = server.json(SandboxView, "POST", "/sandboxes", **asked)
    mine = AdminClient(url, made["name"], token, timeout)
    try:
        if wanted.fixture is not None:
            generation = _load(wanted.fixture)
            document = to_document(Store(generation), generation.frozen_at)
            mine.ask(ResetView, "PUT", "/state", msgspec.json.encode(document))
            made = mine.json(SandboxView, "GET", "")
        yield MockServerFixture(mine, made["key"], made["keys"])
    finally:
        mine.json(SandboxView, "DELETE", "")


def sandbox_name(test: str) -> str:
    """A name for the sandbox of a test, distinct for distinct tests."""
    return f"pytest-{hashlib.sha256(test.encode()).hexdigest()[:24]}"


def _load(fixture: AnyFixture) -> Generation:
    if isinstance(fixture, Generation):
        return fixture
    if fixture is None:
        return load_fixture()
    if isinstance(fixture, str | Path | Mapping):
        return load_fixture(fixture)
    return load_fixture(*fixture)


def _fixture_name(fixture: AnyFixture) -> str:
    if isinstance(fixture, Mapping):
        return msgspec.json.encode(fixture).decode()
    if isinstance(fixture, str | Path):
        path = Path(fixture)
        return f"{path} {path.stat().st_mtime_ns if path.exists() else 0}"
    return repr(fixture)


def _name(serving: Mapping[str, Any]) -> str:
    return repr(sorted(serving.items()))
