"""Reads and checks the settings of a test: marker, pytest fixtures, options.

Messages name the source of a wrong value.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from mock_server.api.faults.fault import Fault
from mock_server.control.arguments import SETTINGS, TEST_ARGUMENTS, Argument, check
from mock_server.control.report import allowed_violations
from mock_server.domain.choices import choosing
from mock_server.domain.choices import table as choice_table
from mock_server.domain.choices.profiles import PROFILES, Profile
from mock_server.domain.messages import did_you_mean
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.fixture.source.files import FixtureLike, path_of, shipped_names

MARK = "mock_server"
MARKER = TEST_ARGUMENTS | {
    "strict": Argument(
        # `marker_arguments` has a better message for a text, so it is accepted here.
        (bool, list, tuple, set, str),
        "true, false or names of violations",
    )
}


def marker_arguments(node: Any) -> dict[str, Any]:
    """Return the arguments of all markers of a test; the closest marker wins.

    Raises TypeError or ValueError for wrong arguments.
    """
    arguments: dict[str, Any] = {}
    place = _marker_of(node)
    # `iter_markers` begins with the closest marker.
    for mark in reversed(list(node.iter_markers(MARK))):
        if mark.args:
            names = ", ".join(f"{name}=" for name in MARKER)
            expected = f"Expected arguments by name ({names})"
            value = mark.args[0]
            hint = f" (write profile={value!r})" if value in PROFILES else ""
            raise TypeError(f"{expected}, got {value!r} - at {place}{hint}")
        check(mark.kwargs, MARKER, place)
        strict = mark.kwargs.get("strict")
        if strict is not None and not isinstance(strict, bool):
            allowed_violations(strict, place, MARKER["strict"].expected)
        arguments |= mark.kwargs
    return arguments


def _marker_of(node: Any) -> str:
    return f"the marker {MARK} of {node.nodeid}"


AnyFixture = FixtureLike | FixtureData | Sequence[FixtureLike] | None


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings of options and variables, for the servers of all tests of a run.

    `profile_choices` are those of the profile's file; they do not apply to another
    profile. `options` are other arguments of MockServer.
    """

    fixture: Sequence[Path] | None = None
    profile: str | None = None
    profile_choices: Mapping[str, choice_table.Value] = field(default_factory=dict)
    choices: Mapping[str, choice_table.Value] = field(default_factory=dict)
    faults: Sequence[Fault] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def merge(
        self, profile: str | None, choices: Mapping[str, choice_table.Value]
    ) -> tuple[str, dict[str, choice_table.Value]]:
        """Return the profile and choices of a test that sets these itself."""
        defaults = self.profile_choices if profile is None else {}
        merged = {**defaults, **self.choices, **choices}
        return profile or self.profile or "documented", merged


_RUN_SETTINGS: pytest.StashKey[RunSettings] = pytest.StashKey()


def store_run_settings(config: pytest.Config, settings: RunSettings) -> None:
    """Store the settings for all tests of a run."""
    config.stash[_RUN_SETTINGS] = settings


def run_settings(config: pytest.Config) -> RunSettings:
    """Return the settings for all tests of a run."""
    return config.stash.get(_RUN_SETTINGS, RunSettings())


@dataclass(frozen=True, slots=True)
class Setup:
    """The checked settings of a test; `options` are other arguments of MockServer.

    `faults` are added to those of the fixture. `record_reads` returns choices that
    record which of them are read. `place` names the source of the fixture in messages.
    """

    fixture: AnyFixture = None
    profile: str = "documented"
    choices: Mapping[str, choice_table.Value] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    faults: Sequence[Fault] = ()
    record_reads: Callable[[choice_table.Choices], choice_table.Choices] | None = None
    place: str = ""

    def profile_and_choices(self) -> tuple[Profile, choice_table.Choices]:
        """Return the profile and the value of every choice. Raises UnknownChoice."""
        choices = choosing.choose(self.profile, self.choices)
        choices = choices if self.record_reads is None else self.record_reads(choices)
        return choosing.as_profile(self.profile), choices


# None would be the value of a pytest fixture that forgets `return`.
NOT_OVERRIDDEN = ...
"""The value of `mock_server_fixture` unless a project overrides it."""
SETTINGS_FIXTURE = "the fixture mock_server_settings"
_FIXTURE = "the fixture mock_server_fixture"


def node_setup(node: Any, fixture: Any, settings: Mapping[str, Any]) -> Setup:
    """Return the setup of a test: read the marker of `node`, then call `setup_of`."""
    folder, place = node.path.parent, _marker_of(node)
    arguments, run = marker_arguments(node), run_settings(node.config)
    return setup_of(fixture, settings, arguments, folder, place, run)


def setup_of(
    fixture: Any,
    settings: Mapping[str, Any],
    marker: Mapping[str, Any],
    folder: Path,
    marker_place: str = "",
    run: RunSettings = RunSettings(),
) -> Setup:
    """Merge the setup of a test: its `marker`, `fixture`, `settings`, those of the run.

    The first of these with a value wins. A path is relative to `folder`. `marker_place`
    names the marker in messages. Raises TypeError or ValueError.
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
    check({"fixture": fixture}, TEST_ARGUMENTS, _FIXTURE)
    others = {name: value for name, value in settings.items() if value is not None}
    fixtures = [
        (marker.get("fixture"), marker_place),
        (fixture, _FIXTURE),
        (others.pop("fixture", None), SETTINGS_FIXTURE),
        (run.fixture, ""),
    ]
    value, place = next((each for each in fixtures if each[0] is not None), (None, ""))
    profile = marker.get("profile") or others.pop("profile", None)
    choices = {**others.pop("choices", {}), **(marker.get("choices") or {})}
    profile, choices = run.merge(profile, choices)
    options = {**run.options, **others}
    found_fixture = in_folder(value, folder, place)
    return Setup(found_fixture, profile, choices, options, run.faults, place=place)


def in_folder(fixture: Any, folder: Path, place: str) -> Any:
    """Return a fixture with its paths in `folder`, except names of shipped fixtures.

    Raises ValueError if the path does not exist.
    """
    if isinstance(fixture, Sequence) and not isinstance(fixture, str):
        return [in_folder(each, folder, place) for each in fixture]
    if not isinstance(fixture, str | Path):
        return fixture
    path = path_of(fixture, folder)
    if path.exists():
        return path
    shipped_fixtures = shipped_names()
    parent = Path(fixture).parent
    files = [str(parent / it.name) for it in path.parent.glob("*") if it.is_file()]
    hint = did_you_mean(str(fixture), [*files, *shipped_fixtures])
    expected = f"Expected the path of a file, or one of {', '.join(shipped_fixtures)}"
    got = f"{str(fixture)!r}{hint} - at {place}"
    reason = f"there is no {path}"
    if "\n" in str(fixture):
        reason = "give fields as a dictionary: a text is a path"
    elif place == _FIXTURE and not Path(fixture).is_absolute():
        candidates = (each / fixture for each in folder.parents)
        found_path = next((each for each in candidates if each.is_file()), None)
        fix = "" if hint else "; create it"
        if ":" in str(fixture):
            fix = "; give fields as a dictionary: a text is a path"
        reason += f"; return {str(found_path)!r}, which is there" if found_path else fix
    raise ValueError(f"{expected}, got {got} ({reason})")
