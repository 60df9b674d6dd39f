"""openai-js, the newest: plain, streamed, an error in the stream, cancelled."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import run_command

from mock_server import Control

SCRIPT = Path(__file__).with_name("openai.mjs")
pytestmark = pytest.mark.skipif(not shutil.which("npm"), reason="npm is missing")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("js")
    shutil.copy(SCRIPT, folder)
    (folder / "package.json").write_text("{}", "utf-8")
    run_command("npm", "install", "--no-audit", "--no-fund", "openai", cwd=folder)
    return folder


@pytest.fixture
def lines(folder: Path, mock_server: Control) -> Callable[[str], list[str]]:
    """What the script prints in a mode."""

    def run(mode: str) -> list[str]:
        command = ("node", SCRIPT.name, mock_server.url, mock_server.key, mode)
        return run_command(*command, cwd=folder).stdout.splitlines()

    return run


REPLIES = [
    ("plain", ["It is raining."], ["It is raining."]),
    ("stream", ["It", "rains"], ["It", "rains", "stop"]),
    ("stream", ["It", {"error": "boom"}], ["It", "boom"]),
]


@pytest.mark.parametrize("mode, parts, printed", REPLIES)
def test_a_reply_and_an_error_are_seen(mock_server, lines, mode, parts, printed):
    mock_server.reply(parts=parts)
    assert lines(mode) == printed


def test_split_within_a_character(mock_server, lines):
    mock_server.reply("今天下雨。")
    mock_server.fault("dribble", operation="completions", chunks=1000, ms=0)
    assert lines("stream") == [*"今天下雨。", "stop"]


def test_cancelled(mock_server, lines):
    mock_server.reply(parts=["It", {"pauseMs": 60_000}, "rains"])
    assert lines("cancel") == ["It"]
    mock_server.wait_for("completions", cut=True)
