"""The service in the plainest Python that fits: dictionaries, lists, and loops.

Nothing here is imported from the server. Where the two differ, one of them is wrong.
What holds is profile `deployed` with choice training=instant.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from tests.model.fields import ROUTES, as_number, check

Fields = dict[str, Any]
Answer = tuple[int, Any]
"""The HTTP status, and the envelope without its message, or what there is instead."""

LOGIN = "login"
"""Stands for the login of the user, in place of a key."""
NONE, READ, WRITE, MANAGE, OWNER = 0, 4, 6, 7, 4294967295
LEVELS = {"none": NONE, "read": READ, "write": WRITE, "manage": MANAGE, "owner": OWNER}
TMB, TEAM = "65422be6aa44b7da77729ec9", "65422be6aa44b7da77729ec8"
EARLY = "2024-01-01T00:00:00.000Z"
EARLIEST, LATEST = "0001", "9999-12-31T23:59:59.999Z"
BY_HAND = "2999-09-09T00:00:00.000Z"
TIME = "%Y-%m-%dT%H:%M:%S"

BAD = (400, 400, "error")
FAILURE = (500, 500, "error")
NO_KEY = (403, 403, "unAuthorization")
UNKNOWN_KEY = (500, 514, "unAuthApiKey")
NO_TEAM = (500, 500003, "unAuthTeam")
NO_DATASET = (500, 501002, "unExistDataset")
NO_COLLECTION = (500, 501003, "unExistCollection")
SHUT_DATASET = (500, 501004, "unAuthDataset")
OTHER_DATASET = (500, 501005, "unAuthDatasetCollection")
NO_APP = (500, 502000, "appUnExist")
SHUT_APP = (500, 502001, "unAuthApp")
NO_CHAT = (500, 504000, "unAuthChat")
CYCLE = (500, 507000, "invalidParams")
NO_FILE = (404, 507002, "fileNotFound")
NO_PARAMS = (500, 507004, "missingParams")
TOO_DEEP = (500, 507006, "folderDepthLimit")


class Refused(Exception):
    """A request that changes nothing."""


class Plain:
    """One sandbox: what it holds, and a method for each route."""

    def __init__(self, document: Fields) -> None:
        self.document = document
        self.snapshots: dict[str, Fields] = {}
        self.reset()

    # What an administrator does

    def reset(self) -> None:
        """Everything as it was loaded; snapshots stay."""
        self.state: Fields = loaded(self.document)

    def take(self, name: str) -> None:
        """Keep what there is under a name."""
        self.snapshots[name] = deepcopy(self.state)

    def restore(self, name: str) -> None:
        """Go back to what is kept."""
        self.state = deepcopy(self.snapshots[name])

    def advance(self, seconds: int) -> None:
        """Have time go on."""
        now = datetime.strptime(self.now[:19], TIME).replace(tzinfo=UTC)
        then = now + timedelta(seconds=seconds)
        self.state["now"] = then.strftime(TIME) + ".000Z"

    # What clients do

    def call(self, path: str, fields: Fields, key: str | None) -> Answer:
        """The answer to a request."""
        route = ROUTES[path]
        try:
            # What wants a login looks at no key.
            self.key = self.caller(
                key if key == LOGIN or not route.needs_login else None
            )
            self.is_login = key == LOGIN
            if not check(fields, route.fields):
                raise Refused(BAD)
            method: Callable[[Fields], Any] = getattr(self, route.name)
            data = method(fields)
        except Refused as refused:
            status, code, text = refused.args[0]
            return status, {"code": code, "statusText": text, "data": None}
        if route.is_bare:
            return 200, data
        return 200, {"code": 200, "statusText": "", "data": data}

    def caller(self, key: str | None) -> Fields:
        """The key as it is declared."""
        if key is None:
            raise Refused(NO_KEY)
        for declared in self.document["keys"]:
            # The only user is the member who has the first key.
            if key in (declared["key"], LOGIN):
                return dict(declared)
        raise Refused(UNKNOWN_KEY)

    # Chats

    def update_history(self, fields: Fields) -> None:
        app = self.app(fields, READ)
        chat = app["chats"].get(fields["chatId"])
        if chat is not None:
            for name in ("top", "title", "customTitle"):
                chat[name] = fields.get(name, chat[name])
            chat["updateTime"] = self.now

    def get_histories(self, fields: Fields) -> Any:
        start, size = paging(fields, 1000)
        if "appId" not in fields:
            raise Refused(NO_CHAT)
        since = moment(fields.get("startUpdateTime"), EARLIEST)
        until = moment(fields.get("endUpdateTime"), LATEST)
        app = self.app(fields, READ)
        chats = sorted(app["chats"].values(), key=lambda chat: str(chat["chatId"]))
        chats.sort(key=lambda chat: (chat["top"], chat["updateTime"]), reverse=True)
        chats = [chat for chat in chats if since <= chat["updateTime"] <= until]
        more = {"appId": app["id"], "chatGenerateStatus": 1, "hasBeenRead": True}
        return page([chat | more for chat in chats], start, size)

    def del_history(self, fields: Fields) -> None:
        app = self.app(fields, READ)
        app["chats"].pop(fields["chatId"], None)
        app["records"].pop(fields["chatId"], None)

    def clear_histories(self, fields: Fields) -> None:
        app = self.app(fields, READ)
        app["chats"], app["records"] = {}, {}

    def batch_delete(self, fields: Fields) -> None:
        app = self.app(fields, MANAGE)
        for chat_id in fields["chatIds"]:
            app["chats"].pop(chat_id, None)
            app["records"].pop(chat_id, None)

    def get_history_status(self, fields: Fields) -> Any:
        chats = self.app(fields, READ)["chats"]
        found = [
            chats[each] for each in dict.fromkeys(fields["chatIds"]) if each in chats
        ]
        return {
            "list": [
                {
                    "chatId": chat["chatId"],
                    "updateTime": chat["updateTime"],
                    "chatGenerateStatus": 1,
                    "hasBeenRead": True,
                }
                for chat in found
            ]
        }

    def mark_read(self, fields: Fields) -> None:
        app = self.state["apps"].get(fields["appId"])
        if app is not None and fields["chatId"] not in app["chats"]:
            raise Refused(NO_CHAT)
        self.app(fields, WRITE)

    def init(self, fields: Fields) -> Any:
        app = self.app(fields, READ)
        chat = app["chats"].get(fields["chatId"], {"title": "", "customTitle": ""})
        return {
            "chatId": fields["chatId"],
            "appId": app["id"],
            "title": chat["title"],
            "variables": {},
            "chatGenerateStatus": 1,
            "hasBeenRead": True,
            "app": {
                "name": app["name"],
                "avatar": "",
                "intro": "",
                "type": "simple",
                "chatConfig": {},
                "chatModels": [],
                "pluginInputs": [],
            },
        }

    def get_pagination_records(self, fields: Fields) -> Any:
        start, size = paging(fields, 1000)
        records = self.app(fields, READ)["records"].get(fields.get("chatId"), [])
        shown = page([record_view(each) for each in records[::-1]], start, size)
        shown["list"].reverse()
        return shown

    def get_records_v2(self, fields: Fields) -> Any:
        records = self.app(fields, READ)["records"].get(fields.get("chatId"), [])
        ids, size = [each["id"] for each in records], fields.get("pageSize", 10)
        start, end = max(0, len(ids) - size), len(ids)
        for name in ("initialId", "prevId", "nextId"):
            if fields.get(name) is not None:
                if fields[name] not in ids:
                    raise Refused(FAILURE)
                at = ids.index(fields[name])
                if name == "initialId":
                    start = max(0, at - size // 2)
                    end = min(start + size, end)
                elif name == "prevId":
                    start, end = max(0, at - size), at
                else:
                    start, end = at + 1, min(at + 1 + size, end)
                break
        shown = []
        for record in records[start:end]:
            view = record_view(record) | {"id": record["id"]}
            view["value"] = [{"text": {"content": record["text"]}}]
            shown.append(view)
        return {
            "list": shown,
            "total": len(ids),
            "hasMorePrev": start > 0,
            "hasMoreNext": end < len(ids),
        }

    def completions(self, fields: Fields) -> Any:
        question = last_question(fields["messages"])
        if not fields.get("appId"):
            apps = self.state["apps"].values()
            readable = [each["id"] for each in apps if self.level(each) >= READ]
            if not readable:
                raise Refused(NO_APP)
            fields = fields | {"appId": readable[0]}
        app = self.app(fields, READ)
        chat_id = fields.get("chatId") or self.new_id()
        replies, turn = self.document.get("replies"), self.state["turns"]
        reply = replies[turn % len(replies)] if replies else question
        self.state["turns"] += 1
        chat = app["chats"].setdefault(
            chat_id, new_chat({"chatId": chat_id, "title": question[:20]})
        )
        chat["updateTime"] = self.now
        for speaker, text in (("Human", question), ("AI", reply)):
            record = {"obj": speaker, "text": text, "time": self.now}
            record["id"] = self.new_id()
            app["records"].setdefault(chat_id, []).append(record)
        message = {"role": "assistant", "content": reply}
        answer = {
            "id": chat_id,
            "model": "",
            "usage": dict.fromkeys(
                ("prompt_tokens", "completion_tokens", "total_tokens"), 1
            ),
            "choices": [{"message": message, "finish_reason": "stop", "index": 0}],
        }
        if fields.get("detail"):
            answer |= {"responseData": [], "newVariables": {}}
        return answer

    # Datasets

    def dataset_create(self, fields: Fields) -> str:
        parent = self.dataset_folder(fields.get("parentId"), WRITE)
        if fields["type"] == "folder" and len(self.dataset_path(parent)) + 1 > 4:
            raise Refused(TOO_DEEP)
        dataset_id = self.new_id()
        is_owner = self.key_level() == OWNER
        self.state["datasets"][dataset_id] = {
            "id": dataset_id,
            "type": fields["type"],
            "name": fields["name"],
            "intro": fields["intro"],
            "avatar": fields["avatar"],
            "parentId": parent,
            "tmbId": self.key.get("member", TMB),
            "updateTime": self.now,
            "permissions": {} if is_owner else {self.key["key"]: "owner"},
            "collections": {},
            "rows": {},
        }
        return dataset_id

    def folder_create(self, fields: Fields) -> Any:
        more = {"type": "folder", "avatar": "/imgs/files/folder.svg"}
        self.dataset_create(fields | more)
        return {}

    def dataset_list(self, fields: Fields) -> Any:
        parent, key = fields.get("parentId"), fields.get("searchKey")
        if parent and not key:
            self.dataset(parent, READ)
        found = []
        for each in self.state["datasets"].values():
            if key:
                wanted = holds(each["name"], key) or holds(each["intro"], key)
            else:
                here = "parentId" not in fields or each["parentId"] == (parent or None)
                wanted = here and fields.get("type", each["type"]) == each["type"]
            if wanted and self.level(each) >= READ:
                found.append(each)
        more = {"private": False}
        return [
            self.dataset_view(each)
            | more
            | {
                "sourceMember": {
                    "name": each["tmbId"],
                    "avatar": "",
                    "status": "active",
                }
            }
            for each in latest(found, "id")
        ]

    def dataset_detail(self, fields: Fields) -> Any:
        dataset = self.dataset(fields["id"], READ)
        return self.dataset_view(dataset) | {
            "parentId": dataset["parentId"],
            "teamId": TEAM,
            "agentModel": {"model": "language", "name": "language"},
            "status": "active",
        }

    def dataset_update(self, fields: Fields) -> None:
        self.dataset(fields["id"], NONE)
        self.check_dataset_folder(fields.get("parentId"))
        dataset = self.dataset(fields["id"], WRITE)
        if "parentId" in fields:
            self.move_dataset(dataset, fields["parentId"] or None)
        for name in ("name", "avatar"):
            dataset[name] = fields.get(name) or dataset[name]
        dataset["intro"] = fields.get("intro", dataset["intro"])

    def move_dataset(self, dataset: Fields, parent: str | None) -> None:
        if not self.is_login and None in (parent, dataset["parentId"]):
            raise Refused(NO_KEY)
        self.dataset_folder(parent, MANAGE)
        self.dataset_folder(dataset["parentId"], MANAGE)
        path = self.dataset_path(parent)
        if dataset["id"] in path:
            raise Refused(CYCLE)
        datasets = self.state["datasets"].values()
        nested = [
            self.dataset_path(each["id"])
            for each in datasets
            if each["type"] == "folder"
        ]
        levels = [
            len(each) - each.index(dataset["id"])
            for each in nested
            if dataset["id"] in each
        ]
        if parent != dataset["parentId"] and len(path) + max(levels, default=0) > 4:
            raise Refused(TOO_DEEP)
        dataset["parentId"] = parent

    def dataset_delete(self, fields: Fields) -> None:
        gone = self.dataset(fields["id"], OWNER)["id"]
        datasets = self.state["datasets"]
        for each in [each for each in datasets if gone in self.dataset_path(each)]:
            datasets[each]["is_gone"] = True
        self.state["datasets"] = {
            each["id"]: each for each in datasets.values() if "is_gone" not in each
        }

    def dataset_paths(self, fields: Fields) -> Any:
        if not fields.get("sourceId"):
            return []
        dataset = self.dataset(fields["sourceId"], READ)
        is_whole = fields["type"] == "current"
        end = dataset["id"] if is_whole else dataset["parentId"]
        datasets = self.state["datasets"]
        return [
            {"parentId": each, "parentName": datasets[each]["name"]}
            for each in self.dataset_path(end)
        ]

    # Collections

    def collection_create(self, fields: Fields) -> str:
        dataset, parent = self.collection_target(fields)
        collection = {"name": fields["name"], "type": fields["type"]}
        collection |= {"parentId": parent, "tags": fields.get("tags", [])}
        return self.add_collection(dataset, collection)

    def text(self, fields: Fields) -> Any:
        size = {"type": "file", "name": fields["name"] + ".txt"}
        size["fileSize"] = len(fields["text"].encode())
        paragraphs = [each.strip() for each in re.split(r"\n\s*\n", fields["text"])]
        text = "\n\n".join(each for each in paragraphs if each)
        return self.add_source(fields, size, [text] if text else [])

    def link(self, fields: Fields) -> Any:
        if not re.fullmatch("https?://[a-z.]+(/[a-z]*)?", fields["link"]):
            raise Refused(BAD)
        new = {"type": "link", "name": fields["link"], "rawLink": fields["link"]}
        return self.add_source(fields, new, [])

    def add_source(self, fields: Fields, new: Fields, texts: list[str]) -> Any:
        dataset, parent = self.collection_target(fields)
        if new["type"] == "file":
            new["fileId"] = self.new_id()
        new |= {"parentId": parent, "tags": fields.get("tags") or []}
        new["trainingType"] = fields.get("trainingType") or "chunk"
        made = self.add_collection(dataset, new)
        for number, each in enumerate(texts):
            self.add_row(dataset, made, {"q": each, "chunkIndex": number})
        return {"collectionId": made, "results": {"insertLen": 0}}

    def collection_update(self, fields: Fields) -> None:
        created = moment(fields.get("createTime"), "")
        dataset, collection = self.collection_to_update(fields)
        self.check_collection_folder(fields.get("parentId"))
        self.dataset(dataset["id"], WRITE)
        if "parentId" in fields:
            parent = fields["parentId"] or None
            if parent in self.below(dataset, collection["id"]):
                raise Refused(CYCLE)
            collection["parentId"] = self.collection_folder(dataset, parent)
        if created:
            collection["createTime"] = created
        if fields.get("name"):
            name = collection["name"] = fields["name"]
            by_hand = name in ("manual", "mark") or name.startswith("手动")
            collection["updateTime"] = BY_HAND if by_hand else self.now
        collection["tags"] = fields.get("tags", collection["tags"])
        if "forbid" in fields:
            for each in self.below(dataset, collection["id"]):
                dataset["collections"][each]["forbid"] = fields["forbid"]

    def collection_to_update(self, fields: Fields) -> tuple[Fields, Fields]:
        if fields.get("id"):
            return self.collection(fields["id"], NONE)
        if not (fields.get("datasetId") and fields.get("externalFileId")):
            raise Refused(NO_PARAMS)
        dataset = self.state["datasets"].get(fields["datasetId"], {"collections": {}})
        for each in dataset["collections"].values():
            if each["externalFileId"] == fields["externalFileId"]:
                return self.collection(each["id"], NONE)
        raise Refused(NO_FILE)

    def collection_delete(self, fields: Fields) -> None:
        ids = [fields["id"]] if fields.get("id") else fields.get("collectionIds")
        if ids is None:
            raise Refused(NO_PARAMS)
        if not ids:
            raise Refused(FAILURE)
        gone = []
        for each in ids:
            self.collection(each, NONE)
        for each in ids:
            dataset, _ = self.collection(each, WRITE)
            gone += [(dataset, below) for below in self.below(dataset, each)]
        for dataset, each in gone:
            dataset["collections"].pop(each, None)
            dataset["rows"].pop(each, None)

    def collection_detail(self, fields: Fields) -> Any:
        dataset, collection = self.collection(fields["id"], READ)
        view = self.collection_view(dataset, collection)
        amount = view.pop("dataAmount")
        source = collection.get("fileId") or collection.get("rawLink")
        view |= {
            "teamId": TEAM,
            "datasetId": dataset["id"],
            "dataset": {
                "_id": dataset["id"],
                "name": dataset["name"],
                "type": dataset["type"],
            },
            "chunkSettingMode": "auto",
            "chunkSplitMode": "size",
            "chunkSize": 512,
            "indexSize": 512,
            "chunkSplitter": "",
            "qaPrompt": "",
            "metadata": {},
            "sourceName": collection["name"],
            "indexAmount": amount,
            "errorCount": int(collection["hasError"]),
        }
        if source is not None:
            view["sourceId"] = source
        if "fileId" in collection:
            length = collection.get("fileSize", 0)
            view["file"] = {"filename": collection["name"], "contentLength": length}
        return view

    def list_v2(self, fields: Fields) -> Any:
        size = min(as_number(fields.get("pageSize", 10)), 100)
        number = as_number(fields.get("pageNum", 1)) if "offset" not in fields else 1
        start = as_number(fields.get("offset", (number - 1) * size))
        dataset = self.dataset(fields["datasetId"], READ)
        parent, text = fields.get("parentId"), fields.get("searchText", "")
        found = [
            each
            for each in dataset["collections"].values()
            if (text or each["parentId"] == (parent or None))
            and holds(each["name"], text)
            and has_any(each["tags"], fields.get("filterTags", []))
            and (each["type"] == "folder" or not fields.get("selectFolder"))
        ]
        return page(self.collection_views(dataset, found), start, size)

    def collection_list(self, fields: Fields) -> Any:
        number, size = fields.get("pageNum", 1), fields.get("pageSize", 10)
        asked = {"offset": (number - 1) * size, "pageSize": size}
        every = self.list_v2(fields | {"offset": 0, "pageSize": 100})
        if not fields.get("simple"):
            every = self.list_v2(fields | asked)
        shown = {"pageNum": number, "pageSize": size}
        return shown | {"data": every["list"], "total": every["total"]}

    def scroll_list(self, fields: Fields) -> Any:
        start, size = paging(fields, 30)
        dataset = self.dataset(fields["datasetId"], READ)
        parent, text = fields.get("parentId"), fields.get("searchText", "")
        found = [
            each
            for each in dataset["collections"].values()
            if each["parentId"] == (parent or None)
            and holds(each["name"], text)
            and set(fields.get("filterTags", [])) <= set(each["tags"])
            and (each["type"] == "folder" or not fields.get("selectFolder"))
        ]
        return page(self.collection_views(dataset, found), start, size)

    def collection_paths(self, fields: Fields) -> Any:
        if not fields.get("sourceId"):
            return []
        dataset, collection = self.collection(fields["sourceId"], READ)
        path: list[Fields] = []
        while collection:
            step = {"parentId": collection["id"], "parentName": collection["name"]}
            path.insert(0, step)
            collection = dataset["collections"].get(collection["parentId"])
        return path

    def training_detail(self, fields: Fields) -> Any:
        _, collection = self.collection(fields["collectionId"], READ)
        kinds = ("parse", "qa", "chunk", "image", "auto", "imageParse")
        names = ("customPdfParse", "imageIndex", "autoIndexes")
        counts = ("queuedCounts", "trainingCounts", "errorCounts")
        return {name: dict.fromkeys(kinds, 0) for name in counts} | {
            "trainingType": collection["trainingType"],
            "advancedTraining": dict.fromkeys(names, False),
            "trainedCount": collection["dataAmount"],
        }

    def export(self, fields: Fields) -> str:
        dataset, collection = self.collection(fields["collectionId"], READ)
        lines = ["\ufeffq,a"]
        for row in self.rows(dataset, collection["id"]):
            texts = [text.replace('"', '""') for text in (row["q"], row["a"])]
            lines.append(f'"{texts[0]}","{texts[1]}"')
        return "\n".join(lines)

    # Data

    def data_list(self, fields: Fields) -> Any:
        start, size = paging(fields, 30)
        dataset, collection = self.collection(fields["collectionId"], READ)
        text = fields.get("searchText", "")
        shown = []
        for row in self.rows(dataset, collection["id"]):
            if holds(row["q"], text) or holds(row["a"], text):
                shown.append(
                    row_view(row)
                    | {"_id": row["id"], "datasetId": dataset["id"]}
                    | {"collectionId": collection["id"]}
                )
        return page(shown, start, size)

    def push_data(self, fields: Fields) -> Any:
        dataset, collection = self.collection(fields["collectionId"], WRITE)
        pushed = [row for row in fields["data"] if row.get("q")]
        for row in pushed:
            self.add_row(dataset, collection["id"], row)
        collection["updateTime"] = self.now
        return {"insertLen": len(pushed)}

    def insert_data(self, fields: Fields) -> str:
        dataset, collection = self.collection(fields["collectionId"], WRITE)
        texts = fields["q"], fields.get("a") or ""
        for row in self.rows(dataset, collection["id"]):
            if (row["q"], row["a"]) == texts:
                raise Refused(FAILURE)
        collection["updateTime"] = self.now
        new = {name: fields.get(name) for name in ("q", "a", "indexes")}
        return self.add_row(dataset, collection["id"], new)

    def data_detail(self, fields: Fields) -> Any:
        dataset, collection, row = self.row(fields["id"], READ)
        own = f"{row['q']}\n{row['a']}" if row["a"] else row["q"]
        texts = [("default", own)] + [("custom", text) for text in row["indexes"]]
        source = collection.get("fileId") or collection.get("rawLink")
        view = row_view(row) | {
            "id": row["id"],
            "teamId": TEAM,
            "datasetId": dataset["id"],
            "collectionId": collection["id"],
            "indexes": [
                {"type": kind, "dataId": f"{row['id']}-{number}", "text": text}
                for number, (kind, text) in enumerate(texts)
            ],
            "sourceName": collection["name"],
            "isOwner": self.level(dataset) == OWNER,
        }
        return view if source is None else view | {"sourceId": source}

    def data_update(self, fields: Fields) -> Any:
        _, collection, row = self.row(fields["dataId"], WRITE)
        row["q"] = fields["q"]
        if fields.get("a") is not None:
            row["a"] = fields["a"]
        if fields.get("indexes") is not None:
            row["indexes"] = index_texts(fields["indexes"])
        row["updateTime"] = collection["updateTime"] = self.now
        return {name: row[name] for name in ("q", "a") if row[name]}

    def data_delete(self, fields: Fields) -> None:
        dataset, collection, row = self.row(fields["id"], WRITE)
        dataset["rows"][collection["id"]].remove(row)
        collection["dataAmount"] = max(0, collection["dataAmount"] - 1)
        collection["updateTime"] = self.now

    def search_test(self, fields: Fields) -> Any:
        """What is found, in any order and without scores."""
        dataset = self.dataset(fields["datasetId"], READ)
        found = []
        for collection in dataset["collections"].values():
            source = collection.get("fileId") or collection.get("rawLink")
            for row in self.rows(dataset, collection["id"]):
                texts = "\n".join([row["q"], row["a"], *row["indexes"]])
                if not collection["forbid"] and share(fields["text"], texts):
                    view = row_view(row) | {"id": row["id"], "datasetId": dataset["id"]}
                    view |= {"sourceName": collection["name"]}
                    view |= {"collectionId": collection["id"]}
                    found.append(
                        view if source is None else view | {"sourceId": source}
                    )
        return {
            "list": found,
            "limit": fields.get("limit", 5000),
            "searchMode": fields.get("searchMode", "embedding"),
            "usingReRank": fields.get("usingReRank", False),
            "similarity": 0,
        }

    # What methods share

    @property
    def now(self) -> str:
        return str(self.state["now"])

    def new_id(self) -> str:
        """The next of the sandbox's own sequence, which a reset begins again."""
        self.state["last"] += 1
        return sha256(str(self.state["last"]).encode()).hexdigest()[:24]

    def key_level(self) -> int:
        return LEVELS[self.key.get("permission", "owner")]

    def level(self, held: Fields) -> int:
        """What the caller may do with an application or a dataset."""
        own = held["permissions"].get(self.key["key"])
        return self.key_level() if own is None else LEVELS[own]

    def app(self, fields: Fields, level: int) -> Fields:
        app: Fields | None = self.state["apps"].get(fields["appId"])
        if app is None:
            raise Refused(NO_APP)
        if self.level(app) < level:
            raise Refused(SHUT_APP)
        return app

    def dataset(self, dataset_id: str, level: int) -> Fields:
        dataset: Fields | None = self.state["datasets"].get(dataset_id)
        if dataset is None:
            raise Refused(NO_DATASET)
        if self.level(dataset) < level:
            raise Refused(SHUT_DATASET)
        return dataset

    def dataset_folder(self, parent: str | None, level: int) -> str | None:
        if not parent:
            if self.key_level() < WRITE:
                raise Refused(NO_TEAM)
            return None
        self.check_dataset_folder(parent)
        self.dataset(parent, level)
        return parent

    def check_dataset_folder(self, parent: str | None) -> None:
        folder = self.state["datasets"].get(parent)
        if parent and (folder is None or folder["type"] != "folder"):
            raise Refused(NO_DATASET)

    def dataset_path(self, dataset_id: str | None) -> list[str]:
        """A dataset after the folders in which it lies."""
        path: list[str] = []
        while dataset_id is not None:
            path.insert(0, dataset_id)
            dataset_id = self.state["datasets"][dataset_id]["parentId"]
        return path

    def dataset_view(self, dataset: Fields) -> Fields:
        names = ("avatar", "name", "intro", "type", "tmbId", "updateTime")
        return {name: dataset[name] for name in names} | {
            "_id": dataset["id"],
            "vectorModel": {"model": "embedding", "name": "embedding"},
            "inheritPermission": True,
            "permission": permission(self.level(dataset)),
        }

    def collection(self, collection_id: str, level: int) -> tuple[Fields, Fields]:
        for dataset in self.state["datasets"].values():
            if collection_id in dataset["collections"]:
                self.dataset(dataset["id"], level)
                return dataset, dataset["collections"][collection_id]
        raise Refused(NO_COLLECTION)

    def collection_folder(self, dataset: Fields, parent: str | None) -> str | None:
        if not parent:
            return None
        self.check_collection_folder(parent)
        if parent not in dataset["collections"]:
            raise Refused(OTHER_DATASET)
        return parent

    def check_collection_folder(self, parent: str | None) -> None:
        datasets = self.state["datasets"].values()
        if parent and not any(parent in each["collections"] for each in datasets):
            raise Refused(NO_DATASET)

    def collection_target(self, fields: Fields) -> tuple[Fields, str | None]:
        """The dataset and the folder where something new goes."""
        dataset, parent = (
            self.dataset(fields["datasetId"], NONE),
            fields.get("parentId"),
        )
        self.check_collection_folder(parent)
        self.dataset(fields["datasetId"], WRITE)
        return dataset, self.collection_folder(dataset, parent)

    def below(self, dataset: Fields, collection_id: str) -> list[str]:
        """A collection, and all that is in it at any depth."""
        found = [collection_id]
        for above in found:
            for each in dataset["collections"].values():
                if each["parentId"] == above:
                    found.append(each["id"])
        return found

    def add_collection(self, dataset: Fields, fields: Fields) -> str:
        collection_id = self.new_id()
        dataset["collections"][collection_id] = new_collection(
            fields
            | {"_id": collection_id, "tmbId": self.key.get("member", TMB)}
            | {"updateTime": self.now, "createTime": self.now}
        )
        dataset["rows"][collection_id] = []
        return collection_id

    def collection_view(self, dataset: Fields, collection: Fields) -> Fields:
        hidden = ("id", "fileSize")
        shown = {name: it for name, it in collection.items() if name not in hidden}
        level = self.level(dataset)
        return shown | {"_id": collection["id"], "permission": permission(level)}

    def collection_views(self, dataset: Fields, found: list[Fields]) -> list[Fields]:
        return [self.collection_view(dataset, each) for each in latest(found, "id")]

    def row(self, row_id: str, level: int) -> tuple[Fields, Fields, Fields]:
        for dataset in self.state["datasets"].values():
            for collection_id, rows in dataset["rows"].items():
                for row in rows:
                    if row["id"] == row_id:
                        self.dataset(dataset["id"], level)
                        return dataset, dataset["collections"][collection_id], row
        raise Refused(FAILURE)

    def rows(self, dataset: Fields, collection_id: str) -> list[Fields]:
        rows = sorted(dataset["rows"][collection_id], key=row_id, reverse=True)
        return sorted(rows, key=lambda row: int(row["chunkIndex"]))

    def add_row(self, dataset: Fields, collection_id: str, fields: Fields) -> str:
        row = new_row(fields | {"_id": self.new_id(), "updateTime": self.now})
        dataset["rows"][collection_id].append(row)
        dataset["collections"][collection_id]["dataAmount"] += 1
        return str(row["id"])


