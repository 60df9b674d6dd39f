"""A good request of each related route, and the response to each worse one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from msgspec.structs import fields as fields_of

from mock_server.api.operations.operation import (
    ANY_TYPE,
    DEMO_APP,
    DEMO_CHAT,
    DEMO_COLLECTION,
    DEMO_DATASET,
    DEMO_RECORD,
    DEMO_REFUND,
    Operation,
)
from mock_server.api.operations.related.data import DEMO_ROW
from mock_server.api.operations.related.route import read_body
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.login import digest_of
from mock_server.fixture.dump import to_document
from tests.api.related.world import (
    APP,
    DATASET,
    ELSEWHERE,
    FOLDER,
    INSIDE,
    ITEM,
    OUTSIDER,
    OWNER,
    READER,
    SHELF,
    UNKNOWN,
    WORLD,
    WRITER,
)
from tests.model.base import made_id
from tests.support import Api, message_of

LONG = "x" * 300
FULL: dict[str, Any] = deepcopy(WORLD)
"""The world with a row, a file and a record."""
FULL["datasets"][0]["collections"][1] |= {
    "fileId": "file",
    "data": [{"_id": "row", "q": "One"}, {"_id": "other", "q": "Another"}],
}
FULL["datasets"] += [
    {"id": f"level-{n}", "type": "folder", "parentId": f"level-{n - 1}" if n else SHELF}
    for n in range(3)
]
DEEP = "level-2"
FULL["datasets"] += [
    {"id": "shallow", "type": "folder", "parentId": SHELF},
    {"id": "readers", "permissions": {READER: "manage"}},
]
BOX, BOXED, TOOLS = "b0" * 12, "b1" * 12, "b2" * 12
FULL["apps"] += [
    {"id": BOX, "name": "Box", "type": "folder"},
    {"id": BOXED, "name": "Boxed", "intro": "In the box", "parentId": BOX},
    {"id": TOOLS, "name": "Tools", "type": "toolFolder"},
]
OWN_KEY, APP_KEY = "b3" * 12, "b4" * 12
FULL["apiKeys"] = [
    {"id": OWN_KEY, "name": "Own", "member": "tmb-writer"},
    {"id": "b5" * 12, "name": "The owner's", "member": "tmb-owner"},
    {"id": APP_KEY, "name": "Of the app", "member": "tmb-writer", "appId": APP},
]
USERS = {key: f"user of {key}" for key in (OUTSIDER, READER, WRITER)}
"""Who logs in where a key does not do, with the same permissions."""
FULL["keys"][-1]["member"] = "tmb-outsider"
FULL["users"] += [
    {"username": USERS[each["key"]], "password": "secret", "member": each["member"]}
    for each in FULL["keys"]
    if each["key"] in USERS
]
SHARE, SHARED = "a-share-link-of-the-app", "shared"
FULL["shares"] = [{"shareId": SHARE, "appId": APP, "name": "Website"}]
FULL["apps"][0]["chats"] = [
    *FULL["apps"][0]["chats"],
    {"chatId": SHARED, "shareId": SHARE, "outLinkUid": "ann"},
]
FULL["apps"][0]["chats"][0]["records"] = [
    {"obj": "Human", "text": "Hello"},
    {"dataId": "reply", "obj": "AI", "text": "Yes?"},
]

Fields = dict[str, Any]
_CHAT = {"appId": APP, "chatId": "one"}
_NEW = {"datasetId": DATASET, "name": "New"}
_SAID = {"role": "user", "content": "Hello"}
_LINK = {"datasetId": DATASET, "link": f"http://x/{LONG}"}
_CODE = sha256(b"root 1767225600000").hexdigest()[:6]
_LOGIN = {"username": "root", "password": digest_of("secret"), "code": _CODE}
_LATER = 1_767_229_200_000
_KEY = f"dataset/{DATASET}/hours_{made_id(1)[-6:]}.txt"
_UPLOAD = {"token": f"upload {_LATER} {_KEY}"}
GOOD: dict[str, Fields] = {
    "updateHistory": _CHAT,
    "getHistories": {"appId": APP, "pageSize": 5, "offset": 0},
    "getPaginationRecords": _CHAT | {"pageSize": 5, "offset": 0},
    "getRecords_v2": _CHAT | {"pageSize": 5},
    "completions": {"appId": APP, "messages": [_SAID], "chatId": "one"},
    "v2.completions": {"appId": APP, "messages": [_SAID], "chatId": "one"},
    "getSpeech": {
        "appId": APP,
        "ttsConfig": {"type": "model", "model": "tts-1", "voice": "nova"},
        "input": "Hello",
    },
    "dataset.create": {"type": "dataset", "name": "New", "intro": LONG, "avatar": ""},
    "folder.create": {"name": "New", "intro": LONG, "parentId": SHELF},
    "dataset.list": {"parentId": SHELF},
    "dataset.detail": {"id": INSIDE},
    "dataset.update": {"id": INSIDE, "name": LONG},
    "dataset.delete": {"id": SHELF},
    "dataset.paths": {"sourceId": INSIDE, "type": "current"},
    "collection.create": _NEW | {"type": "virtual"},
    "text": _NEW | {"text": f"{LONG}\n\n{LONG}"},
    "link": _LINK,
    "localFile": {"datasetId": DATASET, "file": "a.txt"},
    "fileId": {"datasetId": DATASET, "fileId": "file"},
    "collection.update": {"id": ITEM, "name": LONG, "parentId": None},
    "collection.list": {"datasetId": DATASET, "pageSize": 5, "pageNum": 1},
    "scrollList": {"datasetId": DATASET, "pageSize": 5, "offset": 0},
    "data.v2.list": {"collectionId": ITEM, "pageSize": 5, "offset": 0},
    "data.list": {"collectionId": ITEM, "pageSize": 5, "offset": 0},
    "pushData": {"collectionId": ITEM, "data": [{"q": "Two"}, {"q": LONG}]},
    "insertData": {"collectionId": ITEM, "q": "Two"},
    "data.update": {"dataId": "row", "q": LONG},
    "searchTest": {"datasetId": DATASET, "text": "One"},
    "file.download": {"token": f"collection {_LATER} {ITEM}"},
    "file.u": _UPLOAD | {"first": "presignDatasetFilePostUrl"},
    "loginByPassword": _LOGIN | {"first": "preLogin"},
    "app.list": {"parentId": BOX, "searchKey": ""},
    "app.create": {"name": "New", "type": "simple", "intro": LONG, "parentId": BOX},
    "app.update": {"appId": BOXED, "name": LONG},
    "app.del": {"appId": BOX},
    "openapi.update": {"_id": OWN_KEY, "name": "Newer"},
    "openapi.delete": {"id": OWN_KEY},
    "openapi.copy": {"id": OWN_KEY},
    "openapi.health": {"apiKey": OWNER},
}
GOOD["outLink.init"] = {
    "chatId": SHARED,
    "outLinkAuthData": json.dumps({"shareId": SHARE, "outLinkUid": "ann"}),
}
_HERE = {
    DEMO_APP: APP,
    DEMO_CHAT: "one",
    DEMO_REFUND: "one",
    DEMO_RECORD: "reply",
    DEMO_DATASET: DATASET,
    DEMO_COLLECTION: ITEM,
    DEMO_ROW: "row",
}


def good(operation: Operation) -> Fields:
    """A good request: what stands above, or else the row's example, in this world."""
    if operation.name in GOOD:
        return GOOD[operation.name]
    (example,) = operation.examples
    text = json.dumps(dict(example.fields))
    for demo, here in _HERE.items():
        text = text.replace(json.dumps(demo), json.dumps(here))
    return dict(json.loads(text))


