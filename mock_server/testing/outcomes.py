"""What the runs of tests under choices have come to, and what depends on a choice."""

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from mock_server.testing.accepted import Accepted, Dependence
from mock_server.testing.variants import BASELINE

# Names of properties of reports, which pytest-xdist sends from workers.
PARAMETER, NOT_RUN = "_mock_server_variant", "_mock_server_not_run"
NOT_NEEDED, NOT_VARIED = "not needed", "not varied"
"""Why a variant was not run: it cannot matter, or the test does not pass as it is."""
_PASSED, _FAILED = "passed", "failed"


class Outcomes:
    """How each run of a test has ended, as far as it is known."""

    def __init__(self) -> None:
        self._known: dict[Dependence, str] = {}

    def __bool__(self) -> bool:
        return bool(self._known)

    def add(self, report: pytest.TestReport) -> None:
        """Take in the report of one phase of a test."""
        properties: dict[str, Any] = dict(report.user_properties)
        if PARAMETER not in properties:
            return
        test, run = properties[PARAMETER]
        if report.failed or hasattr(report, "wasxfail"):
            self._known[run, test] = _FAILED
        elif NOT_RUN in properties:
            self._known[run, test] = str(properties[NOT_RUN])
        elif report.when == "call" and report.passed:
            self._known.setdefault((run, test), _PASSED)

    def write(self, accepted: Accepted) -> None:
        """Write what depends on a choice, in place of what no longer does."""
        accepted.write(self._resolved(accepted), self._dependences())

    def lines(
        self, accepted: Accepted | None, accepts: bool, tried: str
    ) -> Iterator[str]:
        """The summary; `tried` is what to say that no test depends on."""
        found = self._dependences()
        known = [each for each in found if accepted is not None and each in accepted]
        if not found:
            yield f"no test depends on {tried}"
        yield from _listed([each for each in found if each not in known], "breaks")
        if accepted is not None:
            yield from _listed(known, f"(accepted in {accepted.path.name}) breaks")
            if not accepts:
                gone = f"no longer breaks (to be taken off {accepted.path.name})"
                yield from _listed(self._resolved(accepted), gone)
        every = self._known.items()
        if tests := sorted({test for (_, test), how in every if how == NOT_VARIED}):
            yield f"not varied, as they do not pass as they are: {', '.join(tests)}"

    def _is_sound(self, test: str) -> bool:
        """Whether a test passes as it is: others say nothing about a choice."""
        return self._known.get((BASELINE, test)) == _PASSED

    def _dependences(self) -> list[Dependence]:
        return sorted(
            (run, test)
            for (run, test), how in self._known.items()
            if how == _FAILED and run != BASELINE and self._is_sound(test)
        )

    def _resolved(self, accepted: Accepted) -> list[Dependence]:
        """What is accepted, and was seen not to be so any more."""
        return sorted(
            (run, test)
            for run, test in accepted
            if self._is_sound(test)
            and self._known.get((run, test)) in (_PASSED, NOT_NEEDED)
        )


def _listed(found: Iterable[Dependence], verb: str) -> Iterator[str]:
    """Dependences, one line a variant."""
    by_variant: dict[str, list[str]] = {}
    for variant, test in found:
        by_variant.setdefault(variant, []).append(test)
    for variant, tests in by_variant.items():
        yield f"{variant} {verb} {len(tests)}: {', '.join(tests)}"
