"""The pytest plugin: fixtures `mock_server` and `mock_server_app`, marker, options.

pytest imports this module in every run, also in those that do not use it. So whatever
takes time to import is imported inside functions, when a test first needs it.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from mock_server.testing.fixture import MockServerFixture
    from mock_server.testing.servers import LocalServers, Setup, Variant

_FIXTURE = _MARK = "mock_server"
_VARIANT, _BASELINE = "_mock_server_variant", "baseline"
_URL, _CHOICES, _STRICT = "mock_server_url", "mock_server_choices", "mock_server_strict"
_TOKEN, _TIMEOUT = "MOCK_SERVER_ADMIN_TOKEN", "MOCK_SERVER_TIMEOUT"
# As for commands; `cli.settings`, which has it too, would import click.
_MAX_SECONDS = 86_400
_FURTHER_VIOLATIONS = (
    "invalid_field",
    "missing_authorization",
    "unknown_route",
    "neighbour",
)
"""Names of violations beside those of choices, and what stands for neighbours' all."""
_MARK_HELP = (
    "mock_server(fixture=None, profile=None, choices=None): the fixture file (relative "
    "to the test file) or document, the profile and the choices of these tests"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Called by pytest; adds the options and the ini value."""
    group = parser.getgroup("mock-server")
    group.addoption(
        "--mock-server-url",
        dest=_URL,
        metavar="URL",
        help="Use the mock server at URL, with a sandbox of its own for each test. "
        "MOCK_SERVER_ADMIN_TOKEN is its admin token, MOCK_SERVER_TIMEOUT the seconds "
        "that a call may take.",
    )
    group.addoption(
        "--mock-server-choices",
        dest=_CHOICES,
        choices=("all",),
        help="Run each test that uses the mock server again for every other value of "
        "every choice, and report which ones break it.",
    )
    parser.addini(
        _STRICT,
        "Fail a test whose requests depart from the documented interface: true, false, "
        "or the names of violations that are allowed (`neighbour`: all of neighbours).",
        type="args",
        default=["false"],
    )


def pytest_configure(config: pytest.Config) -> None:
    """Called by pytest; adds the marker.

    Raises pytest.UsageError for a URL or a variable that cannot be.
    """
    config.addinivalue_line("markers", _MARK_HELP)
    url = config.getoption(_URL)
    # Now, so that a mistake is one line instead of an error in each test.
    if url is not None:
        _check_url(url)
        _remote_settings()
    _allowed_violations(config)


_TRUE, _FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


def _allowed_violations(config: pytest.Config) -> list[str] | None:
    """The names of violations that mock_server_strict allows; None: all, it is off.

    Raises pytest.UsageError for what is no name.
    """
    try:
        given: list[str] = config.getini(_STRICT)
    except (TypeError, pytest.UsageError) as error:
        # In native TOML, a list cannot be true or false, and pytest tells it so only.
        given = [str(error).rpartition(": ")[2]]
    words = [name for word in given for name in word.split(",") if name]
    if len(words) == 1 and words[0].lower() in (*_TRUE, *_FALSE):
        return [] if words[0].lower() in _TRUE else None
    if not words:
        raise pytest.UsageError(f"Expected a value, got none - at {_STRICT}")
    from mock_server.domain.choices import table
    from mock_server.domain.errors import did_you_mean

    known = [*table(), *_FURTHER_VIOLATIONS]
    for word in words:
        if word not in known:
            expected = f"true, false or names of violations, got {word!r}"
            hint = did_you_mean(word, known)
            raise pytest.UsageError(f"Expected {expected}{hint} - at {_STRICT}")
    return words


def _check_url(url: str) -> None:
    from mock_server.http_call import Address

    try:
        Address.of(url)
    except ValueError as error:
        raise pytest.UsageError(f"{error} - at --mock-server-url") from None


def _remote_settings() -> tuple[str | None, float | None]:
    """The admin token for --mock-server-url, and the seconds that a call may take.

    Raises pytest.UsageError for a variable that is empty or has another kind of value.
    """
    token, seconds = os.environ.get(_TOKEN), os.environ.get(_TIMEOUT)
    for name, value in ((_TOKEN, token), (_TIMEOUT, seconds)):
        if value is not None and not value.strip():
            raise pytest.UsageError(f"Expected a value, got an empty one - at {name}")
    if token is not None and not (token.isascii() and token.isprintable()):
        raise pytest.UsageError(f"Expected visible ASCII - at {_TOKEN}")
    try:
        timeout = None if seconds is None else float(seconds)
    except ValueError:
        timeout = -1.0
    if timeout is not None and not 0 <= timeout <= _MAX_SECONDS:
        expected = f"seconds from 0 to {_MAX_SECONDS}"
        raise pytest.UsageError(f"Expected {expected}, got {seconds} - at {_TIMEOUT}")
    return token, timeout


def pytest_report_header(config: pytest.Config) -> str | None:
    """Called by pytest; names the server of --mock-server-url."""
    url = config.getoption(_URL)
    return f"mock-server: {url}, a sandbox per test" if url else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Called by pytest; --mock-server-choices=all makes a test one run a variant."""
    if _VARIANT not in metafunc.fixturenames or not metafunc.config.getoption(_CHOICES):
        return
    from mock_server.domain.choices import choose
    from mock_server.testing.servers import variants

    marked = _marked(metafunc.definition)
    fixed = marked.get("choices") or {}
    # Fixtures have no values while tests are collected, so the profile and choices
    # of mock_server_settings are not known yet: `_mock_server_setup` skips variants
    # that turn out to be the baseline.
    baseline = choose(marked.get("profile") or "documented", fixed)
    found = [None, *variants(baseline, fixed)]
    ids = [_BASELINE if each is None else str(each) for each in found]
    # Indirect: the values go to the fixture, and no test needs an argument for them.
    metafunc.parametrize(_VARIANT, found, ids=ids, indirect=True)


@pytest.fixture
def _mock_server_variant(request: pytest.FixtureRequest) -> Variant | None:
    """The choice that differs from the baseline in this run of a test; None: none does.

    Notes test and variant in the report, from which the summary is made.
    """
    variant: Variant | None = getattr(request, "param", None)
    if hasattr(request, "param"):
        name = _BASELINE if variant is None else str(variant)
        test = request.node.nodeid
        # The node id without this parameter, wherever among others it stands.
        for part, rest in ((f"[{name}]", ""), (f"{name}-", ""), (f"-{name}", "")):
            test = test.replace(part, rest, 1)
        # Part of the report, which pytest-xdist sends from workers to the process that
        # prints the summary. Plain data, as it travels.
        request.node.user_properties.append((_VARIANT, [test, str(variant or "")]))
    return variant


@pytest.fixture(scope="session")
def mock_server_fixture() -> Any:
    """The fixture of the mock server; override it with a path or a document."""
    return None


@pytest.fixture(scope="session")
def mock_server_settings() -> dict[str, Any]:
    """Arguments of MockServer; override it to set any."""
    return {}


@pytest.fixture(scope="session")
def _mock_servers() -> Iterator[LocalServers]:
    from mock_server.testing.servers import LocalServers

    servers = LocalServers()
    yield servers
    servers.close()


@pytest.fixture
def _mock_server_setup(
    request: pytest.FixtureRequest,
    mock_server_fixture: Any,
    mock_server_settings: dict[str, Any],
    _mock_server_variant: Variant | None,
) -> Setup:
    from mock_server.domain.choices import choose
    from mock_server.testing.servers import Setup

    marked, settings = _marked(request.node), dict(mock_server_settings)
    fixture = marked.get("fixture", mock_server_fixture)
    if isinstance(fixture, str | Path):
        fixture = request.path.parent / fixture
    profile = settings.pop("profile", "documented")
    profile = marked.get("profile") or profile
    choices = {**(settings.pop("choices", None) or {}), **(marked.get("choices") or {})}
    variant = _mock_server_variant
    if variant is not None:
        if not variant.differs_from(choose(profile, choices)):
            pytest.skip(f"{variant} is the baseline here")
        choices[variant.name] = variant.value
    return Setup(fixture, profile, choices, settings)


@pytest.fixture
def mock_server(
    request: pytest.FixtureRequest, _mock_server_setup: Setup
) -> Iterator[MockServerFixture]:
    """A running mock server with the test's fixture, profile and choices."""
    url = request.config.getoption(_URL)
    if not url:
        servers: LocalServers = request.getfixturevalue("_mock_servers")
        yield servers.running(_mock_server_setup)
        return
    from mock_server.client import SECONDS, Refused
    from mock_server.http_call import Unreachable
    from mock_server.testing.servers import remote_sandbox

    # Runs and workers may share the server, but not the sandbox of a test.
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    test = f"{run} {worker} {request.node.nodeid}"
    token, timeout = _remote_settings()
    seconds = SECONDS if timeout is None else timeout
    try:
        with remote_sandbox(url, token, _mock_server_setup, test, seconds) as server:
            yield server
    # From making or ending the sandbox. What a test raises does not come here:
    # pytest throws nothing into the generators of fixtures.
    except (Refused, Unreachable) as error:
        pytest.fail(f"mock-server: {error}", pytrace=False)


@pytest.fixture
def mock_server_app(_mock_servers: LocalServers, _mock_server_setup: Setup) -> ASGIApp:
    """The mock server as an ASGI application; it opens no socket."""
    return _mock_servers.app(_mock_server_setup)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Called by pytest; with mock_server_strict, a test with violations fails."""
    # In the call phase and not in the teardown of the fixture, so that the test fails
    # (or is an expected failure) instead of having an error. If the test has failed,
    # this raises, and its own message stands.
    result = yield
    server = _server_of(item)
    if server is not None:
        allowed = _allowed_violations(item.config)
        if allowed is not None:
            server.assert_no_violations(allowed)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Called by pytest; a failed test's report gets its journal and pending faults."""
    # The report of the call is made before fixtures are torn down, so the server and
    # its sandbox are still there.
    report = yield
    server = _server_of(item)
    if server is not None and report.failed and call.when == "call":
        from mock_server.testing.fixture import report_sections

        report.sections.extend(report_sections(server))
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Called by pytest; after --mock-server-choices=all, lists what breaks tests."""
    if not terminalreporter.config.getoption(_CHOICES):
        return
    from mock_server.testing.servers import dependences

    outcomes = {
        kind: [
            tuple(value)
            for report in terminalreporter.stats.get(kind, ())
            for name, value in report.user_properties
            if name == _VARIANT
        ]
        for kind in ("passed", "failed")
    }
    found = dependences(outcomes["passed"], outcomes["failed"])
    terminalreporter.section("mock-server choices")
    if not found:
        terminalreporter.line("no test depends on what the documentation leaves open")
    for variant, tests in sorted(found.items()):
        terminalreporter.line(f"{variant} breaks {len(tests)}: {', '.join(tests)}")


def _server_of(item: pytest.Item) -> MockServerFixture | None:
    """The value of `mock_server` in a test; None if the test does not use it."""
    server: MockServerFixture | None = getattr(item, "funcargs", {}).get(_FIXTURE)
    return server


def _marked(node: Any) -> dict[str, Any]:
    """The arguments of all markers of a test; the closest marker wins."""
    found: dict[str, Any] = {}
    # `iter_markers` begins with the closest one.
    for mark in reversed(list(node.iter_markers(_MARK))):
        found |= mark.kwargs
    return found
