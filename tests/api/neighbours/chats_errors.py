"""What is refused of routes about chats: rows of the table of errors."""

from tests.api.neighbours.world import APP, OUTSIDER, UNKNOWN, ErrorCase

_LIST = ("getHistories", "POST", "/api/core/chat/history/getHistories")
_DELETE = ("delHistory", "DELETE", "/api/core/chat/history/delHistory")

CASES = (
    ErrorCase(*_LIST, {}, 400, 400, "error"),
    ErrorCase(*_LIST, {"appId": UNKNOWN}, 500, 502000, "appUnExist"),
    ErrorCase(*_LIST, {"appId": APP}, 500, 502001, "unAuthApp", OUTSIDER),
    ErrorCase(*_LIST, {"appId": APP, "pageSize": 0}, 500, 507004, "missingParams"),
    ErrorCase(*_LIST, {"appId": APP, "pageSize": "x"}, 400, 400, "error"),
    ErrorCase(*_DELETE, {"appId": APP}, 400, 400, "error"),
    ErrorCase(*_DELETE, {"appId": UNKNOWN, "chatId": "x"}, 500, 502000, "appUnExist"),
)
