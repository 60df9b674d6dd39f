"""The examples of ways to use the image: they are valid, and they work."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
import yaml

from mock_server.cli.main import cli
from mock_server.fixture.source.files import shipped
from tests.process import serving
from tests.support import ROOT, fetch

EXAMPLES = ROOT / ".github" / "examples"
WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"
IMAGE = "fastgpt-mock-server"
SCHEMAS = {
    WORKFLOW: "vendor.github-workflows",
    EXAMPLES / "github-actions.yml": "vendor.github-workflows",
    EXAMPLES / "gitlab-ci.yml": "vendor.gitlab-ci",
    EXAMPLES / "compose.yaml": "vendor.compose-spec",
}


class Way(NamedTuple):
    """The image's part in an example: its settings, and what is run beside it."""

    image: str
    variables: Mapping[str, str]
    commands: Sequence[list[str]]


def read(name: str) -> Any:
    return yaml.safe_load((EXAMPLES / name).read_text())


def github() -> Way:
    job = read("github-actions.yml")["jobs"]["tests"]
    mock = job["services"]["mock"]
    commands = [["bash", "-c", step["run"]] for step in job["steps"] if "run" in step]
    return Way(mock["image"], mock["env"], commands)


def gitlab() -> Way:
    job = read("gitlab-ci.yml")["tests"]
    (mock,) = job["services"]
    commands = [["bash", "-c", line] for line in job["script"]]
    return Way(mock["name"], mock["variables"], commands)


def compose() -> Way:
    services = read("compose.yaml")["services"]
    mock, tests = services["mock"], services["tests"]
    return Way(mock["image"], mock["environment"], [tests["command"]])


def kubernetes() -> Way:
    deployment, _ = manifest()
    (mock,) = deployment["spec"]["template"]["spec"]["containers"]
    variables = {each["name"]: each["value"] for each in mock["env"]}
    probe = mock["readinessProbe"]["httpGet"]
    assert probe["port"] in {port["name"] for port in mock["ports"]}
    command = ["curl", "-fsS", f"http://mock:8000{probe['path']}"]
    return Way(mock["image"], variables, [command])


def manifest() -> list[Any]:
    return list(yaml.safe_load_all((EXAMPLES / "kubernetes.yaml").read_text()))


WAYS = {
    "GitHub": github(),
    "GitLab": gitlab(),
    "Compose": compose(),
    "Kubernetes": kubernetes(),
}


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("way", WAYS.values(), ids=list(WAYS))
@pytest.mark.ci
def test_the_commands_of_an_example_work_beside_its_server(
    way: Way, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert way.image == IMAGE
    (tmp_path / "tests").mkdir()
    shutil.copy(shipped("paging.yaml"), tmp_path / "tests" / "fixture.yaml")
    monkeypatch.chdir(shipped("demo.yaml").parent)  # as in the image
    with serving("--port=0", **way.variables) as (url, _):
        for command in way.commands:
            here = [
                re.sub("http://(localhost|mock):8000", url, part) for part in command
            ]
            done = subprocess.run(here, cwd=tmp_path, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
    assert '"status":"ready"' in done.stdout


@pytest.mark.parametrize("way", WAYS.values(), ids=list(WAYS))
def test_the_variables_of_an_example_are_those_of_options(way: Way) -> None:
    serve = cli.get_command(click.Context(cli), "serve")
    assert serve is not None
    assert way.variables.keys() <= {param.envvar for param in serve.params}


def test_the_pods_of_kubernetes_may_do_little_and_are_found_by_the_service() -> None:
    deployment, service = manifest()
    template = deployment["spec"]["template"]
    (mock,) = template["spec"]["containers"]
    assert template["spec"]["securityContext"]["runAsNonRoot"]
    assert mock["securityContext"]["readOnlyRootFilesystem"]
    assert mock["resources"]["limits"].keys() == {"cpu", "memory"}
    assert service["spec"]["selector"] == template["metadata"]["labels"]


def test_the_workflow_runs_what_everybody_runs() -> None:
    steps = yaml.safe_load(WORKFLOW.read_text())["jobs"]["run"]["steps"]
    assert any(step.get("run", "").endswith(" .ci/run") for step in steps)


@pytest.mark.ci
@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_an_example_is_valid(path: Path) -> None:
    lint = Path(sys.executable).with_name("check-jsonschema")
    command = [str(lint), "--builtin-schema", SCHEMAS[path], str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.ci
def test_the_manifest_of_kubernetes_is_valid() -> None:
    lint = Path(sys.executable).with_name("kubernetes-validate")
    command = [str(lint), "--strict", str(EXAMPLES / "kubernetes.yaml")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" passed for resource ") == 2


def has_image() -> bool:
    """Whether a container daemon is there and has the image."""
    docker = shutil.which("docker")
    if docker is None:
        return False
    asked = subprocess.run([docker, "image", "inspect", IMAGE], capture_output=True)
    return asked.returncode == 0


@pytest.mark.ci
def test_the_testcontainers_example_runs_the_image() -> None:
    path = EXAMPLES / "test_container.py"
    spec = importlib.util.spec_from_file_location("example", path)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    if not has_image():
        pytest.skip(f"there is no container daemon with the image {IMAGE}")
    running = example.mock_url.__wrapped__()
    assert fetch("GET", next(running) + "/__admin/health").status_code == 200
    assert next(running, None) is None
