"""Reads fixtures for commands; reports problems as text, JSON or GitHub annotations.

Fixtures may come from others, so control characters in their texts are escaped.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from mock_server.api.fixture_loading import load_fixture
from mock_server.cli.output import BROKEN_FIXTURE, Stop
from mock_server.domain.limits import Limits
from mock_server.domain.printable import json_text, one_line, safe_lines
from mock_server.fixture.problems import FixtureError, Problem
from mock_server.fixture.source.files import read_content, read_file

Report = Callable[[Sequence[Problem]], str]


def report_text(problems: Sequence[Problem]) -> str:
    """Return a line for each problem, with the source line and a caret below."""
    parts = (
        part for each in problems for part in (one_line(str(each)), each.excerpt())
    )
    return "\n".join(part for part in parts if part)


def report_json(problems: Sequence[Problem]) -> str:
    """Return an array of objects with file, line, column and message."""
    rows = [
        {name: getattr(each, name) for name in ("file", "line", "column", "message")}
        for each in problems
    ]
    return json_text(msgspec.json.format(msgspec.json.encode(rows)).decode())


def report_github(problems: Sequence[Problem]) -> str:
    """Return workflow commands, which GitHub shows at the lines of a change."""
    return "\n".join(
        # A problem of a whole file has line 0; the lines of GitHub begin at 1.
        f"::error file={_escape_property(each.file)},line={max(each.line, 1)}"
        f",col={max(each.column, 1)}::{_escape_data(each.message)}"
        for each in problems
    )


REPORTS: dict[str, Report] = {
    "text": report_text,
    "json": report_json,
    "github": report_github,
}


# A workflow command is a line; its properties are separated by `:` and `,`.
def _escape_data(text: str) -> str:
    # `%` comes first, because the later escapes contain it.
    return (
        safe_lines(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    )


def _escape_property(text: str) -> str:
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")


@contextmanager
def problems_end_command() -> Iterator[None]:
    """Convert a FixtureError of the block to Stop, with all its problems."""
    try:
        yield
    except FixtureError as error:
        raise Stop(report_text(error.problems), BROKEN_FIXTURE) from None


def content_of(file: str) -> bytes:
    """Return the bytes of a file, or of a shipped fixture. Raises Stop."""
    with problems_end_command():
        return read_content(file, Limits()).content


def document_of(file: str) -> object:
    """Return the plain data of a fixture file. Raises Stop with all its problems."""
    check_valid(file)
    return read_file(file, Limits()).source.value


def check_valid(file: str) -> None:
    """Raise Stop if a fixture file has problems.

    A server reports problems too, but at positions in the text that it received.
    """
    with problems_end_command():
        load_fixture(file)
