"""The messages of refusals, word for word: `python -m tests.api.messages` renews them.

A person reads what has changed in them, before it is committed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from mock_server.app import create_app
from mock_server.domain.choices import choose
from tests.api import refused
from tests.api.neighbours import errors
from tests.api.neighbours.world import neighbours, prepare, send_case
from tests.support import LIBRARY, Api

FOLDER = Path(__file__).with_name("said")


@cache
def told_by(name: str) -> frozenset[str]:
    """The lines of a file: a case, a colon, and the message."""
    return frozenset((FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines())


def of_neighbours() -> Iterator[str]:
    """What neighbours say."""
    for case in errors.CASES:
        api = neighbours(_in_process, **case.choices)
        prepare(api, case)
        yield f"{case}: {send_case(api, case).json()['message']}"


def of_refusals() -> Iterator[str]:
    """What the documented operations say."""
    server = refused.Server()
    for case in refused.CASES:
        answer = server.send(case, choose(choices=case.choices))
        yield f"{case}: {answer['message']}"


def _in_process(fixture: Any = LIBRARY, **options: Any) -> Api:
    app = create_app(fixture, **options)
    return Api(TestClient(app), app.sandbox)


def main() -> None:
    """Write the files anew."""
    for name, lines in ("neighbours", of_neighbours()), ("refusals", of_refusals()):
        text = "".join(f"{line}\n" for line in dict.fromkeys(lines))
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
