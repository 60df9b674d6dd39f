"""`mock-server check` and `mock-server schema`, and fixtures for other commands."""

from __future__ import annotations

from collections.abc import Sequence

import click
import msgspec

from mock_server.cli.exits import BROKEN_FIXTURE, Stop, say, write
from mock_server.cli.reports import REPORTS, text
from mock_server.domain.store import Generation
from mock_server.fixture.document import document_schema
from mock_server.fixture.load import load_fixture
from mock_server.fixture.problems import FixtureError


@click.command()
@click.argument("fixtures", metavar="FIXTURE...", nargs=-1, required=True)
@click.option(
    "--format",
    "report",
    type=click.Choice(list(REPORTS)),
    default="text",
    show_default=True,
    help="How problems are written on stdout.",
)
def check(fixtures: Sequence[str], report: str) -> None:
    """Say whether FIXTURE files load together; list every problem, exit 2, if not."""
    problems, counts = [], ""
    try:
        found = load_fixture(*fixtures).counts()
        counts = ", ".join(f"{number} {name}" for name, number in found.items())
    except FixtureError as error:
        problems = error.problems
    if problems or report != "text":
        write(REPORTS[report](problems))
    else:
        say(f"ok: {counts}")
    if problems:
        raise Stop("", BROKEN_FIXTURE)


@click.command()
def schema() -> None:
    """Print the JSON Schema of fixture files, for editors and validators."""
    write(msgspec.json.format(msgspec.json.encode(document_schema())).decode())


def loaded(fixtures: Sequence[str], max_bytes: int) -> Generation:
    """The fixture of these files, within so much memory. Raises Stop."""
    try:
        return load_fixture(*fixtures, max_bytes=max_bytes)
    except FixtureError as error:
        raise Stop(text(error.problems), BROKEN_FIXTURE) from None
