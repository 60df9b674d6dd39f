"""What a test asks for: in its marker, and in the fixtures of its project.

All of it is checked; messages name the place.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mock_server.control.arguments import CHOSEN, SETTINGS, Argument, check
from mock_server.control.violations import allowed_violations
from mock_server.domain import choices as choice_table
from mock_server.domain.errors import did_you_mean
from mock_server.domain.generation import Generation
from mock_server.domain.profiles import Profile
from mock_server.fixture.files import FixtureLike, located, shipped_names

MARK = "mock_server"
_MARKER = CHOSEN | {
    "strict": Argument((bool, list, tuple, set), "true, false or names of violations")
}


def marked(node: Any) -> dict[str, Any]:
    """The arguments of all markers of a test; the closest marker wins.

    Raises TypeError or ValueError for arguments that the marker does not have.
    """
    found: dict[str, Any] = {}
    # `iter_markers` begins with the closest one.
    for mark in reversed(list(node.iter_markers(MARK))):
        _check_marker(mark.args, mark.kwargs, _marker_of(node))
        found |= mark.kwargs
    return found


def _marker_of(node: Any) -> str:
    """What messages call the marker of a test."""
    return f"the marker {MARK} of {node.nodeid}"


def _check_marker(
    args: Sequence[object], kwargs: Mapping[str, Any], place: str
) -> None:
    """Raises TypeError or ValueError for arguments that the marker does not have."""
    if args:
        names = ", ".join(f"{name}=" for name in _MARKER)
        expected = f"arguments by name ({names})"
        raise TypeError(f"Expected {expected}, got {args[0]!r} - at {place}")
    check(kwargs, _MARKER, place)
    strict = kwargs.get("strict")
    if strict is not None and not isinstance(strict, bool):
        allowed_violations(strict, place, _MARKER["strict"].expected)


AnyFixture = FixtureLike | Generation | Sequence[FixtureLike] | None


@dataclass(frozen=True, slots=True)
class Setup:
    """What a test asks for; `options` are further arguments of MockServer.

    `noted` gives choices in place of others that note by whom they are read.
    """

    fixture: AnyFixture = None
    profile: str = "documented"
    choices: Mapping[str, choice_table.Value] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    noted: Callable[[choice_table.Choices], choice_table.Choices] | None = None

    def chosen(self) -> tuple[Profile, choice_table.Choices]:
        """The profile and the value of every choice. Raises UnknownChoice."""
        choices = choice_table.choose(self.profile, self.choices)
        noted = choices if self.noted is None else self.noted(choices)
        return choice_table.as_profile(self.profile), noted


# Not None, which a fixture gives that lacks its `return`; and known without an import.
NOT_OVERRIDDEN = ...
"""What `mock_server_fixture` gives unless a project says what to serve."""
SETTINGS_FIXTURE = "the fixture mock_server_settings"
_FIXTURE = "the fixture mock_server_fixture"


def asked_by(node: Any, fixture: Any, settings: Mapping[str, Any]) -> Setup:
    """What a test asks for, and the fixtures of its project; as `setup_of`."""
    folder = node.path.parent
    return setup_of(fixture, settings, marked(node), folder, _marker_of(node))


def setup_of(
    fixture: Any,
    settings: Mapping[str, Any],
    marked: Mapping[str, Any],
    folder: Path,
    marked_at: str = "",
) -> Setup:
    """What a test asks for: its marker's arguments, checked, before the settings.

    A path is relative to `folder`. `marked_at` says in messages where the marker is.
    Raises TypeError or ValueError.
    """
    if not isinstance(settings, Mapping):
        raise TypeError(
            f"Expected a dictionary, got {settings!r} - at {SETTINGS_FIXTURE}"
        )
    check(settings, SETTINGS, SETTINGS_FIXTURE)
    if fixture is None:
        hint = "does it return what it makes?"
        raise TypeError(f"Expected a fixture, got None - at {_FIXTURE} ({hint})")
    fixture = None if fixture is NOT_OVERRIDDEN else fixture
    check({"fixture": fixture}, CHOSEN, _FIXTURE)
    rest = {name: value for name, value in settings.items() if value is not None}
    fixtures = [
        (marked.get("fixture"), marked_at),
        (fixture, _FIXTURE),
        (rest.pop("fixture", None), SETTINGS_FIXTURE),
    ]
    found, place = next((each for each in fixtures if each[0] is not None), (None, ""))
    usual = rest.pop("profile", None)
    profile = marked.get("profile") or usual or "documented"
    choices = {**rest.pop("choices", {}), **(marked.get("choices") or {})}
    return Setup(_beside(found, folder, place), profile, choices, rest)


def _beside(fixture: AnyFixture, folder: Path, place: str) -> AnyFixture:
    """A fixture, its paths made relative to a folder, unless it is a shipped one.

    Raises ValueError for a path at which there is nothing.
    """
    if isinstance(fixture, str | Path):
        return _located(fixture, folder, place)
    if isinstance(fixture, Sequence):
        return [
            _located(each, folder, place) if isinstance(each, str | Path) else each
            for each in fixture
        ]
    return fixture


def _located(fixture: str | Path, folder: Path, place: str) -> Path:
    path = located(fixture, folder)
    if path.exists():
        return path
    shipped = shipped_names()
    files = [each.name for each in path.parent.glob("*") if each.is_file()]
    hint = did_you_mean(path.name, [*files, *shipped])
    expected = f"Expected the path of a file, or one of {', '.join(shipped)}"
    given = f"{str(fixture)!r}{hint} - at {place}"
    raise ValueError(f"{expected}, got {given} (there is no {path})")
