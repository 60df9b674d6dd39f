"""The package as one file, and run from a checkout: by people who install nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from zipfile import ZipFile

import pytest

from mock_server import __version__
from tests.process import environment, serving
from tests.support import ROOT, fetch

pytestmark = pytest.mark.ci
PROJECT = ROOT / "tests/testing/projects/installed"
PATH = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
UV = shutil.which("uv", path=PATH) or "uv"
OTHERS = [f"python3.{minor}" for minor in range(11, 15) if minor != sys.version_info[1]]


def done(command: Sequence[str | Path], **variables: str) -> tuple[int, str, str]:
    """The exit status of a command, and what it has printed."""
    ran = subprocess.run(
        command, env=environment(**variables), capture_output=True, text=True
    )
    return ran.returncode, ran.stdout, ran.stderr


@pytest.fixture(scope="module")
def zipapp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("zipapp"))


def made(folder: Path) -> Path:
    """A new file, by the documented command."""
    file = folder / "mock-server.pyz"
    status, _, said = done([ROOT / ".ci" / "zipapp", file, sys.executable])
    assert status == 0, said
    return file


@pytest.fixture
def bare(
    zipapp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Sequence[str]:
    """The command, in an empty folder, of a Python that has no packages."""
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    monkeypatch.setenv("SHIV_ROOT", str(tmp_path / "unpacked"))
    return [sys.executable, "-I", "-S", str(zipapp)]


def test_it_serves_from_an_empty_folder(bare: Sequence[str]) -> None:
    with serving("--port=0", command=bare) as (url, _):
        health = fetch("GET", url + "/__admin/health").json()
        page = fetch("GET", url + "/__admin/")
    assert health["fixture"]["files"] == ["demo.yaml"]
    assert page.status_code == 200
    assert list(Path().iterdir()) == []


def test_it_loads_large_documents_in_a_process_of_its_own(bare: Sequence[str]) -> None:
    collections = [{"name": f"Document {n}"} for n in range(3_000)]
    state = json.dumps({"datasets": [{"id": "d", "collections": collections}]})
    headers = {"Content-Type": "application/json"}
    with serving("--port=0", command=bare) as (url, _):
        put = fetch("PUT", url + "/__admin/state", content=state, headers=headers)
        health = fetch("GET", url + "/__admin/health").json()
    assert put.status_code == 200, put.text
    assert health["fixture"]["collections"] == 3_000


def test_it_checks_fixtures(bare: Sequence[str], tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("datasets: [{id: d, collections: [{name: 5}]}]")
    assert done([*bare, "check", "paging"])[0] == 0
    status, _, said = done([*bare, "check", str(broken)])
    assert (status, "Traceback" in said) == (2, False)


def test_packages_that_are_installed_are_none_of_its_own(
    bare: Sequence[str], tmp_path: Path
) -> None:
    venv.create(tmp_path / "venv")
    (site,) = (tmp_path / "venv").glob("lib/*/site-packages")
    (site / "installed.py").touch()
    (tmp_path / "click.py").write_text("raise SystemExit('another click')")
    python, path = str(tmp_path / "venv/bin/python"), {"PYTHONPATH": str(tmp_path)}
    status, _, said = done([python, bare[-1], "check", "paging"], **path)
    assert (status, said) == (0, "")
    probe = [python, bare[-1], "-c", "import installed"]
    status, _, said = done(probe, SHIV_INTERPRETER="1", **path)
    assert (status, "No module named 'installed'" in said) == (1, True)


@pytest.mark.parametrize("folder", ["/dev/null/no", "/proc/no", "file"])
def test_a_folder_that_cannot_be_written_takes_a_line(
    bare: Sequence[str], folder: str
) -> None:
    Path("file").touch()
    status, out, said = done([*bare, "--version"], SHIV_ROOT=folder)
    assert (status, out, said.count("\n")) == (1, "", 1)
    assert said.startswith("mock-server: Expected a folder to unpack this file to, got")
    assert f" - at {folder} " in said


def test_the_plugin_uses_it(bare: Sequence[str], tmp_path: Path) -> None:
    shutil.copytree(PROJECT, tmp_path / "tests")
    pytest_here = [sys.executable, "-m", "pytest", "-q", str(tmp_path / "tests")]
    with serving("--port=0", command=bare) as (url, _):
        status, out, _ = done([*pytest_here, f"--mock-server-url={url}"])
    assert (status, "1 passed" in out) == (0, True), out


def test_made_again_it_is_the_same_file(zipapp: Path, tmp_path: Path) -> None:
    with ZipFile(zipapp) as one, ZipFile(made(tmp_path)) as other:
        before, after = checksums(one), checksums(other)
    assert sorted(before.items() ^ after.items()) == []


def checksums(archive: ZipFile) -> dict[str, int]:
    return {each.filename: each.CRC for each in archive.infolist()}


def test_another_python_is_told_which_one_it_wants(bare: Sequence[str]) -> None:
    pythons = [name for name in OTHERS if done_well([name, "--version"])]
    if not pythons:
        pytest.skip("there is no other Python that the package supports")
    status, _, said = done([pythons[0], *bare[1:], "--version"])
    tag = f"cp3{sys.version_info[1]}"
    assert (status, said.count("\n")) == (1, 1)
    assert said.startswith(f"mock-server: Expected a Python that takes {tag}-")


def done_well(command: Sequence[str]) -> bool:
    return shutil.which(command[0]) is not None and done(command)[0] == 0


@pytest.mark.skipif(shutil.which(UV) is None, reason="uv is not installed")
@pytest.mark.parametrize("how", ["--from {}", "pipx run --spec {}"])
def test_a_checkout_runs_without_being_installed(how: str, tmp_path: Path) -> None:
    command = [UV, "tool", "run", *how.format(ROOT).split(), "mock-server"]
    private = {"PIPX_HOME": str(tmp_path), "UV_PYTHON": sys.executable}
    status, out, said = done([*command, "--version"], **private)
    assert (status, out) == (0, f"mock-server, version {__version__}\n"), said
