"""Problems of fixtures as people, programs and code hosts read them.

Fixtures are files of others: what of them is shown is made printable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from mock_server import __version__
from mock_server.domain.printable import json_text, lines, one_line
from mock_server.fixture.problems import Problem

Report = Callable[[Sequence[Problem]], str]


def text(problems: Sequence[Problem]) -> str:
    """A line for each problem, and below it the source with a caret."""
    parts = (
        part for each in problems for part in (one_line(str(each)), each.excerpt())
    )
    return "\n".join(part for part in parts if part)


def json(problems: Sequence[Problem]) -> str:
    """An array of objects."""
    rows = [
        {"file": p.file, "line": p.line, "column": p.column, "message": p.message}
        for p in problems
    ]
    return _indented(rows)


def github(problems: Sequence[Problem]) -> str:
    """Workflow commands, which GitHub Actions shows beside the lines of a change."""
    return "\n".join(
        f"::error file={_property(p.file)},line={max(p.line, 1)},col={max(p.column, 1)}"
        f"::{_data(p.message)}"
        for p in problems
    )


def sarif(problems: Sequence[Problem]) -> str:
    """A SARIF 2.1.0 log, which code scanners exchange."""
    driver = {"name": "mock-server", "version": __version__, "rules": [{"id": _RULE}]}
    run = {"tool": {"driver": driver}, "results": [_result(p) for p in problems]}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return _indented({"$schema": schema, "version": "2.1.0", "runs": [run]})


REPORTS: dict[str, Report] = {
    "text": text,
    "json": json,
    "github": github,
    "sarif": sarif,
}
_RULE = "fixture"


def _result(problem: Problem) -> dict[str, object]:
    place: dict[str, object] = {"artifactLocation": {"uri": problem.file}}
    if problem.line:
        place["region"] = {"startLine": problem.line, "startColumn": problem.column}
    return {
        "ruleId": _RULE,
        "level": "error",
        "message": {"text": problem.message},
        "locations": [{"physicalLocation": place}],
    }


def _indented(value: object) -> str:
    return json_text(msgspec.json.format(msgspec.json.encode(value)).decode())


def _data(text: str) -> str:
    return lines(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
