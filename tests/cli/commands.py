"""Commands in the process of their test: what they print, and how they end.

A process of its own takes 0.2 s to start; tests about processes have them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from click.testing import CliRunner

from mock_server.cli.main import main

# Click before 8.2 makes one of stdout and stderr unless asked not to.
_APART: Any = {"mix_stderr": False} if version("click") < "8.2" else {}
_RUNNER = CliRunner(**_APART)
NOWHERE = "256.1.1.1"
"""A host on which no command serves, should it not notice the mistake of a test."""


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
