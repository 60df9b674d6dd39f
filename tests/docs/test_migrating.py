"""Who comes from another tool is told the truth of both: theirs runs, ours exists."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import click
import pytest

from mock_server import MockServer
from mock_server.cli.main import cli
from tests.docs import tables
from tests.docs.pages import DOCS, blocks, patient, prose

PAGE, TALK = (DOCS / "guides" / name for name in ("migrating.md", "faults.md"))
EXAMPLES = DOCS / "examples" / "migrating"
ROWS = re.findall(r"^\|.*\| (.*) \|$", prose(PAGE), re.MULTILINE)
OURS = sorted({code for row in ROWS for code in re.findall("`(.+?)`", row)})
BY_HAND = sorted(EXAMPLES.glob("test_by_hand_*.py"))
APP = "65d8a1f0c3b2a94e7f106a01"
PIN = json.dumps({"appId": APP, "chatId": "delivery-late", "top": True}).encode()
THEIRS = {
    "their_respx.py": ("httpx", ["respx>=0.22,<1", "httpx<1"]),
    "their_responses.py": ("requests", ["responses>=0.25,<1", "requests<3"]),
    "their_httpserver.py": ("requests", ["pytest-httpserver>=1.1,<2", "requests<3"]),
    "their_fastapi.py": ("httpx", ["fastapi<1", "httpx<1"]),
}


def those(start: str) -> list[str]:
    """What of ours the tables name in code that begins so."""
    found = [code for code in OURS if re.match(start, code)]
    assert len(found) >= 8
    return found


@pytest.fixture
def server() -> Iterator[MockServer]:
    with MockServer() as running:
        yield running


@pytest.mark.parametrize("code", those(r"mock_server\."))
def test_what_a_table_shows_in_python_runs(code: str, server: MockServer) -> None:
    headers = {"Authorization": "Bearer k", "Content-Type": "application/json"}
    path = "/api/core/chat/history/updateHistory"
    urlopen(Request(server.url + path, PIN, headers, method="PUT")).close()
    server.control.snapshot("before")
    exec(code, {"mock_server": server.control, "APP": APP})


@pytest.mark.parametrize("code", those("mock-server "))
def test_a_command_of_a_table_is_taken(code: str) -> None:
    group: click.Command = cli
    words = shlex.split(code)[1:]
    while isinstance(group, click.Group):
        with group.make_context("mock-server", words) as context:
            given = tables.words_left(context)
            _, found, words = group.resolve_command(context, given)
        assert found is not None
        group = found
    group.make_context("mock-server", words).close()


@pytest.mark.parametrize("code", those("(GET|POST|PUT|DELETE) /__admin"))
def test_a_route_of_a_table_is_there(code: str) -> None:
    assert code in {name for name, _ in tables.routes()}


@pytest.mark.parametrize("path", BY_HAND, ids=lambda path: path.name)
def test_a_stub_by_hand_is_a_short_test(path: Path, server: MockServer) -> None:
    names: dict[str, Any] = {}
    client, text = (EXAMPLES / "assistant.py").read_text(), path.read_text()
    shown = re.sub(r"^from assistant import .*\n", "", text, flags=re.MULTILINE)
    exec(patient(client + shown), names)
    ((name, test),) = ((it, names[it]) for it in names if it.startswith("test_"))
    test(server.control)
    assert len(shown.partition(f"def {name}")[2].splitlines()) <= 10


def test_all_stubs_by_hand_are_there() -> None:
    assert len(BY_HAND) == 12


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The Python of an environment with nothing in it."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder)
    return str(folder / "bin" / "python")


def install(python: str, *needs: str) -> None:
    pip = [sys.executable, "-m", "pip", "-q", "--python", python]
    subprocess.run([*pip, "install", "--no-compile", *needs], check=True)


@pytest.mark.ci
def test_the_sdk_of_openai_reads_replies(environment: str, server: MockServer) -> None:
    install(environment, "openai<4")
    (block,) = (each for each in blocks(TALK) if each.file == "their_openai.py")
    server.control.reset()
    server.control.reply("It is raining.")
    code = block.text.replace("http://localhost:8000", server.url)
    done = subprocess.run(
        [environment, "-c", code], capture_output=True, text=True, check=False
    )
    shown = re.findall(r"print\(.*\)  # (.*)", code)
    assert done.stdout.splitlines() == shown, done.stderr


@pytest.mark.ci
def test_their_examples_do_what_ours_do(tmp_path: Path, environment: str) -> None:
    panel = (EXAMPLES / "panel.py").read_text()
    assert {path.name for path in EXAMPLES.glob("their_*.py")} == set(THEIRS)
    needed = {need for _, needs in THEIRS.values() for need in needs}
    install(environment, "pytest", *needed)
    for name, (client, _) in THEIRS.items():
        as_sent = panel.replace("import httpx2", f"import {client}")
        (tmp_path / "panel.py").write_text(as_sent)
        shutil.copy(EXAMPLES / name, tmp_path)
        run = [environment, "-m", "pytest", "-q", "-p", "no:cacheprovider", name]
        done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, f"{name}\n{done.stdout}{done.stderr}"
