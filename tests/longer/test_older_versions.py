"""Tests of what touches a dependency, with the oldest versions, beside an older FastAPI."""

import re
import tomllib
import venv
from pathlib import Path

from commands import run_command

ROOT = Path(__file__).parents[2]
# These files use the dependencies directly. The others test code of this package, which does
# the same with any version: for them the run with the newest ones is enough.
TOUCHING = (
    *("connections", "faults", "embedding", "admin"),  # uvicorn, httptools, Starlette
    *("operations", "files"),  # msgspec, python-multipart
    *("fixture", "roundtrip"),  # PyYAML
    *("command", "console", "control_object"),  # click, Jinja2, httpx2
    "pytest_plugin",  # pytest
)
BESIDE = ("fastapi==0.115.6", "starlette==0.41.3", "pytest==8.3.5", "pytest-asyncio==0.24.0")


def oldest() -> list[str]:
    """The lower bounds of the dependencies, as exact versions."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pinned = [re.sub(">=", "==", it) for it in project["dependencies"]]
    return [it for it in pinned if not it.startswith("starlette")]


TESTS = """
import pytest
def test_plain(): pass
def test_server(mock_server): pass
@pytest.mark.mock_server(profile="fastgpt-4.16")
def test_application(mock_server_app): pass
"""


def test_an_older_pytest_fails_the_tests_of_a_server_alone(tmp_path):
    venv.create(tmp_path, with_pip=True)
    python = tmp_path / "bin" / "python"
    run_command(python, "-m", "pip", "install", "-q", ROOT)
    tests = tmp_path / "test_it.py"
    tests.write_text(TESTS, "utf-8")
    for version in ("7.4.4", "8.0.2"):
        run_command(python, "-m", "pip", "install", "-q", f"pytest=={version}")
        options = ("--strict-markers", "--mock-server-profile=documented")
        told = run_command(python, "-m", "pytest", *options, tests, status=1).stdout
        assert told.count(f"\nmock_server needs pytest 8.1 or later, got {version}\n") == 2
        assert "1 passed, 2 errors" in told


def test_the_tests_pass_with_the_oldest_versions(tmp_path):
    venv.create(tmp_path, with_pip=True)
    python = tmp_path / "bin" / "python"
    more = ["freezegun", "hypothesis", "hatchling", "pytest-xdist"]
    run_command(python, "-m", "pip", "install", "-q", *oldest(), *BESIDE, *more)
    own = ("install", "-q", "--no-deps", "--no-build-isolation", ROOT)
    run_command(python, "-m", "pip", *own)
    options = ["-q", "-p", "no:cacheprovider", "-n", "2"]
    files = [f"tests/test_{it}.py" for it in TOUCHING]
    run_command(python, "-m", "pytest", *options, *files, seconds=280, cwd=ROOT)
