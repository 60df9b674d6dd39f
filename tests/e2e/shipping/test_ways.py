"""The examples of ways to use the server in CI: they are valid, and they work."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
import yaml

from mock_server import __version__
from mock_server.cli.main import cli
from mock_server.fixture.source.files import shipped_path
from tests.e2e.scale.front import free_port
from tests.e2e.shipping.containers import kill_group
from tests.process import environment, serving
from tests.support import ROOT, fetch

EXAMPLES = ROOT / ".github" / "examples"
WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"
IMAGE = "fastgpt-mock-server"
SCHEMAS = {
    WORKFLOW: "vendor.github-workflows",
    EXAMPLES / "github-actions.yml": "vendor.github-workflows",
    EXAMPLES / "github-pytest.yml": "vendor.github-workflows",
    EXAMPLES / "gitlab-ci.yml": "vendor.gitlab-ci",
    EXAMPLES / "compose.yaml": "vendor.compose-spec",
}


class Way(NamedTuple):
    """An example: the settings of its server, and the commands that it runs."""

    variables: Mapping[str, str]
    commands: Sequence[list[str]]


def read(name: str) -> Any:
    return yaml.safe_load((EXAMPLES / name).read_text())


def bash(*lines: str) -> list[list[str]]:
    return [["bash", "-e", "-c", line] for line in lines]


def github(name: str) -> Way:
    job = read(name)["jobs"]["tests"]
    lines = [step["run"] for step in job["steps"] if "run" in step]
    return Way(job.get("env", {}), bash(*lines))


def gitlab() -> Way:
    job = read("gitlab-ci.yml")["tests"]
    return Way(job["variables"], bash(*job["before_script"], *job["script"]))


def compose() -> Way:
    services = read("compose.yaml")["services"]
    return Way(services["mock"]["environment"], [services["tests"]["command"]])


def kubernetes() -> Way:
    deployment, _ = manifest()
    (mock,) = deployment["spec"]["template"]["spec"]["containers"]
    variables = {each["name"]: each["value"] for each in mock["env"]}
    probe = mock["readinessProbe"]["httpGet"]
    assert probe["port"] in {port["name"] for port in mock["ports"]}
    command = ["curl", "-fsS", f"http://mock:8000{probe['path']}"]
    return Way(variables, [command])


def manifest() -> list[Any]:
    return list(yaml.safe_load_all((EXAMPLES / "kubernetes.yaml").read_text()))


JOBS = {"GitHub": github("github-actions.yml"), "GitLab": gitlab()}
IMAGES = {"Compose": compose(), "Kubernetes": kubernetes()}
WAYS = JOBS | IMAGES
NEEDS_CURL = pytest.mark.skipif(
    shutil.which("curl") is None, reason="curl is not installed"
)


@NEEDS_CURL
@pytest.mark.parametrize("way", IMAGES.values(), ids=list(IMAGES))
@pytest.mark.ci
def test_the_commands_of_an_example_work_beside_its_server(
    way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shipped_path("demo.yaml").parent)  # as in the image
    with serving("--port=0", **way.variables) as (url, _):
        for command in way.commands:
            here = [part.replace("http://mock:8000", url) for part in command]
            done = subprocess.run(here, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
    assert '"status":"ready"' in done.stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project as a job finds it: a fixture, a checkout, an environment of its own."""
    venv.create(tmp_path / "venv", with_pip=True)
    (tmp_path / "mock-server").symlink_to(ROOT)
    (tmp_path / "tests").mkdir()
    shutil.copy(shipped_path("paging.yaml"), tmp_path / "tests" / "fixture.yaml")
    return tmp_path


@NEEDS_CURL
@pytest.mark.parametrize("way", JOBS.values(), ids=list(JOBS))
@pytest.mark.ci
def test_a_job_installs_the_server_and_uses_it(way: Way, project: Path) -> None:
    port = str(free_port())
    path = f"{project}/venv/bin{os.pathsep}{os.environ['PATH']}"
    own = {"PATH": path, "PYTHONPATH": "", "MOCK_SERVER_PORT": port}
    url = {"MOCK_SERVER_URL": f"http://localhost:{port}"}
    said = done_in(project, way.commands, port, **own, **url, **way.variables)
    assert '"status":"ready"' in said


@pytest.mark.ci
def test_a_job_of_pytest_installs_the_plugin_and_uses_it(project: Path) -> None:
    test = "def test_it(mock_server):\n    assert mock_server.chats\n"
    (project / "tests" / "test_it.py").write_text(test)
    path = f"{project}/venv/bin{os.pathsep}{os.environ['PATH']}"
    commands = github("github-pytest.yml").commands
    assert "1 passed" in done_in(project, commands, "0", PATH=path, PYTHONPATH="")


def done_in(
    folder: Path, commands: Iterable[list[str]], port: str, **settings: str
) -> str:
    """What commands say that have to succeed, one after the other.

    They find this repository at its address, and the server at a port.
    """
    output = folder / "said"
    with ExitStack() as stack, output.open("w") as said:
        for *shell, line in commands:
            here = re.sub(r"git\+https:\S+@v[\d.]+", f"git+file://{ROOT}", line)
            process = subprocess.Popen(
                [*shell, here.replace("localhost:8000", f"localhost:{port}")],
                cwd=folder,
                env=environment(**settings),
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            # With it ends what it has left running.
            stack.callback(kill_group, process.pid)
            assert process.wait() == 0, output.read_text()
    return output.read_text()


def test_an_example_builds_or_installs_what_it_runs() -> None:
    (mock,) = manifest()[0]["spec"]["template"]["spec"]["containers"]
    text = (EXAMPLES / "kubernetes.yaml").read_text()
    named = re.findall(r"^#   docker (?:build -t|push) (\S+)", text, re.MULTILINE)
    assert named == [mock["image"]] * 2
    built = read("compose.yaml")["services"]["mock"]
    steps = read("github-actions.yml")["jobs"]["tests"]["steps"]
    checkout, *installing = [step for step in steps if "mock-server" in str(step)]
    assert built["build"] == checkout["with"]["path"] == "mock-server"
    assert installing[0]["run"] == "pip install ./mock-server"
    files = ("compose.yaml", "github-actions.yml", "github-pytest.yml", "gitlab-ci.yml")
    assert [name for name in files if f"image: {IMAGE}" in str(read(name))] == []


def test_the_tags_in_examples_are_that_of_the_version() -> None:
    texts = [path.read_text() for path in EXAMPLES.glob("*.*")]
    tags = re.findall(r"\bv?(\d+\.\d+\.\d+)\b", "".join(texts))
    assert set(tags) == {__version__}


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
    assert any(" .ci/run " in step.get("run", "") for step in steps)


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
