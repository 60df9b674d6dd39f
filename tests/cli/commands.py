"""Commands in the process of their test: what they print, and how they end.

A process of its own takes 0.2 s to start; tests about processes have them.
"""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from mock_server.cli.main import main
from tests.said import Text

# Click before 8.2 makes one of stdout and stderr unless asked not to.
_APART: Any = {"mix_stderr": False} if version("click") < "8.2" else {}
_RUNNER = CliRunner(**_APART)
NOWHERE = "256.1.1.1"
"""A host on which no command serves, should it not notice the mistake of a test."""


TOKEN = "s3cret-admin-token"


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str


def run(*args: str, text: str | None = None, **variables: str) -> Ended:
    """Run a command with these variables, and none of a server beside them."""
    status: object = None
    unset = {name: None for name in os.environ if name.startswith("MOCK_SERVER_")}
    with _RUNNER.isolation(text, {**unset, **variables}) as (out, err, *_):
        try:
            main(args)
        except SystemExit as end:
            status = end.code
        assert status is None or isinstance(status, int)
        return Ended(status or 0, out.getvalue().decode(), err.getvalue().decode())


def told(line: str, **variables: str) -> str:
    """How a line of a shell ends, and what it prints; `FOLDER` is where it stands."""
    words = shlex.split(line)
    count = words.index("mock-server")
    given = dict(word.split("=", 1) for word in words[:count])
    done = run(*words[count + 1 :], **(variables | given))
    text = (done.out + done.err).replace(os.getcwd(), "FOLDER").rstrip("\n")
    # What the system says of addresses differs between systems.
    said = re.sub(r"(cannot reach [^:]+:(?://)?[^:]*(?::\d+)?: ).*", r"\1...", text)
    return f"exit {done.status}\n{said}"


def alone(line: str) -> str:
    """What is told by a command that serves nothing, as there is no such host."""
    return told(line, MOCK_SERVER_HOST=NOWHERE)


def steering(url: str, line: str) -> str:
    """What is told by a command for the server there."""
    where = {"MOCK_SERVER_URL": url, "MOCK_SERVER_ADMIN_TOKEN": TOKEN}
    said = told(line.replace("SERVER", url), **where, MOCK_SERVER_VERIFY_KEY="key")
    return said.replace(url, "SERVER")


_FOLDER = Path(__file__).with_name("said")
MISTAKES = Text(_FOLDER / "mistakes.txt", alone)


def steered(url: str) -> Text:
    """The mistakes of commands for a server, told by the one there."""
    return Text(_FOLDER / "steering.txt", partial(steering, url))
