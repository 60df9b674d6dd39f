"""What a start leaves out is imported right after it, not by requests."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import sys
from importlib import import_module
from pkgutil import walk_packages

from mock_server.app import create_app
from mock_server.cli.serving import import_remaining

def missing():
    found = set()
    for name in ("mock_server.domain", "mock_server.api", "mock_server.admin"):
        paths = import_module(name).__path__
        found.update(each.name for each in walk_packages(paths, f"{name}."))
    return found - set(sys.modules)

app = create_app()
print(len(missing()) > 20)
import_remaining(app)
print(*sorted(missing()))
"""
# Of an option.
NOT_SERVED = ("api.request_log",)


@pytest.mark.ci
def test_after_a_start_all_is_imported_that_serves() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True)
    left = " ".join(f"mock_server.{each}" for each in NOT_SERVED)
    assert (done.stdout, done.stderr) == (f"True\n{left}\n", "")
