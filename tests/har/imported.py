"""Recordings as lines of text, and what becomes of each: the responses, and the report.

A line is a request with its answer: method, URL, status, type and body. Below it stand
headers that were sent, behind `> `, and those of the answer, behind `< `. Options of
the command stand first.
"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mock_server.api.fixture_loading import load_fixture
from tests.cli import commands
from tests.har.files import entry, write
from tests.said import Text, shortened


def recorded(given: str) -> tuple[list[str], list[Any]]:
    """The options of a text, and its entries."""
    options: list[str] = []
    found: list[dict[str, Any]] = []
    for line in given.split("\n"):
        if line.startswith("--"):
            options += line.split(" ")
        elif line.startswith(("> ", "< ")):
            name, value = line[2:].split(": ", 1)
            found[-1]["sent" if line[0] == ">" else "headers"][name] = value
        else:
            method, url, status, kind, *body = line.split(" ", 4)
            at = {"path": url} if url.startswith("/") else {"host": url, "path": ""}
            more = {"kind": kind, "body": body[0] if body else ""}
            answer = {"method": method, "status": int(status)}
            found.append({**at, **answer, **more, "sent": {}, "headers": {}})
    return options, [entry(**(each.pop("headers") | each)) for each in found]


def imported(given: str) -> str:
    """What `import har` makes of a text: a line for each response, and its stderr."""
    options, entries = recorded(given)
    with TemporaryDirectory() as folder:
        source, target = Path(folder, "page.har"), Path(folder, "made.json")
        given_as = ["--output", str(target), *options]
        done = commands.run("import", "har", write(source, *entries), *given_as)
        made = json.loads(target.read_text()) if target.exists() else {}
        if made:
            load_fixture(str(target))
    lines = [json.dumps(each, ensure_ascii=False) for each in made.get("responses", [])]
    told = done.err.replace(folder, "FOLDER").splitlines()
    return shortened("\n".join([*lines, *told]))


IMPORTED = Text(Path(__file__).with_name("said") / "import.txt", imported)
