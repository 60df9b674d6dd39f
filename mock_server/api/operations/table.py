"""The table of operations: the two of the spec (spec 4), then the related routes."""

from collections.abc import Sequence

from mock_server.api.operations.list_v2 import LIST_V2
from mock_server.api.operations.operation import Operation
from mock_server.api.operations.routing import Operations
from mock_server.api.operations.update_history import UPDATE_HISTORY


def related_routes() -> Sequence[Operation]:
    """Import and return the related routes."""
    from mock_server.api.operations.related.table import RELATED

    return RELATED


DOCUMENTED = (UPDATE_HISTORY, LIST_V2)
OPERATIONS = Operations(DOCUMENTED, related_routes)