def loaded(document: Fields) -> Fields:
    """What a sandbox starts from."""
    state: Fields = {"now": document["clock"], "last": 0, "turns": 0}
    state["apps"] = {each["id"]: new_app(each) for each in document["apps"]}
    state["datasets"] = {each["id"]: new_dataset(each) for each in document["datasets"]}
    return state


def new_app(given: Fields) -> Fields:
    chats = given.get("chats", [])
    return {
        "id": given["id"],
        "name": given.get("name", ""),
        "permissions": given.get("permissions", {}),
        "chats": {each["chatId"]: new_chat(each) for each in chats},
        "records": {
            each["chatId"]: [new_record(record) for record in each.get("records", [])]
            for each in chats
        },
    }


def new_chat(given: Fields) -> Fields:
    chat = {"title": "", "customTitle": "", "top": False, "updateTime": EARLY}
    chat["chatId"] = given["chatId"]
    return {name: given.get(name, value) for name, value in chat.items()}


def new_record(given: Fields) -> Fields:
    record = {"obj": given["obj"], "text": given["text"], "id": given["dataId"]}
    return record | {"time": given.get("time", EARLY)}


def new_dataset(given: Fields) -> Fields:
    dataset: Fields = {"type": "dataset", "intro": "", "avatar": "", "parentId": None}
    dataset |= {"tmbId": TMB, "updateTime": EARLY, "name": "", "permissions": {}}
    collections = [new_collection(each) for each in given.get("collections", [])]
    rows = {
        each["_id"]: [new_row(row) for row in each.get("data", [])]
        for each in given.get("collections", [])
    }
    known = {name: given.get(name, value) for name, value in dataset.items()}
    known["collections"] = {each["id"]: each for each in collections}
    return deepcopy(known | {"id": given["id"], "rows": rows})


