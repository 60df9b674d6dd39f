"""The layers of the package, its public names, and what it depends on."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

import mock_server
from tests.support import ROOT


def test_import_contracts_are_kept() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    command = [str(lint), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_public_names_load_and_are_few() -> None:
    assert mock_server.__all__ == sorted(mock_server.__all__)
    assert len(mock_server.__all__) <= 9
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


@pytest.mark.ci
def test_what_is_no_dependency_is_imported_for_tests_only() -> None:
    """So image and zipapp, which have the dependencies, lack nothing for a command."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {name_of(each) for each in project["dependencies"]}
    provided = set(sys.stdlib_module_names) | {"mock_server"}
    for each in declared:
        with suppress(PackageNotFoundError):  # it may be for other systems
            files = distribution(each).files or ()
            provided |= {file.parts[0].removesuffix(".py") for file in files}
    others = {
        path
        for path in (ROOT / "mock_server").rglob("*.py")
        if imported(path) - provided
    }
    testing = {"pytest_plugin", "strategies", "under_pytest"}
    assert {path.stem for path in others if "testing" not in path.parts} == testing


def name_of(requirement: str) -> str:
    return canonicalize_name(re.split(r"[^\w.-]", requirement)[0])


def imported(path: Path) -> set[str]:
    """The packages that a module imports, anywhere in it."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = {
        each.name
        for node in nodes
        if isinstance(node, ast.Import)
        for each in node.names
    }
    names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in names}


def test_no_test_imports_from_tests() -> None:
    importing = re.compile(r"^\s*from [\w.]*\btest_\w+ import", re.MULTILINE)
    for path in (ROOT / "tests").rglob("*.py"):
        assert not importing.search(path.read_text()), path
