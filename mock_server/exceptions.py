"""The exceptions and warnings of the Python API, to catch and to filter by."""

from mock_server.api.connection import NeedsConnection
from mock_server.control.client import NotRunning, Refused
from mock_server.control.faults import AnswerWarning, UnfiredFaultWarning
from mock_server.control.http_call import Unreachable
from mock_server.control.names import UnknownName
from mock_server.domain.choices.table import UnknownChoice
from mock_server.domain.wrong_calls import UncalledAssertionWarning
from mock_server.fixture.problems import FixtureError
from mock_server.wire.server import CannotBind

__all__ = [
    "AnswerWarning",
    "CannotBind",
    "FixtureError",
    "NeedsConnection",
    "NotRunning",
    "Refused",
    "UncalledAssertionWarning",
    "UnfiredFaultWarning",
    "UnknownChoice",
    "UnknownName",
    "Unreachable",
]