_LINKS = (
    "page",
    "ftp://x",
    "https://",
    "https:///x",
    "https://x:port/",
    "https://[::1",
)
_NO_LINKS = (*_LINKS, "https://example.com/a b", "javascript:alert(1)")
_NO_DATA: list[list[Fields]] = [
    [{"q": "a"}] * 201,
    [{"q": "a"}, {"q": 5}],
    [{"q": "a", "indexes": [{}]}],
    [{"q": "a", "chunkIndex": -1}],
]
_BATCH = {"method": "POST", "id": ...}
_UNNAMED = {"id": ..., "datasetId": DATASET}
_LISTS: list[Fields] = [
    {"searchText": "x" * 1_025},
    {"filterTags": "red"},
    {"pageSize": 101},
]
_OTHER_TOKENS = (
    *(f"upload {_LATER}", "collection 1", f"file {_LATER}", f"other {_LATER}"),
)
MORE: list[tuple[str, Fields]] = [
    ("updateHistory", {"top": True}),
    ("updateHistory", {"title": LONG}),
    ("completions", {"chatId": "new"}),
    ("collection.update", {"id": FOLDER, "name": ..., "parentId": ..., "forbid": True}),
    ("collection.delete", {"method": "POST", "id": ..., "collectionIds": [FOLDER]}),
]
"""Other good requests, which change other things."""
OTHER: dict[str, list[Fields]] = {
    "getHistories": [{"startUpdateTime": "yesterday"}, {"endUpdateTime": "tomorrow"}],
    "batchDelete": [{"chatIds": []}, {"chatIds": ["x"]}],
    "getHistoryStatus": [{"chatIds": ["x"] * 201}, {"chatIds": ["x"]}],
    "markRead": [{"chatId": "none"}],
    "getRecords_v2": [{f"{it}Id": "none"} for it in ("initial", "prev", "next")],
    "completions": [
        *({"messages": it} for it in (None, [], ["x"], [{"role": "system"}])),
        {"messages": [{"role": "user", "content": 1}]},
        *({"chatId": ".."}, {"stream": "yes"}),
    ],
    "dataset.create": [
        *({"type": "shelf"}, {"name": "x" * 1_025}, {"parentId": DATASET}),
        {"parentId": SHELF, "as": READER},
        {"parentId": DEEP, "type": "folder"},
    ],
    "folder.create": [{"parentId": ..., "as": READER}, {"parentId": DEEP}],
    "dataset.list": [{"type": ["dataset"]}],
    "dataset.detail": [{"id": DATASET, "as": OUTSIDER}],
    "dataset.update": [
        {"id": DATASET, "as": READER},
        {"parentId": SHELF, "as": WRITER},
        *({"parentId": INSIDE}, {"parentId": None}, {"id": SHELF, "parentId": SHELF}),
        {"id": DATASET, "parentId": SHELF},
        *({"parentId": None, "login": it} for it in (READER, WRITER)),
        {"parentId": None, "login": OWNER},
        {"id": DATASET, "parentId": SHELF, "login": OWNER},
        {"id": SHELF, "parentId": "level-0", "login": OWNER},
        {"id": "level-0", "parentId": "level-1"},
        {"id": "shallow", "parentId": DEEP},
        {"id": "readers", "parentId": None, "login": READER},
    ],
    "dataset.delete": [{"id": DATASET, "as": WRITER}],
    "collection.create": [{"type": "link"}, {"name": "x" * 1_025}, {"tags": "red"}],
    "collection.update": [
        _UNNAMED,
        _UNNAMED | {"externalFileId": "no"},
        _UNNAMED | {"externalFileId": "no", "datasetId": UNKNOWN},
        *({"createTime": "soon"}, {"forbid": "no"}),
        *({"parentId": ITEM}, {"id": FOLDER, "parentId": ITEM}),
    ],
    "collection.delete": [
        _BATCH | {"collectionIds": ids} for ids in ([], [ITEM, UNKNOWN], [ITEM, 5])
    ]
    + [
        _BATCH | {"collectionIds": ["x"] * 1_001},
        _BATCH | {"collectionIds": [ITEM, ELSEWHERE], "as": READER},
        _BATCH | {"collectionIds": [ITEM, UNKNOWN], "as": READER},
        _BATCH | {"collectionIds": [UNKNOWN, ITEM], "as": READER},
    ],
    "collection.list": _LISTS,
    "scrollList": _LISTS,
    "export": [{"first": "export"}],
    "text": [{"tags": [5]}, {"chunkSize": 0}],
    "link": [{"link": it} for it in _NO_LINKS],
    "localFile": [{"file": "a.exe"}, {"file": "%zz.txt"}],
    "data.v2.list": [{"searchText": 5}],
    "data.list": [{"searchText": 5}],
    "pushData": [{"data": it} for it in _NO_DATA],
    "insertData": [{"indexes": ["b"]}, {"q": "One"}],
    "searchTest": [{"limit": 20_001}, {"searchMode": "x"}],
    "presignDatasetFilePostUrl": [{"size": 0}, {"size": 16 * 1024 * 1024 + 1}],
    "file.download": [{"token": f"{it} {ITEM}"} for it in _OTHER_TOKENS],
    "file.u": [
        {"name": "hours.exe", "token": f"upload {_LATER} {_KEY.replace('txt', 'exe')}"},
        {"token": f"upload {_LATER} dataset/none.txt"},
        {"token": f"collection {_LATER} {ITEM}"},
    ],
    "loginByPassword": [
        *({"password": it} for it in (1, "0" * 64, "x" * 101)),
        *({"code": "abcdef"}, {"code": "x" * 101}, {"bd_vid": ""}),
    ],
    "v2.createQuestionGuide": [{"questionGuide": it} for it in (True, 5)],
    "app.list": [
        *({"type": it} for it in ("folder", ["folder", "unknown"], "unknown", 5)),
        *({"parentId": APP}, {"searchKey": "in the BOX"}),
    ],
    "app.create": [
        *({"type": "shelf"}, {"name": "x" * 1_025}, {"parentId": APP}),
        *({"parentId": BOX, "type": "plugin"}, {"parentId": TOOLS}),
        {"parentId": TOOLS, "type": "plugin"},
        *({"parentId": ..., "as": it} for it in (READER, WRITER)),
    ],
    "app.update": [
        *({"appId": APP, "login": it} for it in (READER, WRITER)),
        *({"parentId": it, "login": OWNER} for it in (None, APP, TOOLS, BOXED)),
        {"parentId": None, "login": WRITER},
        {"appId": BOX, "parentId": BOX},
        {"appId": BOX, "type": "simple"},
        {"type": "plugin"},
        {"name": "", "intro": ""},
    ],
    "openapi.create": [
        *({"name": it} for it in ("x" * 51, 5)),
        *({"limit": it} for it in (5, {"maxUsagePoints": "x"})),
        {"limit": {"expiredTime": "soon"}},
        {"limit": {"expiredTime": "2026-02-01T00:00:00Z", "maxUsagePoints": 1.5}},
        *({"authProxy": True, "login": it} for it in (OWNER, WRITER)),
    ],
    "openapi.list": [{"sortBy": it} for it in ("remainingPoints", "name")],
    "openapi.update": [
        *({"_id": APP_KEY, "login": it} for it in (READER, WRITER)),
        {"authProxy": True, "login": WRITER},
    ],
    "outLink.init": [{"chatId": "one"}, {"outLinkAuthData": "{}"}],
    "getSpeech": [
        *(
            {"ttsConfig": it}
            for it in (
                {},
                {"type": "web"},
                {"type": "web", "model": "m"},
                {"type": "web", "model": "m", "voice": "x"},
            )
        ),
        {"appId": UNKNOWN, "ttsConfig": {"type": "model", "model": "m", "voice": "x"}},
    ],
    "openapi.delete": [{"id": APP_KEY, "login": it} for it in (OWNER, WRITER)],
    "openapi.health": [{"apiKey": it} for it in ("another", "fastgpt-sbx-" + "0" * 56)],
    "app.del": [{"appId": BOXED}, {"appId": APP, "login": WRITER}],
}
"""What is no plain mistake: changes of good fields. `...` leaves one out."""