def new_collection(given: Fields) -> Fields:
    collection: Fields = {
        "parentId": None,
        "tmbId": TMB,
        "type": "virtual",
        "name": "",
        "updateTime": EARLY,
        "dataAmount": len(given.get("data", [])),
        "trainingAmount": 0,
        "externalFileId": "",
        "tags": [],
        "forbid": False,
        "trainingType": "chunk",
        "createTime": given.get("updateTime", EARLY),
        "hasError": False,
    }
    known = {name: given.get(name, value) for name, value in collection.items()}
    for name in ("fileId", "rawLink", "fileSize"):
        if name in given:
            known[name] = given[name]
    return known | {"id": given["_id"]}


def new_row(given: Fields) -> Fields:
    return {
        "id": given["_id"],
        "q": given["q"],
        "a": given.get("a") or "",
        "chunkIndex": given.get("chunkIndex") or 0,
        "indexes": index_texts(given.get("indexes") or []),
        "updateTime": given.get("updateTime", EARLY),
    }


def index_texts(indexes: list[Any]) -> list[str]:
    """The texts of the indexes that a row has beside its own."""
    return [each["text"] for each in indexes if each.get("type") != "default"]


def paging(fields: Fields, most: int) -> tuple[int, int]:
    """Where a page starts and how long it is, by the service's shared parser."""
    if "pageSize" not in fields:
        return 0, 10
    size = min(page_number(fields, "pageSize"), most)
    if size == 0:
        raise Refused(NO_PARAMS)
    start = page_number(fields, "offset")
    return start or max(0, page_number(fields, "pageNum") - 1) * size, size


