"""Projects in other languages under docs/examples: copied, and run as readers do."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.process import environment
from tests.support import ROOT

PROJECTS = ROOT / "docs" / "examples"
DOCUMENTS = ROOT / "mock_server" / "openapi"
_OFFLINE = re.compile("EAI_AGAIN|ECONN|ENOTFOUND|ETIMEDOUT")
JARS = Path("/usr/share/java")
JUNIT = [
    JARS / f"{name}.jar"
    for name in (
        "junit-jupiter-api",
        "junit-jupiter-engine",
        "junit-platform-commons",
        "junit-platform-console",
        "junit-platform-engine",
        "junit-platform-launcher",
        "junit-platform-reporting",
        "opentest4j",
        "opentest4j-reporting-events",
        "opentest4j-reporting-schema",
        "apiguardian-api",
        "picocli",
    )
]
"""What JUnit 5 and its launcher are made of, where Debian's package puts it."""


def needs(*programs: str) -> pytest.MarkDecorator:
    """Skips a test, and says which of these programs is not installed."""
    missing = [each for each in programs if shutil.which(each) is None]
    return pytest.mark.skipif(bool(missing), reason=f"needs {', '.join(missing)}")


NEEDS_JUNIT = pytest.mark.skipif(
    not all(jar.exists() for jar in JUNIT), reason="needs JUnit 5 (apt: junit5)"
)
NEEDS_GENERATOR = pytest.mark.skipif(
    find_spec("openapi_generator_cli") is None,
    reason="needs pip: openapi-generator-cli",
)


def copied(name: str, folder: Path) -> Path:
    """A copy of a project, without what a reader's own runs have left in it."""
    left = shutil.ignore_patterns("node_modules", "test-results", "admin.d.ts", "admin")
    return shutil.copytree(PROJECTS / name, folder / name, ignore=left)


def run(project: Path, *command: str | Path, **variables: str) -> str:
    """What a command in a project prints, which has to end well.

    It finds `mock-server` and the programs of this Python first.
    """
    own = Path(sys.executable).parent
    path = os.pathsep.join((str(own), os.environ["PATH"]))
    done = subprocess.run(
        command,
        cwd=project,
        env=environment(PATH=path, NO_COLOR="1", **variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def installed(name: str, folder: Path) -> Path:
    """A copy of a project with its packages from npm; skips where there are none."""
    project = copied(name, folder)
    quiet = ("--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts")
    try:
        run(project, "npm", "install", "--loglevel=error", *quiet)
    except AssertionError as error:
        if _OFFLINE.search(str(error)) is None:
            raise
        pytest.skip("needs npm's registry, which cannot be reached")
    return project