def changes(operation: Operation) -> Iterator[Fields]:
    """What is tried: mistakes of each field and of the caller, and what is other."""
    fine, has_body = good(operation), operation.method in ("POST", "PUT")
    yield dict.fromkeys(fine, ...)
    for name in fine:
        yield {name: ...}
        if name == "first":
            continue
        yield {name: ""}
        if has_body:
            yield {name: {"no": "type"}}
    for each in fields_of(operation.contract.fields):
        name = each.encode_name
        if name in ("id", "_id") or name.endswith(("Id", "ID")):
            yield {name: UNKNOWN}
        if name == "parentId":
            yield from ({name: ELSEWHERE}, {name: UNKNOWN, "as": READER})
            yield {name: ELSEWHERE, "as": READER}
        if name in ("pageSize", "pageNum", "offset"):
            yield from ({name: value} for value in (-1, 0, 10_000, "x"))
    for who in (OUTSIDER, READER, WRITER, "nobody"):
        yield {"as": who}
    if operation.access == "visitor":
        yield from ({"share": each} for each in (SHARE, "another"))
        if "chatId" in fine:
            yield {"share": SHARE, "chatId": SHARED}
    yield from OTHER.get(operation.name, ())


def send(api: Api, operation: Operation, change: Fields | None = None) -> Any:
    """Send the good request of an operation, with a change; gives the response."""
    fields = good(operation) | (change or {})
    fields = {name: value for name, value in fields.items() if value is not ...}
    method, key = fields.pop("method", operation.method), fields.pop("as", OWNER)
    login = fields.pop("login", key if operation.access == "login" else "nobody")
    if "first" in fields:
        name = {"filename": fields.pop("name")} if "name" in fields else {}
        send(api, OPERATIONS[fields.pop("first")], name)
    path = operation.path
    if operation.access == "address":
        token = str(fields.pop("token", ""))
        # One without a blank is sent as it is.
        token = api.sandbox.tokens.seal(token) if " " in token else token
        path = path.replace("{token}", quote(token))
    headers = {"Authorization": f"Bearer {key}"}
    if "share" in fields:
        fields, headers = _by_link(operation, fields), {}
    if login != "nobody":
        headers = {"token": api.sandbox.tokens.login_token(USERS.get(login, "root"))}
    file = fields.get("file", "")
    if operation.media_type == ANY_TYPE:
        sent: Fields = {"content": b"Some text"}
    elif operation.media_type != "application/json" and isinstance(file, str):
        fields.pop("file", None)
        parts: Fields = {"data": (None, json.dumps(fields))}
        parts |= {"file": (file, "Some text")} if file else {}
        sent = {"files": parts}
    else:
        is_short = (
            method in ("GET", "DELETE") and operation.read_fields is not read_body
        )
        sent = {"params" if is_short else "json": fields}
    return api.client.request(method, path, headers=headers, **sent)


