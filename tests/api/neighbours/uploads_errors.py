"""What is refused of routes that make collections: rows of the table of errors."""

from __future__ import annotations

from tests.api.neighbours.world import (
    DATASET,
    ELSEWHERE,
    OUTSIDER,
    READER,
    UNKNOWN,
    ErrorCase,
    made_id,
)

_CREATE = "/api/core/dataset/collection/create"
_TEXT = ("text", "POST", f"{_CREATE}/text")
_LINK = ("link", "POST", f"{_CREATE}/link")
_FILE = ("localFile", "POST", f"{_CREATE}/localFile")
_FILE_ID = ("fileId", "POST", f"{_CREATE}/fileId")
_EXPORT = ("export", "POST", "/api/core/dataset/collection/export")

_BAD = (400, 400, "error")
_NO_DATASET = (500, 501002, "unExistDataset")
_FORBIDDEN = (500, 501004, "unAuthDataset")
_TEXT_FIELDS = {"datasetId": DATASET, "name": "Text", "text": "Some text"}
_LINK_FIELDS = {"datasetId": DATASET, "link": "https://example.com/page"}
_NO_FILE = {"datasetId": DATASET, "fileId": UNKNOWN}

_FOREIGN = (500, 501005, "unAuthDatasetCollection")
_PLACE = {"datasetId": DATASET}
_ONE_FILE = (("POST", f"{_CREATE}/text", _TEXT_FIELDS),)
_SAME_FILE = {"datasetId": DATASET, "fileId": made_id(1)}

CASES = (
    ErrorCase(*_TEXT, {"datasetId": DATASET, "name": "Text"}, *_BAD),
    ErrorCase(*_TEXT, {"datasetId": DATASET, "text": "Text"}, *_BAD),
    ErrorCase(*_TEXT, {**_TEXT_FIELDS, "tags": [5]}, *_BAD),
    ErrorCase(*_TEXT, {**_TEXT_FIELDS, "chunkSize": 0}, *_BAD),
    ErrorCase(*_TEXT, {**_TEXT_FIELDS, "datasetId": UNKNOWN}, *_NO_DATASET),
    ErrorCase(*_TEXT, {**_TEXT_FIELDS, "parentId": UNKNOWN}, *_NO_DATASET),
    ErrorCase(*_TEXT, _TEXT_FIELDS, *_FORBIDDEN, READER),
    ErrorCase(*_LINK, {"datasetId": DATASET}, *_BAD),
    *(
        ErrorCase(*_LINK, {**_LINK_FIELDS, "link": link}, *_BAD)
        for link in (
            "",
            "page",
            "ftp://example.com",
            "https://",
            "https:///page",
            "https://example.com:port/",
            "https://[::1",
            "https://example.com/a b",
            "javascript:alert(1)",
        )
    ),
    ErrorCase(*_LINK, {**_LINK_FIELDS, "datasetId": UNKNOWN}, *_NO_DATASET),
    ErrorCase(*_LINK, _LINK_FIELDS, *_FORBIDDEN, READER),
    ErrorCase(*_TEXT, {**_TEXT_FIELDS, "parentId": ELSEWHERE}, *_FOREIGN),
    ErrorCase(*_LINK, {**_LINK_FIELDS, "parentId": UNKNOWN}, *_NO_DATASET),
    ErrorCase(*_LINK, {**_LINK_FIELDS, "parentId": ELSEWHERE}, *_FOREIGN),
    ErrorCase(*_FILE, {}, 415, 415, "unsupportedMediaType"),
    ErrorCase(*_FILE, _PLACE, 500, 500, "error", file=""),
    ErrorCase(*_FILE, _PLACE, 400, 510000, "InvalidUploadFileType", file="a.exe"),
    ErrorCase(*_FILE, _PLACE, *_BAD, file="%zz.txt"),
    ErrorCase(*_FILE, {}, *_BAD, file="a.txt"),
    ErrorCase(*_FILE, {"datasetId": UNKNOWN}, *_NO_DATASET, file="a.txt"),
    ErrorCase(*_FILE, _PLACE, *_FORBIDDEN, READER, file="a.txt"),
    ErrorCase(*_FILE, {**_PLACE, "parentId": UNKNOWN}, *_NO_DATASET, file="a.txt"),
    ErrorCase(*_FILE, {**_PLACE, "parentId": ELSEWHERE}, *_FOREIGN, file="a.txt"),
    *(
        ErrorCase(*_FILE_ID, _SAME_FILE | fields, *error, first=_ONE_FILE)
        for fields, error in (
            ({"datasetId": UNKNOWN}, _NO_DATASET),
            ({"parentId": UNKNOWN}, _NO_DATASET),
            ({"parentId": ELSEWHERE}, _FOREIGN),
        )
    ),
    ErrorCase(*_FILE_ID, _SAME_FILE, *_FORBIDDEN, READER, first=_ONE_FILE),
    ErrorCase(*_FILE_ID, {"datasetId": DATASET}, *_BAD),
    ErrorCase(*_FILE_ID, _NO_FILE, 404, 507002, "fileNotFound"),
    ErrorCase(*_EXPORT, {}, *_BAD),
    ErrorCase(*_EXPORT, {"collectionId": UNKNOWN}, 500, 501003, "unExistCollection"),
    ErrorCase(*_EXPORT, {"collectionId": "c" * 24}, *_FORBIDDEN, OUTSIDER),
)
