"""The locks are not stale: they have what pyproject.toml asks for, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from mock_server import __version__
from tests.e2e.shipping.locks import RUNTIME, TOOLS, locked, pins
from tests.support import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
STALE = "The lock is stale: run .ci/lock"
# Since when what was dangerous in them has been repaired.
REPAIRED = {"starlette": "1.3.1", "uvicorn": "0.51", "h11": "0.16", "pyyaml": "6.0"}


def needed() -> dict[str, Requirement]:
    found = map(Requirement, PROJECT["dependencies"])
    return {canonicalize_name(each.name): each for each in found}


def test_the_lock_has_each_dependency_in_a_version_that_is_allowed() -> None:
    versions = {pin.name: pin.specifier for pin, _ in pins()}
    for name, requirement in needed().items():
        version = str(versions.get(name, "")).removeprefix("==")
        assert requirement.specifier.contains(version or "0"), f"{STALE} ({name})"


def test_whatever_is_locked_is_needed() -> None:
    direct = {pin.name for pin, text in pins() if "(pyproject.toml)" in text}
    assert direct == needed().keys(), STALE


@pytest.mark.parametrize("name", REPAIRED)
def test_what_is_shipped_is_not_older_than_its_repairs(name: str) -> None:
    assert Version(locked()[name]) >= Version(REPAIRED[name])


@pytest.mark.parametrize("path", [RUNTIME, TOOLS], ids=lambda path: path.name)
def test_each_line_pins_a_version_and_has_hashes(path: Path) -> None:
    for pin, text in pins(path):
        assert str(pin.specifier).startswith("=="), pin
        assert "--hash=sha256:" in text, pin


@pytest.mark.ci
@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("path", [RUNTIME, TOOLS], ids=lambda path: path.name)
def test_there_are_wheels_for_the_platforms_of_the_image(
    path: Path, machine: str, tmp_path: Path
) -> None:
    platforms = [f"--platform=manylinux_2_{minor}_{machine}" for minor in (17, 28)]
    what = ["--only-binary=:all:", "--no-deps", "--python-version=3.13", *platforms]
    how = ["--dry-run", "--ignore-installed", f"--target={tmp_path}"]
    command = [sys.executable, "-m", "pip", "install", *what, *how]
    hashes = ["--require-hashes", f"--requirement={path}"]
    done = subprocess.run([*command, *hashes], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_tools_are_those_that_are_asked_for() -> None:
    asked = {Requirement(line).name for line in lines(TOOLS.with_suffix(".in"))}
    assert asked == {pin.name for pin, text in pins(TOOLS) if "tools.in" in text}, STALE


def lines(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if line[:1] not in ("#", "")]


def test_the_image_is_labelled_with_the_version_of_the_package() -> None:
    assert f"\nARG VERSION={__version__}\n" in (ROOT / "Dockerfile").read_text()
