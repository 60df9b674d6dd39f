"""A good request of each related route, and the response to each worse one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
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
from mock_server.fixture.dump import to_json
from tests.api.related import world
from tests.api.related.world import (
    APP,
    DATASET,
    ELSEWHERE,
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
from tests.said import expanded
from tests.support import Api, message_of

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
_NAMES = {
    **{name: each for name, each in vars(world).items() if isinstance(each, str)},
    **{"BOX": BOX, "BOXED": BOXED, "TOOLS": TOOLS, "DEEP": DEEP},
    **{"OWN_KEY": OWN_KEY, "APP_KEY": APP_KEY, "SHARE": SHARE, "SHARED": SHARED},
    "CODE": sha256(b"root 1767225600000").hexdigest()[:6],
    "DIGEST": digest_of("secret"),
    "LATER": "1767229200000",
    "KEY": f"dataset/{DATASET}/hours_{made_id(1)[-6:]}",
}
"""What names in the text stand for."""


def _left_out(fields: Fields) -> Fields:
    return {name: ... if each == "..." else each for name, each in fields.items()}


def _requests() -> Iterator[tuple[str, str, Fields]]:
    """Each line of the text: the operation, the kind of line, and its fields."""
    text = Path(__file__).with_name("requests.txt").read_text(encoding="utf-8")
    for part in expanded(text, _NAMES).split("\n\n")[1:]:
        name, *lines = part.splitlines()
        name, _, fields = name.partition(" ")
        if fields:
            yield name, "good", json.loads(fields)
        for kind, _, change in (line.partition(" ") for line in lines):
            yield name, kind, json.loads(change, object_hook=_left_out)


GOOD = {name: fields for name, kind, fields in _requests() if kind == "good"}
MORE = [(name, fields) for name, kind, fields in _requests() if kind == "also"]
"""Other good requests, which change other things."""
OTHER = [(name, fields) for name, kind, fields in _requests() if kind == "other"]
"""What is no plain mistake: changes of good fields. `...` leaves one out."""
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
    yield from (fields for name, fields in OTHER if name == operation.name)


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
    before, number = b"".join(to_json(api.sandbox.store)), 0
    for line, change in {written(each): each for each in changes(operation)}.items():
        answer = send(api, operation, change)
        said, entry = str(answer.status_code), api.journal(since=number)[-1]
        number = 0 if answer.status_code == 200 else entry["seq"]
        assert entry["operation"] == operation.name, change
        if answer.status_code == 200:
            said += f" ({entry['hint']})" if entry["hint"] else ""
            api.sandbox.reset()
        else:
            assert b"".join(to_json(api.sandbox.store)) == before, change
            refused = answer.json()
            assert refused["data"] is None, change
            said += " {code} {statusText}: ".format_map(refused) + message_of(refused)
        yield f"{operation.name} {line} -> {said}"


def written(change: Fields) -> str:
    """A change in a line; what repeats itself is cut."""
    text = json.dumps(change, default=lambda _: "...", ensure_ascii=False)
    return re.sub(r"(.{1,16}?)\1{19,}", r"\1~", text)
