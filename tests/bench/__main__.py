"""How fast the server is, how that changes as data grows, how it starts, what it takes.

`python -m tests.bench [SECTION ...] [--json FILE]` prints one table in about ten
minutes. It needs Linux, wrk for the rates, and a machine that does nothing else.
Section `peers` is measured only if it is named: it installs other servers.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.bench import (
    checkouts,
    growth,
    machine,
    many,
    memory,
    peers,
    plugin,
    rates,
    ratios,
    stalls,
    start,
    writes,
)
from tests.bench.figures import HEAD, Figure

SECTIONS = {
    "rates": rates.figures,
    "ratios": ratios.figures,
    "growth": growth.figures,
    "writes": writes.figures,
    "start": start.figures,
    "memory": memory.figures,
    "many": many.figures,
    "plugin": plugin.figures,
    "stalls": stalls.figures,
}
PEERS = "peers"
"""Only measured when it is asked for, since it installs them."""
CHECKOUTS = "checkouts"
"""Only measured with `--beside`."""
LOADED = ("rates", "ratios", "many", PEERS)
"""What needs wrk."""


def asked() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    add = parser.add_argument
    add("sections", nargs="*", metavar="SECTION", help=", ".join([*SECTIONS, PEERS]))
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
    return parser.parse_args()


def figures(wanted: argparse.Namespace) -> Iterator[Figure]:
    """What the machine is like, then the figures of some sections, or of all."""
    yield from machine.figures()
    if wanted.beside:
        yield from checkouts.figures(wanted.beside, wanted.pairs)
        return
    sections = SECTIONS | {PEERS: partial(peers.figures, wanted.cache)}
    for name in wanted.sections or SECTIONS:
        if name in LOADED and shutil.which("wrk") is None:
            print(f"SKIPPED: {name}, for want of wrk", file=sys.stderr)
        else:
            yield from sections[name]()


def main() -> None:
    """Print the table, row by row."""
    wanted, found = asked(), []
    print(HEAD)
    for figure in figures(wanted):
        print(figure.row(), flush=True)
        found.append(figure.as_json())
    if wanted.json:
        wanted.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
