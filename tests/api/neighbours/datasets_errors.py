"""What is refused of routes about datasets: rows of the table of errors."""

from tests.api.neighbours.world import (
    DATASET,
    INSIDE,
    OUTSIDER,
    READER,
    SHELF,
    UNKNOWN,
    WRITER,
    ErrorCase,
    made_id,
)

_PATH = "/api/core/dataset"
_CREATE = ("dataset.create", "POST", f"{_PATH}/create")
_FOLDER = ("folder.create", "POST", f"{_PATH}/folder/create")
_LIST = ("dataset.list", "POST", f"{_PATH}/list")
_DETAIL = ("dataset.detail", "GET", f"{_PATH}/detail")
_UPDATE = ("dataset.update", "PUT", f"{_PATH}/update")
_DELETE = ("dataset.delete", "DELETE", f"{_PATH}/delete")
_PATHS = ("dataset.paths", "GET", f"{_PATH}/paths")

_NEW = {"type": "dataset", "name": "New", "intro": "", "avatar": ""}
_BAD = (400, 400, "error")
_UNKNOWN = (500, 501002, "unExistDataset")
_FORBIDDEN = (500, 501004, "unAuthDataset")
_TEAM = (500, 500003, "unAuthTeam")
_LOGIN = (403, 403, "unAuthorization")

_CYCLE = (500, 507000, "invalidParams")
_DEEP = (500, 507006, "folderDepthLimit")
_INNERMOST = {"name": "N", "intro": "", "parentId": made_id(4)}
_FOUR = tuple(
    ("POST", f"{_PATH}/folder/create", {"name": "N", "intro": "", "parentId": parent})
    for parent in (None, made_id(1), made_id(2), made_id(3))
)

CASES = (
    ErrorCase(*_CREATE, {}, *_BAD),
    *(
        ErrorCase(*_CREATE, {k: v for k, v in _NEW.items() if k != name}, *_BAD)
        for name in _NEW
    ),
    ErrorCase(*_CREATE, _NEW | {"type": "shelf"}, *_BAD),
    ErrorCase(*_CREATE, _NEW | {"name": "x" * 1_025}, *_BAD),
    ErrorCase(*_CREATE, _NEW | {"parentId": UNKNOWN}, *_UNKNOWN),
    ErrorCase(*_CREATE, _NEW | {"parentId": DATASET}, *_UNKNOWN),
    ErrorCase(*_CREATE, _NEW, *_TEAM, READER),
    ErrorCase(*_CREATE, _NEW | {"parentId": SHELF}, *_FORBIDDEN, READER),
    ErrorCase(*_FOLDER, {"name": "New"}, *_BAD),
    ErrorCase(*_FOLDER, {"name": "New", "intro": ""}, *_TEAM, READER),
    ErrorCase(*_FOLDER, {"name": "N", "intro": "", "parentId": UNKNOWN}, *_UNKNOWN),
    ErrorCase(
        *_FOLDER, {"name": "N", "intro": "", "parentId": SHELF}, *_FORBIDDEN, READER
    ),
    ErrorCase(*_FOLDER, _INNERMOST, *_DEEP, first=_FOUR),
    ErrorCase(*_CREATE, _NEW | _INNERMOST | {"type": "folder"}, *_DEEP, first=_FOUR),
    ErrorCase(*_LIST, {"type": ["dataset"]}, *_BAD),
    ErrorCase(*_LIST, {"parentId": 5}, *_BAD),
    ErrorCase(*_LIST, {"parentId": UNKNOWN}, *_UNKNOWN),
    ErrorCase(*_LIST, {"parentId": SHELF}, *_FORBIDDEN, OUTSIDER),
    ErrorCase(*_DETAIL, {}, *_BAD),
    ErrorCase(*_DETAIL, {"id": UNKNOWN}, *_UNKNOWN),
    ErrorCase(*_DETAIL, {"id": DATASET}, *_FORBIDDEN, OUTSIDER),
    ErrorCase(*_UPDATE, {"name": "New"}, *_BAD),
    ErrorCase(*_UPDATE, {"id": UNKNOWN, "name": "New"}, *_UNKNOWN),
    ErrorCase(*_UPDATE, {"id": DATASET, "name": "New"}, *_FORBIDDEN, READER),
    ErrorCase(*_UPDATE, {"id": INSIDE, "parentId": SHELF}, *_FORBIDDEN, WRITER),
    ErrorCase(*_UPDATE, {"id": INSIDE, "parentId": UNKNOWN}, *_UNKNOWN),
    ErrorCase(*_UPDATE, {"id": INSIDE, "parentId": INSIDE}, *_UNKNOWN),
    ErrorCase(*_UPDATE, {"id": INSIDE, "parentId": None}, *_LOGIN),
    ErrorCase(*_UPDATE, {"id": DATASET, "parentId": SHELF}, *_LOGIN),
    ErrorCase(*_UPDATE, {"id": SHELF, "parentId": SHELF}, *_CYCLE, has_login=True),
    ErrorCase(*_DELETE, {}, *_BAD),
    ErrorCase(*_DELETE, {"id": UNKNOWN}, *_UNKNOWN),
    ErrorCase(*_DELETE, {"id": DATASET}, *_FORBIDDEN, WRITER),
    ErrorCase(*_PATHS, {"sourceId": DATASET, "type": "current"}, *_LOGIN),
    ErrorCase(*_PATHS, {"sourceId": DATASET}, *_BAD, has_login=True),
    ErrorCase(
        *_PATHS, {"sourceId": UNKNOWN, "type": "parent"}, *_UNKNOWN, has_login=True
    ),
)
