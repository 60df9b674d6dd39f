"""What runs before a change lands: by hand and on GitHub, the same."""

from __future__ import annotations

import re
import tomllib

import yaml

from tests.support import ROOT

RUN = (ROOT / ".ci" / "run").read_text()
JOBS = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())["jobs"]


def test_no_long_test_runs_twice_or_never() -> None:
    own = re.findall(r'^part_(\w+)\(\) { long .*"\$\{\1\[@\]\}"; }$', RUN, re.MULTILINE)
    (others,) = re.findall(r"(?ms)^part_long\(\) {$(.+?)^}$", RUN)
    left_out = re.findall(r"\{(\w+)\[@\]/#/--ignore=\}", others)
    assert own == left_out == ["cost", "clients", "browser", "image"]


def test_all_parts_run_everywhere() -> None:
    (parts,) = re.findall(r'^all="(.+)"$', RUN, re.MULTILINE)
    assert JOBS["run"]["strategy"]["matrix"]["part"] == parts.split()
    (beside,) = re.findall(r"^printf '%s\\n' (.+) \| xargs ", RUN, re.MULTILINE)
    assert sorted(beside.split()) == sorted(parts.split())


def test_nothing_beside_the_repository_is_named() -> None:
    assert "../" not in RUN


def test_the_oldest_python_that_is_supported_is_tried() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    oldest = project["requires-python"].removeprefix(">=")
    assert oldest in JOBS["run"]["strategy"]["matrix"]["python"]


def test_no_job_runs_without_end() -> None:
    assert all(job["timeout-minutes"] <= 40 for job in JOBS.values())
