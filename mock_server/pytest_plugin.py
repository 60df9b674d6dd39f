"""The pytest plugin: its pytest fixtures, such as `mock_server`, marker and options.

pytest imports this module in every run, even if no test uses it. So functions import
slow modules when a test first needs them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import AbstractContextManager, ExitStack, closing
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from mock_server.control.control_object import MockServerFixture
    from mock_server.control.faults import AddedFault
    from mock_server.testing.servers import LocalServers, MockServerApp
    from mock_server.testing.setup import Setup
    from mock_server.testing.variants import Variant

__tracebackhide__ = True

_MARK = "mock_server"
_SESSION = "mock_server_session"
_APP = "mock_server_app"
_URL, _PROFILE = "mock_server_url", "mock_server_profile"
_STRICT, _LENIENT = "mock_server_strict", ["false"]
_CHOICES = "mock_server_choices"
_ACCEPT, _ACCEPTED = "mock_server_choices_accept", "mock_server_choices_accepted"
_MARK_HELP = (
    "mock_server(fixture=None, profile=None, choices=None, strict=None): the fixture "
    "file (relative to the test file) or document, the profile and the choices of "
    "these tests; with `strict`, requests that break the spec fail them"
)


class _UsedServer(NamedTuple):
    """A server that a test uses; `name` is that of its pytest fixture.

    For the server of the session, `since` is the number of the test's first journal
    entry, and `earlier_faults` are those that other tests added.
    """

    name: str
    server: MockServerFixture
    since: int = 0
    earlier_faults: Collection[AddedFault] = ()


_USED_SERVERS: pytest.StashKey[list[_UsedServer]] = pytest.StashKey()
_SESSION_SERVER: pytest.StashKey[MockServerFixture] = pytest.StashKey()
"""The server of the whole session, after a test has used it."""
_VARIABLES: pytest.StashKey[dict[str, str]] = pytest.StashKey()
"""The variables at the start of the run, when they are read."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Called by pytest; adds the options and the ini values."""
    group = parser.getgroup("mock-server")
    group.addoption(
        "--mock-server-url",
        dest=_URL,
        metavar="URL",
        help="Use the mock server at URL, with a sandbox of its own for each test. "
        "MOCK_SERVER_ADMIN_TOKEN is its admin token, MOCK_SERVER_TIMEOUT the seconds "
        "that a call may take.",
    )
    profile_help = "Name or file of a profile; markers and overridden fixtures win."
    group.addoption("--mock-server-profile", dest=_PROFILE, help=profile_help)
    parser.addini(_PROFILE, profile_help, type="string", default="")
    group.addoption(
        "--mock-server-choices",
        dest=_CHOICES,
        metavar="all|all!|NAME|NAME=VALUE[,...]",
        help="Run each test that uses the mock server again for every other value of "
        "these choices, and report which ones break it. Values that cannot affect the "
        "test are skipped, except with all!.",
    )
    group.addoption(
        "--mock-server-choices-accept",
        dest=_ACCEPT,
        action="store_true",
        help="Write the failures of --mock-server-choices to the file of the ini "
        f"value {_ACCEPTED}, and fail no test.",
    )
    parser.addini(
        _ACCEPTED,
        "File of accepted failures of --mock-server-choices, relative to this file, "
        "with lines NAME=VALUE TEST. All other failures fail the run.",
        type="string",
        default="",
    )
    parser.addini(
        _STRICT,
        "Fail a test whose requests break the spec: true, false, or the names of "
        "violations that are allowed (`related_route` allows all of related routes).",
        type="args",
        default=_LENIENT,
    )


def pytest_load_initial_conftests(args: list[str]) -> None:
    """Called by pytest; raises UsageError for a setting that is not an option."""
    for name in (each.partition("=")[0] for each in args):
        setting = name.removeprefix("--mock-server-")
        if name != setting and setting in ("fixture", "choice", "fault"):
            variable = f"MOCK_SERVER_{setting.upper()}"
            raise pytest.UsageError(f"no such option: {name} (set {variable})")


def pytest_configure(config: pytest.Config) -> None:
    """Called by pytest; adds the marker.

    Raises pytest.UsageError for invalid options, ini values and variables, so that a
    mistake is one line instead of an error in each test.
    """
    config.addinivalue_line("markers", _MARK_HELP)
    config.stash[_VARIABLES] = _variables()
    if _has_run_settings(config):
        from mock_server.cli.under_pytest import read_settings
        from mock_server.testing.mistakes import check_names
        from mock_server.testing.setup import store_run_settings

        check_names(config)
        store_run_settings(config, read_settings(config))
    url = config.getoption(_URL)
    if url is not None:
        from mock_server.testing.servers import check

        check(url)
    if _may_be_strict(config):
        from mock_server.testing.mistakes import allowed_by_ini

        allowed_by_ini(config)
    if config.getoption(_CHOICES) is not None:
        from mock_server.testing.choices_run import ChoicesRun

        config.pluginmanager.register(ChoicesRun(config), _CHOICES)
    elif config.getoption(_ACCEPT):
        expected = "Expected --mock-server-choices too, got none"
        raise pytest.UsageError(f"{expected} - at --mock-server-choices-accept")


