"""The pytest plugin: a mock server as a fixture argument.

pytest imports this in every run, so all that costs time is imported when a test first
asks for it.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from mock_server.testing.handle import MockServerFixture
    from mock_server.testing.servers import OwnServers, Wanted
    from mock_server.testing.variants import Variant

_FIXTURES = ("mock_server", "mock_server_app")
_MARK = "mock_server"
_VARIANT, _BASELINE = "_mock_server_variant", "baseline"
_URL, _CHOICES, _STRICT = "mock_server_url", "mock_server_choices", "mock_server_strict"
_TOKEN, _TIMEOUT = "MOCK_SERVER_ADMIN_TOKEN", "MOCK_SERVER_TIMEOUT"
_MAX_SECONDS = 86_400
_MARK_HELP = (
    "mock_server(fixture=None, profile=None, choices=None): the fixture file (relative "
    "to the test file) or document, the profile and the choices of these tests"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, and the ini value."""
    group = parser.getgroup("mock-server")
    group.addoption(
        "--mock-server-url",
        dest=_URL,
        metavar="URL",
        help="Use the mock server that runs there, a sandbox of it for each test; its "
        "admin token comes from MOCK_SERVER_ADMIN_TOKEN, the seconds that a call may "
        "take from MOCK_SERVER_TIMEOUT.",
    )
    group.addoption(
        "--mock-server-choices",
        dest=_CHOICES,
        choices=("all",),
        help="Run each test that uses the mock server under every other value of every "
        "choice too, one at a time.",
    )
    parser.addini(
        _STRICT,
        "Let a test fail if it has sent requests off the documented contract.",
        type="bool",
        default=False,
    )


def pytest_configure(config: pytest.Config) -> None:
    """The marker. Raises pytest.UsageError if another server cannot be used so."""
    config.addinivalue_line("markers", _MARK_HELP)
    url = config.getoption(_URL)
    if url is not None:
        _check_url(url)
        _shared_settings()


def _check_url(url: str) -> None:
    from mock_server.http_call import Address

    try:
        Address.of(url)
    except ValueError as error:
        raise pytest.UsageError(f"{error} - at --mock-server-url") from None


def _shared_settings() -> tuple[str | None, float | None]:
    """The token for a server that runs already, and the seconds that a call may take.

    Raises pytest.UsageError for a variable that is empty, or no such value.
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
    """Which server is used, if that is not the usual one."""
    url = config.getoption(_URL)
    return f"mock-server: {url}, a sandbox per test" if url else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """With --mock-server-choices=all a test runs under every choice."""
    if _VARIANT not in metafunc.fixturenames or not metafunc.config.getoption(_CHOICES):
        return
    from mock_server.domain.choices import choose
    from mock_server.testing.variants import variants

    marked = _marked(metafunc.definition)
    fixed = marked.get("choices") or {}
    baseline = choose(marked.get("profile") or "documented", fixed)
    found = [None, *variants(baseline, fixed)]
    ids = [_BASELINE if each is None else str(each) for each in found]
    metafunc.parametrize(_VARIANT, found, ids=ids, indirect=True)


@pytest.fixture
def _mock_server_variant(request: pytest.FixtureRequest) -> Variant | None:
    """The choice that differs from the baseline in this run of a test, if one does."""
    variant: Variant | None = getattr(request, "param", None)
    if hasattr(request, "param"):
        name = _BASELINE if variant is None else str(variant)
        test = request.node.nodeid
        for part, rest in ((f"[{name}]", ""), (f"{name}-", ""), (f"-{name}", "")):
            test = test.replace(part, rest, 1)
        request.node.user_properties.append((_VARIANT, [test, str(variant or "")]))
    return variant


@pytest.fixture(scope="session")
def mock_server_fixture() -> Any:
    """What the mock server holds; override it with a path or a document."""
    return None


@pytest.fixture(scope="session")
def mock_server_settings() -> dict[str, Any]:
    """How it is served; override it with arguments of MockServer."""
    return {}


@pytest.fixture(scope="session")
def _mock_servers() -> Iterator[OwnServers]:
    from mock_server.testing.servers import OwnServers

    servers = OwnServers()
    yield servers
    servers.close()


@pytest.fixture
def _mock_server_wanted(
    request: pytest.FixtureRequest,
    mock_server_fixture: Any,
    mock_server_settings: dict[str, Any],
    _mock_server_variant: Variant | None,
) -> Wanted:
    from mock_server.domain.choices import choose
    from mock_server.testing.servers import Wanted

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
    return Wanted(fixture, profile, choices, settings)


@pytest.fixture
def mock_server(
    request: pytest.FixtureRequest, _mock_server_wanted: Wanted
) -> Iterator[MockServerFixture]:
    """A running mock server, as the test's fixture, profile and choices have it."""
    url = request.config.getoption(_URL)
    if not url:
        servers: OwnServers = request.getfixturevalue("_mock_servers")
        yield servers.handle(_mock_server_wanted)
        return
    from mock_server.client import SECONDS, Refused
    from mock_server.http_call import Unreachable
    from mock_server.testing.servers import shared

    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    test = f"{run} {worker} {request.node.nodeid}"
    token, timeout = _shared_settings()
    seconds = SECONDS if timeout is None else timeout
    try:
        with shared(url, token, _mock_server_wanted, test, seconds) as handle:
            yield handle
    except (Refused, Unreachable) as error:
        pytest.fail(f"mock-server: {error}", pytrace=False)


@pytest.fixture
def mock_server_app(_mock_servers: OwnServers, _mock_server_wanted: Wanted) -> ASGIApp:
    """The mock server as an ASGI application; it opens no socket."""
    return _mock_servers.app(_mock_server_wanted)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """With mock_server_strict, a test that departs from the contract fails."""
    result = yield
    handle = _handle(item)
    if handle is not None and item.config.getini(_STRICT):
        handle.assert_no_violations()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """The report of a failure tells what the test has sent."""
    report = yield
    handle = _handle(item)
    if handle is not None and report.failed and call.when == "call":
        from mock_server.testing.report import sections

        report.sections.extend(sections(handle))
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """After --mock-server-choices=all: what the client depends on."""
    if not terminalreporter.config.getoption(_CHOICES):
        return
    from mock_server.testing.variants import dependences

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


def _handle(item: pytest.Item) -> MockServerFixture | None:
    handle: MockServerFixture | None = getattr(item, "funcargs", {}).get(_FIXTURES[0])
    return handle


def _marked(node: Any) -> dict[str, Any]:
    """The arguments of all markers of a test; the closest one wins."""
    found: dict[str, Any] = {}
    for mark in reversed(list(node.iter_markers(_MARK))):
        found |= mark.kwargs
    return found
