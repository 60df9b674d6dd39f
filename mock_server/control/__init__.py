"""Control of a running server from a test: data, faults, answers, clock, and the journal.

The server checks all arguments: `Refused` has its message. Durations are in seconds, except those
with `ms` in their names.
"""

from mock_server.control.admin_client import Refused
from mock_server.control.control import Control
from mock_server.control.rules import AddedRule

__all__ = ["AddedRule", "Control", "Refused"]
