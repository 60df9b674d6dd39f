"""The floors of the package, its public names, and what it depends on."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import mock_server
from tests.support import ROOT


def test_import_contracts_are_kept() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    command = [str(lint), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_public_names_load_and_are_few() -> None:
    assert mock_server.__all__ == sorted(mock_server.__all__)
    assert len(mock_server.__all__) <= 8
    for name in mock_server.__all__:
        assert getattr(mock_server, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'Nope'"):
        _ = mock_server.Nope


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = (
        "import sys, mock_server; "
        "print(sorted({'starlette', 'uvicorn', 'yaml', 'msgspec'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_dependencies_have_a_lower_bound_and_none_above() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    bounds = [re.sub(r"^[\w-]+|;.*", "", each) for each in project["dependencies"]]
    assert bounds
    assert [each for each in bounds if not re.fullmatch(r">=[\d.]+", each)] == []


def test_no_test_imports_from_tests() -> None:
    importing = re.compile(r"^\s*from [\w.]*\btest_\w+ import", re.MULTILINE)
    for path in (ROOT / "tests").rglob("*.py"):
        assert not importing.search(path.read_text()), path
