"""Run tests under other choices, and report which tests depend on a choice.

This is the pytest plugin that --mock-server-choices adds. A test's default run records
which choices were read; other choices could change nothing, so they are not varied.
"""

import tempfile
from collections.abc import Generator, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from mock_server.domain.choices import choosing
from mock_server.domain.choices import table as choice_table
from mock_server.testing import outcomes, variants
from mock_server.testing.setup import Setup, given_to, marked

_SETTINGS = "mock_server_settings"
_FOLDER = "mock_server_choices_folder"


@dataclass
class Run:
    """One run of a test: under a variant, or the default run, which records reading."""

    test: str
    variant: variants.Variant | None
    choices: dict[str, choice_table.Value] = field(default_factory=dict)
    read: set[str] | None = None
    passed: bool = False
    failed: bool = False

    @property
    def name(self) -> str:
        """Return the name of the run in test ids."""
        return variants.BASELINE if self.variant is None else str(self.variant)

    def recorded(self, choices: choice_table.Choices) -> choice_table.Choices:
        """Return the choices at the test's beginning; a default run records reading."""
        if self.variant is not None:
            return choices
        if self.read is None:
            self.choices, self.read = asdict(choices), set()
        return variants.RecordedChoices.of(choices, self.read)


_RUN: pytest.StashKey[Run] = pytest.StashKey()


def _run_of(item: pytest.Item) -> Run | None:
    """Return the run of an item; None if it is not one under choices."""
    return item.stash.get(_RUN, None)


def _end(item: pytest.Item, category: str = "") -> NoReturn:
    """Skip a run; reports count it in `category`.

    Without a category, the run would be the same as the default run.
    """
    item.user_properties.append((outcomes.NOT_RUN, category))
    pytest.skip(category or "the default run has this choice")


def varied(setup: Setup, item: pytest.Item, variant: variants.Variant | None) -> Setup:
    """Return the setup of a run: with its variant, or with recorded choices.

    Skips a run whose variant turns out to be the same as the default run.
    """
    if variant is None:
        run = _run_of(item)
        return setup if run is None else replace(setup, noted=run.recorded)
    if not variant.differs_from(setup.chosen()[1]):
        _end(item)
    choices = {**setup.choices, variant.name: variant.value}
    return replace(setup, choices=choices)


