"""Write the tables of the page on quality: the figures that people read, explained."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from tests.bench import results
from tests.bench.figures import Figure
from tests.docs.pages import ROOT, Table, renewed, text_of

PAGE = ROOT / ".github" / "QUALITY.md"
PEERS, CONSOLE = "peers", "console"
"""Sections that are measured on other days than the rest."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the page: a description, and the measure whose figure it shows.

    A measure with `*` stands for all that match; the row shows the largest figure.
    `ratio` is the measure that compares the figure with `reference`; without a ratio,
    the note of the figure names the reference. The target is that of the figure, or
    else of the ratio.
    """

    description: str
    measure: str
    ratio: str = ""
    reference: str = ""


@dataclass(frozen=True, slots=True)
class Miss:
    """A description of a measure that misses its target, and the cause."""

    description: str
    cause: str


_ROUTE = "a Starlette route with the same response"
ROWS = (
    Row(
        "CPU time of a list request (a page of 10 items)",
        "list, 10 items: CPU",
        "list, 10 items: CPU to the route floor",
        _ROUTE,
    ),
    Row("CPU time of a pin", "pin: CPU", "pin: CPU to the route floor", _ROUTE),
    Row(
        "time of the first search for a text among 1,000,000 collections",
        "search with one hit, 10^6",
        "search with one hit: to one str.find",
        "one `str.find` over all names",
    ),
    Row(
        "time from the start of the process to the first response",
        "start to first 200, demo.yaml",
        "start to first 200, demo.yaml: to a bare uvicorn app, CPU",
        "the start of an empty uvicorn application (CPU time)",
    ),
    Row("memory of an idle server with the demo", "resident, idle, demo.yaml"),
    Row(
        "memory of one collection, if 1,000,000 are loaded",
        "a collection, of 1,000,000",
    ),
    Row(
        "CPU time to start with 1,000,000 collections in a JSON file",
        "load 10^6 in JSON: CPU time of a start",
        "load 10^6 in JSON: to json.loads",
        "`json.loads`",
    ),
    Row(
        "time of a reset after changes, with 1,000,000 collections",
        "reset after changes, 10^6",
        "reset after changes: 10^6 to 10^3",
        "the same with 1,000",
    ),
    Row(
        "time to create a sandbox, with 1,000,000 collections",
        "new sandbox, 10^6",
        "new sandbox: 10^6 to 10^3",
        "the same with 1,000",
    ),
    Row(
        "longest wait of a client while the slowest request of another is served",
        "longest stall, *",
    ),
    Row(
        "time of an empty test that uses the pytest fixture `mock_server`",
        "fixture mock_server: time of a test",
    ),
    Row(
        "time that each further run of a test, under another choice, adds to the test",
        "a run under another choice: beyond the test",
    ),
)

MISSES = {
    "two faults that do not fire: CPU to the plain list": Miss(
        "CPU time of a list request beside two faults that never fire, compared with"
        " the same request without faults",
        "While a fault can fire, the server reads the fields of each request, and"
        " compares them with each fault.",
    ),
    "logs in JSON: CPU to the plain list": Miss(
        "CPU time of a list request with `--log-format json`, compared with the same"
        " request without a log",
        "Each request gets an id, a header and a line of JSON.",
    ),
    "start to first 200, demo.yaml: to a bare uvicorn app, CPU": Miss(
        "CPU time of a start, compared with an empty uvicorn application",
        "The server imports its own modules, msgspec and PyYAML besides uvicorn.",
    ),
    "fixture mock_server, first, CPU": Miss(
        "CPU time of the first use of the pytest fixture `mock_server` in a run",
        "It imports the server. Importing uvicorn alone takes longer than the target.",
    ),
    "p99, 500 active of 5,500: growth to the bare server's": Miss(
        "growth of the slowest response in 100 from 32 busy connections to 500 busy"
        " beside 5,000 idle ones, compared with the growth at a bare ASGI application",
        "Unknown: the CPU time of a request grows less than at the application.",
    ),
    "100 streams of the journal: CPU of an event to the bare server's": Miss(
        "CPU time of one event for each of 100 clients that follow the journal,"
        " compared with a bare ASGI application that sends the same event",
        "Each stream looks up its sandbox and its new entries before it sends.",
    ),
}
"""An explanation of each measure that misses its target, by name."""


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
    """Return the rows that people read, with the day of the oldest figure."""
    sections = results.read()
    figures = {each.measure: each for each in results.figures(sections)}
    day = min(sections[each].date for each in sections.keys() - {PEERS, CONSOLE})
    heads = "what is measured", f"figure, {day}", "reference", "target", "result"
    return Table(heads, [cells(row, figures) for row in ROWS])


def cells(row: Row, figures: Mapping[str, Figure]) -> tuple[str, ...]:
    """Return the cells of a row."""
    figure = worst(row.measure, figures)
    ratio = worst(row.ratio, figures) if row.ratio else None
    reference = f"{ratio.shown()} {row.reference}" if ratio else figure.note
    judged = ratio if ratio and figure.is_met is None else figure
    return row.description, figure.shown(), reference, judged.target(), judged.result()


def misses_table() -> Table:
    """Return the figures that miss their target, with the cause of each."""
    found = [*results.figures(results.read())]
    missed = [each for each in found if each.is_met is False]
    with_target = sum(each.is_met is not None for each in found)
    head = f"missed: {len(missed)} of {with_target} targets"
    rows = []
    for each in missed:
        miss = MISSES.get(each.measure, Miss(each.measure, "Not explained yet."))
        rows.append((miss.description, each.shown(), each.target(), miss.cause))
    return Table((head, "figure", "target", "cause"), rows)


def peers_table() -> Table:
    """Return the CPU time of a request at other mock servers."""
    section = results.read()[PEERS]
    rows = [
        (each.measure.partition(":")[0], each.shown(), each.note)
        for each in section.figures
    ]
    heads = (
        f"server, {section.date}",
        "CPU time of a request",
        "compared with this server",
    )
    return Table(heads, rows)


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
