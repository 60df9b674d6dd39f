"""The action of GitHub: its step is run as a runner runs it."""

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

import httpx2
import pytest
import yaml
from commands import run_command

ACTION = Path(__file__).parents[2] / ".github/actions/mock-server"
Run = Callable[..., "CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs the step of the action with these inputs."""

    def run(status: int = 0, **inputs: str) -> "CompletedProcess[str]":
        action = yaml.safe_load((ACTION / "action.yml").read_text("utf-8"))
        (step,) = action["runs"]["steps"]
        values = {name: it["default"] for name, it in action["inputs"].items()} | inputs
        shown = {f"${{{{ inputs.{name} }}}}": value for name, value in values.items()}
        variables = {name: shown[value] for name, value in step["env"].items()}
        files = {"GITHUB_OUTPUT": str(tmp_path / "output"), "GITHUB_PATH": str(tmp_path / "path")}
        variables |= files | {"GITHUB_ACTION_PATH": str(ACTION), "RUNNER_TEMP": str(tmp_path)}
        return run_command("bash", "-c", step["run"], status=status, env=os.environ | variables)

    return run


@pytest.fixture
def outputs(run: Run, tmp_path: Path) -> Iterator[dict[str, str]]:
    """What the action hands to later steps; at the end its server is stopped."""
    run(fixture="permissions", profile="fastgpt-4.16")
    lines = (tmp_path / "output").read_text("utf-8").splitlines()
    outputs = dict(line.split("=", 1) for line in lines)
    yield outputs
    os.kill(int(outputs["pid"]), signal.SIGTERM)


def test_the_action_starts_a_server_for_later_steps(outputs, tmp_path):
    health = httpx2.get(f"{outputs['url']}/__admin/health").json()
    assert health["profile"] == "fastgpt-4.16"
    assert "GET /__admin/health" in Path(outputs["log"]).read_text("utf-8")
    folder = (tmp_path / "path").read_text("utf-8").strip()
    assert [it.name for it in Path(folder).iterdir()] == ["mock-server"]


MAKES_VENV = """#!/bin/sh
mkdir -p "$3/bin" && ln -s /bin/true "$3/bin/pip" && ln -s {} "$3/bin/mock-server"
"""


def test_the_action_fails_with_the_problems_of_a_fixture(run, tmp_path, monkeypatch):
    # To install the server anew would take long.
    command = shutil.which("mock-server", path=Path(sys.executable).parent)
    (tmp_path / "python3").write_text(MAKES_VENV.format(command), "utf-8")
    (tmp_path / "python3").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    (tmp_path / "broken.yaml").write_text("app: []", "utf-8")
    done = run(1, fixture=str(tmp_path / "broken.yaml"))
    assert "Expected no field 'app' (did you mean 'apps'?)" in done.stdout
    assert "kill" not in done.stderr
