"""The pytest plugin: its fixtures, such as `mock_server`, its marker and options.

pytest imports this module in every run, also in those that do not use it. So whatever
takes time to import is imported inside functions, when a test first needs it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import AbstractContextManager, ExitStack, closing
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from mock_server.control.control_object import MockServerFixture
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


class _Used(NamedTuple):
    """A server that a test uses, and the fixture that gave it.

    Of the server of the session, `since` is the number of the first entry that is the
    test's, and `known` are the ids of unfired faults that other tests added.
    """

    name: str
    server: MockServerFixture
    since: int = 0
    known: Collection[str] = ()


_USED: pytest.StashKey[list[_Used]] = pytest.StashKey()
_OF_SESSION: pytest.StashKey[MockServerFixture] = pytest.StashKey()
"""The server of the whole session, once a test has asked for it."""
_SETTINGS: pytest.StashKey[dict[str, str]] = pytest.StashKey()
"""The variables that were set when the run began, which is when they are read."""


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
    about = "The profile, or a file of one, unless a marker or a fixture gives another."
    group.addoption("--mock-server-profile", dest=_PROFILE, help=about)
    parser.addini(_PROFILE, about, type="string", default="")
    group.addoption(
        "--mock-server-choices",
        dest=_CHOICES,
        metavar="all|all!|NAME|NAME=VALUE[,...]",
        help="Run each test that uses the mock server again for every other value of "
        "these choices, and report which ones break it. Values that cannot matter to "
        "what a test does are left out, except with all!.",
    )
    group.addoption(
        "--mock-server-choices-accept",
        dest=_ACCEPT,
        action="store_true",
        help="Write what --mock-server-choices finds to the file of the ini value "
        f"{_ACCEPTED}; none of it fails a test.",
    )
    parser.addini(
        _ACCEPTED,
        "A file, relative to this one, of what --mock-server-choices may find: lines "
        "NAME=VALUE TEST. Only what is not in it fails a test.",
        type="string",
        default="",
    )
    parser.addini(
        _STRICT,
        "Fail a test whose requests break the spec: true, false, "
        "or the names of violations that are allowed (`related_route`: all of these).",
        type="args",
        default=_LENIENT,
    )


def pytest_configure(config: pytest.Config) -> None:
    """Called by pytest; adds the marker.

    Raises pytest.UsageError for options, ini values and variables that cannot be: now,
    so that a mistake is one line instead of an error in each test.
    """
    config.addinivalue_line("markers", _MARK_HELP)
    config.stash[_SETTINGS] = _settings()
    if _is_preset(config):
        from mock_server.cli.under_pytest import read
        from mock_server.testing.mistakes import check_names
        from mock_server.testing.setup import give

        check_names(config)
        give(config, read(config))
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


def _is_preset(config: pytest.Config) -> bool:
    """Whether a variable, an option or an ini value may say what is served."""
    names = map(str.upper, (*os.environ, *getattr(config, "_inicfg", ())))
    if any(name.startswith("MOCK_SERVER_") for name in names):
        return True
    return bool(config.getoption(_PROFILE) or config.getini(_PROFILE))


def _settings() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if k.startswith("MOCK_SERVER_")}


def _may_be_strict(config: pytest.Config) -> bool:
    try:
        return bool(config.getini(_STRICT) != _LENIENT)
    except (TypeError, pytest.UsageError):  # for what is no list in native TOML
        return True


def pytest_report_header(config: pytest.Config) -> str | None:
    """Called by pytest; says what is in force for all tests, if anything is."""
    url = config.getoption(_URL)
    said = [f"{url}, a sandbox per test"] if url else []
    if _is_preset(config):
        from mock_server.cli.under_pytest import header
        from mock_server.testing.setup import given_to

        said += header(config, given_to(config))
    if _may_be_strict(config):
        from mock_server.testing.mistakes import strictness

        said += strictness(config)
    return f"mock-server: {', '.join(said)}" if said else None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Called by pytest; a marker with a mistake fails its test, whatever it uses.

    A test that means our fixture gets an error if a fixture of the project hides it.
    """
    # Also one that is nearly called so.
    is_marked = any("server" in mark.name for mark in item.iter_markers())
    if is_marked or _APP in getattr(item, "fixturenames", ()):
        from mock_server.testing.mistakes import warn_of_use
        from mock_server.testing.setup import marked

        with _told():
            marked(item)
        warn_of_use(item)


@pytest.fixture
def _mock_server_variant(request: pytest.FixtureRequest) -> Variant | None:
    """The choice that differs in this run of a test, or None in its unmodified run.

    A parameter of each test with --mock-server-choices.
    """
    variant: Variant | None = getattr(request, "param", None)
    return variant


@pytest.fixture(scope="session")
def mock_server_fixture() -> Any:
    """The fixture of the mock server; override it with a path or a document."""
    return ...  # nothing is overridden; None would be a `return` that is missing


@pytest.fixture(scope="session")
def mock_server_settings() -> dict[str, Any]:
    """Arguments of MockServer; override it to set any."""
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
    from mock_server.testing.mistakes import warn_of_undecorated
    from mock_server.testing.setup import asked_by

    warn_of_undecorated(request.node)
    with _told():
        setup = asked_by(request.node, mock_server_fixture, mock_server_settings)
    if not request.config.getoption(_CHOICES):
        return setup
    from mock_server.testing.choices_run import varied

    return varied(setup, request.node, _mock_server_variant)


@pytest.fixture
def _mock_server_stack() -> Iterator[ExitStack]:
    """Ends the servers and sandboxes of a test."""
    with _told(), ExitStack() as stack:
        yield stack


