"""Schemathesis, with every check, finds nothing in what both documents say.

It calls a real server, with a key that the server knows and others that it does not.
The streams of journals are left out: an answer without an end is no test case. They
have tests of their own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mock_server.wire.server import running
from tests.openapi.fresh import KEY, TOKEN, Fresh, demo
from tests.support import ROOT

pytestmark = pytest.mark.ci
FULL = pytest.mark.full
HERE = Path(__file__).parent
PUBLIC, ADMIN = "/openapi.json", "/__admin/openapi.json"
KEYS = {PUBLIC: KEY, ADMIN: TOKEN}
STREAMS = "/journal/stream$"
# They are not served by the demo, and have tests of their own.
NO_RELATED_ROUTES = ("--exclude-tag", "related_routes")
TWINS = "^/__admin/sandboxes/.sandbox./"
STREAMS_AND_TWINS = f"{STREAMS}|{TWINS}"
ALONE, TOGETHER = "examples,coverage,fuzzing", "stateful"
Check = Callable[..., None]


@pytest.fixture(scope="module")
def fresh() -> Iterator[str]:
    with running(Fresh()) as url:
        yield url


@pytest.fixture
def check(tmp_path: Path) -> Check:
    """Runs all checks on a document of a server; what is found is the failure."""

    def run(
        url: str,
        document: str,
        examples: int,
        phases: str,
        *more: str,
        without: str = STREAMS,
    ) -> None:
        command = [sys.executable, "-m", "schemathesis.cli"]
        command += ["--config-file", str(HERE / "schemathesis.toml")]
        command += ["run", url + document, "--checks=all", "--mode=all"]
        command += ["--header", f"Authorization: Bearer {KEYS[document]}"]
        command += [f"--max-examples={examples}", f"--phases={phases}"]
        command += ["--exclude-path-regex", without, *more]
        command += NO_RELATED_ROUTES if document == PUBLIC else ()
        done = subprocess.run(
            command,
            cwd=tmp_path,  # it keeps what it has found where it is run
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    return run


@pytest.mark.parametrize("examples", [5, pytest.param(300, marks=FULL)])
@pytest.mark.parametrize("document", [PUBLIC, ADMIN])
def test_nothing_is_found_in_the_operations(
    fresh: str, check: Check, document: str, examples: int
) -> None:
    check(fresh, document, examples, ALONE, "--seed=1", without=STREAMS_AND_TWINS)


@pytest.mark.parametrize("examples", [pytest.param(10, marks=FULL)])
def test_nothing_is_found_in_the_routes_of_single_sandboxes(
    fresh: str, check: Check, examples: int
) -> None:
    check(fresh, ADMIN, examples, ALONE, "--seed=1", "--include-path-regex", TWINS)


@pytest.mark.parametrize("examples", [30, pytest.param(300, marks=FULL)])
def test_nothing_is_found_in_long_sequences(check: Check, examples: int) -> None:
    with running(demo()) as url:
        check(url, ADMIN, examples, TOGETHER, "--seed=1", without=STREAMS_AND_TWINS)


@pytest.mark.parametrize("examples", [10, pytest.param(100, marks=FULL)])
def test_nothing_is_found_in_sequences_in_single_sandboxes(
    check: Check, examples: int
) -> None:
    with running(demo()) as url:
        more = ("--seed=1", "--include-path-regex", TWINS)
        check(url, ADMIN, examples, TOGETHER, *more)
