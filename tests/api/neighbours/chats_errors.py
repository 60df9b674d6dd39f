"""What is refused of routes about chats: rows of the table of errors."""

from typing import Any

from tests.api.neighbours.world import (
    APP,
    OUTSIDER,
    READER,
    UNKNOWN,
    WRITER,
    ErrorCase,
)

_CHAT = "/api/core/chat"
_LIST = ("getHistories", "POST", f"{_CHAT}/history/getHistories")
_DELETE = ("delHistory", "DELETE", f"{_CHAT}/history/delHistory")
_CLEAR = ("clearHistories", "DELETE", f"{_CHAT}/history/clearHistories")
_BATCH = ("batchDelete", "POST", f"{_CHAT}/history/batchDelete")
_STATUS = ("getHistoryStatus", "POST", f"{_CHAT}/history/getHistoryStatus")
_READ = ("markRead", "POST", f"{_CHAT}/history/markRead")
_INIT = ("init", "GET", f"{_CHAT}/init")
_RECORDS = ("getPaginationRecords", "POST", f"{_CHAT}/record/getPaginationRecords")
_RECORDS_V2 = ("getRecords_v2", "POST", f"{_CHAT}/record/getRecords_v2")
_COMPLETE = ("completions", "POST", "/api/v1/chat/completions")

_ONE: dict[str, Any] = {"appId": APP, "chatId": "one"}
_NOWHERE = _ONE | {"appId": UNKNOWN}
_BOTH: dict[str, Any] = {"appId": APP, "chatIds": ["one", "two"]}
_ASKED: dict[str, Any] = {
    "appId": APP,
    "messages": [{"role": "user", "content": "Hello"}],
}
_BAD = (400, 400, "error")
_NO_APP = (500, 502000, "appUnExist")
_FORBIDDEN = (500, 502001, "unAuthApp")
_PARAMS = (500, 507004, "missingParams")

CASES = (
    ErrorCase(*_LIST, {}, 500, 504000, "unAuthChat"),
    ErrorCase(*_LIST, {"appId": ""}, *_BAD),
    ErrorCase(*_LIST, {"appId": UNKNOWN}, *_NO_APP),
    ErrorCase(*_LIST, {"appId": APP}, *_FORBIDDEN, OUTSIDER),
    ErrorCase(*_LIST, {"appId": APP, "pageSize": 0}, *_PARAMS),
    ErrorCase(*_LIST, {"appId": APP, "pageSize": "x"}, *_BAD),
    ErrorCase(*_LIST, {"appId": UNKNOWN, "pageSize": "x"}, *_BAD),
    ErrorCase(*_LIST, {"appId": UNKNOWN, "pageSize": 0}, *_PARAMS),
    ErrorCase(*_LIST, {"appId": APP, "startUpdateTime": "yesterday"}, *_BAD),
    ErrorCase(*_LIST, {"appId": APP, "endUpdateTime": "tomorrow"}, *_BAD),
    ErrorCase(*_DELETE, {"appId": APP}, *_BAD),
    ErrorCase(*_DELETE, {"appId": UNKNOWN, "chatId": "x"}, *_NO_APP),
    ErrorCase(*_DELETE, _ONE, *_FORBIDDEN, OUTSIDER),
    ErrorCase(*_CLEAR, {}, *_BAD),
    ErrorCase(*_CLEAR, {"appId": UNKNOWN}, *_NO_APP),
    ErrorCase(*_CLEAR, {"appId": APP}, *_FORBIDDEN, OUTSIDER),
    ErrorCase(*_BATCH, {"appId": APP, "chatIds": []}, *_BAD),
    ErrorCase(*_BATCH, _BOTH | {"appId": UNKNOWN}, *_NO_APP),
    ErrorCase(*_BATCH, _BOTH, *_FORBIDDEN, WRITER),
    ErrorCase(*_STATUS, {"appId": APP, "chatIds": ["x"] * 201}, *_BAD),
    ErrorCase(*_STATUS, _BOTH | {"appId": UNKNOWN}, *_NO_APP),
    ErrorCase(*_STATUS, _BOTH, *_FORBIDDEN, OUTSIDER),
    ErrorCase(*_READ, {"appId": APP}, *_BAD),
    ErrorCase(*_READ, _NOWHERE, *_NO_APP),
    ErrorCase(*_READ, _ONE | {"chatId": "none"}, 500, 504000, "unAuthChat"),
    ErrorCase(*_READ, _ONE, *_FORBIDDEN, READER),
    ErrorCase(*_INIT, {"appId": APP}, *_BAD),
    ErrorCase(*_INIT, _NOWHERE, *_NO_APP),
    ErrorCase(*_INIT, _ONE, *_FORBIDDEN, OUTSIDER),
    ErrorCase(*_RECORDS, {"chatId": "one"}, *_BAD),
    ErrorCase(*_RECORDS, _ONE | {"pageSize": 0}, *_PARAMS),
    ErrorCase(*_RECORDS, _NOWHERE, *_NO_APP),
    ErrorCase(*_RECORDS, _NOWHERE | {"pageSize": 0}, *_PARAMS),
    ErrorCase(*_RECORDS, _ONE, *_FORBIDDEN, OUTSIDER),
    ErrorCase(*_RECORDS_V2, _ONE | {"pageSize": 0}, *_BAD),
    ErrorCase(*_RECORDS_V2, _ONE | {"initialId": "none"}, 500, 500, "error"),
    ErrorCase(*_RECORDS_V2, _ONE | {"prevId": "none"}, 500, 500, "error"),
    ErrorCase(*_RECORDS_V2, _ONE | {"nextId": "none"}, 500, 500, "error"),
    ErrorCase(*_RECORDS_V2, _NOWHERE, *_NO_APP),
    ErrorCase(*_RECORDS_V2, _ONE, *_FORBIDDEN, OUTSIDER),
    ErrorCase(*_COMPLETE, {}, *_BAD),
    ErrorCase(*_COMPLETE, {"messages": []}, *_BAD),
    ErrorCase(*_COMPLETE, {"messages": ["x"]}, *_BAD),
    ErrorCase(*_COMPLETE, {"messages": [{"role": "system"}]}, *_BAD),
    ErrorCase(*_COMPLETE, {"messages": [{"role": "user", "content": 1}]}, *_BAD),
    ErrorCase(*_COMPLETE, _ASKED | {"chatId": ".."}, *_BAD),
    ErrorCase(*_COMPLETE, _ASKED | {"stream": "yes"}, *_BAD),
    ErrorCase(*_COMPLETE, _ASKED | {"appId": UNKNOWN}, *_NO_APP),
    ErrorCase(*_COMPLETE, _ASKED, *_FORBIDDEN, OUTSIDER),
)
