"""What commands load; they are to be quick."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.ci
@pytest.mark.parametrize(
    "module",
    ["state", "faults", "journal", "choices", "healthcheck"],
)
def test_a_command_that_steers_loads_no_server(module: str) -> None:
    code = (
        f"import sys, mock_server.cli.{module}\n"
        "heavy = {'mock_server.app', 'mock_server.fixture.load', 'uvicorn', 'yaml'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")
