"""Tests that wait for a time, or take what is nearly right, have a reason."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import CONTRIBUTING, ROOT

PAGE = CONTRIBUTING.read_text()
INEXACT = re.compile(r"\b(?:sleep\((?!0\))|partial\(sleep|approx\()")
ELSEWHERE = ("bench/", "docs/", "soak/", "testing/projects/")
"""No tests: what measures, what goes at a pace, this, and projects that tests run."""


@pytest.mark.ci
def test_each_is_listed_with_its_reason() -> None:
    tests = ROOT / "tests"
    found = {
        path.relative_to(tests).as_posix()
        for path in tests.rglob("*.py")
        if INEXACT.search(path.read_text())
    }
    table = PAGE.partition("### Waits and tolerances")[2].partition("\n## ")[0]
    listed = set(re.findall(r"^\| `([\w/]+\.py)` \|", table, re.MULTILINE))
    assert {each for each in found if not each.startswith(ELSEWHERE)} == listed
