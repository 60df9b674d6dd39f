"""The exceptions and warnings of the Python API, to catch and to filter by."""

from mock_server.api.response import NeedsConnection
from mock_server.app import MissingLibrary
from mock_server.client import NotRunning, Refused
from mock_server.control.faults import UnfiredFaultWarning
from mock_server.control.names import UnknownName
from mock_server.domain.choices import UnknownChoice
from mock_server.fixture.problems import FixtureError
from mock_server.http_call import Unreachable
from mock_server.server import CannotBind

__all__ = [
    "CannotBind",
    "FixtureError",
    "MissingLibrary",
    "NeedsConnection",
    "NotRunning",
    "Refused",
    "UnfiredFaultWarning",
    "UnknownChoice",
    "UnknownName",
    "Unreachable",
]