def _by_link(operation: Operation, fields: Fields) -> Fields:
    """The fields as a visitor sends them, who names a link instead of the app."""
    named = {"shareId": fields.pop("share"), "outLinkUid": "ann"}
    if "4.16" not in operation.versions:
        return fields | named
    fields.pop("appId", None)
    in_query = operation.method in ("GET", "DELETE")
    return fields | {"outLinkAuthData": json.dumps(named) if in_query else named}


def told(api: Api, operation: Operation) -> Iterator[str]:
    """A line for each change: the answer. What is refused has changed nothing."""
    before, number = to_document(api.sandbox.store), 0
    for line, change in {written(each): each for each in changes(operation)}.items():
        answer = send(api, operation, change)
        said, entry = str(answer.status_code), api.journal(since=number)[-1]
        number = 0 if answer.status_code == 200 else entry["seq"]
        assert entry["operation"] == operation.name, change
        if answer.status_code == 200:
            said += f" ({entry['hint']})" if entry["hint"] else ""
            api.sandbox.reset()
        else:
            assert to_document(api.sandbox.store) == before, change
            refused = answer.json()
            assert refused["data"] is None, change
            said += " {code} {statusText}: ".format_map(refused) + message_of(refused)
        yield f"{operation.name} {line} -> {said}"


def written(change: Fields) -> str:
    """A change in a line; what repeats itself is cut."""
    text = json.dumps(change, default=lambda _: "...", ensure_ascii=False)
    return re.sub(r"(.{1,16}?)\1{19,}", r"\1~", text)
