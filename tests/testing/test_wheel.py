"""The package as people get it: a wheel, alone in a fresh environment."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import pytest

pytestmark = pytest.mark.full
ROOT = Path(__file__).parent.parent.parent
CONSOLE = """
from importlib.resources import files
print(*sorted(path.name for path in (files("mock_server") / "console").iterdir()))
"""
TEST = """
import json
from urllib.request import Request, urlopen

def test_it(mock_server):
    body = {"appId": "65d8a1f0c3b2a94e7f106a01", "chatId": "delivery-late", "top": True}
    headers = {
        "Authorization": f"Bearer {mock_server.key}",
        "Content-Type": "application/json",
    }
    url = mock_server.url + "/api/core/chat/history/updateHistory"
    urlopen(Request(url, json.dumps(body).encode(), headers, method="PUT")).close()
    assert mock_server.chat("65d8a1f0c3b2a94e7f106a01", "delivery-late").top
    mock_server.assert_no_violations()
"""


def run(command: Sequence[str | Path], cwd: Path) -> str:
    keep = ("PATH", "HOME", "PIP_", "SSL_", "http", "HTTP", "no_proxy", "NO_PROXY")
    env = {name: value for name, value in os.environ.items() if name.startswith(keep)}
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_wheel_alone_brings_command_fixtures_and_plugin(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
    run([*pip, "wheel", "--no-deps", "-w", tmp_path, ROOT], ROOT)
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "fresh", with_pip=True)
    python = tmp_path / "fresh" / "bin" / "python"
    run([python, "-m", "pip", "-q", "install", wheel, "pytest"], tmp_path)
    (tmp_path / "test_it.py").write_text(TEST)
    assert "1 passed" in run([python, "-m", "pytest", "-q"], tmp_path)
    check = "from mock_server import load_fixture; print(load_fixture().counts())"
    assert "'collections': 48" in run([python, "-c", check], tmp_path)
    assert run([python, "-m", "mock_server", "--version"], tmp_path)
    folder = files("mock_server") / "console"
    console = sorted(path.name for path in folder.iterdir())
    assert run([python, "-c", CONSOLE], tmp_path).split() == console
