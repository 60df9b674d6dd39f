"""Collects the results of runs with varied choices: which tests depend on a choice.

A project may accept dependences in a text file of its repository. A line of the file is
`NAME=VALUE TEST`, or a comment that begins with `#`. A comment belongs to the next
dependence, except comments before the first empty line, which stay on top.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mock_server.testing.variants import DEFAULT_RUN, Variant

Dependence = tuple[str, str]
"""A variant, NAME=VALUE, and the id of a test that it breaks."""
HEAD = "# Tests that depend on a choice: NAME=VALUE TEST.\n\n"


# Names of properties of reports, which pytest-xdist sends from workers.
PARAMETER, NOT_RUN = "_mock_server_variant", "_mock_server_not_run"
NOT_NEEDED, NOT_VARIED = "not needed", "not varied"
"""Reasons to skip a variant: it cannot matter, or the default run did not pass."""
_PASSED, _FAILED = "passed", "failed"


class AcceptedDependences:
    """The dependences that a file accepts, with the comments above each."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._head, self._tail = HEAD, ""
        self._comments: dict[Dependence, str] = {}

    def __contains__(self, dependence: object) -> bool:
        return dependence in self._comments

    def __iter__(self) -> Iterator[Dependence]:
        return iter(self._comments)

    def read(self) -> None:
        """Read the file. Raises OSError, and ValueError for an invalid dependence."""
        self._head = comment = ""
        lines = self.path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(map(str.strip, lines), 1):
            if line.startswith("#"):
                comment += f"{line}\n"
            elif line:
                dependence = _dependence(line, f"{self.path}:{number}")
                self._comments[dependence] = comment
                comment = ""
            elif not self._comments:
                self._head, comment = f"{self._head}{comment}\n", ""
        self._tail = comment

    def write(self, resolved: Iterable[Dependence], new: Iterable[Dependence]) -> None:
        """Write the file, sorted, without `resolved` and with `new` dependences.

        Raises OSError.
        """
        for each in resolved:
            self._comments.pop(each, None)
        for each in new:
            self._comments.setdefault(each, "")
        self._comments = dict(sorted(self._comments.items()))
        lines = [
            f"{comment}{variant} {test}\n"
            for (variant, test), comment in self._comments.items()
        ]
        text = "".join([self._head, *lines, self._tail])
        self.path.write_text(text, encoding="utf-8")


def _dependence(text: str, place: str) -> Dependence:
    name, _, test = text.partition(" ")
    if not test.strip() or "=" not in name:
        raise ValueError(f"Expected NAME=VALUE TEST, got {text!r} - at {place}")
    try:
        return str(Variant.of(name)), test.strip()
    except ValueError as error:
        raise ValueError(f"{error} - at {place}") from None


def accepted_dependences(
    config: pytest.Config, *, is_writing: bool
) -> AcceptedDependences | None:
    """Return the dependences in the file of the ini value, relative to the ini file.

    Return None if the ini value is empty. Raises pytest.UsageError, also if the run
    `is_writing` the file but the ini value is empty.
    """
    name = "mock_server_choices_accepted"
    file: str = config.getini(name)
    if not file:
        if not is_writing:
            return None
        got = f"the name of a file in the ini value {name}, got none"
        raise pytest.UsageError(f"Expected {got} - at --mock-server-choices-accept")
    folder = config.inipath.parent if config.inipath else config.rootpath
    accepted = AcceptedDependences(folder / file)
    if is_writing and not accepted.path.exists():
        return accepted
    try:
        accepted.read()
    except OSError as error:
        expected = f"a file, got {str(accepted.path)!r} ({error.strerror})"
        hint = "" if is_writing else "; --mock-server-choices-accept writes it"
        raise pytest.UsageError(f"Expected {expected}{hint} - at {name}") from None
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None
    return accepted


class Outcomes:
    """The known result of each run of a test."""

    def __init__(self) -> None:
        self._results: dict[Dependence, str] = {}

    def __bool__(self) -> bool:
        return bool(self._results)

    def add(self, report: pytest.TestReport) -> None:
        """Add the report of one phase of a test."""
        properties: dict[str, Any] = dict(report.user_properties)
        if PARAMETER not in properties:
            return
        test, run = properties[PARAMETER]
        if report.failed or hasattr(report, "wasxfail"):
            self._results[run, test] = _FAILED
        elif NOT_RUN in properties:
            self._results[run, test] = str(properties[NOT_RUN])
        elif report.when == "call" and report.passed:
            self._results.setdefault((run, test), _PASSED)

    def write(self, accepted: AcceptedDependences) -> None:
        """Add new dependences to the file, and remove those that no longer hold."""
        accepted.write(self._resolved(accepted), self._dependences())

    def lines(
        self, accepted: AcceptedDependences | None, is_writing: bool, choices_text: str
    ) -> Iterator[str]:
        """Yield the summary; `choices_text` describes the choices that were tried."""
        dependences = self._dependences()
        known = [each for each in dependences if accepted and each in accepted]
        new = [each for each in dependences if each not in known]
        if not dependences:
            yield f"no test depends on {choices_text}"
        yield from _lines(new, "breaks")
        if accepted is not None:
            yield from _lines(known, f"(accepted in {accepted.path.name}) breaks")
            if not is_writing:
                outcome = f"no longer breaks (remove them from {accepted.path.name})"
                yield from _lines(self._resolved(accepted), outcome)
        results = self._results.items()
        if tests := sorted({test for (_, test), it in results if it == NOT_VARIED}):
            yield f"not varied, as their default run did not pass: {', '.join(tests)}"

    def _has_passed(self, test: str) -> bool:
        """Return whether the default run passed; else the variants prove nothing."""
        return self._results.get((DEFAULT_RUN, test)) == _PASSED

    def _dependences(self) -> list[Dependence]:
        return sorted(
            (run, test)
            for (run, test), result in self._results.items()
            if result == _FAILED and run != DEFAULT_RUN and self._has_passed(test)
        )

    def _resolved(self, accepted: AcceptedDependences) -> list[Dependence]:
        return sorted(
            (run, test)
            for run, test in accepted
            if self._has_passed(test)
            and self._results.get((run, test)) in (_PASSED, NOT_NEEDED)
        )


def _lines(dependences: Iterable[Dependence], outcome: str) -> Iterator[str]:
    by_variant: dict[str, list[str]] = {}
    for variant, test in dependences:
        by_variant.setdefault(variant, []).append(test)
    for variant, tests in by_variant.items():
        yield f"{variant} {outcome} {len(tests)}: {', '.join(tests)}"
