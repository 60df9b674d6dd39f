"""How fast the server is, how that changes as data grows, how it starts, what it takes.

`python -m tests.bench [SECTION ...] [--page]` prints one table in about a quarter of an
hour. It needs Linux, wrk for the rates, and a machine that does nothing else. `peers`,
which installs other servers, and `console`, which needs a browser, are measured only if
they are named.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path

from tests.bench import checkouts, machine, page, results
from tests.bench.figures import HEAD, Figure
from tests.bench.page import PEERS

SECTIONS = (
    *("machine", "rates", "ratios", "growth", "writes", "start", "memory", "many"),
    *("stalls", "plugin"),
)
NAMED = (PEERS, "console")
"""Only measured when they are named."""
CHECKOUTS = "checkouts"
"""Only measured with `--beside`."""
NEEDS = dict.fromkeys(("rates", "ratios", "many", PEERS), "wrk") | {
    "console": "chromium"
}
"""The programs that sections need."""


def asked() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    add = parser.add_argument
    add("sections", nargs="*", metavar="SECTION", help=", ".join([*SECTIONS, *NAMED]))
    add(
        "--cache",
        type=Path,
        metavar="FOLDER",
        help="install peers there, and keep them",
    )
    add(
        "--beside",
        type=Path,
        metavar="FOLDER",
        help=f"measure only {CHECKOUTS}: this one and that one, in turn",
    )
    add("--pairs", type=int, default=checkouts.PAIRS, help="rounds of these")
    add("--json", type=Path, metavar="FILE", help="write the figures there too")
    add(
        "--from",
        dest="read",
        type=Path,
        metavar="FILE",
        help="measure nothing: take the figures that --json has written there",
    )
    add(
        "--page",
        action="store_true",
        help="write the figures into the page on performance and into all results",
    )
    wanted = parser.parse_args()
    for name in wanted.sections:
        if name not in (*SECTIONS, *NAMED):
            parser.error(f"Expected one of {[*SECTIONS, *NAMED]}, got {name!r}")
    return wanted


def printed(figures: Iterable[Figure]) -> list[Figure]:
    """Print each figure as soon as it is measured; return all."""
    found = []
    for figure in figures:
        print(figure.row(), flush=True)
        found.append(figure)
    return found


def measured(name: str, wanted: argparse.Namespace) -> Iterator[Figure]:
    """Measure one section."""
    measure: Callable[..., Iterator[Figure]]
    measure = import_module(f"tests.bench.{name}").figures
    return measure(wanted.cache) if name == PEERS else measure()


def sections(wanted: argparse.Namespace) -> Iterator[tuple[str, results.Section]]:
    """Read or measure some sections, or all whose programs are there."""
    if wanted.read:
        yield from results.read(wanted.read).items()
        return
    print(HEAD)
    if wanted.beside:
        printed(machine.figures())
        found = printed(checkouts.figures(wanted.beside, wanted.pairs))
        yield CHECKOUTS, results.Section.measured(found)
        return
    for name in wanted.sections or SECTIONS:
        program = NEEDS.get(name)
        if program and shutil.which(program) is None:
            print(f"SKIPPED: {name}, for want of {program}", file=sys.stderr)
        else:
            yield name, results.Section.measured(printed(measured(name, wanted)))


def main() -> None:
    """Print the table, row by row, and keep each section as soon as it is measured."""
    wanted = asked()
    files = [each for each in (wanted.json, wanted.page and results.RESULTS) if each]
    for name, section in sections(wanted):
        for file in files:
            results.keep({name: section}, file)
    if wanted.page:
        page.renew()


if __name__ == "__main__":
    main()
