"""Runs of pytest end, and print, as a person has read it.

A case of `said/runs.txt` is a project, and options of pytest. Before it are variables
and ways to run it: `alone` and `apart` (see `run`), and `ci`, if it is for long tests.
What follows is how the run ends, patterns of lines in their order, and behind `without`
patterns of no line. Where the run does not even begin, each line is there once.
"""

from __future__ import annotations

import shlex
from fnmatch import fnmatchcase
from itertools import takewhile
from pathlib import Path

import pytest

from tests.said import Case, Text
from tests.testing.conftest import Run

CASES = Text(Path(__file__).with_name("said") / "runs.txt").cases
WAYS = ("ci", "alone", "apart")
BAD = ("failed", "errors", "skipped", "xfailed", "xpassed")


def marked(case: Case) -> object:
    """The case, for long tests alone where it says so."""
    marks = [pytest.mark.ci] if case.given.startswith("ci ") else []
    return pytest.param(case, marks=marks)


@pytest.mark.parametrize("case", list(map(marked, CASES)), ids=map(str, CASES))
def test_a_run_ends_and_prints_as_a_person_has_read(
    run: Run, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    words = shlex.split(case.given)
    before = list(takewhile(lambda it: it in WAYS or "=" in it, words))
    for name, _, value in (it.partition("=") for it in before if it not in WAYS):
        monkeypatch.setenv(name, value)
    ways = {way: way in before for way in ("alone", "apart")}
    result = run(*words[len(before) :], **ways)
    end, *lines = case.said.split("\n")
    patterns = [line for line in lines if not line.startswith("without ")]
    if end == "usage":
        check_usage(result, patterns)
    else:
        check_end(result, end)
        result.stdout.fnmatch_lines(patterns)
    for line in lines:
        if line not in patterns:
            result.stdout.no_fnmatch_line(line.removeprefix("without "))


def check_usage(result: pytest.RunResult, lines: list[str]) -> None:
    """Fail unless the run did not begin, and said so by each line once."""
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    for line in lines:
        assert len([it for it in result.errlines if fnmatchcase(it, line)]) == 1
    shown = result.stderr.str()
    assert shown.count("Expected") <= 1, shown
    assert "Traceback" not in shown + result.stdout.str()


def check_end(result: pytest.RunResult, end: str) -> None:
    """Fail unless this many tests ended in each way, and no others badly."""
    pairs = (each.split("=") for each in end.split())
    wanted = dict.fromkeys(BAD, 0) | {name: int(count) for name, count in pairs}
    found = result.parseoutcomes()
    assert {name: found.get(name, 0) for name in wanted} == wanted