def _has_run_settings(config: pytest.Config) -> bool:
    """Return whether a variable, an option or an ini value may set what is served."""
    names = map(str.upper, (*os.environ, *getattr(config, "_inicfg", ())))
    prefixes = ("MOCK_SERVER_", "MOCKSERVER_", "FASTGPT_MOCK_SERVER_")
    if any(name.startswith(prefixes) for name in names):
        return True
    return bool(config.getoption(_PROFILE) or config.getini(_PROFILE))


def _variables() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if k.startswith("MOCK_SERVER_")}


def _may_be_strict(config: pytest.Config) -> bool:
    try:
        return bool(config.getini(_STRICT) != _LENIENT)
    except (TypeError, pytest.UsageError):  # the value is no list in native TOML
        return True


def pytest_report_header(config: pytest.Config) -> str | None:
    """Called by pytest; returns a line with the settings of all tests, if any."""
    url = config.getoption(_URL)
    texts = [f"{url}, a sandbox per test"] if url else []
    if _has_run_settings(config):
        from mock_server.cli.under_pytest import header
        from mock_server.testing.setup import run_settings

        texts += header(config, run_settings(config))
    if _may_be_strict(config):
        from mock_server.testing.mistakes import strictness

        texts += strictness(config)
    return f"mock-server: {', '.join(texts)}" if texts else None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Called by pytest; fails a test whose marker has wrong arguments.

    It warns if a marker has no effect, or another pytest fixture hides ours.
    """
    # Includes markers with a misspelt name.
    has_marker = any("server" in mark.name for mark in item.iter_markers())
    if has_marker or _APP in getattr(item, "fixturenames", ()):
        from mock_server.testing.mistakes import warn_of_wrong_markers
        from mock_server.testing.setup import marker_arguments

        with _short_failures():
            marker_arguments(item)
        warn_of_wrong_markers(item)


@pytest.fixture
def _mock_server_variant(request: pytest.FixtureRequest) -> Variant | None:
    """The choice that differs in this run of a test, or None in the default run.

    --mock-server-choices sets this parameter of each test.
    """
    variant: Variant | None = getattr(request, "param", None)
    return variant


@pytest.fixture(scope="session")
def mock_server_fixture() -> Any:
    """The fixture of the mock server; override it with a path or a document."""
    return ...  # not overridden; None would mean a missing `return`


@pytest.fixture(scope="session")
def mock_server_settings() -> dict[str, Any]:
    """Arguments of MockServer; override this pytest fixture to set them."""
    return {}


@pytest.fixture(scope="session")
def _mock_servers() -> Iterator[LocalServers]:
    from mock_server.testing.servers import LocalServers

    with closing(LocalServers()) as servers:
        yield servers


@pytest.fixture
def _mock_server_setup(
    request: pytest.FixtureRequest,
    mock_server_fixture: Any,
    mock_server_settings: dict[str, Any],
    _mock_server_variant: Variant | None,
) -> Setup:
    from mock_server.testing.mistakes import warn_of_functions_without_decorator
    from mock_server.testing.setup import node_setup

    warn_of_functions_without_decorator(request.node)
    with _short_failures():
        setup = node_setup(request.node, mock_server_fixture, mock_server_settings)
    if not request.config.getoption(_CHOICES):
        return setup
    from mock_server.testing.choices_run import vary

    return vary(setup, request.node, _mock_server_variant)


@pytest.fixture
def _mock_server_stack() -> Iterator[ExitStack]:
    """Ends the servers and sandboxes of a test."""
    with _short_failures(), ExitStack() as stack:
        yield stack


@pytest.fixture
def mock_server(
    request: pytest.FixtureRequest,
    _mock_server_setup: Setup,
    _mock_server_stack: ExitStack,
) -> MockServerFixture:
    """A running mock server with the test's fixture, profile and choices."""
    from mock_server.testing.servers import server_for

    with _short_failures(_mock_server_setup.place):
        server = server_for(request, _mock_server_setup, _mock_server_stack)
    return _note_used_server(request.node, _UsedServer(_MARK, server))


@pytest.fixture
def mock_server_app(
    request: pytest.FixtureRequest,
    _mock_servers: LocalServers,
    _mock_server_setup: Setup,
) -> MockServerApp:
    """The mock server of the test as an ASGI application; it opens no socket.

    In a test that also uses `mock_server`, both have the same sandbox.
    """
    used = request.node.stash.get(_USED_SERVERS, [])
    is_remote = bool(request.config.getoption(_URL))
    is_shared = not is_remote and any(each.name == _MARK for each in used)
    with _short_failures(_mock_server_setup.place):
        app = _mock_servers.app(_mock_server_setup, keeps_state=is_shared)
    if is_remote and _MARK in request.fixturenames:
        from mock_server.testing.mistakes import warn

        text = "mock_server_app runs in this process, apart from --mock-server-url"
        warn(request.node, pytest.PytestWarning(f"{text} and mock_server"))
    _note_used_server(request.node, _UsedServer(_APP, app.control))
    return app


