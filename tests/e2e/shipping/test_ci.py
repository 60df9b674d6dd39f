"""What runs before a change lands: by hand and on GitHub, the same."""

from __future__ import annotations

import re
import tomllib

import yaml

from tests.support import ROOT

RUN = (ROOT / ".ci" / "run").read_text()
JOBS = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())["jobs"]


def test_the_command_of_the_readme_runs_the_tests() -> None:
    readme = (ROOT / "README.md").read_text()
    (command,) = re.findall(r"^python3 -m venv .*pytest$", readme, re.MULTILINE)
    assert command in RUN.splitlines()


def test_no_test_runs_twice() -> None:
    long = ["-m ci" in line for line in RUN.splitlines() if "bin/pytest" in line]
    assert long == [False, True]


def test_nothing_beside_the_repository_is_named() -> None:
    assert "../" not in RUN


def test_the_oldest_python_that_is_supported_is_tried() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    oldest = project["requires-python"].removeprefix(">=")
    assert oldest in JOBS["run"]["strategy"]["matrix"]["python"]


def test_no_job_runs_without_end() -> None:
    assert all(job["timeout-minutes"] <= 40 for job in JOBS.values())
