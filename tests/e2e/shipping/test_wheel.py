"""The package as people get it: a wheel, alone in a fresh environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import venv
from collections.abc import Sequence
from pathlib import Path
from zipfile import ZipFile

import pytest

from mock_server import __version__
from tests.docs.pages import README, blocks
from tests.process import serving
from tests.support import ROOT, fetch

pytestmark = pytest.mark.ci
FIXTURES = ROOT / "fixtures"
CONSOLE = ROOT / "mock_server" / "console"
DEMO = ROOT / "mock_server" / "demo"
OPENAPI = ROOT / "mock_server" / "openapi"
PROJECT = ROOT / "tests/testing/projects/installed"


def run(command: Sequence[str | Path], cwd: Path) -> str:
    keep = ("PATH", "HOME", "PIP_", "SSL_", "http", "HTTP", "no_proxy", "NO_PROXY")
    env = {name: value for name, value in os.environ.items() if name.startswith(keep)}
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(source: Path, out: Path, *what: str) -> None:
    run([sys.executable, "-m", "build", *what, "--outdir", out, source], source)


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist of this tree."""
    out = tmp_path_factory.mktemp("dist")
    build(ROOT, out, "--wheel", "--sdist")
    return out


@pytest.fixture(scope="module")
def fresh(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that has the wheel and pytest, nothing else."""
    home = tmp_path_factory.mktemp("fresh")
    (wheel,) = dist.glob("*.whl")
    venv.create(home, with_pip=True)
    run([home / "bin/python", "-m", "pip", "-q", "install", wheel, "pytest"], home)
    return home / "bin"


def test_a_wheel_alone_brings_the_plugin(fresh: Path, tmp_path: Path) -> None:
    shutil.copytree(PROJECT, tmp_path, dirs_exist_ok=True)
    assert "1 passed" in run([fresh / "python", "-m", "pytest", "-q"], tmp_path)


def test_the_example_of_the_readme_runs_in_an_empty_project(
    fresh: Path, tmp_path: Path
) -> None:
    (example,) = (each for each in blocks(README, "python") if each.file)
    (tmp_path / example.file).write_text(example.text)
    assert "1 passed" in run([fresh / "pytest", "-q"], tmp_path)


def test_the_installed_command_serves_the_demo_from_any_folder(
    fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with serving("--port=0", command=[str(fresh / "mock-server")]) as (url, _):
        health = fetch("GET", url + "/__admin/health").json()
        description = fetch("GET", url + "/openapi.json").json()
    assert health["fixture"]["files"] == ["demo.yaml"]
    assert health["fixture"]["collections"] == 48
    assert description["info"]["version"] == __version__


def test_a_wheel_brings_every_shipped_fixture(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    shipped = {f"mock_server/fixtures/{path.name}" for path in FIXTURES.iterdir()}
    assert shipped <= content(wheel).keys()


def test_the_version_comes_from_one_place(dist: Path, fresh: Path) -> None:
    names = {path.name for path in dist.iterdir()}
    stem = f"fastgpt_mock_server-{__version__}"
    assert names == {f"{stem}.tar.gz", f"{stem}-py3-none-any.whl"}
    assert run([fresh / "mock-server", "--version"], dist).split()[-1] == __version__
    files = (ROOT / "Dockerfile", ROOT / "pyproject.toml")
    sources = [*files, *(ROOT / "mock_server").rglob("*.py")]
    saying = [path for path in sources if f'"{__version__}"' in path.read_text()]
    assert saying == [ROOT / "mock_server" / "__init__.py"]


def test_the_sdist_builds_the_same_wheel(dist: Path, tmp_path: Path) -> None:
    (sdist,), (wheel,) = dist.glob("*.tar.gz"), dist.glob("*.whl")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    build(tmp_path / sdist.name.removesuffix(".tar.gz"), tmp_path, "--wheel")
    (again,) = tmp_path.glob("*.whl")
    assert content(again) == content(wheel)


def content(wheel: Path) -> dict[str, bytes]:
    with ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_an_index_would_take_both(dist: Path) -> None:
    twine = [sys.executable, "-m", "twine", "check", "--strict"]
    said = run([*twine, *dist.iterdir()], dist)
    assert said.count("PASSED") == 2


def test_a_wheel_brings_the_console_and_the_demo(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    pages = {
        path.relative_to(ROOT).as_posix()
        for folder in (CONSOLE, DEMO)
        for path in folder.rglob("*.*")
    }
    assert pages <= content(wheel).keys()


def test_wheel_and_sdist_bring_the_openapi_documents(dist: Path) -> None:
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    documents = {path.name: path.read_bytes() for path in OPENAPI.glob("*.json")}
    assert documents.keys() == {"public.json", "admin.json"}
    with tarfile.open(sdist) as archive:
        packed = set(archive.getnames())
    for name, text in documents.items():
        assert content(wheel)[f"mock_server/openapi/{name}"] == text
        stem = sdist.name.removesuffix(".tar.gz")
        assert f"{stem}/mock_server/openapi/{name}" in packed
