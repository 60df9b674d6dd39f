"""The page on performance: rows name measures of the bench and show what is kept."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.bench import page, results
from tests.bench.figures import Figure
from tests.bench.results import Section

MEASURES = [name for row in page.ROWS for name in (row.measure, row.ratio) if name]
MEASURES += page.MISSES
NUMBER = re.compile(r"[\d,]+")


def patterns() -> Iterator[re.Pattern[str]]:
    """Yield the texts of the bench's code, with a group for each value in them."""
    for file in Path(page.__file__).parent.glob("*.py"):
        if file.name in ("page.py", Path(__file__).name):
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            texts = [part.value for part in parts if isinstance(part, ast.Constant)]
            if any(isinstance(text, str) and text for text in texts):
                yield re.compile("".join(map(pattern_of, parts)))


def pattern_of(part: ast.AST) -> str:
    """Return what a part of a text matches."""
    return re.escape(str(part.value)) if isinstance(part, ast.Constant) else "(.+)"


PATTERNS = [*patterns()]


@cache
def is_made(text: str) -> bool:
    """Whether the bench's code can make a text from its own texts and numbers."""
    matches = (pattern.fullmatch(text) for pattern in PATTERNS)
    return NUMBER.fullmatch(text) is not None or any(
        all(map(is_made, match.groups())) for match in matches if match
    )


@pytest.mark.parametrize("measure", MEASURES)
def test_the_measure_of_a_row_exists_in_the_bench(measure: str) -> None:
    assert is_made(measure.removesuffix("*"))


def test_a_measure_that_the_bench_does_not_make_is_found_out() -> None:
    assert not is_made("list, 11 items: CPU")
    assert not is_made("reset after change, 10^6")


def test_the_page_has_twelve_rows() -> None:
    assert len(page.ROWS) == len(page.bench_table().rows) == 12


def test_all_results_are_those_that_are_kept() -> None:
    stale = "stale; renew it by `python -m tests.bench --page --from FILE`"
    assert results.TABLE.read_text("utf-8") == results.text(results.read()), stale


def test_a_part_that_is_measured_again_replaces_only_itself(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    old, new = (Section.measured([Figure("a", value, "ms")]) for value in (1.0, 2.0))
    results.keep({"start": old, "memory": old}, file)
    results.keep({"start": new}, file)
    assert results.read(file) == {"start": new, "memory": old}


def test_a_row_shows_the_worst_of_its_measures() -> None:
    names = "longest stall, a", "longest stall, b", "p99 of others, a"
    found = {name: Figure(name, len(name) - 15, "ms", 50) for name in names[:2]}
    found["longest stall, b"] = worst = Figure("longest stall, b", 60.0, "ms", 50)
    found[names[2]] = Figure(names[2], 70.0, "ms", 5)
    assert page.worst("longest stall, *", found) is worst
    assert page.cells(page.Row("wait", "longest stall, *"), found) == (
        *("wait", "60 ms", "", "≤ 50 ms", "**missed**"),
    )


def test_a_row_takes_the_target_of_its_ratio_if_the_figure_has_none() -> None:
    figures = Figure("a: CPU", 40.0, "µs"), Figure("a: ratio", 1.06, "×", 1.12)
    row = page.Row("a list", "a: CPU", "a: ratio", "a route")
    assert page.cells(row, {each.measure: each for each in figures}) == (
        *("a list", "40 µs", "1.06× a route", "≤ 1.12×", "met"),
    )


def test_a_row_without_a_figure_is_refused_by_name() -> None:
    with pytest.raises(page.UnknownMeasure, match=r"'reset, 10\^7', got none"):
        page.worst("reset, 10^7", {})
