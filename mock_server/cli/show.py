"""Defines the commands that need no server: `init`, `check`, `schema` and `openapi`."""

import os
from codecs import BOM_UTF8
from collections.abc import Sequence
from pathlib import Path

import click

from mock_server.api.description import document
from mock_server.api.fixture_loading import load_fixture
from mock_server.cli import output
from mock_server.cli.fixture_warnings import fixture_warnings
from mock_server.cli.options import option
from mock_server.cli.progress import load_with_progress
from mock_server.cli.reports import REPORTS
from mock_server.domain.choices.choosing import choose
from mock_server.domain.printable import one_line
from mock_server.fixture.document import published_schema
from mock_server.fixture.problems import FixtureError
from mock_server.fixture.source.files import SUFFIXES

_FOLDER = Path(__file__).with_name("starter")


_FIXTURE, _CONFTEST, _SCHEMA = "mock-server.yaml", "conftest.py", "fixture.schema.json"
_EDITOR_LINE = f"# yaml-language-server: $schema={_SCHEMA}\n"
_KEPT_MESSAGES = {
    _CONFTEST: f"kept {{}} as it is (to serve {_FIXTURE} to tests, add a fixture "
    'mock_server_fixture of scope "session" to it, which returns the path)',
}


@click.command()
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path())
@option(
    "--schema",
    "has_schema",
    is_flag=True,
    help="Write the JSON Schema for editors too.",
)
def init(folder: str, has_schema: bool) -> None:
    """Write a fixture and a conftest.py for pytest into a folder.

    The folder is the current one unless DIR is given. Existing files are kept.
    """
    if os.path.isfile(folder):  # unlike `Path.is_file`, no error for a long name
        message = f"Expected a folder, got the file {folder!r} - at DIR"
        raise output.BadValue(one_line(f"{message} (leave it out for this folder)"))
    if Path(folder).suffix in SUFFIXES and not os.path.isdir(folder):
        message = f"Expected a folder, got {folder!r} - at DIR"
        raise output.BadValue(f"{message} (`mock-server init .` writes {_FIXTURE})")
    fixture = (_FOLDER / _FIXTURE).read_bytes()
    line = _EDITOR_LINE.encode()
    files = {
        _FIXTURE: line + b"#\n" + fixture if has_schema else fixture,
        # The template is not named conftest.py, or pytest would load it here.
        _CONFTEST: (_FOLDER / "conftest.txt").read_bytes(),
    }
    if has_schema:
        files[_SCHEMA] = published_schema()
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            path = Path(folder, name)
            # A broken link counts as existing.
            if not os.path.lexists(path):
                _write(path, content)
            elif (
                has_schema
                and name == _FIXTURE
                and line.strip() not in (existing := path.read_bytes())
            ):
                content = line + existing.removeprefix(BOM_UTF8)
                _write(path, content, "added the schema line to")
            else:
                is_done = path.is_file() and b"mock_server_fixture" in path.read_bytes()
                message = "kept {}" if is_done else _KEPT_MESSAGES.get(name, "kept {}")
                output.echo(one_line(message.format(path)))
    except OSError as error:
        message = f"cannot write {error.filename or folder}: {error.strerror}"
        raise output.Stop(one_line(message), output.USAGE) from None


def _write(path: Path, content: bytes, action: str = "wrote") -> None:
    with output.atomic_file(str(path)) as file:
        file.write(content)
    output.echo(one_line(f"{action} {path}"))


@click.command()
@click.argument(
    "files", metavar="FIXTURE...", nargs=-1, required=True, type=click.Path()
)
@option(
    "--format",
    "report_format",
    type=click.Choice(list(REPORTS)),
    default="text",
    show_default=True,
    help="Format of the problems on stdout.",
)
def check(files: Sequence[str], report_format: str) -> None:
    """Check that fixture files load together.

    If they do not, list every problem and exit 2.
    """
    problems, counts = [], dict[str, int]()
    try:
        fixture = load_with_progress(files, lambda: load_fixture(*files), output.log)
        counts = fixture.contents()
        # The number of faults is printed only if there are any.
        if fixture.faults:
            counts["faults"] = len(fixture.faults)
        for each in fixture_warnings(fixture, choose().version):
            output.log(one_line(f"warning: {each}"))
    except FixtureError as error:
        problems = error.problems
    # Programs that read JSON need a report even if it is empty.
    if problems or report_format == "json":
        output.write(REPORTS[report_format](problems))
    elif report_format == "text":
        hint = "an empty fixture: `mock-server init` writes one to start with"
        text = output.count_text(counts)
        output.echo(f"ok: {text}{'' if any(counts.values()) else f' ({hint})'}")
    if problems:
        raise output.Stop("", output.BROKEN_FIXTURE)


@click.command()
def schema() -> None:
    """Print the JSON Schema of fixture files.

    For editors and validators.
    """
    output.write(published_schema().decode().rstrip("\n"))


@click.command()
@option("--admin", is_flag=True, help="Print the document of the admin API.")
def openapi(admin: bool) -> None:
    """Print the OpenAPI document.

    It describes the operations; a server serves the same document.
    """
    output.write(document("admin" if admin else "public").decode().rstrip("\n"))
