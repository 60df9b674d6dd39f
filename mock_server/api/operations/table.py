"""The table of operations: the two that the spec documents (4), then neighbours."""

from mock_server.api.operations.list_v2 import LIST_V2
from mock_server.api.operations.operation import Later, Operations
from mock_server.api.operations.update_history import UPDATE_HISTORY

_CHATS = (
    Later(
        "getHistories",
        "/api/core/chat/history/getHistories",
        "get_histories.GET_HISTORIES",
        "/api/core/chat/getHistories",
    ),
    Later(
        "delHistory",
        "/api/core/chat/history/delHistory",
        "chat_deletion.DEL_HISTORY",
        "/api/core/chat/delHistory",
    ),
    Later(
        "clearHistories",
        "/api/core/chat/history/clearHistories",
        "chat_deletion.CLEAR_HISTORIES",
        "/api/core/chat/clearHistories",
    ),
    Later(
        "batchDelete",
        "/api/core/chat/history/batchDelete",
        "chat_deletion.BATCH_DELETE",
    ),
    Later(
        "getHistoryStatus",
        "/api/core/chat/history/getHistoryStatus",
        "history_status.GET_HISTORY_STATUS",
    ),
    Later("markRead", "/api/core/chat/history/markRead", "history_status.MARK_READ"),
    Later("init", "/api/core/chat/init", "chat_init.INIT"),
    Later(
        "getPaginationRecords",
        "/api/core/chat/record/getPaginationRecords",
        "chat_records.GET_PAGINATION_RECORDS",
        "/api/core/chat/getPaginationRecords",
    ),
    Later(
        "getRecords_v2",
        "/api/core/chat/record/getRecords_v2",
        "chat_records.GET_RECORDS_V2",
        "/api/core/chat/getRecords_v2",
    ),
    Later("completions", "/api/v1/chat/completions", "completions.COMPLETIONS"),
)
_DATASETS = (
    Later(
        "dataset.create", "/api/core/dataset/create", "dataset_changes.DATASET_CREATE"
    ),
    Later(
        "folder.create",
        "/api/core/dataset/folder/create",
        "dataset_changes.FOLDER_CREATE",
    ),
    Later("dataset.list", "/api/core/dataset/list", "dataset_views.DATASET_LIST"),
    Later("dataset.detail", "/api/core/dataset/detail", "dataset_views.DATASET_DETAIL"),
    Later(
        "dataset.update", "/api/core/dataset/update", "dataset_changes.DATASET_UPDATE"
    ),
    Later(
        "dataset.delete", "/api/core/dataset/delete", "dataset_changes.DATASET_DELETE"
    ),
    Later("dataset.paths", "/api/core/dataset/paths", "dataset_views.DATASET_PATHS"),
)
_COLLECTIONS = (
    Later(
        "collection.create",
        "/api/core/dataset/collection/create",
        "collection_creation.COLLECTION_CREATE",
    ),
    Later(
        "text", "/api/core/dataset/collection/create/text", "collection_creation.TEXT"
    ),
    Later(
        "link", "/api/core/dataset/collection/create/link", "collection_creation.LINK"
    ),
    Later(
        "localFile",
        "/api/core/dataset/collection/create/localFile",
        "collection_creation.LOCAL_FILE",
    ),
    Later(
        "fileId",
        "/api/core/dataset/collection/create/fileId",
        "collection_creation.FILE_ID",
    ),
    Later(
        "collection.detail",
        "/api/core/dataset/collection/detail",
        "collection_views.COLLECTION_DETAIL",
    ),
    Later(
        "collection.update",
        "/api/core/dataset/collection/update",
        "collection_update.COLLECTION_UPDATE",
    ),
    Later(
        "collection.delete",
        "/api/core/dataset/collection/delete",
        "collection_delete.COLLECTION_DELETE",
    ),
    Later(
        "collection.list",
        "/api/core/dataset/collection/list",
        "collection_lists.COLLECTION_LIST",
    ),
    Later(
        "scrollList",
        "/api/core/dataset/collection/scrollList",
        "collection_lists.SCROLL_LIST",
    ),
    Later(
        "collection.paths",
        "/api/core/dataset/collection/paths",
        "collection_views.COLLECTION_PATHS",
    ),
    Later(
        "trainingDetail",
        "/api/core/dataset/collection/trainingDetail",
        "collection_views.TRAINING_DETAIL",
    ),
    Later("export", "/api/core/dataset/collection/export", "collection_export.EXPORT"),
)
_DATA = (
    Later("data.v2.list", "/api/core/dataset/data/v2/list", "data_lists.DATA_V2_LIST"),
    Later("data.list", "/api/core/dataset/data/list", "data_lists.DATA_LIST"),
    Later("pushData", "/api/core/dataset/data/pushData", "data_changes.PUSH_DATA"),
    Later(
        "insertData", "/api/core/dataset/data/insertData", "data_changes.INSERT_DATA"
    ),
    Later("data.detail", "/api/core/dataset/data/detail", "data_detail.DATA_DETAIL"),
    Later("data.update", "/api/core/dataset/data/update", "data_changes.DATA_UPDATE"),
    Later("data.delete", "/api/core/dataset/data/delete", "data_changes.DATA_DELETE"),
    Later("searchTest", "/api/core/dataset/searchTest", "search_test.SEARCH_TEST"),
)
_ACCOUNT = (
    Later("preLogin", "/api/support/user/account/preLogin", "account.PRE_LOGIN"),
    Later(
        "loginByPassword",
        "/api/support/user/account/loginByPassword",
        "account.LOGIN_BY_PASSWORD",
    ),
    Later("tokenLogin", "/api/support/user/account/tokenLogin", "account.TOKEN_LOGIN"),
    Later("getInitData", "/api/common/system/getInitData", "account.GET_INIT_DATA"),
    Later(
        "getTeamPlanStatus",
        "/api/support/user/team/plan/getTeamPlanStatus",
        "account.GET_TEAM_PLAN_STATUS",
    ),
)

DOCUMENTED = (UPDATE_HISTORY, LIST_V2)
NEIGHBOURS = (*_CHATS, *_DATASETS, *_COLLECTIONS, *_DATA, *_ACCOUNT)
OPERATIONS = Operations((*DOCUMENTED, *NEIGHBOURS))
