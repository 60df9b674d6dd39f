"""The table of operations: the two that the spec documents (4), then neighbours."""

from mock_server.api.operations.list_v2 import LIST_V2
from mock_server.api.operations.neighbours.dataset_create import DATASET_CREATE
from mock_server.api.operations.neighbours.dataset_delete import DATASET_DELETE
from mock_server.api.operations.neighbours.dataset_detail import DATASET_DETAIL
from mock_server.api.operations.neighbours.dataset_list import DATASET_LIST
from mock_server.api.operations.neighbours.dataset_paths import DATASET_PATHS
from mock_server.api.operations.neighbours.dataset_update import DATASET_UPDATE
from mock_server.api.operations.neighbours.del_history import DEL_HISTORY
from mock_server.api.operations.neighbours.folder_create import FOLDER_CREATE
from mock_server.api.operations.neighbours.get_histories import GET_HISTORIES
from mock_server.api.operations.operation import Operations
from mock_server.api.operations.update_history import UPDATE_HISTORY

DOCUMENTED = (UPDATE_HISTORY, LIST_V2)
CHATS = (GET_HISTORIES, DEL_HISTORY)
DATASETS = (
    DATASET_CREATE,
    FOLDER_CREATE,
    DATASET_LIST,
    DATASET_DETAIL,
    DATASET_UPDATE,
    DATASET_DELETE,
    DATASET_PATHS,
)
NEIGHBOURS = (*CHATS, *DATASETS)

OPERATIONS = Operations((*DOCUMENTED, *NEIGHBOURS))
