"""Five workflows with client libraries as people use them, in fair and foul weather."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.workflows.clients import NEEDS
from tests.e2e.workflows.running import WORKFLOWS, run

PYTHON = ("httpx2", "requests")
WITH = {
    "sync": (*PYTHON, "axios", "curl"),
    "importer": PYTHON,
    "chat": (*PYTHON, "axios"),
    "login": PYTHON,
    "audit": PYTHON,
}
WEATHERS = ("fair", "frozen", "flaky")


def tries() -> Iterator[Any]:
    """Each workflow with each of its libraries; a few of them in quick runs."""
    for name, libraries in WITH.items():
        for library in libraries:
            there, what = NEEDS[library]
            for weather in WEATHERS:
                is_quick = library == "httpx2" and weather != "fair"
                marks = [] if is_quick else [pytest.mark.ci]
                if not there:
                    marks.append(pytest.mark.skip(reason=f"needs {what}"))
                yield pytest.param(name, library, weather, marks=marks)


@pytest.mark.ci
@pytest.mark.parametrize(("name", "library", "weather"), list(tries()))
def test_a_program_gets_its_work_done(name: str, library: str, weather: str) -> None:
    run(name, library, weather)


@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize("name", WORKFLOWS)
@pytest.mark.ci
def test_other_faults_do_not_stop_it_either(name: str, seed: int) -> None:
    run(name, "httpx2", "flaky", seed)


@pytest.mark.ci
def test_what_was_done_without_an_answer_is_found_and_not_done_twice() -> None:
    assert run("sync", "httpx2", "flaky").found > 0
