"""Read the settings of a test from its marker, its project's fixtures and options.

Every value is checked; messages name the place.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from mock_server.api.faults.fault import Fault
from mock_server.control.arguments import CHOSEN, SETTINGS, Argument, check
from mock_server.control.report import allowed_violations
from mock_server.domain.choices import choosing
from mock_server.domain.choices import table as choice_table
from mock_server.domain.choices.profiles import PROFILES, Profile
from mock_server.domain.messages import did_you_mean
from mock_server.domain.objects.fixture_data import Generation
from mock_server.fixture.source.files import FixtureLike, path_of, shipped_names

MARK = "mock_server"
MARKER = CHOSEN | {
    "strict": Argument(
        # A text has a message of its own.
        (bool, list, tuple, set, str),
        "true, false or names of violations",
    )
}


def marked(node: Any) -> dict[str, Any]:
    """Return the arguments of all markers of a test; the closest marker wins.

    Raises TypeError or ValueError for arguments that the marker does not have.
    """
    found: dict[str, Any] = {}
    place = _marker_of(node)
    # `iter_markers` begins with the closest one.
    for mark in reversed(list(node.iter_markers(MARK))):
        if mark.args:
            names = ", ".join(f"{name}=" for name in MARKER)
            expected = f"Expected arguments by name ({names})"
            given = mark.args[0]
            hint = f" (write profile={given!r})" if given in PROFILES else ""
            raise TypeError(f"{expected}, got {given!r} - at {place}{hint}")
        check(mark.kwargs, MARKER, place)
        strict = mark.kwargs.get("strict")
        if strict is not None and not isinstance(strict, bool):
            allowed_violations(strict, place, MARKER["strict"].expected)
        found |= mark.kwargs
    return found


def _marker_of(node: Any) -> str:
    return f"the marker {MARK} of {node.nodeid}"


AnyFixture = FixtureLike | Generation | Sequence[FixtureLike] | None


@dataclass(frozen=True, slots=True)
class Given:
    """The settings of options and variables, for the servers of all tests of a run.

    `of_profile` are the choices of the profile's file; they do not apply to another
    profile. `options` are further arguments of MockServer.
    """

    fixture: Sequence[Path] | None = None
    profile: str | None = None
    of_profile: Mapping[str, choice_table.Value] = field(default_factory=dict)
    choices: Mapping[str, choice_table.Value] = field(default_factory=dict)
    faults: Sequence[Fault] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def chosen(
        self, profile: str | None, choices: Mapping[str, choice_table.Value]
    ) -> tuple[str, dict[str, choice_table.Value]]:
        """Return a test's profile and choices, given those that it sets itself."""
        usual = self.of_profile if profile is None else {}
        asked = {**usual, **self.choices, **choices}
        return profile or self.profile or "documented", asked


_GIVEN: pytest.StashKey[Given] = pytest.StashKey()


def give(config: pytest.Config, given: Given) -> None:
    """Store the settings for all tests of a run."""
    config.stash[_GIVEN] = given


def given_to(config: pytest.Config) -> Given:
    """Return the settings for all tests of a run."""
    return config.stash.get(_GIVEN, Given())


@dataclass(frozen=True, slots=True)
class Setup:
    """The checked settings of a test; `options` are further arguments of MockServer.

    `faults` are added to those of the fixture. `noted` returns choices that record
    which of them are read. `place` names the source of the fixture in messages.
    """

    fixture: AnyFixture = None
    profile: str = "documented"
    choices: Mapping[str, choice_table.Value] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    faults: Sequence[Fault] = ()
    noted: Callable[[choice_table.Choices], choice_table.Choices] | None = None
    place: str = ""

    def chosen(self) -> tuple[Profile, choice_table.Choices]:
        """Return the profile and the value of every choice. Raises UnknownChoice."""
        choices = choosing.choose(self.profile, self.choices)
        noted = choices if self.noted is None else self.noted(choices)
        return choosing.as_profile(self.profile), noted


# Not None, which is what a fixture without `return` returns.
NOT_OVERRIDDEN = ...
"""The value of `mock_server_fixture` unless a project overrides it."""
SETTINGS_FIXTURE = "the fixture mock_server_settings"
_FIXTURE = "the fixture mock_server_fixture"


def asked_by(node: Any, fixture: Any, settings: Mapping[str, Any]) -> Setup:
    """Return the setup of a test: read the marker of `node`, then call `setup_of`."""
    folder, place = node.path.parent, _marker_of(node)
    return setup_of(
        fixture, settings, marked(node), folder, place, given_to(node.config)
    )


def setup_of(
    fixture: Any,
    settings: Mapping[str, Any],
    marked: Mapping[str, Any],
    folder: Path,
    marked_at: str = "",
    given: Given = Given(),
) -> Setup:
    """Return the setup of a test; its marker wins over fixtures and settings.

    Settings win over what is `given` to all tests. A path is relative to `folder`.
    `marked_at` names the marker in messages. Raises TypeError or ValueError.
    """
    if not isinstance(settings, Mapping):
        raise TypeError(
            f"Expected a dictionary, got {settings!r} - at {SETTINGS_FIXTURE}"
        )
    check(settings, SETTINGS, SETTINGS_FIXTURE)
    if fixture is None:
        hint = "is its `return` missing?"
        expected = "Expected a document or a path"
        raise TypeError(f"{expected}, got None - at {_FIXTURE} ({hint})")
    fixture = None if fixture is NOT_OVERRIDDEN else fixture
    check({"fixture": fixture}, CHOSEN, _FIXTURE)
    rest = {name: value for name, value in settings.items() if value is not None}
    fixtures = [
        (marked.get("fixture"), marked_at),
        (fixture, _FIXTURE),
        (rest.pop("fixture", None), SETTINGS_FIXTURE),
        (given.fixture, ""),
    ]
    found, place = next((each for each in fixtures if each[0] is not None), (None, ""))
    usual = rest.pop("profile", None)
    choices = {**rest.pop("choices", {}), **(marked.get("choices") or {})}
    profile, choices = given.chosen(marked.get("profile") or usual, choices)
    options = {**given.options, **rest}
    served = beside(found, folder, place)
    return Setup(served, profile, choices, options, given.faults, place=place)


def beside(fixture: Any, folder: Path, place: str) -> Any:
    """Return a fixture with its paths in a folder; names of shipped ones stay.

    Raises ValueError if the path does not exist.
    """
    if isinstance(fixture, Sequence) and not isinstance(fixture, str):
        return [beside(each, folder, place) for each in fixture]
    if not isinstance(fixture, str | Path):
        return fixture
    path = path_of(fixture, folder)
    if path.exists():
        return path
    shipped = shipped_names()
    own = Path(fixture).parent
    files = [str(own / each.name) for each in path.parent.glob("*") if each.is_file()]
    hint = did_you_mean(str(fixture), [*files, *shipped])
    expected = f"Expected the path of a file, or one of {', '.join(shipped)}"
    given = f"{str(fixture)!r}{hint} - at {place}"
    there_is = f"there is no {path}"
    if place == _FIXTURE and not Path(fixture).is_absolute():
        above = (each / fixture for each in folder.parents)
        other = next((each for each in above if each.is_file()), None)
        usual = "" if hint else "; create it"
        if ":" in str(fixture):
            usual = "; give fields as a dictionary: a text is a path"
        there_is += f"; return {str(other)!r}, which is there" if other else usual
    raise ValueError(f"{expected}, got {given} ({there_is})")
