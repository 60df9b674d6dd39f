"""What is refused of routes about data: rows of the table of errors."""

from __future__ import annotations

from typing import Any

from tests.api.neighbours.world import (
    DATASET,
    ITEM,
    OUTSIDER,
    READER,
    UNKNOWN,
    ErrorCase,
    made_id,
)

_DATA = "/api/core/dataset/data"
_V2 = ("data.v2.list", "POST", f"{_DATA}/v2/list")
_LIST = ("data.list", "POST", f"{_DATA}/list")
_PUSH = ("pushData", "POST", f"{_DATA}/pushData")
_INSERT = ("insertData", "POST", f"{_DATA}/insertData")
_DETAIL = ("data.detail", "GET", f"{_DATA}/detail")
_UPDATE = ("data.update", "PUT", f"{_DATA}/update")
_DELETE = ("data.delete", "DELETE", f"{_DATA}/delete")
_SEARCH = ("searchTest", "POST", "/api/core/dataset/searchTest")

_BAD = (400, 400, "error")
_NO_ROW = (500, 500, "error")
_NO_COLLECTION = (500, 501003, "unExistCollection")
_NO_DATASET = (500, 501002, "unExistDataset")
_FORBIDDEN = (500, 501004, "unAuthDataset")


def _of(fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"collectionId": ITEM, **fields, **more}


_ROW = made_id(1)
_ONE_ROW = (("POST", f"{_DATA}/insertData", _of({"q": "a"})),)

CASES = (
    *(
        case
        for each in (_V2, _LIST)
        for case in (
            ErrorCase(*each, {}, *_BAD),
            ErrorCase(*each, {"collectionId": UNKNOWN}, *_NO_COLLECTION),
            ErrorCase(*each, {"collectionId": ITEM}, *_FORBIDDEN, OUTSIDER),
            ErrorCase(*each, _of({"pageSize": 0}), 500, 507004, "missingParams"),
            ErrorCase(*each, _of({"pageSize": 5, "offset": -1}), *_BAD),
            ErrorCase(*each, _of({"searchText": 5}), *_BAD),
        )
    ),
    ErrorCase(*_PUSH, {"collectionId": ITEM}, *_BAD),
    ErrorCase(*_PUSH, _of({"data": [{"q": "a"}] * 201}), *_BAD),
    ErrorCase(*_PUSH, _of({"data": [{"q": "a"}, {"q": 5}]}), *_BAD),
    ErrorCase(*_PUSH, _of({"data": [{"q": "a", "indexes": [{}]}]}), *_BAD),
    ErrorCase(*_PUSH, _of({"data": [{"q": "a", "chunkIndex": -1}]}), *_BAD),
    ErrorCase(*_PUSH, {"collectionId": UNKNOWN, "data": [{"q": "a"}]}, *_NO_COLLECTION),
    ErrorCase(*_PUSH, _of({"data": [{"q": "a"}]}), *_FORBIDDEN, READER),
    ErrorCase(*_INSERT, {"q": "a"}, *_BAD),
    ErrorCase(*_INSERT, _of({}), *_BAD),
    ErrorCase(*_INSERT, _of({"q": ""}), *_BAD),
    ErrorCase(*_INSERT, _of({"q": "a", "indexes": ["b"]}), *_BAD),
    ErrorCase(*_INSERT, {"collectionId": UNKNOWN, "q": "a"}, *_NO_COLLECTION),
    ErrorCase(*_INSERT, _of({"q": "a"}), *_FORBIDDEN, READER),
    ErrorCase(*_INSERT, _of({"q": "a"}), 500, 500, "error", first=_ONE_ROW),
    ErrorCase(*_DETAIL, {"id": _ROW}, *_FORBIDDEN, OUTSIDER, first=_ONE_ROW),
    ErrorCase(
        *_UPDATE, {"dataId": _ROW, "q": "b"}, *_FORBIDDEN, READER, first=_ONE_ROW
    ),
    ErrorCase(*_DELETE, {"id": _ROW}, *_FORBIDDEN, READER, first=_ONE_ROW),
    ErrorCase(*_DETAIL, {}, *_BAD),
    ErrorCase(*_DETAIL, {"id": UNKNOWN}, *_NO_ROW),
    ErrorCase(*_UPDATE, {"dataId": UNKNOWN}, *_BAD),
    ErrorCase(*_UPDATE, {"dataId": UNKNOWN, "q": ""}, *_BAD),
    ErrorCase(*_UPDATE, {"q": "a"}, *_BAD),
    ErrorCase(*_UPDATE, {"dataId": UNKNOWN, "q": "a"}, *_NO_ROW),
    ErrorCase(*_DELETE, {}, *_BAD),
    ErrorCase(*_DELETE, {"id": UNKNOWN}, *_NO_ROW),
    ErrorCase(*_SEARCH, {"text": "a"}, *_BAD),
    ErrorCase(*_SEARCH, {"datasetId": DATASET, "text": ""}, *_BAD),
    ErrorCase(*_SEARCH, {"datasetId": DATASET}, *_BAD),
    ErrorCase(*_SEARCH, {"datasetId": DATASET, "text": "a", "limit": 20001}, *_BAD),
    ErrorCase(*_SEARCH, {"datasetId": DATASET, "text": "a", "searchMode": "x"}, *_BAD),
    ErrorCase(*_SEARCH, {"datasetId": UNKNOWN, "text": "a"}, *_NO_DATASET),
    ErrorCase(*_SEARCH, {"datasetId": DATASET, "text": "a"}, *_FORBIDDEN, OUTSIDER),
)
