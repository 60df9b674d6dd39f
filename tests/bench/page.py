"""The tables of the page on performance: which figures people read, in plain words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from tests.bench import results
from tests.bench.figures import Figure
from tests.docs.pages import ROOT, Table, renewed, text_of

PAGE = ROOT / ".github" / "QUALITY.md"
PEERS = "peers"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the page: the words, and the measure whose figure it shows.

    A measure with `*` stands for all that match; the worst of them is shown. `ratio` is
    the measure that compares it to what `than` names. Without one, the note of the
    figure says what it is compared to. The target is the figure's own, or the ratio's.
    """

    words: str
    measure: str
    ratio: str = ""
    than: str = ""


_ROUTE = "a Starlette route with the same bytes"
ROWS = (
    Row(
        "CPU of a list request, 10 items",
        "list, 10 items: CPU",
        "list, 10 items: CPU to the route floor",
        _ROUTE,
    ),
    Row("CPU of a pin", "pin: CPU", "pin: CPU to the route floor", _ROUTE),
    Row(
        "a new search among 10^6 collections",
        "search with one hit, 10^6",
        "search with one hit: to one str.find",
        "one `str.find`",
    ),
    Row(
        "start to the first response",
        "start to first 200, demo.yaml",
        "start to first 200, demo.yaml: to a bare uvicorn app, CPU",
        "a bare uvicorn app (CPU)",
    ),
    Row("memory of an idle server", "resident, idle, demo.yaml"),
    Row("memory of a collection, of 10^6", "a collection, of 1,000,000"),
    Row(
        "CPU to load 10^6 collections from JSON",
        "load 10^6 in JSON: CPU time of a start",
        "load 10^6 in JSON: to json.loads",
        "`json.loads`",
    ),
    Row(
        "a reset at 10^6 collections, after changes",
        "reset after changes, 10^6",
        "reset after changes: 10^6 to 10^3",
        "one at 10^3",
    ),
    Row(
        "a new sandbox at 10^6 collections",
        "new sandbox, 10^6",
        "new sandbox: 10^6 to 10^3",
        "one at 10^3",
    ),
    Row(
        "longest wait of other clients while one request is served", "longest stall, *"
    ),
    Row("pytest fixture, for each test", "fixture mock_server: time of a test"),
    Row(
        "time that a run under another choice adds to a test",
        "a run under another choice: beyond the test",
    ),
)


class UnknownMeasure(LookupError):
    """A row names a measure that has no figure."""


def worst(measure: str, figures: Mapping[str, Figure]) -> Figure:
    """Return the figure of a measure, or the largest of those that match.

    Raises UnknownMeasure.
    """
    found = [each for name, each in figures.items() if fnmatchcase(name, measure)]
    if not found:
        raise UnknownMeasure(
            f"Expected a figure of {measure!r}, got none - at tests/bench/page.py"
            " (measure its section, or correct the row)"
        )
    return max(found, key=lambda each: each.value)


def bench_table() -> Table:
    """Return the rows that people read."""
    sections = results.read()
    figures = {each.measure: each for each in results.figures(sections)}
    heads = "what", "figure", "compared to", "target", "result"
    return Table(heads, [cells(row, figures) for row in ROWS])


def cells(row: Row, figures: Mapping[str, Figure]) -> tuple[str, ...]:
    """Return the cells of a row."""
    figure = worst(row.measure, figures)
    ratio = worst(row.ratio, figures) if row.ratio else None
    beside = f"{ratio.shown()} {row.than}" if ratio else figure.note
    judged = ratio if ratio and figure.is_met is None else figure
    return row.words, figure.shown(), beside, judged.target(), judged.result()


def misses_table() -> Table:
    """Return the figures that miss their target."""
    found = [*results.figures(results.read())]
    missed = [each for each in found if each.is_met is False]
    with_target = sum(each.is_met is not None for each in found)
    head = f"{len(missed)} of {with_target} targets are missed"
    rows = [f"{each.measure}: {each.shown()}, {each.target()}" for each in missed]
    return Table((head,), [(row,) for row in rows])


def peers_table() -> Table:
    """Return what a request costs other mock servers."""
    section = results.read()[PEERS]
    rows = [
        (each.measure.partition(":")[0], each.shown(), each.note)
        for each in section.figures
    ]
    return Table((f"server, {section.date}", "CPU of a request", "compared to"), rows)


TABLES: Mapping[str, Callable[[], Table]] = {
    "bench": bench_table,
    "bench-misses": misses_table,
    "bench-peers": peers_table,
}


def renew() -> None:
    """Write the page's tables, and the page of all figures."""
    made = {name: make() for name, make in TABLES.items()}
    PAGE.write_text(renewed(text_of(PAGE), made), encoding="utf-8")
    results.TABLE.write_text(results.text(results.read()), encoding="utf-8")
