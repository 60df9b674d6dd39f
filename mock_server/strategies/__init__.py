"""For Hypothesis: strategies, and a state machine that tests a client of the service.

Nothing else of the package imports Hypothesis, which has to be installed for this.
"""

from mock_server.strategies.drawn import (
    fault_lists,
    fixtures,
    list_requests,
    pin_requests,
    requests,
)
from mock_server.strategies.machine import ClientMachine
from mock_server.strategies.subprocess_client import ClientError, SubprocessClient

__all__ = [
    "ClientError",
    "ClientMachine",
    "SubprocessClient",
    "fault_lists",
    "fixtures",
    "list_requests",
    "pin_requests",
    "requests",
]
