"""Commands in the process of their test: what they print, and how they end.

A process of its own takes 0.2 s to start; tests about processes have them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from click.testing import CliRunner

from mock_server.cli import main

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
    with CliRunner().isolation(text, {**unset, **variables}) as (out, err, _):
        try:
            main(args)
        except SystemExit as end:
            status = end.code
    assert status is None or isinstance(status, int)
    return Ended(status or 0, out.getvalue().decode(), err.getvalue().decode())
