"""The examples in other languages pass: docs/guides/other-languages.md."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).with_name("languages")
GUIDES = EXAMPLES.parents[2] / "docs/guides"


def needs(tool: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not shutil.which(tool), reason=f"{tool} is missing")


def run(folder: Path, *command: str, **variables: str) -> str:
    """What a command prints that succeeds."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "NO_COLOR": "1"} | variables
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(command, cwd=folder, env=environment, text=True, **pipes)
    assert done.returncode == 0, done.stdout
    return done.stdout


def block(page: str) -> str:
    """The block of TypeScript in a guide."""
    (text,) = re.findall(r"^```ts\n(.*?)^```", (GUIDES / page).read_text(), re.M | re.S)
    return text


def write_example(folder: Path, hooks: str) -> None:
    """The tests of the guides, with the hooks of this package."""
    tests = (EXAMPLES / "mock.test.ts").read_text() + block("migrating.md")
    files = {"mock.test.ts": tests, "mock-server.ts": block("other-languages.md")}
    for name, text in files.items():
        (folder / name).write_text(text.replace('"vitest"', f'"{hooks}"'))


def test_the_guide_shows_the_file():
    assert block("other-languages.md") == (EXAMPLES / "mock-server.ts").read_text()


@needs("npm")
def test_vitest_passes_and_starts_the_command(tmp_path):
    write_example(tmp_path, "vitest")
    (tmp_path / "package.json").write_text("{}")
    run(tmp_path, "npm", "install", "--no-audit", "--no-fund", "vitest")
    assert re.search("Tests +4 passed", run(tmp_path, "npx", "vitest", "run"))


@needs("npm")
def test_jest_passes_with_a_server_that_runs(mock_server, tmp_path):
    write_example(tmp_path, "@jest/globals")
    settings = {"jest": {"transform": {"ts$": "@sucrase/jest-plugin"}}}
    (tmp_path / "package.json").write_text(json.dumps(settings))
    run(tmp_path, "npm", "install", "--no-audit", "--no-fund", "jest", "@sucrase/jest-plugin")
    printed = run(tmp_path, "npx", "jest", MOCK_SERVER_URL=mock_server.url)
    assert re.search("Tests: +4 passed", printed)


@needs("go")
def test_go_passes(mock_server, tmp_path):
    shutil.copy(EXAMPLES / "mock_test.go", tmp_path)
    run(tmp_path, "go", "mod", "init", "mock")
    printed = run(tmp_path, "go", "test", "-v", MOCK_SERVER_URL=mock_server.url)
    assert printed.count("\n--- PASS") == 2
