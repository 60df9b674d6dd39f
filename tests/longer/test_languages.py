"""The examples in other languages pass: docs/guides/other-languages.md."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from mock_server import Control

EXAMPLES = Path(__file__).with_name("languages")
MIGRATING = EXAMPLES.parents[2] / "docs/guides/migrating.md"


def needs(tool: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not shutil.which(tool), reason=f"{tool} is missing")


def run(server: Control, folder: Path, *command: str) -> str:
    """What a command prints that succeeds."""
    environment = os.environ | {"MOCK_SERVER_URL": server.url, "NO_COLOR": "1"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(command, cwd=folder, env=environment, text=True, **pipes)
    assert done.returncode == 0, done.stdout
    return done.stdout


@needs("npm")
def test_vitest_passes_with_the_test_of_the_guide(mock_server: Control, tmp_path: Path) -> None:
    (guide,) = re.findall(r"^```ts\n(.*?)^```", MIGRATING.read_text(), re.M | re.S)
    (tmp_path / "mock.test.ts").write_text((EXAMPLES / "mock.test.ts").read_text() + guide)
    (tmp_path / "package.json").write_text("{}")
    run(mock_server, tmp_path, "npm", "install", "--no-audit", "--no-fund", "vitest")
    assert re.search("Tests +4 passed", run(mock_server, tmp_path, "npx", "vitest", "run"))


@needs("go")
def test_go_passes(mock_server: Control, tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "mock_test.go", tmp_path)
    run(mock_server, tmp_path, "go", "mod", "init", "mock")
    assert run(mock_server, tmp_path, "go", "test", "-v").count("\n--- PASS") == 2
