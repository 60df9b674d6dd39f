"""A plugin of pytest: which functions of the lower floors each test runs.

Writes `trace.json` into the folder where pytest runs: `tests`, the id and seconds of
each that has passed, and `functions`, by file and line of the `def` the numbers of
those that run it. What runs in other processes, or before the first test, is not seen.
"""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

from tests.mutation.selecting import for_mutants

PACKAGE = Path("mock_server").absolute()


class Tracing:
    """Counts lines by the test that runs them."""

    def __init__(self) -> None:
        include = [f"{PACKAGE}/*"]
        self._coverage = coverage.Coverage(None, config_file=False, include=include)
        self._coverage.start()
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what no mutant is run against."""
        items[:] = for_mutants(items)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        """A test begins."""
        self._coverage.switch_context(item.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep how long it took, with what stands around it, unless it failed."""
        before = self.seconds.get(report.nodeid, 0.0)
        is_wrong = report.failed or report.skipped
        self.seconds[report.nodeid] = before + (1e6 if is_wrong else report.duration)

    def pytest_sessionfinish(self) -> None:
        """Write all of it."""
        self._coverage.stop()
        passed = {name: took for name, took in self.seconds.items() if took < 1e6}
        numbers = {name: number for number, name in enumerate(passed)}
        data = self._coverage.get_data()
        functions = {
            str(Path(file).relative_to(PACKAGE)): {
                line: sorted(numbers[name] for name in names if name in numbers)
                for line, names in _by_function(file, data.contexts_by_lineno(file))
            }
            for file in data.measured_files()
        }
        trace = {"tests": list(passed.items()), "functions": functions}
        Path("trace.json").write_text(json.dumps(trace))


def _by_function(
    file: str, contexts: dict[int, list[str]]
) -> Iterator[tuple[int, set[str]]]:
    """The line of each `def` of a file, and the tests that run what is in it."""
    found: defaultdict[int, set[str]] = defaultdict(set)
    for node in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first, end = node.body[0].lineno, node.end_lineno or node.lineno
            for line in range(first, end + 1):
                found[node.lineno].update(contexts.get(line, ()))
    return iter(found.items())


def pytest_configure(config: pytest.Config) -> None:
    """Begin as early as a plugin can."""
    config.pluginmanager.register(Tracing())