def page_number(fields: Fields, name: str) -> int:
    value = as_number(fields.get(name) or 0)
    if not isinstance(value, int) or value < 0:
        raise Refused(BAD)
    return value


def page(items: list[Any], start: int, size: int) -> Fields:
    return {"list": items[start : start + size], "total": len(items)}


def latest(items: list[Fields], tie: str) -> list[Fields]:
    """The latest first; ties by id."""
    items = sorted(items, key=lambda each: str(each[tie]))
    return sorted(items, key=lambda each: str(each["updateTime"]), reverse=True)


def row_id(row: Fields) -> str:
    return str(row["id"])


def permission(level: int) -> Fields:
    return {
        "value": level,
        "isOwner": level == OWNER,
        "hasManagePer": level >= MANAGE,
        "hasWritePer": level >= WRITE,
        "hasReadPer": level >= READ,
    }


def record_view(record: Fields) -> Fields:
    view = {
        "_id": record["id"],
        "dataId": record["id"],
        "obj": record["obj"],
        "value": [{"type": "text", "text": {"content": record["text"]}}],
        "time": record["time"],
        "hideInUI": False,
    }
    if record["obj"] == "AI":
        view |= {"totalQuoteList": [], "totalRunningTime": 0, "useAgentSandbox": False}
    return view


def row_view(row: Fields) -> Fields:
    view = {name: row[name] for name in ("q", "chunkIndex", "updateTime")}
    return view | ({"a": row["a"]} if row["a"] else {})


def last_question(messages: list[Fields]) -> str:
    asked = [each.get("content") for each in messages if each.get("role") == "user"]
    if not asked or not isinstance(asked[-1], str):
        raise Refused(BAD)
    return asked[-1]


def folded(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold())


def holds(text: str, term: str) -> bool:
    """Whether a text has a term in it, case ignored."""
    return folded(term) in folded(text)


def has_any(tags: list[str], wanted: list[str]) -> bool:
    return not wanted or any(tag in tags for tag in wanted)


def share(question: str, text: str) -> bool:
    """Whether two neighbouring characters of a question's words are in a text."""
    words = re.findall(r"\w+", folded(question))
    pairs = [word[at : at + 2] for word in words for at in range(len(word) - 1)]
    pairs += [word for word in words if len(word) == 1]
    return any(pair in folded(text) for pair in pairs)


def moment(text: str | None, otherwise: str) -> str:
    """A time as it is compared."""
    if text is None:
        return otherwise
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text):
        raise Refused(BAD)
    return text
