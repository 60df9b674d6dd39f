"""What is refused of routes about collections: rows of the table of errors."""

from tests.api.neighbours.world import (
    DATASET,
    ELSEWHERE,
    FOLDER,
    ITEM,
    OUTSIDER,
    READER,
    UNKNOWN,
    ErrorCase,
)

_PATH = "/api/core/dataset/collection"
_CREATE = ("collection.create", "POST", f"{_PATH}/create")
_DETAIL = ("collection.detail", "GET", f"{_PATH}/detail")
_UPDATE = ("collection.update", "POST", f"{_PATH}/update")
_DELETE = ("collection.delete", "POST", f"{_PATH}/delete")
_QUERY_DELETE = ("collection.delete", "DELETE", f"{_PATH}/delete")
_LIST = ("collection.list", "POST", f"{_PATH}/list")
_SCROLL = ("scrollList", "POST", f"{_PATH}/scrollList")
_PATHS = ("collection.paths", "GET", f"{_PATH}/paths")
_TRAINING = ("trainingDetail", "GET", f"{_PATH}/trainingDetail")

_NEW = {"datasetId": DATASET, "name": "New", "type": "virtual"}
_BAD = (400, 400, "error")
_NO_DATASET = (500, 501002, "unExistDataset")
_UNKNOWN = (500, 501003, "unExistCollection")
_FORBIDDEN = (500, 501004, "unAuthDataset")
_FOREIGN = (500, 501005, "unAuthDatasetCollection")
_CYCLE = (500, 507000, "invalidParams")
_NO_FILE = (404, 507002, "fileNotFound")
_MISSING = (500, 507004, "missingParams")
_LOGIN = (403, 403, "unAuthorization")
_LISTED = {"datasetId": DATASET}

CASES = (
    *(
        ErrorCase(*_CREATE, {k: v for k, v in _NEW.items() if k != name}, *_BAD)
        for name in _NEW
    ),
    ErrorCase(*_CREATE, _NEW | {"type": "link"}, *_BAD),
    ErrorCase(*_CREATE, _NEW | {"name": "x" * 1_025}, *_BAD),
    ErrorCase(*_CREATE, _NEW | {"tags": "red"}, *_BAD),
    ErrorCase(*_CREATE, _NEW | {"datasetId": UNKNOWN}, *_NO_DATASET),
    ErrorCase(*_CREATE, _NEW, *_FORBIDDEN, READER),
    ErrorCase(*_CREATE, _NEW | {"parentId": UNKNOWN}, *_NO_DATASET),
    ErrorCase(*_CREATE, _NEW | {"parentId": ELSEWHERE}, *_FOREIGN),
    ErrorCase(*_DETAIL, {}, *_BAD),
    ErrorCase(*_DETAIL, {"id": UNKNOWN}, *_UNKNOWN),
    ErrorCase(*_DETAIL, {"id": ITEM}, *_FORBIDDEN, OUTSIDER),
    ErrorCase(*_UPDATE, {"name": "New"}, *_MISSING),
    ErrorCase(*_UPDATE, {"datasetId": DATASET, "name": "New"}, *_MISSING),
    ErrorCase(*_UPDATE, {"datasetId": DATASET, "externalFileId": "no"}, *_NO_FILE),
    ErrorCase(*_UPDATE, {"datasetId": UNKNOWN, "externalFileId": "no"}, *_NO_FILE),
    ErrorCase(*_UPDATE, {"id": UNKNOWN, "name": "New"}, *_UNKNOWN),
    ErrorCase(*_UPDATE, {"id": ITEM, "name": "New"}, *_FORBIDDEN, READER),
    ErrorCase(*_UPDATE, {"id": ITEM, "createTime": "soon"}, *_BAD),
    ErrorCase(*_UPDATE, {"id": ITEM, "name": "N", "parentId": UNKNOWN}, *_NO_DATASET),
    ErrorCase(*_UPDATE, {"id": ITEM, "name": "N", "parentId": ELSEWHERE}, *_FOREIGN),
    ErrorCase(*_UPDATE, {"id": ITEM, "name": "N", "parentId": ITEM}, *_CYCLE),
    ErrorCase(*_UPDATE, {"id": FOLDER, "parentId": ITEM}, *_CYCLE),
    ErrorCase(*_DELETE, {}, *_MISSING),
    ErrorCase(*_DELETE, {"collectionIds": []}, 500, 500, "error"),
    ErrorCase(*_DELETE, {"collectionIds": [ITEM, UNKNOWN]}, *_UNKNOWN),
    ErrorCase(*_DELETE, {"collectionIds": [ITEM, 5]}, *_BAD),
    ErrorCase(*_DELETE, {"collectionIds": ["x"] * 1_001}, *_BAD),
    ErrorCase(*_DELETE, {"collectionIds": [ITEM]}, *_FORBIDDEN, READER),
    ErrorCase(*_QUERY_DELETE, {"id": UNKNOWN}, *_UNKNOWN),
    ErrorCase(*_QUERY_DELETE, {"id": ""}, *_MISSING),
    *(
        case
        for row in (_LIST, _SCROLL)
        for case in (
            ErrorCase(*row, {}, *_BAD),
            ErrorCase(*row, {"datasetId": UNKNOWN}, *_NO_DATASET),
            ErrorCase(*row, _LISTED, *_FORBIDDEN, OUTSIDER),
            ErrorCase(*row, _LISTED | {"searchText": "x" * 1_025}, *_BAD),
            ErrorCase(*row, _LISTED | {"filterTags": "red"}, *_BAD),
        )
    ),
    ErrorCase(*_LIST, _LISTED | {"pageSize": 101}, *_BAD),
    ErrorCase(*_LIST, _LISTED | {"pageSize": 0}, *_BAD),
    ErrorCase(*_LIST, _LISTED | {"pageNum": 0}, *_BAD),
    ErrorCase(*_SCROLL, _LISTED | {"pageSize": 0}, *_MISSING),
    ErrorCase(*_PATHS, {"sourceId": ITEM}, *_LOGIN),
    ErrorCase(*_PATHS, {"sourceId": UNKNOWN}, *_UNKNOWN, has_login=True),
    ErrorCase(*_TRAINING, {}, *_BAD),
    ErrorCase(*_TRAINING, {"collectionId": UNKNOWN}, *_UNKNOWN),
    ErrorCase(*_TRAINING, {"collectionId": ITEM}, *_FORBIDDEN, OUTSIDER),
)
