"""What the value of `serve --profile` stands for."""

from pathlib import Path

from mock_server.cli.output import BROKEN_FIXTURE, Stop
from mock_server.cli.reports import report_text
from mock_server.domain.choices import as_profile
from mock_server.domain.printable import one_line
from mock_server.domain.profiles import PROFILES
from mock_server.fixture.problems import FixtureError
from mock_server.fixture.profile import ProfileFile, read_profile


def profile_of(text: str) -> ProfileFile:
    """The profile and the choices of a name or a file. Raises Stop."""
    if text in PROFILES:
        return ProfileFile(as_profile(text))
    if not Path(text).exists():
        raise Stop(one_line(f"{text}: no such file, for --profile"), BROKEN_FIXTURE)
    try:
        return read_profile(text)
    except FixtureError as error:
        raise Stop(report_text(error.problems), BROKEN_FIXTURE) from None
