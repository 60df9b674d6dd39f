"""Real clients, each with its defaults: in a row, in parallel, and after a pause."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
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


@pytest.mark.ci
@pytest.mark.parametrize("http", first(1, ["zttp", "h11"]))
@pytest.mark.parametrize(
    "command",
    [
        pytest.param(
            command,
            id=name,
            marks=pytest.mark.skipif(not there, reason=f"needs {what}"),
        )
        for name, command, there, what in CLIENTS
    ],
)
def test_a_real_client_meets_no_failure(command: list[str], http: str) -> None:
    with serving("--port=0", f"--http={http}") as (url, _):
        done = subprocess.run(
            [*command, url], cwd=HERE, capture_output=True, text=True, timeout=600
        )
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["ok"]), done.stderr
