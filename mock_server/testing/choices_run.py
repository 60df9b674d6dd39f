"""Runs tests under other choices, and reports which tests depend on a choice.

This is the pytest plugin of --mock-server-choices. A test's default run records which
choices the server reads. No other choice can affect the test, so only these are varied.
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
from mock_server.testing.setup import Setup, marker_arguments, run_settings

_SETTINGS = "mock_server_settings"
_FOLDER = "mock_server_choices_folder"


@dataclass
class Run:
    """One run of a test: with a variant, or the default run, which records reads."""

    test: str
    variant: variants.Variant | None
    choices: dict[str, choice_table.Value] = field(default_factory=dict)
    read_names: set[str] | None = None
    has_passed: bool = False
    has_failed: bool = False

    @property
    def name(self) -> str:
        """The name of the run in test ids."""
        return variants.DEFAULT_RUN if self.variant is None else str(self.variant)

    def record_reads(self, choices: choice_table.Choices) -> choice_table.Choices:
        """Return choices for the test; those of a default run record reads."""
        if self.variant is not None:
            return choices
        if self.read_names is None:
            self.choices, self.read_names = asdict(choices), set()
        return variants.RecordingChoices.of(choices, self.read_names)


_RUN: pytest.StashKey[Run] = pytest.StashKey()


def _run_of(item: pytest.Item) -> Run | None:
    """Return the run of an item, or None if the item has no parameter for variants."""
    return item.stash.get(_RUN, None)


def _skip(item: pytest.Item, category: str = "") -> NoReturn:
    """Skip a run; reports count it in `category`.

    The default is for a variant that is equal to the default run.
    """
    item.user_properties.append((outcomes.NOT_RUN, category))
    pytest.skip(category or "the default run has this choice")


def vary(setup: Setup, item: pytest.Item, variant: variants.Variant | None) -> Setup:
    """Return the setup of a run: with its variant, or with recorded choices.

    Skip the run if the variant is equal to the default run.
    """
    if variant is None:
        run = _run_of(item)
        return setup if run is None else replace(setup, record_reads=run.record_reads)
    if not variant.differs_from(setup.profile_and_choices()[1]):
        _skip(item)
    choices = {**setup.choices, variant.name: variant.value}
    return replace(setup, choices=choices)


class ChoicesRun:
    """The hooks of pytest for a session that varies choices.

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
        self._writes_accepted: bool = config.getoption("mock_server_choices_accept")
        self._accepted = outcomes.accepted_dependences(
            config, is_writing=self._writes_accepted
        )
        # Workers share a folder of usages, which the process that starts them creates.
        shared_folder = getattr(config, "workerinput", {}).get(_FOLDER)
        self._temporary = None if shared_folder else tempfile.TemporaryDirectory()
        own_folder = self._temporary.name if self._temporary else ""
        self._folder = shared_folder or own_folder
        self._usages = variants.UsageStore(Path(self._folder))
        self._outcomes = outcomes.Outcomes()
        self._is_announced = False

    # Hooks that select the runs.

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Called by pytest; adds a run of a test for each variant."""
        if outcomes.PARAMETER not in metafunc.fixturenames:
            return
        with suppress(TypeError, ValueError):  # reported when the test is set up
            marker = marker_arguments(metafunc.definition)
            fixed_choices = marker.get("choices") or {}
            baseline = None
            if not self._may_have_settings(metafunc):
                settings = run_settings(self._config)
                merged = settings.merge(marker.get("profile"), fixed_choices)
                baseline = choosing.choose(*merged)
            values = [None, *self._selection.variants(baseline, fixed_choices)]
            ids = [
                variants.DEFAULT_RUN if each is None else str(each) for each in values
            ]
            # Indirect, so that the pytest fixture gets the values instead of the test.
            metafunc.parametrize(outcomes.PARAMETER, values, ids=ids, indirect=True)

    def _may_have_settings(self, metafunc: pytest.Metafunc) -> bool:
        """Return whether `mock_server_settings` may set choices for the test.

        pytest fixtures have no values during collection. If it may, each value is a run
        of its own, and a run that is equal to the default run is skipped.
        """
        plugins = self._config.pluginmanager.get_plugins()
        own_plugin = self._config.pluginmanager.get_plugin("mock_server")
        other_plugins = (each for each in plugins if each is not own_plugin)
        places = (*other_plugins, metafunc.module, metafunc.cls)
        return any(hasattr(each, _SETTINGS) for each in places)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Called by pytest, after other plugins have ordered the items.

        Puts the default run of a test before its variants. With workers, puts all
        default runs first, so that most are finished when variants begin.
        """
        first_places: dict[str, int] = {}
        for place, item in enumerate(items):
            run = _new_run(item)
            if run is None:
                continue
            item.stash[_RUN] = run
            start = first_places.setdefault(run.test, place)
            if run.variant is None:
                items[start], items[place] = items[place], items[start]
        if hasattr(self._config, "workerinput"):
            items.sort(key=_is_variant)

    # Hooks that print the number of runs.

    def pytest_report_collectionfinish(
        self, items: Iterable[pytest.Item]
    ) -> str | None:
        """Called by pytest; returns the maximum number of runs as text."""
        return self._run_count_text([item.nodeid for item in items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Called by pytest-xdist for each worker; prints the number of runs once."""
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None and not self._is_announced:
            reporter.ensure_newline()
            reporter.write_line(self._run_count_text(ids))
        self._is_announced = True

    def _run_count_text(self, node_ids: Iterable[str]) -> str:
        """Return a line with the numbers of tests and runs among these test ids."""
        # All values, because the value of a test's default run is not known here.
        names = {str(each) for each in self._selection.variants(None)}
        names.add(variants.DEFAULT_RUN)
        parameters = (each.partition("[")[2].removesuffix("]") for each in node_ids)
        runs = [run for each in parameters if (run := names & {*each.split("-")})]
        if not runs:
            return "mock-server choices: no test uses the fixture mock_server"
        tests = _count(sum(variants.DEFAULT_RUN in each for each in runs), "test")
        text = f"mock-server choices: {tests}, at most {_count(len(runs), 'run')}"
        if self._selection.is_forced:
            return text
        if self._is_remote:
            note = "the choices that a test reads are unknown with --mock-server-url"
            return f"{text}; {note}"
        return f"{text}; values that cannot matter to a test are left out"

    # Hooks that run the tests.

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Called by pytest-xdist; passes the folder to a worker."""
        node.workerinput[_FOLDER] = self._folder

    def pytest_unconfigure(self) -> None:
        """Called by pytest; removes the folder."""
        if self._temporary is not None:
            self._temporary.cleanup()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Called by pytest before pytest fixtures; skips variants without effect."""
        run = _run_of(item)
        if run is None:
            return
        # Reports contain this. pytest-xdist sends them from workers to the process that
        # prints the summary, so it is plain data.
        item.user_properties.append((outcomes.PARAMETER, [run.test, run.name]))
        usage = self._usages.of(run.test)
        if run.variant is None or usage is None:
            return
        if not usage.has_passed:
            _skip(item, outcomes.NOT_VARIED)
        name, read_names = run.variant.name, usage.read_names
        if usage.choices.get(name) == run.variant.value:
            _skip(item)
        is_unread = read_names is not None and name not in read_names
        if is_unread and not self._selection.is_forced:
            _skip(item, outcomes.NOT_NEEDED)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Called by pytest; stores usages, and makes accepted failures expected."""
        report = yield
        run = _run_of(item)
        if run is None:
            return report
        run.has_failed |= report.failed or hasattr(report, "wasxfail")
        run.has_passed |= report.passed and call.when == "call"
        if run.variant is None and call.when == "teardown":
            has_passed = run.has_passed and not run.has_failed
            is_unknown = run.read_names is None or self._is_remote
            names = None if is_unknown else frozenset(run.read_names or ())
            usage = variants.ChoiceUsage(has_passed, run.choices, names)
            self._usages.add(run.test, usage)
        if run.variant is not None and report.failed:
            self._accept(report, (run.name, run.test))
        return report

    def _accept(
        self, report: pytest.TestReport, dependence: outcomes.Dependence
    ) -> None:
        accepted = self._accepted
        if accepted is None or not (self._writes_accepted or dependence in accepted):
            return
        report.outcome = "skipped"
        report.wasxfail = f"accepted in {accepted.path.name}"

    # Hooks that report the results.

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
        if self._writes_accepted and self._accepted is not None and not is_worker:
            self._outcomes.write(self._accepted)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Called by pytest; lists the variants that break tests."""
        if not self._outcomes:
            return
        terminalreporter.section("mock-server choices")
        is_all = self._selection.is_all()
        tried = "what the documentation leaves open" if is_all else "the choices tried"
        for line in self._outcomes.lines(self._accepted, self._writes_accepted, tried):
            terminalreporter.line(line)


def _new_run(item: pytest.Item) -> Run | None:
    call: Any = getattr(item, "callspec", None)
    if call is None or outcomes.PARAMETER not in call.params:
        return None
    variant = call.params[outcomes.PARAMETER]
    run = Run("", variant)
    run.test = variants.node_id_without_run(item.nodeid, call.id, run.name)
    return run


def _is_variant(item: pytest.Item) -> bool:
    run = _run_of(item)
    return run is not None and run.variant is not None


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
