"""Defines `mock-server pull`, which writes a fixture from a running service."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import click

from mock_server.cli.options import option, read_secret
from mock_server.cli.output import (
    UNFIT,
    UNREACHABLE,
    USAGE,
    BadValue,
    Stop,
    atomic_file,
    echo,
    log,
)
from mock_server.cli.progress import count_logger
from mock_server.control.environment import PULL_KEY
from mock_server.control.http_call import Unreachable, UnusableResponse
from mock_server.domain.limits import Published
from mock_server.domain.printable import one_line
from mock_server.service.pull import walk
from mock_server.service.pull.fixture import anonymous, document_of, encode_fixture
from mock_server.service.pull.lists import ServiceClient, ServiceRefused
from mock_server.service.pull.walk import ReportCount, Selection


@click.command()
@option("--base-url", metavar="URL", required=True, help="Address of the service.")
@option(
    "--key-env",
    metavar="NAME",
    default=PULL_KEY,
    show_default=True,
    help="Variable with the API key.",
)
@option("--dataset", metavar="ID", multiple=True, help="A dataset to pull; repeatable.")
@option(
    "--app",
    metavar="ID",
    multiple=True,
    help="An app whose chats are pulled; repeatable.",
)
@option("--rows", is_flag=True, help="Pull the data rows of collections too.")
@option("--anonymize", is_flag=True, help="Replace names, tags, texts and ids.")
@option(
    "--format",
    "file_format",
    type=click.Choice(["yaml", "json"]),
    help="Format of the fixture; default: by the file's extension.",
)
@option("--output", metavar="FILE", help="File to write instead of stdout.")
def pull(
    base_url: str,
    key_env: str,
    dataset: Sequence[str],
    app: Sequence[str],
    rows: bool,
    anonymize: bool,
    file_format: str | None,
    output: str | None,
) -> None:
    """Pull a fixture from a running service."""
    key = read_secret(key_env, "--key-env")
    selection = _selection(dataset, app, rows)
    try:
        service = ServiceClient(base_url, key, report=log)
    except ValueError as error:
        raise BadValue(f"{error} - at --base-url") from None
    is_json = (file_format or Path(output or "").suffix[1:].lower()) == "json"
    target = OutputFile(output, is_json, key if anonymize else None)
    with errors_end_command(key_env):
        write_fixture(service, selection, target, count_logger("items pulled"))


class OutputFile(NamedTuple):
    """The file to write, or stdout. A `secret` means that the fixture is anonymized."""

    path: str | None = None
    is_json: bool = False
    secret: str | None = None


def write_fixture(
    service: ServiceClient,
    selection: Selection,
    target: OutputFile,
    report_count: ReportCount,
) -> None:
    """Write the selected lists of a service as a fixture, complete or not at all.

    Raises Stop, and the errors of the service's methods.
    """
    # Opened first, so that an unwritable file fails before the first request.
    with atomic_file(target.path) as file:
        document = document_of(walk.pull(service, selection, report_count), selection)
        if target.secret is not None:
            document = anonymous(document, target.secret)
        for piece in encode_fixture(document, is_json=target.is_json):
            file.write(piece)
        if target.is_json:
            file.write(b"\n")
    if target.path not in (None, "-"):
        echo(one_line(f"wrote {target.path}"))


def _selection(datasets: Sequence[str], apps: Sequence[str], rows: bool) -> Selection:
    if not datasets and not apps:
        raise BadValue("Expected a dataset or an app, got none - at --dataset or --app")
    for name, ids in (("--dataset", datasets), ("--app", apps)):
        for each in ids:
            if not 0 < len(each) <= Published.id_chars:
                expected = f"an id of 1 to {Published.id_chars} characters"
                got = f"one of {len(each)}"
                raise BadValue(f"Expected {expected}, got {got} - at {name}")
    return Selection(tuple(datasets), tuple(apps), rows)


@contextmanager
def errors_end_command(key_env: str) -> Iterator[None]:
    """End the command with a one-line message for an error of the service.

    The message names the variable of the API key if the key is the reason.
    """
    try:
        yield
    except ServiceRefused as error:
        hint = f" (the key is that in {one_line(key_env)})"
        text = f"{error}{hint if error.is_about_key else ''}"
        raise Stop(text, USAGE if error.is_about_object else UNFIT) from None
    except Unreachable as error:
        raise Stop(str(error), UNREACHABLE) from None
    except UnusableResponse as error:
        raise Stop(str(error), UNFIT) from None
