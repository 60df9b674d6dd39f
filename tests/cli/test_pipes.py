"""Commands whose reader goes before they have written everything."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator

import httpx2
import pytest

from mock_server.control.embedding import MockServer
from tests.process import COMMAND, environment
from tests.support import LIBRARY, SECONDS

PRINTING = [
    ("choices",),
    ("openapi", "--admin"),
    ("schema",),
    ("--help",),
    ("--version",),
    ("fault", "add", "--help"),
    ("state",),
    ("journal",),
    ("sandbox", "list"),
    ("reset",),
    ("journal", "--at-least", "1"),
]


@pytest.fixture(scope="module")
def server() -> Iterator[MockServer]:
    with MockServer(LIBRARY) as running:
        yield running


def unread(server: MockServer, *args: str) -> tuple[int, str]:
    """The exit code and stderr of a command whose stdout nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [*COMMAND, *args],
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(MOCK_SERVER_URL=server.url),
            timeout=SECONDS,
        )
    finally:
        os.close(writing)
    return done.returncode, done.stderr


@pytest.mark.ci
@pytest.mark.parametrize("args", PRINTING, ids=" ".join)
@pytest.mark.sampled
def test_a_command_that_nobody_reads_ends_quietly(
    server: MockServer, args: tuple[str, ...]
) -> None:
    httpx2.get(f"{server.url}/api/x")
    assert unread(server, *args) == (0, "")


@pytest.mark.ci
def test_what_is_false_or_broken_stays_so_though_nobody_reads_it(
    server: MockServer,
) -> None:
    assert unread(server, "journal", "--exactly", "7") == (1, "")
    assert unread(server, "check", "no.yaml") == (2, "")


@pytest.mark.ci
@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_the_head_of_a_long_document_is_no_error() -> None:
    script = 'set -o pipefail; "$@" openapi | head -1; echo "${PIPESTATUS[*]}"'
    done = subprocess.run(
        ["bash", "--norc", "-c", script, "bash", *COMMAND],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=SECONDS,
    )
    assert (done.stdout, done.stderr) == ("{\n0 0\n", "")


@pytest.mark.ci
def test_messages_that_nobody_reads_change_no_exit_code() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    for args, status in ((["check", "no.yaml"], 2), (["reset", "--url", "x"], 1)):
        done = subprocess.run(
            [*COMMAND, *args], stdout=writing, stderr=writing, env=environment()
        )
        assert done.returncode == status
    os.close(writing)
