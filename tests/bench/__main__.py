"""How fast the server is, how that changes as data grows, how it starts, what it takes.

`python -m tests.bench [SECTION ...] [--json FILE]` prints one table in less than five
minutes. It needs Linux, wrk for the rates, and a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.bench import growth, memory, rates, stalls, start
from tests.bench.figures import HEAD, Figure

SECTIONS = {
    "rates": rates.figures,
    "growth": growth.figures,
    "start": start.figures,
    "memory": memory.figures,
    "stalls": stalls.figures,
}


def asked() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    add = parser.add_argument
    add("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    add("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser.parse_args()


def figures(sections: list[str]) -> Iterator[Figure]:
    """The figures of some sections, or of all."""
    for name in sections or SECTIONS:
        if name == "rates" and shutil.which("wrk") is None:
            print("SKIPPED: rates, for want of wrk", file=sys.stderr)
        else:
            yield from SECTIONS[name]()


def main() -> None:
    """Print the table, row by row."""
    wanted, found = asked(), []
    print(HEAD)
    for figure in figures(wanted.sections):
        print(figure.row(), flush=True)
        found.append(figure.as_json())
    if wanted.json:
        wanted.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
