"""Admin calls that are refused: a line each, and the answer as a person has read it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.admin.world import HOST, JSON, World, ask
from tests.said import Text

WORLD = World(None)
BEFORE = WORLD.fingerprint()


def refused(line: str) -> str:
    """The answer to a method, a path and a body; what is refused changes nothing."""
    method, path, body = f"{line} ".split(" ", 2)
    headers = {"host": HOST, "content-type": JSON}
    answer = ask(WORLD.app, method, f"/__admin{path}", headers, body.strip().encode())
    assert WORLD.fingerprint() == BEFORE, line
    told = json.loads(answer.body)
    assert told["data"] is None
    return f"{answer.status} {told['statusText']}\n{told['message']}"


REFUSED = Text(Path(__file__).with_name("said") / "refused.txt", refused)
