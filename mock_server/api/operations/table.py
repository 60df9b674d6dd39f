"""The table of operations: the two that the spec documents (4), then neighbours."""

from mock_server.api.operations.list_v2 import LIST_V2
from mock_server.api.operations.neighbours.del_history import DEL_HISTORY
from mock_server.api.operations.neighbours.get_histories import GET_HISTORIES
from mock_server.api.operations.operation import Operations
from mock_server.api.operations.update_history import UPDATE_HISTORY

DOCUMENTED = (UPDATE_HISTORY, LIST_V2)
NEIGHBOURS = (GET_HISTORIES, DEL_HISTORY)

OPERATIONS = Operations((*DOCUMENTED, *NEIGHBOURS))
