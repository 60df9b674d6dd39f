"""How fast the server is, how that changes as data grows, how it starts, what it takes.

`python -m tests.bench [SECTION ...] [--json FILE]` prints one table in under five
minutes. It needs wrk, and a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tests.bench import growth, memory, rates, start
from tests.bench.figures import HEAD

SECTIONS = {
    "rates": rates.figures,
    "growth": growth.figures,
    "start": start.figures,
    "memory": memory.figures,
}


def main() -> None:
    """Print the table, row by row."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument(
        "sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS)
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write the figures there too"
    )
    asked = parser.parse_args()
    found = []
    print(HEAD)
    for name in asked.sections or SECTIONS:
        for figure in SECTIONS[name]():
            print(figure.row(), flush=True)
            found.append(figure)
    if asked.json:
        asked.json.write_text(
            json.dumps([figure.as_json() for figure in found], indent=1)
        )


if __name__ == "__main__":
    main()
