"""The table of operations: the two that the spec documents (4), then neighbours."""

from mock_server.api.operations.list_v2 import LIST_V2
from mock_server.api.operations.neighbours.batch_delete import BATCH_DELETE
from mock_server.api.operations.neighbours.chat_init import INIT
from mock_server.api.operations.neighbours.clear_histories import CLEAR_HISTORIES
from mock_server.api.operations.neighbours.collection_create import COLLECTION_CREATE
from mock_server.api.operations.neighbours.collection_delete import COLLECTION_DELETE
from mock_server.api.operations.neighbours.collection_detail import COLLECTION_DETAIL
from mock_server.api.operations.neighbours.collection_export import EXPORT
from mock_server.api.operations.neighbours.collection_list import COLLECTION_LIST
from mock_server.api.operations.neighbours.collection_paths import COLLECTION_PATHS
from mock_server.api.operations.neighbours.collection_update import COLLECTION_UPDATE
from mock_server.api.operations.neighbours.completions import COMPLETIONS
from mock_server.api.operations.neighbours.create_file_id import FILE_ID
from mock_server.api.operations.neighbours.create_link import LINK
from mock_server.api.operations.neighbours.create_local_file import LOCAL_FILE
from mock_server.api.operations.neighbours.create_text import TEXT
from mock_server.api.operations.neighbours.data_delete import DATA_DELETE
from mock_server.api.operations.neighbours.data_detail import DATA_DETAIL
from mock_server.api.operations.neighbours.data_list import DATA_LIST
from mock_server.api.operations.neighbours.data_update import DATA_UPDATE
from mock_server.api.operations.neighbours.data_v2_list import DATA_V2_LIST
from mock_server.api.operations.neighbours.dataset_create import DATASET_CREATE
from mock_server.api.operations.neighbours.dataset_delete import DATASET_DELETE
from mock_server.api.operations.neighbours.dataset_detail import DATASET_DETAIL
from mock_server.api.operations.neighbours.dataset_list import DATASET_LIST
from mock_server.api.operations.neighbours.dataset_paths import DATASET_PATHS
from mock_server.api.operations.neighbours.dataset_update import DATASET_UPDATE
from mock_server.api.operations.neighbours.del_history import DEL_HISTORY
from mock_server.api.operations.neighbours.folder_create import FOLDER_CREATE
from mock_server.api.operations.neighbours.get_histories import GET_HISTORIES
from mock_server.api.operations.neighbours.get_init_data import GET_INIT_DATA
from mock_server.api.operations.neighbours.get_pagination_records import (
    GET_PAGINATION_RECORDS,
)
from mock_server.api.operations.neighbours.get_records_v2 import GET_RECORDS_V2
from mock_server.api.operations.neighbours.get_team_plan_status import (
    GET_TEAM_PLAN_STATUS,
)
from mock_server.api.operations.neighbours.history_status import (
    GET_HISTORY_STATUS,
    MARK_READ,
)
from mock_server.api.operations.neighbours.insert_data import INSERT_DATA
from mock_server.api.operations.neighbours.login_by_password import LOGIN_BY_PASSWORD
from mock_server.api.operations.neighbours.pre_login import PRE_LOGIN
from mock_server.api.operations.neighbours.push_data import PUSH_DATA
from mock_server.api.operations.neighbours.scroll_list import SCROLL_LIST
from mock_server.api.operations.neighbours.search_test import SEARCH_TEST
from mock_server.api.operations.neighbours.token_login import TOKEN_LOGIN
from mock_server.api.operations.neighbours.training_detail import TRAINING_DETAIL
from mock_server.api.operations.operation import Operations
from mock_server.api.operations.update_history import UPDATE_HISTORY

DOCUMENTED = (UPDATE_HISTORY, LIST_V2)
_CHATS = (
    GET_HISTORIES,
    DEL_HISTORY,
    CLEAR_HISTORIES,
    BATCH_DELETE,
    GET_HISTORY_STATUS,
    MARK_READ,
    INIT,
    GET_PAGINATION_RECORDS,
    GET_RECORDS_V2,
    COMPLETIONS,
)
_DATASETS = (
    DATASET_CREATE,
    FOLDER_CREATE,
    DATASET_LIST,
    DATASET_DETAIL,
    DATASET_UPDATE,
    DATASET_DELETE,
    DATASET_PATHS,
)
_COLLECTIONS = (
    COLLECTION_CREATE,
    TEXT,
    LINK,
    LOCAL_FILE,
    FILE_ID,
    COLLECTION_DETAIL,
    COLLECTION_UPDATE,
    COLLECTION_DELETE,
    COLLECTION_LIST,
    SCROLL_LIST,
    COLLECTION_PATHS,
    TRAINING_DETAIL,
    EXPORT,
)
_DATA = (
    DATA_V2_LIST,
    DATA_LIST,
    PUSH_DATA,
    INSERT_DATA,
    DATA_DETAIL,
    DATA_UPDATE,
    DATA_DELETE,
    SEARCH_TEST,
)
_ACCOUNT = (
    PRE_LOGIN,
    LOGIN_BY_PASSWORD,
    TOKEN_LOGIN,
    GET_INIT_DATA,
    GET_TEAM_PLAN_STATUS,
)
NEIGHBOURS = (
    *_CHATS,
    *_DATASETS,
    *_COLLECTIONS,
    *_DATA,
    *_ACCOUNT,
)

OPERATIONS = Operations((*DOCUMENTED, *NEIGHBOURS))
