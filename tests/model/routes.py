"""The routes of related routes: where they are, who may call, what their fields are.

Left out are those that tell secrets of the server, which no model can know: API keys
that logins create, and addresses of files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.model.checks import (
    Field,
    anything,
    at_least,
    flag,
    index,
    many,
    mapping,
    nullable,
    number,
    number_or_flag,
    one_of,
    paging_number,
    some_text,
    text,
    text_or,
    whole,
    with_fields,
)


@dataclass(frozen=True)
class Route:
    """A route: the method of the model that serves it, and its fields.

    `former` are those that it has in version 4.14; `since` and `until` are the first
    and the last version that have it. `access` says who may call: the holder of a key
    (or a login), a login, or anyone. One that `is_checked` was so in version 4.14 too;
    one that `is_strict` refuses unknown fields since.
    """

    name: str
    operation: str
    methods: tuple[str, ...]
    fields: Mapping[str, Field]
    former: Mapping[str, Field] | None = None
    since: str = "4.14"
    until: str = "4.16"
    access: str = "caller"
    is_bare: bool = False
    is_checked: bool = False
    is_strict: bool = False
    is_open: bool = False

    @property
    def traits(self) -> set[str]:
        """What faults may have a meaning for it."""
        return {
            trait
            for trait, names in (("write", WRITES), ("page", PAGES), ("total", TOTALS))
            if self.operation in names
        }


WRITES = {"updateHistory", "delHistory", "clearHistories", "batchDelete", "markRead"}
WRITES |= {"completions", "dataset.create", "folder.create", "dataset.update"}
WRITES |= {"dataset.delete", "collection.create", "text", "link", "fileId"}
WRITES |= {"collection.update", "collection.delete", "pushData", "insertData"}
WRITES |= {"data.update", "data.delete"}
WRITES |= {"updateUserFeedback", "record.delete", "item.delete"}
TOTALS = {"listV2", "getHistories", "getPaginationRecords", "getRecords_v2"}
TOTALS |= {"collection.list", "scrollList", "data.v2.list", "data.list"}
PAGES = TOTALS | {"dataset.list", "searchTest"}

NEEDED_ID = Field(some_text, is_required=True)
MAYBE_ID = Field(nullable(some_text))
PARENT = Field(nullable(text))
ANY = Field(lambda _: True)
TEXT, NEEDED_TEXT = Field(text), Field(text, is_required=True)
FLAG, MAYBE_FLAG, TAGS = Field(flag), Field(nullable(flag)), Field(many(text))
MAYBE_TEXT = Field(nullable(text))
PAGING = dict.fromkeys(("offset", "pageNum", "pageSize"), Field(paging_number))
INDEXES = Field(many(index))
SEARCH = {
    "datasetId": NEEDED_ID,
    "limit": Field(number),
    "searchMode": Field(one_of("embedding", "fullTextRecall", "mixedRecall")),
    "usingReRank": FLAG,
}
NEW = {"name": NEEDED_TEXT, "intro": NEEDED_TEXT, "parentId": PARENT}
KINDS = ("folder", "dataset", "websiteDataset", "externalFile", "apiDataset")
PLACES = ("test", "online", "share", "api", "mcp", "feishu", "wecom", "wechat")
COLLECTION_TYPES = ("folder", "virtual", "file", "link", "externalFile", "apiFile")
KIND = one_of(*KINDS, "feishu", "yuque")
NEWER_KIND = one_of(*KINDS, "feishu", "yuque", "dingtalk")
IDS = Field(many(some_text, 1), is_required=True)
APP = {"appId": NEEDED_ID}
CHAT = APP | {"chatId": NEEDED_ID}
FILTER = {
    "datasetId": NEEDED_TEXT,
    "parentId": PARENT,
    "searchText": TEXT,
    "selectFolder": FLAG,
    "filterTags": TAGS,
}
SOURCE = {"datasetId": NEEDED_TEXT, "parentId": PARENT, "tags": TAGS}
SOURCE |= {"trainingType": Field(one_of("chunk", "qa"))}
ROW = with_fields(q=text, a=text, chunkIndex=whole, indexes=many(index))


def is_guide(value: Any) -> bool:
    return flag(value) or (isinstance(value, dict) and flag(value.get("open")))


SOURCES = "api cronJob feishu mcp official_account online share test wechat wecom"
LIST_DATA = {"collectionId": NEEDED_ID, "searchText": TEXT} | PAGING

_CHAT, _SET = "/api/core/chat/", "/api/core/dataset/"
_ROUTES: dict[str, Route] = {
    f"{_CHAT}history/getHistories": Route(
        "get_histories",
        "getHistories",
        ("POST",),
        {"appId": Field(some_text)}
        | PAGING
        | dict.fromkeys(("startUpdateTime", "endUpdateTime"), TEXT)
        | {"source": Field(one_of(*SOURCES.split()))},
    ),
    f"{_CHAT}history/delHistory": Route(
        "del_history",
        "delHistory",
        ("DELETE",),
        CHAT | {"appId": Field(some_text)},
        former=CHAT,
        is_checked=True,
    ),
    f"{_CHAT}history/clearHistories": Route(
        "clear_histories", "clearHistories", ("DELETE",), APP, is_checked=True
    ),
    f"{_CHAT}history/batchDelete": Route(
        "batch_delete",
        "batchDelete",
        ("POST",),
        APP | {"chatIds": IDS},
        is_checked=True,
    ),
    f"{_CHAT}history/getHistoryStatus": Route(
        "get_history_status",
        "getHistoryStatus",
        ("POST",),
        APP | {"chatIds": IDS},
        since="4.16",
    ),
    f"{_CHAT}history/markRead": Route(
        "mark_read", "markRead", ("POST",), CHAT, since="4.16"
    ),
    f"{_CHAT}feedback/updateUserFeedback": Route(
        "update_user_feedback",
        "updateUserFeedback",
        ("POST",),
        CHAT
        | {"dataId": NEEDED_ID}
        | dict.fromkeys(("userGoodFeedback", "userBadFeedback"), Field(nullable(text))),
        is_checked=True,
    ),
    f"{_CHAT}record/delete": Route(
        "delete_records",
        "record.delete",
        ("DELETE",),
        CHAT
        | {
            "chatId": NEEDED_TEXT,
            "contentId": TEXT,
            "contentIds": Field(text_or(many(text))),
            "delFile": Field(anything, is_idle=True),
        },
        since="4.16",
    ),
    f"{_CHAT}item/delete": Route(
        "delete_item",
        "item.delete",
        ("DELETE",),
        CHAT | {"contentId": NEEDED_ID},
        until="4.14",
    ),
    f"{_CHAT}record/getResData": Route(
        "get_res_data",
        "getResData",
        ("GET",),
        APP | {"dataId": NEEDED_TEXT, "chatId": TEXT},
        former={"appId": Field(some_text), "chatId": TEXT, "dataId": TEXT},
    ),
    "/api/core/ai/agent/v2/createQuestionGuide": Route(
        "question_guide",
        "v2.createQuestionGuide",
        ("POST",),
        CHAT | {"questionGuide": Field(is_guide, is_idle=True)},
    ),
    f"{_CHAT}init": Route("init", "init", ("GET",), CHAT, is_checked=True),
    f"{_CHAT}record/getPaginationRecords": Route(
        "get_pagination_records",
        "getPaginationRecords",
        ("POST",),
        APP | PAGING | {"chatId": TEXT},
    ),
    f"{_CHAT}record/getRecords_v2": Route(
        "get_records_v2",
        "getRecords_v2",
        ("POST",),
        APP
        | {"pageSize": Field(at_least(1)), "includeDeleted": FLAG}
        | dict.fromkeys(("chatId", "initialId", "prevId", "nextId"), TEXT),
    ),
    "/api/v1/chat/completions": Route(
        "completions",
        "completions",
        ("POST",),
        {
            "messages": Field(nullable(many(mapping))),
            "chatId": Field(nullable(text)),
            "appId": MAYBE_ID,
            "detail": MAYBE_FLAG,
        },
        is_bare=True,
        is_open=True,
    ),
    f"{_SET}create": Route(
        "dataset_create",
        "dataset.create",
        ("POST",),
        NEW | {"avatar": NEEDED_TEXT, "type": Field(NEWER_KIND, is_required=True)},
        former=NEW | {"intro": TEXT, "avatar": TEXT, "type": Field(KIND)},
    ),
    f"{_SET}folder/create": Route("folder_create", "folder.create", ("POST",), NEW),
    f"{_SET}list": Route(
        "dataset_list",
        "dataset.list",
        ("POST", "GET"),
        {"parentId": PARENT, "type": Field(NEWER_KIND), "searchKey": TEXT},
        former={"parentId": PARENT, "type": Field(KIND), "searchKey": TEXT},
    ),
    f"{_SET}detail": Route(
        "dataset_detail", "dataset.detail", ("GET",), {"id": NEEDED_ID}
    ),
    f"{_SET}update": Route(
        "dataset_update",
        "dataset.update",
        ("PUT",),
        {"id": NEEDED_ID, "parentId": PARENT}
        | dict.fromkeys(("name", "intro", "avatar"), TEXT),
    ),
    f"{_SET}delete": Route(
        "dataset_delete", "dataset.delete", ("DELETE",), {"id": NEEDED_ID}
    ),
    f"{_SET}paths": Route(
        "dataset_paths",
        "dataset.paths",
        ("GET",),
        {
            "sourceId": TEXT,
            "type": Field(one_of("current", "parent"), is_required=True),
        },
        access="login",
    ),
    f"{_SET}collection/create": Route(
        "collection_create",
        "collection.create",
        ("POST",),
        {
            "datasetId": NEEDED_TEXT,
            "name": NEEDED_TEXT,
            "type": Field(one_of("folder", "virtual"), is_required=True),
            "parentId": PARENT,
            "tags": TAGS,
        },
        former={
            "datasetId": NEEDED_TEXT,
            "name": NEEDED_TEXT,
            "type": Field(one_of(*COLLECTION_TYPES, "images"), is_required=True),
            "parentId": PARENT,
            "tags": TAGS,
        },
    ),
    f"{_SET}collection/create/text": Route(
        "text", "text", ("POST",), SOURCE | {"name": NEEDED_TEXT, "text": NEEDED_TEXT}
    ),
    f"{_SET}collection/create/link": Route(
        "link", "link", ("POST",), SOURCE | {"link": NEEDED_ID}
    ),
    f"{_SET}collection/update": Route(
        "collection_update",
        "collection.update",
        ("POST", "PUT"),
        dict.fromkeys(("datasetId", "externalFileId", "name"), TEXT)
        | {"id": Field(text), "createTime": Field(nullable(text_or(number_or_flag)))}
        | {"parentId": PARENT, "tags": TAGS, "forbid": FLAG},
    ),
    f"{_SET}collection/delete": Route(
        "collection_delete",
        "collection.delete",
        ("DELETE", "POST"),
        {"id": TEXT, "collectionIds": Field(many(text))},
    ),
    f"{_SET}collection/detail": Route(
        "collection_detail", "collection.detail", ("GET",), {"id": NEEDED_TEXT}
    ),
    f"{_SET}collection/list": Route(
        "collection_list",
        "collection.list",
        ("POST",),
        FILTER
        | {
            "pageNum": Field(at_least(1)),
            "pageSize": Field(at_least(1, 100)),
            "simple": FLAG,
        },
        former=FILTER
        | {
            "pageNum": Field(at_least(1)),
            "pageSize": Field(at_least(1)),
            "simple": FLAG,
        },
    ),
    f"{_SET}collection/scrollList": Route(
        "scroll_list",
        "scrollList",
        ("POST",),
        FILTER | dict.fromkeys(PAGING, ANY) | {"simple": FLAG},
    ),
    f"{_SET}collection/paths": Route(
        "collection_paths",
        "collection.paths",
        ("GET",),
        {"sourceId": Field(text)},
        former={"parentId": TEXT},
        access="login",
    ),
    f"{_SET}collection/trainingDetail": Route(
        "training_detail", "trainingDetail", ("GET",), {"collectionId": NEEDED_TEXT}
    ),
    f"{_SET}collection/export": Route(
        "export",
        "export",
        ("POST",),
        # Of what cites a collection, a chat alone is not enough.
        {"collectionId": NEEDED_ID, "chatId": Field(lambda _: False)},
        former={"collectionId": NEEDED_ID, "chatId": Field(lambda _: True)},
        is_bare=True,
        is_checked=True,
        is_strict=True,
    ),
    f"{_SET}data/v2/list": Route("data_list", "data.v2.list", ("POST",), LIST_DATA),
    f"{_SET}data/list": Route("data_list", "data.list", ("POST",), LIST_DATA),
    f"{_SET}data/pushData": Route(
        "push_data",
        "pushData",
        ("POST",),
        {
            "collectionId": NEEDED_ID,
            "data": Field(many(ROW, 0, 200), is_required=True),
        },
    ),
    f"{_SET}data/insertData": Route(
        "insert_data",
        "insertData",
        ("POST",),
        {
            "collectionId": NEEDED_ID,
            "q": NEEDED_ID,
            "a": TEXT,
            "indexes": INDEXES,
        },
    ),
    f"{_SET}data/detail": Route(
        "data_detail", "data.detail", ("GET",), {"id": NEEDED_ID}
    ),
    f"{_SET}data/update": Route(
        "data_update",
        "data.update",
        ("PUT",),
        {"dataId": NEEDED_ID, "q": NEEDED_TEXT, "a": TEXT, "indexes": INDEXES},
        former={"dataId": NEEDED_ID, "indexes": INDEXES}
        | dict.fromkeys(("q", "a"), MAYBE_TEXT),
    ),
    f"{_SET}data/delete": Route(
        "data_delete", "data.delete", ("DELETE",), {"id": NEEDED_ID}
    ),
    f"{_SET}searchTest": Route(
        "search_test",
        "searchTest",
        ("POST",),
        SEARCH | {"text": NEEDED_ID},
        former=SEARCH | {"text": TEXT},
    ),
    f"{_SET}collection/create/fileId": Route(
        "file_id", "fileId", ("POST",), SOURCE | {"fileId": NEEDED_TEXT}
    ),
    "/api/support/user/account/tokenLogin": Route(
        "token_login", "tokenLogin", ("GET",), {}, access="login"
    ),
    "/api/common/system/getInitData": Route(
        "init_data", "getInitData", ("GET",), {}, access="anyone", is_open=True
    ),
    "/api/support/user/team/plan/getTeamPlanStatus": Route(
        "plan_status", "getTeamPlanStatus", ("GET",), {}, access="anyone"
    ),
}
PIN, LIST_V2 = f"{_CHAT}history/updateHistory", f"{_SET}collection/listV2"
ROUTES: dict[str, Route] = {
    PIN: Route("pin", "updateHistory", ("PUT",), {}),
    LIST_V2: Route("list_v2", "listV2", ("POST",), {}),
    **_ROUTES,
}
"""By path."""
DOCUMENTED = (PIN, LIST_V2)

_OLDER = ("updateHistory", "getHistories", "delHistory", "clearHistories")
_OLDER_RECORDS = ("getPaginationRecords", "getRecords_v2", "getResData")
LEGACY: dict[str, str] = {
    f"{_CHAT}{name}": f"{_CHAT}history/{name}" for name in _OLDER
} | {f"{_CHAT}{name}": f"{_CHAT}record/{name}" for name in _OLDER_RECORDS}
"""Older paths, and the paths that they stand for."""