@pytest.fixture
def mock_server(
    request: pytest.FixtureRequest,
    _mock_server_setup: Setup,
    _mock_server_stack: ExitStack,
) -> MockServerFixture:
    """A running mock server with the test's fixture, profile and choices."""
    from mock_server.testing.servers import server_for

    with _told(_mock_server_setup.place):
        server = server_for(request, _mock_server_setup, _mock_server_stack)
    return _use(request.node, _Used(_MARK, server))


@pytest.fixture
def mock_server_app(
    request: pytest.FixtureRequest,
    _mock_servers: LocalServers,
    _mock_server_setup: Setup,
) -> MockServerApp:
    """The mock server of the test as an ASGI application; it opens no socket.

    In a test that uses `mock_server` too, both show the same sandbox.
    """
    used = request.node.stash.get(_USED, [])
    is_remote = bool(request.config.getoption(_URL))
    begun = not is_remote and any(each.name == _MARK for each in used)
    with _told(_mock_server_setup.place):
        app = _mock_servers.app(_mock_server_setup, begun=begun)
    if is_remote and _MARK in request.fixturenames:
        from mock_server.testing.mistakes import warn

        apart = "mock_server_app runs in this process, apart from --mock-server-url"
        warn(request.node, pytest.PytestWarning(f"{apart} and mock_server"))
    _use(request.node, _Used(_APP, app.control))
    return app


@pytest.fixture
def mock_server_factory(
    request: pytest.FixtureRequest,
    mock_server_fixture: Any,
    mock_server_settings: dict[str, Any],
    _mock_server_stack: ExitStack,
) -> Callable[..., MockServerFixture]:
    """Makes further servers for a test: `mock_server_factory(fixture, profile=...)`.

    The arguments are those of the marker. What is left out is as the project has it;
    the servers end with the test.
    """
    from mock_server.control.arguments import CHOSEN, RaisedHere, check
    from mock_server.domain.wrong_calls import UncalledFunction
    from mock_server.testing.mistakes import MISTAKES
    from mock_server.testing.servers import server_for
    from mock_server.testing.setup import given_to, setup_of

    place, numbers = "mock_server_factory", count(1)
    usual, given = (mock_server_fixture, mock_server_settings), given_to(request.config)

    def make(fixture: Any = None, **options: Any) -> MockServerFixture:
        __tracebackhide__ = True
        number = next(numbers)
        asked = options if fixture is None else options | {"fixture": fixture}
        check(asked, CHOSEN, place)
        with RaisedHere(*MISTAKES):
            setup = setup_of(*usual, asked, request.path.parent, place, given)
            server = server_for(request, setup, _mock_server_stack, number)
        return _use(request.node, _Used(f"{place} {number}", server))

    return UncalledFunction(place, make)


@pytest.fixture(scope="session")
def mock_server_session(request: pytest.FixtureRequest) -> Iterator[MockServerFixture]:
    """One server for the whole session; the plugin never resets it, but a test may.

    For what is started once and needs an address, such as an application under test.
    """
    from mock_server.testing.mistakes import of_session
    from mock_server.testing.servers import server_for
    from mock_server.testing.setup import given_to, setup_of

    # Not as parameters: what is wrong with their scope could not be told then.
    fixture = of_session(request, "mock_server_fixture")
    settings = of_session(request, "mock_server_settings")
    with _told(), ExitStack() as stack:
        folder, given = request.config.rootpath, given_to(request.config)
        setup = setup_of(fixture, settings, {}, folder, given=given)
        server = server_for(request, setup, stack, -1)
        request.config.stash[_OF_SESSION] = server
        yield server


def _use(item: pytest.Item, used: _Used) -> MockServerFixture:
    """The server that is used, which is looked at when the test ends."""
    item.stash.setdefault(_USED, []).append(used)
    return used.server


def _told(place: str = "") -> AbstractContextManager[None]:
    """Has mistakes of a test's author told in one line."""
    from mock_server.testing.mistakes import told_in_one_line

    return told_in_one_line(place)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Called by pytest; with mock_server_strict, a test with violations fails."""
    # In the call phase and not in the teardown of the fixture, so that the test fails
    # (or is an expected failure) instead of having an error. If the test has failed,
    # this raises, and its own message stands.
    session = item.config.stash.get(_OF_SESSION, None)
    if session is not None and _SESSION in getattr(item, "fixturenames", ()):
        from mock_server.testing.mistakes import unfired_ids

        entries = session.journal
        since = entries[-1]["seq"] + 1 if entries else 0
        _use(item, _Used(_SESSION, session, since, unfired_ids(session)))
    result = yield
    used = item.stash.get(_USED, [])
    if used:
        from mock_server.testing.mistakes import check_strictly, warn_of_unfired

        for each in used:
            check_strictly(item, each.server, each.since)
            warn_of_unfired(item, each.server, each.known)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Called by pytest; a failed test's report gets its journal and pending faults.

    Also name variables that were set too late, and explain a ScopeMismatch.
    """
    # Fixtures are torn down later: the server and its sandbox are still there.
    report = yield
    used = item.stash.get(_USED, [])
    if used and report.failed and call.when == "call":
        from mock_server.control.report import report_sections
        from mock_server.testing.mistakes import set_too_late

        for each in used:
            about = each.server, each.name, each.since
            sections = report_sections(*about, is_of_version="version=" in item.nodeid)
            report.sections.extend(sections)
        late = _settings().items() ^ item.config.stash[_SETTINGS].items()
        report.sections.extend(set_too_late(dict(late)))
    if report.failed and call.excinfo and "ScopeMismatch" in str(call.excinfo.value):
        from mock_server.testing.mistakes import scope_hint

        report.sections.extend(scope_hint(str(call.excinfo.value)))
    return report
