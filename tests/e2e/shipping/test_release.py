"""What releases a version, what keeps it up to date, and what runs before a commit."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from mock_server.fixture.source.files import shipped_path
from tests.support import ROOT

GITHUB = ROOT / ".github"
WORKFLOW = GITHUB / "workflows" / "release.yml"
TEXT = WORKFLOW.read_text()
JOBS: dict[str, Any] = yaml.safe_load(TEXT)["jobs"]
PROGRAMS = Path(sys.executable).parent
ZIZMOR = ["zizmor", "--offline", "--no-progress", f"--config={GITHUB / 'zizmor.yml'}"]
# What a job may write. Each reads at most the contents of the repository besides.
WRITES = {
    "test": set(),
    "files": {"id-token", "attestations"},
    "image": {"id-token", "attestations", "packages"},
    "pypi": {"id-token"},
    "page": {"contents"},
}


def steps(job: str) -> str:
    """All that a job runs and uses, as text."""
    return yaml.safe_dump(JOBS[job]["steps"])


def passes(*command: str | Path) -> bool:
    """Whether a program of the environment finds nothing; prints what it says."""
    name, *rest = command
    done = subprocess.run([PROGRAMS / name, *rest], capture_output=True, text=True)
    print(done.stdout, done.stderr)
    return done.returncode == 0


def before(job: str) -> set[str]:
    """The jobs that have to pass before a job."""
    needed = JOBS[job].get("needs", [])
    direct = {needed} if isinstance(needed, str) else set(needed)
    return direct.union(*map(before, direct))


def test_a_tag_starts_a_release() -> None:
    assert yaml.safe_load(TEXT)[True] == {"push": {"tags": ["v*"]}}  # YAML 1.1's `on`


def test_the_programs_that_a_release_runs_are_there() -> None:
    named = set(re.findall(r"(?<![\w/])\.ci/[\w-]+", TEXT))
    assert {".ci/image", ".ci/zipapp"} <= named
    assert [each for each in named if not (ROOT / each).exists()] == []


@pytest.mark.parametrize("job", JOBS)
def test_a_job_of_a_release_may_do_no_more_than_it_must(job: str) -> None:
    assert yaml.safe_load(TEXT)["permissions"] == {}
    granted = JOBS[job]["permissions"]
    assert {name for name, way in granted.items() if way == "write"} == WRITES[job]
    assert {name for name, way in granted.items() if way == "read"} <= {"contents"}
    assert JOBS[job]["timeout-minutes"] <= 40


@pytest.mark.parametrize("job", ["files", "image", "pypi", "page"])
def test_nothing_is_built_or_published_before_the_tests_pass(job: str) -> None:
    assert "test" in before(job)
    assert ".ci/release-notes" in steps("test")
    assert ".ci/run" in steps("test")


def test_nothing_is_published_unless_the_owner_says_so() -> None:
    asked = "vars.PUBLISH == 'true'"
    assert JOBS["pypi"]["if"] == asked
    assert "pypi" in before("page")
    (push,) = re.findall(r"--push[^\s\"]*", TEXT)
    assert push == "--push=$PUSH"
    assert f"PUSH: ${{{{ {asked} }}}}" in TEXT


def test_wheel_zipapp_and_image_are_attested() -> None:
    assert {"pyproject-build", ".ci/zipapp"} <= set(steps("files").split())
    assert ".ci/image" in steps("image")
    for job in ("files", "image"):
        assert "actions/attest-build-provenance@" in steps(job)
    assert "secrets." not in TEXT


@pytest.mark.ci
@pytest.mark.parametrize(
    ("schema", "path"),
    [("github-workflows", WORKFLOW), ("dependabot", GITHUB / "dependabot.yml")],
    ids=["release", "dependabot"],
)
def test_a_file_of_github_is_valid(schema: str, path: Path) -> None:
    assert passes("check-jsonschema", "--builtin-schema", f"vendor.{schema}", path)


@pytest.mark.ci
def test_a_linter_of_workflows_finds_nothing_dangerous() -> None:
    assert passes(*ZIZMOR, WORKFLOW, GITHUB / "dependabot.yml")


@pytest.mark.ci
@pytest.mark.parametrize(
    "path",
    [GITHUB / "pre-commit.yaml", GITHUB / "examples" / "pre-commit.yaml"],
    ids=["ours", "example"],
)
def test_a_configuration_of_pre_commit_is_valid(path: Path) -> None:
    assert passes("pre-commit", "validate-config", path)


@pytest.mark.ci
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("broken", [False, True], ids=["good", "broken"])
def test_the_hook_of_the_example_tells_broken_fixtures(
    broken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(PROGRAMS), prepend=":")
    config = shutil.copy(GITHUB / "examples" / "pre-commit.yaml", tmp_path)
    (tmp_path / "tests").mkdir()
    text = shipped_path("paging.yaml").read_text() + "datsets: []\n" * broken
    (tmp_path / "tests" / "fixture.yaml").write_text(text)
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "add", "tests"], check=True)
    hooks = ["pre-commit", "run", "--config", config, "--all-files"]
    done = subprocess.run(hooks, capture_output=True, text=True)
    assert done.returncode == broken, done.stdout
    assert ("did you mean" in done.stdout) == broken
