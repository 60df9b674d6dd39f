"""Real clients, each with its defaults: in a row, in parallel, and after a pause."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.process import serving
from tests.support import first

HERE = Path(__file__).parent
AXIOS = os.environ.get("AXIOS", "")

# Name, command before the URL, whether it is there, and what to install if not.
CLIENTS = [
    ("curl", ["bash", "client.sh"], shutil.which("curl"), "curl"),
    *(
        (name, [sys.executable, "client.py", name], find_spec(name), f"pip: {name}")
        for name in ("requests", "httpx2", "aiohttp")
    ),
    ("fetch", ["node", "client.mjs", "fetch"], shutil.which("node"), "Node.js"),
    (
        "axios",
        ["node", "client.mjs", "axios"],
        AXIOS,
        "npm: axios, and name it in AXIOS",
    ),
    ("java", ["java", "Client.java"], shutil.which("javac"), "a JDK"),
    ("go", ["go", "run", "client.go"], shutil.which("go"), "Go"),
]


Done = subprocess.CompletedProcess[str]


def run(command: list[str], http: str) -> Done:
    """What a client has said to a server of its own."""
    with serving("--port=0", f"--http={http}") as (url, _):
        return subprocess.run(
            [*command, url], cwd=HERE, capture_output=True, text=True, timeout=600
        )


@pytest.fixture(scope="module")
def runs(http: str) -> Iterator[Mapping[str, Future[Done]]]:
    """All clients at the same time: what takes them seconds is the pause."""
    with ThreadPoolExecutor(len(CLIENTS)) as pool:
        yield {
            name: pool.submit(run, command, http)
            for name, command, there, _ in CLIENTS
            if there
        }


@pytest.mark.ci
@pytest.mark.parametrize("http", first(1, ["zttp", "h11"]), scope="module")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.skipif(not it, reason=f"needs {what}"))
        for name, _, it, what in CLIENTS
    ],
)
def test_a_real_client_meets_no_failure(
    name: str, runs: Mapping[str, Future[Done]]
) -> None:
    done = runs[name].result()
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["ok"]), done.stderr
