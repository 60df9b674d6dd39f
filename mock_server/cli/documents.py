"""Fixture files that commands send: what is in them, or what is wrong with them."""

from mock_server.api.fixture import load_fixture
from mock_server.cli.output import BROKEN_FIXTURE, Stop
from mock_server.cli.reports import report_text
from mock_server.domain.limits import Limits
from mock_server.fixture.files import read_content, read_file
from mock_server.fixture.problems import FixtureError


def content_of(file: str) -> bytes:
    """The bytes of a file, or of a shipped fixture by its name. Raises Stop."""
    try:
        return read_content(file, Limits()).content
    except FixtureError as error:
        raise _stop(error) from None


def document_of(file: str) -> object:
    """What a file says. Raises Stop with all problems and their places."""
    check(file)
    return read_file(file, Limits()).source.value


def check(file: str) -> None:
    """Raises Stop with all problems of a file, if it has any.

    A server would tell them too, but has got another text than that of the file.
    """
    try:
        load_fixture(file)
    except FixtureError as error:
        raise _stop(error) from None


def _stop(error: FixtureError) -> Stop:
    return Stop(report_text(error.problems), BROKEN_FIXTURE)
