"""What the server of a test serves, by options, settings and markers.

pytest imports this module in every run, so it imports the server's modules only in functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from inspect import unwrap
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest

URL = "--mock-server-url"
PROFILE = "--mock-server-profile"
STRICT = "mock_server_strict"
FIXTURE = "mock_server_fixture"
SETTINGS = "mock_server_settings"
PLUGIN = "mock_server.pytest_plugin"
"""The module that defines the pytest fixture FIXTURE, which a project may override."""
SERVERS = ("mock_server", "mock_server_app")
"""The pytest fixtures that give a test a sandbox of its own."""
MARKER = "mock_server(fixture=, profile=, choices=, strict=): what the server of these tests serves"
OFF = ("false", "no", "off", "0")
SPEC: Literal["spec"] = "spec"
Strict = bool | Literal["spec"]
"""Which violations fail a test: none, those that are not served as meant, or with SPEC all."""
FAILURE = partial(pytest.fail.Exception, pytrace=False)


class FixtureWarning(UserWarning):
    """A fixture has something that is probably a mistake."""


class Setup(NamedTuple):
    """What the server of a test serves. A field that is None stands for a default."""

    fixture: Mapping[str, Any] | str | Path | None = None
    profile: str | Path | None = None
    choices: Mapping[str, Any] = {}
    strict: Strict | None = None


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("mock-server")
    group.addoption(
        URL,
        metavar="URL",
        help="Use this running server (admin token: MOCK_SERVER_ADMIN_TOKEN), a sandbox for each "
        "test.",
    )
    group.addoption(
        PROFILE,
        metavar="NAME|FILE[,...]",
        type=split_names,
        default=[],
        help="The profile of tests whose marker names none; they run once for each of several.",
    )
    parser.addini(
        STRICT,
        "Requests that break the spec fail tests: true, false, spec, or names to allow.",
        type="args",
        default=["false"],
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)


def split_names(text: str) -> list[str]:
    """The names between commas, each once."""
    names = [it.strip() for it in text.split(",")]
    return [*dict.fromkeys(filter(None, names))]


def setup_of_project(
    profile: str | Path | None, fixture: Any, settings: Mapping[str, Any]
) -> Setup:
    """The setup of all tests of a project; a profile replaces that of the settings."""
    from mock_server.text.wording import check_names

    with plain_errors(SETTINGS):
        if not isinstance(settings, Mapping):
            raise ValueError(f"Expected a dict, got {settings!r}")
        check_names(settings, ("profile", "choices", "fixture"))
    setup = Setup(**{"fixture": fixture, **settings})
    return setup._replace(profile=profile or setup.profile)


def setup_of_markers(item: Any) -> Setup:
    """The setup of a test's markers; each argument is that of the closest marker that has it."""
    from mock_server.text.wording import check_names

    arguments: dict[str, Any] = {}
    for mark in item.iter_markers("mock_server"):
        arguments = {**mark.kwargs, **arguments}
        strict = mark.kwargs.get("strict")
        with plain_errors("marker mock_server"):
            check_names([*mark.args, *mark.kwargs], Setup._fields)
            if strict not in (None, True, False, SPEC):
                raise ValueError(f"Expected True, False or 'spec', got {strict!r} - at strict")
    return Setup(**arguments)


def fixture_of_project(request: pytest.FixtureRequest, fixture: Any, folder: Path) -> Any:
    """What `mock_server_fixture` returned, as `resolve_fixture` finds it; None is the default.

    A path is first looked for beside the file that overrides this pytest fixture.
    """
    definitions = request._fixturemanager.getfixturedefs(FIXTURE, request._pyfuncitem) or ()
    functions: list[Any] = [unwrap(it.func) for it in definitions]
    files = [Path(it.__globals__["__file__"]) for it in functions if it.__module__ != PLUGIN]
    if fixture is None and not files:
        return None
    # The last definition is in force, but may return what one before it returns.
    folders = [it.parent for it in reversed(files)]
    with plain_errors(FIXTURE):
        return resolve_fixture(fixture, *folders, folder)


def resolve_fixture(fixture: Any, *folders: Path) -> Any:
    """A document, the name of a shipped fixture, or a path's file in the first folder that has it.

    The last folder is the current one. Raises ValueError for anything else.
    """
    from mock_server.fixture.load import SHIPPED
    from mock_server.text.wording import did_you_mean

    if isinstance(fixture, Mapping):
        return fixture
    if not isinstance(fixture, str | Path):
        raise ValueError(f"Expected a document or the path of a file, got {fixture!r}")
    # Two of the folders may be the same.
    paths = dict.fromkeys(folder / fixture for folder in (*folders, Path.cwd()))
    for path in paths:
        if path.is_file():
            return path
    if str(fixture) in SHIPPED:
        return fixture
    suggestion = did_you_mean(Path(fixture).stem, SHIPPED)
    tried = ", ".join(map(str, paths))
    raise ValueError(
        f"Expected a file, got {str(fixture)!r}{suggestion}, which is at none of {tried}"
    )


def strict_setting(config: pytest.Config) -> tuple[Strict, list[str]]:
    """Which violations fail a test without the marker, and the names of allowed violations.

    Raises ValueError for a word that allows no violation.
    """
    words = [word.strip(",") for word in config.getini(STRICT)]
    if not words or " ".join(words).lower() in OFF:
        return False, []
    allowed = [word for word in words if word.lower() not in ("true", SPEC)]
    if allowed:
        from mock_server.choices import violation_sections
        from mock_server.text.wording import check_names

        check_names(allowed, ["true", "false", SPEC, *violation_sections()])
    if SPEC in words:
        return SPEC, allowed
    return True, allowed


def strictness(item: pytest.Item) -> tuple[Strict, list[str]]:
    """Which violations fail a test, and the names of allowed ones."""
    setting, allowed = strict_setting(item.config)
    marked = setup_of_markers(item).strict
    # A marker that is True asks for no less than the setting.
    if marked is None or (marked is True and setting == SPEC):
        marked = setting
    return marked, allowed


def check_profiles(names: Sequence[str], url: str | None) -> None:
    """Raises ValueError for an unknown profile, a mistake in its file, or several with a URL."""
    from mock_server.fixture.load import read_profile

    for name in names:
        read_profile(name)
    if url and len(names) > 1:
        raise ValueError(
            f"Expected one profile with {URL}, got {','.join(names)}: only a server that pytest "
            f"starts itself is run under several; leave {URL} out, or run pytest once for each "
            "profile"
        )


@contextmanager
def plain_errors(
    subject: str = "mock-server", failure: Callable[[str], BaseException] = FAILURE
) -> Iterator[None]:
    """Fail with a message instead of a traceback, as the user's setup or server is at fault."""
    try:
        yield
    except (AssertionError, ValueError, OSError) as error:
        raise failure(f"{subject}: {error}") from None
