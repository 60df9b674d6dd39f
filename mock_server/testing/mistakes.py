"""Reports the mistakes of a test's author in one line, without a traceback."""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from inspect import isfunction, unwrap
from typing import Any

import pytest

from mock_server.control.client import NotRunning, Refused
from mock_server.control.control_object import MockServerFixture
from mock_server.control.environment import known_settings, unknown_settings, variable
from mock_server.control.faults import (
    AddedFault,
    UnfiredFaultWarning,
    near_miss,
    unfired_text,
)
from mock_server.control.http_call import Unreachable
from mock_server.control.report import allowed_violations
from mock_server.domain.messages import did_you_mean
from mock_server.fixture.problems import FixtureError
from mock_server.testing.setup import MARK, MARKER, marker_arguments
from mock_server.wire.server import CannotBind

__tracebackhide__ = True

# UnknownChoice is a ValueError.
MISTAKES = (TypeError, ValueError, FixtureError, Refused, Unreachable, CannotBind)
"""Errors for mistakes of a test's author, and for unreachable servers."""


@contextmanager
def short_failures(place: str = "") -> Iterator[None]:
    """Fail the test with only the message of a mistake or of an unreachable server.

    `place` replaces the word `document` in the messages of a fixture.
    """
    try:
        yield
    except MISTAKES as error:
        if place and isinstance(error, FixtureError):
            message = re.sub("^document(?=: )", place, str(error), flags=re.MULTILINE)
            error = ValueError(message)
        if isinstance(error, CannotBind) and "PYTEST_XDIST_WORKER" in os.environ:
            hint = "each worker of pytest-xdist starts a server of its own"
            error = CannotBind(f"{error} ({hint})")
        raise _failure(error) from None


def warn(node: pytest.Item, warning: Warning) -> None:
    """Issue a warning for a test; with `-W error` the warning fails it."""
    try:
        node.warn(warning)
    except type(warning) as error:
        raise _failure(error) from None


def warn_of_unfired(
    item: pytest.Item, server: MockServerFixture, earlier: Collection[AddedFault] = ()
) -> None:
    """Warn of faults that a test added and that never fired.

    `earlier` are faults from before the test. After a reset, others have their ids.
    """
    earlier_ids = {each.id for each in server._added_faults if each in earlier}
    for fault in _unfired(server):
        if fault["id"] not in earlier_ids:
            message = unfired_text(fault) + near_miss(server._client, fault)
            warn(item, UnfiredFaultWarning(message))


def _unfired(server: MockServerFixture) -> list[dict[str, Any]]:
    try:
        return server.unfired()
    except (Refused, Unreachable, NotRunning):
        return []  # a test may stop its server


def _failure(error: Exception) -> BaseException:
    """Return a failure without its cause, which would print the message twice."""
    return pytest.fail.Exception(f"mock-server: {error}", pytrace=False)


_INI = "mock_server_strict"
_INI_NAMES = ("strict", "profile", "choices_accepted")
_TRUE, _FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


def check_names(config: pytest.Config) -> None:
    """Warn of unknown variables and ini values.

    With MOCK_SERVER_STRICT_SETTINGS, raises pytest.UsageError.
    """
    unknown = unknown_settings(os.environ)
    # Read from a private attribute: pytest's own getter refuses undeclared names.
    for name in getattr(config, "_inicfg", ()):
        rest = name.removeprefix("mock_server_")
        if rest != name and rest not in _INI_NAMES:
            hint = did_you_mean(rest, _INI_NAMES).replace(" '", " 'mock_server_")
            if rest in ("choice", "choices"):
                hint = f" (set choices by {variable('choice')}, mock_server_settings "
                hint += "or the marker mock_server)"
            unknown.append(f"unknown ini value {name}{hint}")
    strict = os.environ.get(variable("strict-settings"), "")
    if unknown and strict.lower() in _TRUE:
        raise pytest.UsageError("\n".join(unknown))
    for each in unknown:
        warning = pytest.PytestWarning(f"ignored {each}")
        config.issue_config_time_warning(warning, stacklevel=2)


_TEST_SETTINGS = {
    "choice": "@pytest.mark.mock_server(choices={...})",
    "profile": '@pytest.mark.mock_server(profile="...")',
    "fixture": '@pytest.mark.mock_server(fixture="...")',
    "fault": "mock_server.fault(...)",
}


