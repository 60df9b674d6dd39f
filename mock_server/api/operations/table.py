"""The table of operations: the two that the spec documents (4), then neighbours."""

from mock_server.api.operations.list_v2 import LIST_V2
from mock_server.api.operations.neighbours import (
    account,
    chat_deletion,
    chat_init,
    chat_records,
    collection_creation,
    collection_delete,
    collection_export,
    collection_lists,
    collection_update,
    collection_views,
    completions,
    data_changes,
    data_detail,
    data_lists,
    dataset_changes,
    dataset_views,
    get_histories,
    history_status,
    search_test,
)
from mock_server.api.operations.operation import Operations
from mock_server.api.operations.update_history import UPDATE_HISTORY

DOCUMENTED = (UPDATE_HISTORY, LIST_V2)
_CHATS = (
    get_histories.GET_HISTORIES,
    chat_deletion.DEL_HISTORY,
    chat_deletion.CLEAR_HISTORIES,
    chat_deletion.BATCH_DELETE,
    history_status.GET_HISTORY_STATUS,
    history_status.MARK_READ,
    chat_init.INIT,
    chat_records.GET_PAGINATION_RECORDS,
    chat_records.GET_RECORDS_V2,
    completions.COMPLETIONS,
)
_DATASETS = (
    dataset_changes.DATASET_CREATE,
    dataset_changes.FOLDER_CREATE,
    dataset_views.DATASET_LIST,
    dataset_views.DATASET_DETAIL,
    dataset_changes.DATASET_UPDATE,
    dataset_changes.DATASET_DELETE,
    dataset_views.DATASET_PATHS,
)
_COLLECTIONS = (
    collection_creation.COLLECTION_CREATE,
    collection_creation.TEXT,
    collection_creation.LINK,
    collection_creation.LOCAL_FILE,
    collection_creation.FILE_ID,
    collection_views.COLLECTION_DETAIL,
    collection_update.COLLECTION_UPDATE,
    collection_delete.COLLECTION_DELETE,
    collection_lists.COLLECTION_LIST,
    collection_lists.SCROLL_LIST,
    collection_views.COLLECTION_PATHS,
    collection_views.TRAINING_DETAIL,
    collection_export.EXPORT,
)
_DATA = (
    data_lists.DATA_V2_LIST,
    data_lists.DATA_LIST,
    data_changes.PUSH_DATA,
    data_changes.INSERT_DATA,
    data_detail.DATA_DETAIL,
    data_changes.DATA_UPDATE,
    data_changes.DATA_DELETE,
    search_test.SEARCH_TEST,
)
_ACCOUNT = (
    account.PRE_LOGIN,
    account.LOGIN_BY_PASSWORD,
    account.TOKEN_LOGIN,
    account.GET_INIT_DATA,
    account.GET_TEAM_PLAN_STATUS,
)
NEIGHBOURS = (
    *_CHATS,
    *_DATASETS,
    *_COLLECTIONS,
    *_DATA,
    *_ACCOUNT,
)

OPERATIONS = Operations((*DOCUMENTED, *NEIGHBOURS))