@pytest.fixture
def mock_server_factory(
    request: pytest.FixtureRequest,
    mock_server_fixture: Any,
    mock_server_settings: dict[str, Any],
    _mock_server_stack: ExitStack,
) -> Callable[..., MockServerFixture]:
    """Starts more servers for a test: `mock_server_factory(fixture, profile=...)`.

    The arguments are those of the marker; the defaults are the settings of the project.
    The servers stop after the test.
    """
    from mock_server.control.arguments import TEST_ARGUMENTS, HiddenFrames, check
    from mock_server.domain.wrong_calls import UncalledFunction
    from mock_server.testing.mistakes import MISTAKES
    from mock_server.testing.servers import server_for
    from mock_server.testing.setup import run_settings, setup_of

    place, numbers, run = "mock_server_factory", count(1), run_settings(request.config)
    defaults = mock_server_fixture, mock_server_settings

    def make(fixture: Any = None, **options: Any) -> MockServerFixture:
        __tracebackhide__ = True
        number = next(numbers)
        arguments = options if fixture is None else options | {"fixture": fixture}
        check(arguments, TEST_ARGUMENTS, place)
        with HiddenFrames(*MISTAKES):
            setup = setup_of(*defaults, arguments, request.path.parent, place, run)
            server = server_for(request, setup, _mock_server_stack, number)
        return _note_used_server(request.node, _UsedServer(f"{place} {number}", server))

    return UncalledFunction(place, make)


@pytest.fixture(scope="session")
def mock_server_session(request: pytest.FixtureRequest) -> Iterator[MockServerFixture]:
    """One server for the whole session, which the plugin never resets.

    Use it for a program that is started once, such as an application under test.
    """
    from mock_server.testing.mistakes import session_fixture_value
    from mock_server.testing.servers import server_for
    from mock_server.testing.setup import run_settings, setup_of

    # No parameters, because `session_fixture_value` reports a wrong scope more clearly.
    fixture = session_fixture_value(request, "mock_server_fixture")
    settings = session_fixture_value(request, "mock_server_settings")
    with _short_failures(), ExitStack() as stack:
        folder, run = request.config.rootpath, run_settings(request.config)
        setup = setup_of(fixture, settings, {}, folder, run=run)
        server = server_for(request, setup, stack, -1)
        request.config.stash[_SESSION_SERVER] = server
        yield server


def _note_used_server(item: pytest.Item, used: _UsedServer) -> MockServerFixture:
    """Note that a test uses this server, which is checked when the test ends."""
    item.stash.setdefault(_USED_SERVERS, []).append(used)
    used.server._before_reset = partial(_check_violations, item, used)
    return used.server


def _check_violations(item: pytest.Item, used: _UsedServer) -> None:
    from mock_server.testing.mistakes import check_violations

    check_violations(item, used.server, used.since)


def _short_failures(place: str = "") -> AbstractContextManager[None]:
    from mock_server.testing.mistakes import short_failures

    return short_failures(place)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Called by pytest; with mock_server_strict, a test with violations fails."""
    # Checked in the call phase, so that the test fails (or fails as expected). In the
    # teardown of the pytest fixture it would have an error. `yield` raises the
    # exception of a failed test.
    session = item.config.stash.get(_SESSION_SERVER, None)
    if session is not None and _SESSION in getattr(item, "fixturenames", ()):
        since, earlier_faults = session._next_number(), {*session._added_faults}
        used_server = _UsedServer(_SESSION, session, since, earlier_faults)
        _note_used_server(item, used_server)
    try:
        result = yield
    finally:
        used = item.stash.get(_USED_SERVERS, [])
        for each in used:
            each.server._before_reset = None
    if used:
        from mock_server.testing.mistakes import warn_of_unfired

        for each in used:
            _check_violations(item, each)
            warn_of_unfired(item, each.server, each.earlier_faults)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Called by pytest; adds journal and pending faults to a failed test's report.

    It also names variables that were set too late, and explains a ScopeMismatch.
    """
    # The server and its sandbox still exist: pytest fixtures are torn down later.
    report = yield
    used = item.stash.get(_USED_SERVERS, [])
    if used and report.failed and call.when == "call":
        from mock_server.control.report import report_sections
        from mock_server.testing.mistakes import late_variable_sections

        for each in used:
            server = each.server, each.name, each.since
            sections = report_sections(*server, is_of_version="version=" in item.nodeid)
            report.sections.extend(sections)
        changed = _variables().items() ^ item.config.stash[_VARIABLES].items()
        report.sections.extend(late_variable_sections(dict(changed)))
    if report.failed and call.excinfo and "ScopeMismatch" in str(call.excinfo.value):
        from mock_server.testing.mistakes import scope_hint

        report.sections.extend(scope_hint(str(call.excinfo.value)))
    return report
