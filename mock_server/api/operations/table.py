"""The table of operations: the two that the spec documents (4)."""

from mock_server.api.operations.list_v2 import LIST_V2
from mock_server.api.operations.operation import Operations
from mock_server.api.operations.update_history import UPDATE_HISTORY

OPERATIONS = Operations((UPDATE_HISTORY, LIST_V2))