def late_variable_sections(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield title and text of a section on each variable set after pytest started."""
    by_variable = {variable(option): fix for option, fix in _TEST_SETTINGS.items()}
    # Projects set the variable `url` for programs of their own.
    read_names = {*known_settings()} - {variable("url")}
    for name in sorted(read_names.intersection(names)):
        fix = by_variable.get(name, "the fixture mock_server_settings")
        text = f"{name} was changed after pytest had started, when variables are read"
        yield "mock-server", f"{text} (use {fix}, or set it before)"


_SCOPES = re.compile("ScopeMismatch.* (mock_server(_app|_factory)?) with a ([a-z]+) ")


def scope_hint(message: str) -> Iterator[tuple[str, str]]:
    """Yield title and text of a section on a pytest fixture of a too wide scope."""
    if match := _SCOPES.search(message):
        fix = "take mock_server_session, which no test resets"
        fix = f'{fix}, or drop scope="{match[3]}" of your fixture'
        yield "mock-server", f"{match[1]} belongs to one test: {fix}"


def allowed_by_ini(config: pytest.Config) -> list[str] | None:
    """Return the violations that mock_server_strict allows, or None if it is off.

    Raises pytest.UsageError for an unknown name.
    """
    try:
        values: list[str] = config.getini(_INI)
    except (TypeError, pytest.UsageError) as error:
        # pytest refuses true and false in native TOML. Its error contains the value.
        values = [str(error).rpartition(": ")[2]]
    names = [name for value in values for name in value.split(",") if name]
    if len(names) == 1 and names[0].lower() in (*_TRUE, *_FALSE):
        return [] if names[0].lower() in _TRUE else None
    if not names:
        raise pytest.UsageError(f"Expected a value, got none - at {_INI}")
    try:
        return allowed_violations(names, _INI, "true, false or names of violations")
    except (TypeError, ValueError) as error:
        raise pytest.UsageError(str(error)) from None


def strictness(config: pytest.Config) -> list[str]:
    """Return the header's line on mock_server_strict, or no line if it is off."""
    allowed = allowed_by_ini(config)
    return [] if allowed is None else [f"{_INI} {' '.join(allowed) or 'true'}"]


def check_violations(
    item: pytest.Item, server: MockServerFixture, since: int = 0
) -> None:
    """Fail a strict test whose client broke the spec.

    `since` is the number of the test's first journal entry.
    """
    strict = marker_arguments(item).get("strict")
    allowed: list[str] | None
    if strict is None:
        allowed = allowed_by_ini(item.config)
    elif isinstance(strict, bool):
        allowed = [] if strict else None
    else:
        allowed = list(strict)
    if allowed is None:
        return
    try:
        server.assert_no_violations(allowed, since=since, strict=True)
    except AssertionError as error:
        # Without the cause, which would print the message twice.
        raise pytest.fail.Exception(str(error), pytrace=False) from None


def session_fixture_value(request: pytest.FixtureRequest, name: str) -> Any:
    """Return the value of a pytest fixture, which must have the scope session."""
    try:
        return request.getfixturevalue(name)
    except pytest.fail.Exception as error:
        if not str(error).startswith("ScopeMismatch"):
            raise
    expected = f"mock-server: Expected the pytest fixture {name} with scope session"
    hint = '@pytest.fixture(scope="session"), because mock_server_session uses it'
    message = f"{expected}, got a smaller scope (write {hint})"
    raise pytest.fail.Exception(message, pytrace=False)


def warn_of_wrong_markers(item: pytest.Item) -> None:
    """Warn of markers without effect, misspelt markers and a hidden pytest fixture."""
    _warn_if_marker_has_no_effect(item)
    for mark in item.iter_markers():
        hint = did_you_mean(mark.name, [MARK])
        if hint and mark.name != MARK and mark.kwargs.keys() <= MARKER.keys():
            message = f"mock-server: the marker {mark.name} has no effect{hint}"
            warn(item, pytest.PytestWarning(message))
    _warn_if_hidden(item)


def warn_of_functions_without_decorator(item: pytest.Item) -> None:
    """Warn once of each function without @pytest.fixture, or with a misspelt name."""
    if not item.config.stash.setdefault(_NAMES_CHECKED, False):
        item.config.stash[_NAMES_CHECKED] = True
        for sentence in _misspelt_fixtures(item):
            warn(item, pytest.PytestWarning(f"mock-server: {sentence}"))
    reported = item.config.stash.setdefault(_UNDECORATED, set())
    modules = getattr(item, "module", None), *item.config.pluginmanager.get_plugins()
    for module in modules:
        for name in (f"{MARK}_fixture", f"{MARK}_settings"):
            function = getattr(module, "__dict__", {}).get(name)
            # Before version 8.4, pytest marked functions instead of wrapping them.
            if not isfunction(function) or hasattr(function, "_pytestfixturefunction"):
                continue
            if function not in reported:
                reported.add(function)
                fix = "is no pytest fixture: write @pytest.fixture above it"
                message = f"mock-server: {name} at {_place_of(function)} {fix}"
                warn(item, pytest.PytestWarning(message))


_UNDECORATED: pytest.StashKey[set[object]] = pytest.StashKey()
_NAMES_CHECKED: pytest.StashKey[bool] = pytest.StashKey()
"""True once the names of pytest fixtures have been checked."""


def _misspelt_fixtures(item: pytest.Item) -> Iterator[str]:
    """Yield a sentence for each unused pytest fixture with a name similar to ours."""
    own_names, items = ("fixture", "settings"), item.session.items
    used_names = {name for each in items for name in getattr(each, "fixturenames", ())}
    for plugin in item.config.pluginmanager.get_plugins():
        for name, value in getattr(plugin, "__dict__", {}).items():
            rest = name.removeprefix(f"{MARK}_")
            if rest in (name, *own_names) or name in used_names:
                continue
            hint = did_you_mean(rest, own_names).replace(" '", f" '{MARK}_")
            if hint and isfunction(function := unwrap(value)):
                place = _place_of(function)
                yield f"no test of this run uses the fixture {name} at {place}{hint}"


def _warn_if_marker_has_no_effect(item: pytest.Item) -> None:
    """Warn of a marker on a test that uses no pytest fixture of the plugin."""
    keywords = [mark.kwargs for mark in item.own_markers if mark.name == MARK]
    names: Sequence[str] = getattr(item, "fixturenames", ())
    if not keywords or MARK in names or f"{MARK}_app" in names:
        return
    text = f"has no effect: the test uses no fixture of this plugin, such as {MARK}"
    # `strict` applies to every server that a test uses.
    given_names = [name for each in keywords for name in each if name != "strict"]
    if f"{MARK}_factory" in names:
        arguments = ", ".join(f"{name}=..." for name in given_names)
        text = f"does not reach {MARK}_factory (write {MARK}_factory({arguments}))"
    elif f"{MARK}_session" in names:
        fix = f"return {', '.join(given_names)} from the fixture {MARK}_settings"
        text = f"does not reach {MARK}_session ({fix})"
    elif any(name.startswith(MARK) for name in names):
        return
    if given_names or text.startswith("has no effect"):
        message = f"mock-server: the marker {MARK} {text}"
        warn(item, pytest.PytestWarning(message))


_HAS_WARNED: pytest.StashKey[bool] = pytest.StashKey()
_OUR_MODULE = "mock_server.pytest_plugin"


def _warn_if_hidden(item: pytest.Item) -> None:
    """Warn once in a run of a pytest fixture `mock_server` that hides ours.

    A pytest fixture that itself uses ours is accepted.
    """
    manager = getattr(item.session, "_fixturemanager", None)
    if manager is None or item.config.stash.get(_HAS_WARNED, False):
        return
    fixture = None
    for fixture in reversed(manager.getfixturedefs(MARK, item) or ()):
        if MARK not in fixture.argnames:
            break
    if fixture is None or fixture.func.__module__ == _OUR_MODULE:
        return
    item.config.stash[_HAS_WARNED] = True
    text = f"the fixture {MARK} at {_place_of(fixture.func)} hides that of this plugin"
    hint = "the marker has no effect on it, and mock_server_app is another server"
    message = f"mock-server: {text}: {hint} (rename it, for instance to my_{MARK})"
    warn(item, pytest.PytestWarning(message))


def _place_of(function: Any) -> str:
    code = function.__code__
    return f"{os.path.relpath(code.co_filename)}:{code.co_firstlineno}"
