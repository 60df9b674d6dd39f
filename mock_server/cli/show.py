"""Commands that need no server: `check`, `schema` and `openapi`."""

from collections.abc import Sequence

import click

from mock_server.api.description import document
from mock_server.api.fixture import load_fixture
from mock_server.cli.complete import fixtures
from mock_server.cli.output import BROKEN_FIXTURE, Stop, counted, say, write
from mock_server.cli.progress import Loading
from mock_server.cli.reports import REPORTS
from mock_server.cli.settings import option
from mock_server.domain.generation import Generation
from mock_server.fixture.problems import FixtureError
from mock_server.fixture.published import published


@click.command()
@click.argument(
    "files",
    metavar="FIXTURE...",
    nargs=-1,
    required=True,
    shell_complete=fixtures,
)
@option(
    "--format",
    "report",
    type=click.Choice(list(REPORTS)),
    default="text",
    show_default=True,
    help="Format of the problems on stdout.",
)
def check(files: Sequence[str], report: str) -> None:
    """Check that fixture files load together.

    If they do not, list every problem and exit 2.
    """
    problems, counts = [], ""
    try:
        with Loading(files) as loading:
            generation = load_fixture(*files)
            loading.done(generation)
        counts = counted(_counts(generation))
    except FixtureError as error:
        problems = error.problems
    # Programs that read a report want an empty one too.
    if problems or report != "text":
        write(REPORTS[report](problems))
    else:
        say(f"ok: {counts}")
    if problems:
        raise Stop("", BROKEN_FIXTURE)


def _counts(generation: Generation) -> dict[str, int]:
    """How much there is of what; faults only where there are any."""
    counts = generation.counts()
    if generation.faults:
        counts["faults"] = len(generation.faults)
    return counts


@click.command()
def schema() -> None:
    """Print the JSON Schema of fixture files.

    For editors and validators.
    """
    write(published().decode().rstrip("\n"))


@click.command()
@option("--admin", is_flag=True, help="Print the one of the admin API.")
def openapi(admin: bool) -> None:
    """Print the OpenAPI document.

    It describes the operations, and is what a server serves.
    """
    write(document("admin" if admin else "public").decode().rstrip("\n"))
