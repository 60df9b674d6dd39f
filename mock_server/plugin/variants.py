"""The runs of tests under other values of the choices: `--mock-server-choices`.

A run under another value is left out if no request of the test's default run has read the
choice. Such a run would show nothing new: a request that has not read a choice gets the same
response under all its values. One part of a response may differ, the values after `accepted
with` in a refusal: the search for these values counts as no reading. A test that reads choices
by the admin API reads all of them; a test that sets some replaces all of them, so the choices of
the run have no effect from then on.

All runs are made if the choices that the default run read are not known: if it did not pass, if
it ran in another process, or if the server is at a URL.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict, replace

from mock_server.choices import OUTSIDE_SPEC, Choices, choice_table, profile_choices
from mock_server.fixture.load import read_profile
from mock_server.plugin import setups
from mock_server.sandbox import Baseline
from mock_server.words import did_you_mean

SETUP = "_mock_server_setup"
"""The pytest fixture whose parameter has the choices of a run."""
UNNOTICED = "no request of this test could notice "


def note_reads(choices: Choices, names: set[str]) -> Choices:
    """A copy of choices that adds the name of each choice that is read to `names`."""

    class NotedChoices(Choices, frozen=True):
        def __getattribute__(self, name: str) -> Any:
            names.add(name)
            return super().__getattribute__(name)

    return NotedChoices(**asdict(choices))


class Variants:
    """A pytest plugin that makes these runs, and leaves out those that show nothing new.

    `words` is the value of the option.
    """

    def __init__(self, words: str) -> None:
        self._words = words
        self._running = ""
        """The id of the test that runs."""
        self._read: dict[str, set[str]] = {}
        """The choices that were read, by the id of a test that has not failed."""

    def with_noted_reads(self, baseline: Baseline) -> Baseline:
        """The baseline for the running test, with choices whose reads are noted."""
        names = set[str]()
        self._read[self._running] = names
        choices = note_reads(baseline.moment.choices, names)
        return replace(baseline, moment=replace(baseline.moment, choices=choices))

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run tests again under other values of choices."""
        if not {*setups.SERVERS} & {*metafunc.fixturenames}:
            return
        setup = setups.setup_of_markers(metafunc.definition)
        base = setup.profile or metafunc.config.getoption(setups.PROFILE) or "documented"
        with setups.plain_errors():
            pairs = differing_values(self._words, base, setup.choices)
        runs = [pytest.param({}, id="default")]
        runs += [pytest.param({name: value}, id=f"{name}={value}") for name, value in pairs]
        metafunc.parametrize(SETUP, runs, indirect=True)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self._running = item.nodeid
        if not hasattr(item, "callspec"):
            return
        for name, value in item.callspec.params.get(SETUP, {}).items():
            default_run = item.nodeid.replace(f"{name}={value}", "default")
            # If the reads of the default run are not known, no run is left out.
            if name not in self._read.get(default_run, {name}):
                pytest.skip(UNNOTICED + name)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self._read.pop(report.nodeid, None)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        if report.skipped and UNNOTICED in str(report.longrepr):
            return "deselected", "", "LEFT OUT"
        return None

    def pytest_terminal_summary(self, terminalreporter: "pytest.TerminalReporter") -> None:
        # Tests that pytest itself deselected are in the list, too, but not as reports.
        counted = terminalreporter.stats.get("deselected", [])
        left_out = sum(isinstance(it, pytest.TestReport) for it in counted)
        if left_out:
            text = f"mock-server: {left_out} runs under other choices that no request could notice"
            terminalreporter.write_line(f"{text} were left out")


def require_profile(name_or_path: str | Path) -> Choices:
    """The choices of a profile. Raises ValueError if it is unknown, or its file has a mistake."""
    profile, choices_of_file = read_profile(name_or_path)
    return profile_choices(profile, **choices_of_file)


def check_words(words: str) -> None:
    """Raises ValueError for a word that selects no value."""
    for word in words.split(","):
        if matching_values(word):
            continue
        known = ["all", *choice_table()]
        choice = word.partition("=")[0]
        # After the name of a choice only the value can be wrong.
        if choice in choice_table():
            known = [f"{name}={value}" for name, value in matching_values(choice)]
        hint = did_you_mean(word, known)
        raise ValueError(f"Expected {', '.join(known)}, got {word!r}{hint}")


def matching_values(word: str) -> list[tuple[str, Any]]:
    """The choices with the values that `all`, `NAME` or `NAME=VALUE` selects."""
    pairs = []
    for name, choice in choice_table().items():
        values = choice.values
        # The first and the last number stand for all numbers of a range.
        if not isinstance(values[0], str):
            values = (values[0], values[-1])
        for value in values:
            if word in ("all", name, f"{name}={value}"):
                pairs.append((name, value))
    return pairs


def differing_values(words: str, base: str | Path, fixed: Collection[str]) -> list[tuple[str, Any]]:
    """The selected values that differ from a profile, without choices that the test sets."""
    defaults = asdict(require_profile(base))
    differing: dict[tuple[str, Any], None] = {}
    for word in words.split(","):
        for name, value in matching_values(word):
            if name not in fixed and value != defaults[name]:
                differing[name, value] = None
    return [*differing]


def violation_names() -> list[str]:
    """The names that may be allowed: those of violations, and of all choices that tolerate any."""
    names = ["invalid_field", "missing_authorization"]
    for name, choice in choice_table().items():
        if choice.tolerates:
            names.append(OUTSIDE_SPEC.get(name, name))
    return names
