"""The messages of refusals, word for word: `python -m tests.api.messages` renews them.

A person reads what has changed in them, before it is committed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from mock_server.app import create_app
from mock_server.control.embedding import MockServer
from mock_server.domain.choices.choosing import choose
from mock_server.wire.server import running
from tests.admin.refusals import REFUSED
from tests.api import refused, requests
from tests.api.related.rows import FULL, told
from tests.cli import sessions
from tests.cli.commands import MISTAKES, TOKEN, steered
from tests.fixture import broken
from tests.fixture.good import GOOD
from tests.har.imported import IMPORTED
from tests.in_process import InProcess
from tests.related_routes import RELATED_ROUTES, serving
from tests.stories.telling import renew
from tests.support import LIBRARY, Api, Switch
from tests.testing import calls

FOLDER = Path(__file__).with_name("said")


@cache
def told_by(name: str) -> frozenset[str]:
    """The lines of a file: a case, a colon, and the message."""
    return frozenset((FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines())


def of_related_routes() -> Iterator[str]:
    """What related routes say."""
    for operation in RELATED_ROUTES:
        served = {"profile": "deployed", "choices": serving(operation)}
        yield from told(_in_process(FULL, **served), operation)


def of_refusals() -> Iterator[str]:
    """What the documented operations say."""
    server = refused.Server()
    for case in refused.CASES:
        answer = server.send(case, choose(choices=case.choices))
        yield f"{case}: {answer['message']}"


def _in_process(fixture: Any = LIBRARY, **options: Any) -> Api:
    app = create_app(fixture, **options)
    return Api(InProcess(app), app.sandbox)


def main() -> None:
    """Write the files anew."""
    for name, lines in (
        ("related_routes", of_related_routes()),
        ("refusals", of_refusals()),
    ):
        content = "".join(f"{line}\n" for line in dict.fromkeys(lines))
        (FOLDER / f"{name}.txt").write_text(content, encoding="utf-8")
    with MockServer(LIBRARY, admin_token=TOKEN) as server:
        for text in (
            *broken.TEXTS.values(),
            GOOD,
            IMPORTED,
            REFUSED,
            requests.TEXT,
            MISTAKES,
            steered(server.url),
            calls.TEXT,
        ):
            text.renew()
    renew(_in_process)
    switch = Switch()
    with running(switch) as url:

        def served() -> str:
            switch.app = create_app(LIBRARY, admin_token=TOKEN)
            return url

        sessions.renew(served)


if __name__ == "__main__":
    main()
