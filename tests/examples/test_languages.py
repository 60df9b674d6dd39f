"""The projects in JavaScript, Go and Java pass, as they stand in the documentation."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from os import pathsep
from pathlib import Path

import pytest

from mock_server import MockServer
from tests.e2e.chromium import CHROMIUM
from tests.examples.projects import (
    DOCUMENTS,
    JUNIT,
    NEEDS_JUNIT,
    copied,
    installed,
    needs,
    run,
)
from tests.openapi.committed import NAMES, Name

pytestmark = pytest.mark.ci
NPM = ("npm", "--silent")


@pytest.fixture(params=["started by the tests", "that runs"])
def variables(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """What tells a project where its server is: nothing, if it starts one."""
    if request.param != "that runs":
        yield {}
        return
    with MockServer() as server:
        yield {"MOCK_SERVER_URL": server.url}


@pytest.fixture(scope="module")
def javascript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project in TypeScript with its packages, as it is after a copy."""
    return installed("javascript", tmp_path_factory.mktemp("node"))


@needs("npm", "node")
def test_vitest_passes(javascript: Path, variables: dict[str, str]) -> None:
    said = run(javascript, *NPM, "test", **variables)
    assert "8 passed (8)" in said


@needs("npm", "node")
def test_typescript_is_right_in_its_strict_mode(javascript: Path) -> None:
    assert "error" not in run(javascript, *NPM, "run", "types")


@needs("npm", "node")
@pytest.mark.parametrize("name", NAMES)
def test_generated_types_are_right_themselves(javascript: Path, name: Name) -> None:
    types = f"types/{name}.d.ts"
    document = DOCUMENTS / f"{name}.json"
    run(javascript, "npx", "openapi-typescript", document, "-o", types)
    run(javascript, "npx", "tsc", "--strict", "--noEmit", types)


@needs("npm", "node")
@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
def test_playwright_passes(javascript: Path) -> None:
    with socket.create_server(("localhost", 0)) as free:
        port = str(free.getsockname()[1])
    with MockServer() as server:
        variables = {"MOCK_SERVER_URL": server.url, "CHROMIUM": str(CHROMIUM)}
        said = run(javascript, *NPM, "run", "e2e", PORT=port, **variables)
    assert "3 passed" in said


@needs("go")
def test_go_passes(tmp_path: Path, variables: dict[str, str]) -> None:
    project = copied("go", tmp_path)
    run(project, "go", "vet", "./...", GOPROXY="off")
    said = run(project, "go", "test", "-count=1", "-v", ".", GOPROXY="off", **variables)
    assert said.count("--- PASS") == 5
    assert run(project, "gofmt", "-l", ".") == ""


@needs("javac", "java")
@NEEDS_JUNIT
def test_junit_passes(tmp_path: Path, variables: dict[str, str]) -> None:
    project = copied("java", tmp_path)
    classes = project / "target"
    path = pathsep.join(map(str, (*JUNIT, classes)))
    options = ("--release", "17", "-Xlint:all,-path", "-Werror")
    run(
        project, "javac", *options, "-cp", path, "-d", classes, *project.rglob("*.java")
    )
    launcher = ("java", "-cp", path, "org.junit.platform.console.ConsoleLauncher")
    said = run(project, *launcher, "--scan-classpath", classes, **variables)
    assert "[         4 tests successful      ]" in said
