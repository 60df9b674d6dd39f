"""A server at work for long: what went wrong, and what it has kept then.

`python -m tests.soak [--minutes 30] [--share 0.7] [--seed 1]` prints one table, and
exits with 1 if something is not as demanded. Needs Linux.
"""

from __future__ import annotations

import argparse
import asyncio
import sys

from tests.bench.figures import HEAD
from tests.soak.report import figures
from tests.soak.soak import Plan, soak


def asked() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak")
    add = parser.add_argument
    add("--minutes", type=float, default=30.0, help="how long, without preparations")
    add("--share", type=float, default=0.7, help="of saturation")
    add("--seed", type=int, default=1, help="of what clients do")
    return parser.parse_args()


def main() -> int:
    """Soak, and print the table."""
    wanted = asked()
    plan = Plan(wanted.minutes * 60, wanted.share, wanted.seed, tell=_tell)
    result = asyncio.run(soak(plan))
    found = list(figures(result))
    print("\n".join([HEAD, *(each.row() for each in found)]))
    for each in result.unexpected[:20]:
        print(each)
    return int(any(each.is_met is False for each in found))


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
