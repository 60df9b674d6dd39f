"""The file that the value of `serve --profile` may be."""

from pathlib import Path

from mock_server.cli.output import BROKEN_FIXTURE, Stop
from mock_server.cli.reports import report_text
from mock_server.domain.printable import one_line
from mock_server.fixture.problems import FixtureError
from mock_server.fixture.profile import ProfileFile, read_profile


def read(text: str) -> ProfileFile:
    """The profile and the choices of a file. Raises Stop."""
    if not Path(text).exists():
        raise Stop(one_line(f"{text}: no such file, for --profile"), BROKEN_FIXTURE)
    try:
        return read_profile(text)
    except FixtureError as error:
        raise Stop(report_text(error.problems), BROKEN_FIXTURE) from None
