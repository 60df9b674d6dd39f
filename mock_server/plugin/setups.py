"""What the server of a test serves, as options, settings and markers say.

pytest imports this module in every run, so it imports nothing of the server.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

URL = "--mock-server-url"
PROFILE = "--mock-server-profile"
CHOICES = "--mock-server-choices"
STRICT = "mock_server_strict"
SERVERS = ("mock_server", "mock_server_app")
"""The fixtures of pytest with a sandbox of the test's own."""
OFF = ("false", "no", "off", "0")
FAILURE = partial(pytest.fail.Exception, pytrace=False)


class FixtureWarning(UserWarning):
    """A fixture has something that is probably a mistake."""


class Setup(NamedTuple):
    """What the server of a test serves. The server has a default for each field that is None."""

    fixture: Mapping[str, Any] | str | Path | None = None
    profile: str | Path | None = None
    choices: Mapping[str, Any] = {}
    strict: bool | None = None


def setup_of_project(config: pytest.Config, fixture: Any, settings: Mapping[str, Any]) -> Setup:
    """The setup of all tests of a project."""
    with plain_errors("mock_server_settings"):
        if not isinstance(settings, Mapping):
            raise ValueError(f"Expected a dict, got {settings!r}")
        check_names(settings, ("profile", "choices", "fixture"))
    defaults = {"fixture": fixture, "profile": config.getoption(PROFILE)}
    return Setup(**{**defaults, **settings})


def setup_of_markers(item: Any) -> Setup:
    """What the markers of a test say; the closest marker that has an argument decides on it."""
    arguments: dict[str, Any] = {}
    for mark in item.iter_markers("mock_server"):
        arguments = {**mark.kwargs, **arguments}
        strict = mark.kwargs.get("strict")
        with plain_errors("marker mock_server"):
            check_names([*mark.args, *mark.kwargs], Setup._fields)
            if strict not in (None, True, False):
                raise ValueError(f"Expected True or False, got {strict!r} - at strict")
    return Setup(**arguments)


def resolve_fixture(fixture: Any, folder: Path) -> Any:
    """A fixture whose path is relative to a folder; other names are those of shipped ones."""
    if isinstance(fixture, str | Path):
        path = folder / fixture
        if path.exists():
            return path
    return fixture


def strict_setting(config: pytest.Config) -> tuple[bool, list[str]]:
    """Whether violations fail a test without the marker, and the names of those that never do."""
    words = [word.strip(",") for word in config.getini(STRICT)]
    if not words or " ".join(words).lower() in OFF:
        return False, []
    allowed = [word for word in words if word.lower() != "true"]
    return True, allowed


def check_names(names: Iterable[object], known: Sequence[str]) -> None:
    """Raises ValueError for a name that is unknown."""
    from mock_server.errors import did_you_mean

    for name in names:
        if name not in known:
            hint = did_you_mean(name, known)
            raise ValueError(f"Expected {', '.join(known)}, got {name!r}{hint}")


@contextmanager
def plain_errors(
    subject: str = "mock-server", failure: Callable[[str], BaseException] = FAILURE
) -> Iterator[None]:
    """Fail with a message instead of a traceback: the user's setup or server is at fault."""
    try:
        yield
    except (AssertionError, ValueError, OSError) as error:
        raise failure(f"{subject}: {error}") from None
