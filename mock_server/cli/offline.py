"""The commands that need no server."""

from pathlib import Path

import click
from click.core import ParameterSource

from mock_server.cli.common import (
    FIXTURE,
    Command,
    Exit,
    check_once,
    fail,
    print_to_stderr,
    write_out,
)
from mock_server.fixture.document import schema
from mock_server.fixture.load import load_fixture
from mock_server.fixture.source import FixtureError
from mock_server.sandbox import Baseline

STARTER = Path(__file__).parents[1] / "fixture" / "starter"
STARTER_FILES = {"mock-server.yaml": "mock-server.yaml", "conftest.py": "conftest.txt"}


def load_or_fail(files: tuple[str, ...]) -> Baseline:
    """Load files as one fixture. Mistakes end the command; warnings go to stderr."""
    check_once("fixture", files)
    try:
        fixture = load_fixture(*files)
    except FixtureError as error:
        message = str(error)
        source = click.get_current_context().get_parameter_source("fixture")
        if source is ParameterSource.ENVIRONMENT:
            message += f" - named by {FIXTURE}"
        fail(message, Exit.BROKEN_FIXTURE)
    for warning in fixture.warnings:
        print_to_stderr(f"warning: {warning}")
    return fixture


@click.command("check", cls=Command)
@click.argument("fixture", nargs=-1, required=True, type=click.Path())
def check_command(fixture: tuple[str, ...]) -> None:
    """Check that fixture files load together; list all problems."""
    write_out(f"ok: {load_or_fail(fixture).summary}\n", None)


@click.command("init", cls=Command)
@click.argument("folder", default=".", type=click.Path(file_okay=False, path_type=Path))
def init_command(folder: Path) -> None:
    """Write a fixture, its schema and a conftest.py into a folder. Existing files are kept."""
    files = {name: (STARTER / text).read_bytes() for name, text in STARTER_FILES.items()}
    files["mock-server.schema.json"] = schema()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            path = folder / name
            if path.exists():
                click.echo(f"kept {path}")
                continue
            path.write_bytes(content)
            click.echo(f"wrote {path}")
    except OSError as error:
        fail(f"cannot write into {folder}: {error.strerror}")


@click.command("schema", cls=Command)
def schema_command() -> None:
    """Print the JSON Schema of fixture files."""
    write_out(schema().decode(), None)
