"""What a start does not import, so that it is quick."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.process import environment, serving

SERVER = {"asyncio", "msgspec", "starlette", "uvicorn", "yaml", "mock_server.app"}
PARSER = {"click", "dataclasses", "http", "json", "re", "socket", "mock_server.cli"}
UNUSED = {
    "http.client",
    "importlib.resources",
    "mock_server.api.operations.neighbours",
    "mock_server.conformance",
    "mock_server.openapi",
    "multiprocessing",
    "starlette.routing",
    "tempfile",
    "uvicorn.main",
    "uvicorn.supervisors",
    "zttp.endpoint",
}


def imported(told: str) -> set[str]:
    """The modules that `-X importtime` has told of."""
    lines = (line for line in told.splitlines() if line.startswith("import time:"))
    return {line.rpartition("|")[2].strip() for line in lines}


def of_command(*args: str) -> set[str]:
    """The modules that a command imports which ends by itself, and succeeds."""
    command = [sys.executable, "-X", "importtime", "-m", "mock_server", *args]
    variables = environment()
    done = subprocess.run(command, capture_output=True, text=True, env=variables)
    assert done.returncode == 0, done.stderr
    return imported(done.stderr)


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_to_say_what_there_is_loads_no_server(option: str) -> None:
    assert of_command(option) & SERVER == set()


def test_a_health_check_loads_no_command_line() -> None:
    with serving("--port=0") as (url, _):
        loaded = of_command("healthcheck", "--port", url.rpartition(":")[2])
    assert loaded & (SERVER | PARSER) == set()


def test_serving_loads_nothing_before_it_is_used(tmp_path: Path) -> None:
    told = tmp_path / "told"
    command = [sys.executable, "-X", "importtime", "-m", "mock_server"]
    with told.open("w") as stream:
        process = subprocess.Popen(
            [*command, "serve", "--port=0"],
            stdout=subprocess.PIPE,
            stderr=stream,
            env=environment(),
        )
        with process:
            assert process.stdout is not None
            assert process.stdout.readline().startswith(b"READY ")
            process.terminate()
    loaded = imported(told.read_text())
    assert "mock_server.app" in loaded
    assert loaded & UNUSED == set()
