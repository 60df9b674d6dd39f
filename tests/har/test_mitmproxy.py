"""The guide's commands: mitmproxy records, and what it has recorded is served."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mock_server import MockServer
from tests.cli import commands
from tests.docs.pages import DOCS, blocks
from tests.support import client_of

pytestmark = pytest.mark.ci
LIST_V2 = "/api/core/dataset/collection/listV2"
TOP_LEVEL = {"offset": 0, "datasetId": "6593e137231a2be9c5603ba7", "parentId": None}
HEADERS = {"Authorization": "Bearer a-key-of-somebody"}
RECORDING, IMPORTING, *_ = blocks(DOCS / "guides" / "capture.md", "sh")
INSTALL, RECORD = RECORDING.text.splitlines()
IMPORT, SERVE = IMPORTING.text.splitlines()


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """The folder with mitmproxy, installed as the guide says."""
    venv.create(tmp_path / "venv", with_pip=True)
    folder = tmp_path / "venv" / "bin"
    command = [str(folder / "python"), "-m", *shlex.split(INSTALL), "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"pip cannot install mitmproxy: {done.stderr[-300:]}")
    return folder


@contextmanager
def recording(programs: Path, target: str, folder: Path) -> Iterator[str]:
    """mitmproxy in front of a server; gives its address."""
    command = RECORD.replace("https://fastgpt.example", target).replace("9001", "0")
    with subprocess.Popen(
        shlex.split(f"{programs}/{command}"),
        cwd=folder,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        found = (re.search(r"listening at .*:(\d+)", line) for line in process.stdout)
        port = next(filter(None, found))[1]
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate()


def listed(url: str) -> object:
    with client_of(url, headers=HEADERS) as client:
        return client.post(LIST_V2, json=TOP_LEVEL).json()


def test_what_mitmproxy_records_is_served_alike(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        MockServer(profile="deployed") as service,
        recording(programs, service.url, tmp_path) as url,
    ):
        before = listed(url)
    monkeypatch.chdir(tmp_path)
    done = commands.run(*shlex.split(IMPORT)[1:])
    assert done.status == 0, done.err
    _, fixture, *options = shlex.split(SERVE)
    assert options == ["--profile", "deployed"]
    with MockServer(fixture, profile="deployed") as again:
        assert listed(again.url) == before
    assert "a-key-of-somebody" not in Path(fixture).read_text()
