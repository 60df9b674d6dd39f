"""Problems of fixtures as text, JSON, for GitHub, as SARIF.

Fixtures may be other people's files, so what is quoted from them is made printable.
"""

from collections.abc import Callable, Sequence

import msgspec

from mock_server import __version__
from mock_server.domain.printable import json_text, lines, one_line
from mock_server.fixture.problems import Problem

Report = Callable[[Sequence[Problem]], str]
_RULE = "fixture"


def report_text(problems: Sequence[Problem]) -> str:
    """A line for each problem, and below it the source line with a caret."""
    parts = (
        part for each in problems for part in (one_line(str(each)), each.excerpt())
    )
    return "\n".join(part for part in parts if part)


def report_json(problems: Sequence[Problem]) -> str:
    """An array of objects with file, line, column and message."""
    rows = [
        {"file": p.file, "line": p.line, "column": p.column, "message": p.message}
        for p in problems
    ]
    return json_text(_indented(rows))


def report_github(problems: Sequence[Problem]) -> str:
    """Workflow commands, which GitHub Actions shows beside the lines of a change."""
    return "\n".join(
        # A problem of a whole file has line 0; the lines of GitHub begin at 1.
        f"::error file={_property(p.file)},line={max(p.line, 1)},col={max(p.column, 1)}"
        f"::{_data(p.message)}"
        for p in problems
    )


def report_sarif(problems: Sequence[Problem]) -> str:
    """A SARIF 2.1.0 log, which code scanning services read."""
    driver = {"name": "mock-server", "version": __version__, "rules": [{"id": _RULE}]}
    run = {"tool": {"driver": driver}, "results": [_result(p) for p in problems]}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json_text(_indented({"$schema": schema, "version": "2.1.0", "runs": [run]}))


REPORTS: dict[str, Report] = {
    "text": report_text,
    "json": report_json,
    "github": report_github,
    "sarif": report_sarif,
}


def _result(problem: Problem) -> dict[str, object]:
    place: dict[str, object] = {"artifactLocation": {"uri": problem.file}}
    # A region begins at line 1; a problem of a whole file has none.
    if problem.line:
        place["region"] = {"startLine": problem.line, "startColumn": problem.column}
    return {
        "ruleId": _RULE,
        "level": "error",
        "message": {"text": problem.message},
        "locations": [{"physicalLocation": place}],
    }


def _indented(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value)).decode()


# Workflow commands end at a line end and part their properties with `:` and `,`.
def _data(text: str) -> str:
    # `%` first, or it would escape the escapes.
    return lines(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
