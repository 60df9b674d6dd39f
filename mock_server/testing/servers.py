"""Servers for tests: in this process, or a sandbox of one that runs already."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace
from starlette.types import ASGIApp

from mock_server.admin.resources.sandboxes import SandboxView
from mock_server.client import SECONDS, AdminClient
from mock_server.domain import choices as choice_table
from mock_server.domain.access import Caller
from mock_server.domain.generation import Generation
from mock_server.domain.store import Store
from mock_server.fixture.dump import to_document
from mock_server.fixture.files import FixtureLike
from mock_server.fixture.load import load_fixture
from mock_server.server import MockServer
from mock_server.testing.fixture import MockServerFixture
from mock_server.views import ResetView

AnyFixture = FixtureLike | Generation | Sequence[FixtureLike] | None
# Of a choice with many values only the first and the last one say anything new.
_ONLY_ENDS = ("page_size_default",)


@dataclass(frozen=True, slots=True)
class Setup:
    """What a test asks for; `options` are further arguments of MockServer."""

    fixture: AnyFixture = None
    profile: str = "documented"
    choices: Mapping[str, choice_table.Value] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def chosen(self) -> tuple[choice_table.Profile, choice_table.Choices]:
        """The profile and the value of every choice. Raises UnknownChoice."""
        return choice_table.as_profile(self.profile), choice_table.choose(
            self.profile, self.choices
        )


class LocalServers:
    """Servers in this process, one for each set of options, shared by all tests.

    Each fixture is loaded once. A test begins with the whole state of the server
    replaced, which takes microseconds whatever the size of the fixture.
    """

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._servers: dict[str, MockServer] = {}
        self._running: set[str] = set()
        self._generations: dict[str, Generation] = {}

    def app(self, setup: Setup) -> ASGIApp:
        """An application in its first state; no socket is opened."""
        return self._prepared(setup).app

    def running(self, setup: Setup) -> MockServerFixture:
        """A running server in its first state."""
        server = self._prepared(setup)
        name = _options_name(setup.options)
        if name not in self._running:
            self._stack.enter_context(server)
            self._running.add(name)
        sandbox = server.sandbox
        token = setup.options.get("admin_token")
        client = AdminClient(server.url, token=token)
        return MockServerFixture(client, sandbox.key, sandbox.keys)

    def close(self) -> None:
        """Stop all servers."""
        self._stack.close()

    def _prepared(self, setup: Setup) -> MockServer:
        name = _options_name(setup.options)
        if name not in self._servers:
            # With the demo, whatever the test asks for: `begin` replaces it, below.
            self._servers[name] = MockServer(self._loaded(None), **setup.options)
        server, generation = self._servers[name], self._loaded(setup.fixture)
        profile, choices = setup.chosen()
        if choices.unknown_key == "reject" and not generation.keys:
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
            self._generations[name] = _load(fixture)
        return self._generations[name]


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
    asked: dict[str, Any] = {"name": sandbox_name(test), "ttl": 600}
    asked |= {"profile": setup.profile, "choices": dict(setup.choices)}
    made = server.json(SandboxView, "POST", "/sandboxes", **asked)
    mine = AdminClient(url, made["name"], token, timeout)
    try:
        if setup.fixture is not None:
            # Here and not on the server, whose admin API takes no paths.
            generation = _load(setup.fixture)
            document = to_document(Store(generation), generation.frozen_at)
            mine.ask(ResetView, "PUT", "/state", msgspec.json.encode(document))
            # The sandbox has issued keys for those of the document.
            made = mine.json(SandboxView, "GET", "")
        yield MockServerFixture(mine, made["key"], made["keys"])
    finally:
        mine.json(SandboxView, "DELETE", "")


def sandbox_name(test: str) -> str:
    """A name for the sandbox of a test, distinct for distinct tests."""
    # Test ids can have any length and character, names of sandboxes cannot.
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
        # By content: a pytest fixture may make an equal document for each test.
        return msgspec.json.encode(fixture).decode()
    if isinstance(fixture, str | Path):
        path = Path(fixture)
        # A file that has changed since it was loaded is another fixture.
        return f"{path} {path.stat().st_mtime_ns if path.exists() else 0}"
    return repr(fixture)


def _options_name(options: Mapping[str, Any]) -> str:
    return repr(sorted(options.items()))


@dataclass(frozen=True, slots=True)
class Variant:
    """One choice with another value than a test's baseline; its text is NAME=VALUE."""

    name: str
    value: choice_table.Value

    def __str__(self) -> str:
        return f"{self.name}={self.value}"

    def differs_from(self, choices: choice_table.Choices) -> bool:
        """Whether these choices have another value."""
        return bool(getattr(choices, self.name) != self.value)


def variants(
    baseline: choice_table.Choices, fixed: Iterable[str] = ()
) -> Iterator[Variant]:
    """Every other value than the baseline's, of every choice that is not `fixed`."""
    for choice in choice_table.table().values():
        values = choice.values
        if choice.name in _ONLY_ENDS:
            values = values[0], values[-1]
        for value in values:
            variant = Variant(choice.name, value)
            if choice.name not in fixed and variant.differs_from(baseline):
                yield variant


def dependences(
    passed: Iterable[tuple[str, str]], failed: Iterable[tuple[str, str]]
) -> Mapping[str, list[str]]:
    """The tests that pass under the baseline and fail under a variant, by variant.

    An outcome is a test and its variant, which is empty under the baseline.
    """
    # A test that fails under the baseline too says nothing about a choice.
    fine = {test for test, variant in passed if not variant}
    found: dict[str, list[str]] = defaultdict(list)
    for test, variant in failed:
        if variant and test in fine:
            found[variant].append(test)
    return found