class ChoicesRun:
    """Hooks of pytest for one session under other choices.

    Raises pytest.UsageError for invalid options and ini values.
    """

    def __init__(self, config: pytest.Config) -> None:
        try:
            self._selection = variants.Selection.of(
                config.getoption("mock_server_choices")
            )
        except ValueError as error:
            raise pytest.UsageError(f"{error} - at --mock-server-choices") from None
        self._config = config
        self._is_remote = config.getoption("mock_server_url") is not None
        self._accepts: bool = config.getoption("mock_server_choices_accept")
        self._accepted = outcomes.accepted_by(config, accepts=self._accepts)
        # Workers share usages in the folder of the process that starts them.
        given = getattr(config, "workerinput", {}).get(_FOLDER)
        self._own = None if given else tempfile.TemporaryDirectory()
        self._folder = given or (self._own.name if self._own else "")
        self._usages = variants.UsageStore(Path(self._folder))
        self._outcomes = outcomes.Outcomes()
        self._is_announced = False

    # Choosing the runs.

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Called by pytest; makes a run of a test for each variant."""
        if outcomes.PARAMETER not in metafunc.fixturenames:
            return
        with suppress(TypeError, ValueError):  # reported when the test is set up
            asked = marked(metafunc.definition)
            fixed = asked.get("choices") or {}
            baseline = None
            if not self._may_have_settings(metafunc):
                chosen = given_to(self._config).chosen(asked.get("profile"), fixed)
                baseline = choosing.choose(*chosen)
            found = [None, *self._selection.variants(baseline, fixed)]
            ids = [variants.BASELINE if each is None else str(each) for each in found]
            # Indirect: values go to the fixture, no test needs an argument for them.
            metafunc.parametrize(outcomes.PARAMETER, found, ids=ids, indirect=True)

    def _may_have_settings(self, metafunc: pytest.Metafunc) -> bool:
        """Return whether settings may choose a profile or choices for the test.

        Fixtures have no values while tests are collected. Then each value is a run, and
        a run with the same value as the default run is skipped.
        """
        plugins = self._config.pluginmanager.get_plugins()
        ours = self._config.pluginmanager.get_plugin("mock_server")
        others = (each for each in plugins if each is not ours)
        places = (*others, metafunc.module, metafunc.cls)
        return any(hasattr(each, _SETTINGS) for each in places)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Called by pytest, after other plugins have ordered the items.

        Puts the default run of a test before its variants; if several processes run the
        tests, all default runs, so that most is known when variants begin.
        """
        first: dict[str, int] = {}
        for place, item in enumerate(items):
            run = _made(item)
            if run is None:
                continue
            item.stash[_RUN] = run
            begin = first.setdefault(run.test, place)
            if run.variant is None:
                items[begin], items[place] = items[place], items[begin]
        if hasattr(self._config, "workerinput"):
            items.sort(key=_is_variant)

    # Announcing their number.

    def pytest_report_collectionfinish(
        self, items: Iterable[pytest.Item]
    ) -> str | None:
        """Called by pytest; returns the maximum number of runs as text."""
        return self._cost([item.nodeid for item in items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Called by pytest-xdist for each worker; prints the number of runs once."""
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None and not self._is_announced:
            reporter.ensure_newline()
            reporter.write_line(self._cost(ids))
        self._is_announced = True

    def _cost(self, node_ids: Iterable[str]) -> str:
        # All values, whatever the default run of a test has.
        names = {str(each) for each in self._selection.variants(None)}
        names.add(variants.BASELINE)
        parameters = (each.partition("[")[2].removesuffix("]") for each in node_ids)
        runs = [found for each in parameters if (found := names & {*each.split("-")})]
        if not runs:
            return "mock-server choices: no test uses the fixture mock_server"
        tests = _count(sum(variants.BASELINE in each for each in runs), "test")
        text = f"mock-server choices: {tests}, at most {_count(len(runs), 'run')}"
        if self._selection.is_forced:
            return text
        if self._is_remote:
            seen = "what matters to a test cannot be seen with --mock-server-url"
            return f"{text}; {seen}"
        return f"{text}; values that cannot matter to a test are left out"

    # Running them.

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Called by pytest-xdist; passes the folder to a worker."""
        node.workerinput[_FOLDER] = self._folder

    def pytest_unconfigure(self) -> None:
        """Called by pytest; removes the folder."""
        if self._own is not None:
            self._own.cleanup()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Called by pytest before any fixture; ends a variant that is not needed."""
        run = _run_of(item)
        if run is None:
            return
        # Part of the reports, which pytest-xdist sends from workers to the process that
        # prints the summary. Plain data, as it travels.
        item.user_properties.append((outcomes.PARAMETER, [run.test, run.name]))
        usage = self._usages.of(run.test)
        if run.variant is None or usage is None:
            return
        if not usage.passed:
            _end(item, outcomes.NOT_VARIED)
        name, read = run.variant.name, usage.read
        if usage.choices.get(name) == run.variant.value:
            _end(item)
        if not self._selection.is_forced and read is not None and name not in read:
            _end(item, outcomes.NOT_NEEDED)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Called by pytest; stores usages, and excuses accepted dependences."""
        report = yield
        run = _run_of(item)
        if run is None:
            return report
        run.failed |= report.failed or hasattr(report, "wasxfail")
        run.passed |= report.passed and call.when == "call"
        if run.variant is None and call.when == "teardown":
            passed = run.passed and not run.failed
            read = None if run.read is None or self._is_remote else frozenset(run.read)
            self._usages.add(run.test, variants.ChoiceUsage(passed, run.choices, read))
        if run.variant is not None and report.failed:
            self._excuse(report, (run.name, run.test))
        return report

    def _excuse(
        self, report: pytest.TestReport, dependence: outcomes.Dependence
    ) -> None:
        accepted = self._accepted
        if accepted is None or not (self._accepts or dependence in accepted):
            return
        report.outcome = "skipped"
        report.wasxfail = f"accepted in {accepted.path.name}"

    # Reporting.

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(
        self, report: pytest.CollectReport | pytest.TestReport
    ) -> tuple[str, str, str] | None:
        """Called by pytest; counts a skipped run by its category, without a letter."""
        if not report.skipped or hasattr(report, "wasxfail"):
            return None
        category = dict(getattr(report, "user_properties", ())).get(outcomes.NOT_RUN)
        if category is None:
            return None
        return str(category), "", str(category).upper()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Called by pytest for each phase, where the summary is printed."""
        self._outcomes.add(report)

    def pytest_sessionfinish(self) -> None:
        """Called by pytest; writes the accepted dependences."""
        is_worker = hasattr(self._config, "workerinput")
        if self._accepts and self._accepted is not None and not is_worker:
            self._outcomes.write(self._accepted)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Called by pytest; lists the variants that break tests."""
        if not self._outcomes:
            return
        terminalreporter.section("mock-server choices")
        is_all = self._selection.is_all()
        tried = "what the documentation leaves open" if is_all else "the choices tried"
        for line in self._outcomes.lines(self._accepted, self._accepts, tried):
            terminalreporter.line(line)


def _made(item: pytest.Item) -> Run | None:
    call: Any = getattr(item, "callspec", None)
    if call is None or outcomes.PARAMETER not in call.params:
        return None
    variant = call.params[outcomes.PARAMETER]
    run = Run("", variant)
    run.test = variants.test_of(item.nodeid, call.id, run.name)
    return run


def _is_variant(item: pytest.Item) -> bool:
    run = _run_of(item)
    return run is not None and run.variant is not None


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
