"""Commands that need no server: `check`, `schema`, `choices` and `openapi`.

Fixtures may be other people's files, so what is quoted from them is made printable.
"""

from collections.abc import Callable, Sequence

import click
import msgspec

from mock_server import __version__
from mock_server.api.description import document
from mock_server.cli.output import BROKEN_FIXTURE, Stop, say, write
from mock_server.domain.choices import table
from mock_server.domain.printable import json_text, lines, one_line
from mock_server.fixture.document import document_schema
from mock_server.fixture.load import load_fixture
from mock_server.fixture.problems import FixtureError, Problem

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


@click.command()
@click.argument("fixtures", metavar="FIXTURE...", nargs=-1, required=True)
@click.option(
    "--format",
    "report",
    type=click.Choice(list(REPORTS)),
    default="text",
    show_default=True,
    help="Format of the problems on stdout.",
)
def check(fixtures: Sequence[str], report: str) -> None:
    """Check that fixture files load together.

    If they do not, list every problem and exit 2.
    """
    problems, counts = [], ""
    try:
        found = load_fixture(*fixtures).counts()
        counts = ", ".join(f"{number} {name}" for name, number in found.items())
    except FixtureError as error:
        problems = error.problems
    # Programs that read a report want an empty one too.
    if problems or report != "text":
        write(REPORTS[report](problems))
    else:
        say(f"ok: {counts}")
    if problems:
        raise Stop("", BROKEN_FIXTURE)


@click.command()
def schema() -> None:
    """Print the JSON Schema of fixture files.

    For editors and validators.
    """
    write(_indented(document_schema()))


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def choices(as_json: bool) -> None:
    """Show what the spec leaves open.

    Lists all choices with their values, and the value in either profile.
    """
    rows = list(table().values())
    if as_json:
        write(_indented(rows))
        return
    for row in rows:
        say(f"{row.name} = {row.values_text()}   (spec {row.section})")
        say(f"    {row.sentence}")
        say(f"    documented: {row.documented}   deployed: {row.deployed}")


@click.command()
@click.option("--admin", is_flag=True, help="Print the one of the admin API.")
def openapi(admin: bool) -> None:
    """Print the OpenAPI document.

    It describes the operations, and is what a server serves.
    """
    write(document("admin" if admin else "public").decode().rstrip("\n"))
