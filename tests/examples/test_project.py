"""The example as a project of its own, with nothing of ours but the package."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

from mock_server import MockServer

HERE, TESTS = Path(__file__).parent, 15
QUIET = ("schemathesis", "randomly", "asyncio", "cacheprovider")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the example, which no settings of this project reach."""
    folder = tmp_path / "tests" / "examples"
    folder.mkdir(parents=True)
    for package in (folder.parent, folder):
        (package / "__init__.py").touch()
    for name in ("panel.py", "test_panel.py"):
        shutil.copy(HERE / name, folder)
    return tmp_path


def python(project: Path, *args: str) -> str:
    """What `python -m ARGS` prints in the project, which has to end well."""
    command = [sys.executable, "-m", *args]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.ci
def test_strict_types_are_right(project: Path) -> None:
    said = python(project, "mypy", "--strict", "--config-file=", "tests")
    assert said == "Success: no issues found in 4 source files\n"


def test_the_package_says_that_it_is_typed() -> None:
    assert (resources.files("mock_server") / "py.typed").is_file()


@pytest.mark.ci
@pytest.mark.parametrize("workers", [(), ("-n", "2")])
@pytest.mark.parametrize("is_remote", [False, True])
def test_it_passes_however_it_is_run(
    project: Path, workers: tuple[str, ...], is_remote: bool
) -> None:
    quiet = [f"-pno:{plugin}" for plugin in QUIET]
    with MockServer() as server:
        url = ["--mock-server-url", server.url] if is_remote else []
        said = python(project, "pytest", "-q", "-Werror", *quiet, *workers, *url)
    assert f"{TESTS} passed" in said
