"""Datasets and the folders of datasets."""

from __future__ import annotations

from typing import Any

from tests.model.answers import Refused
from tests.model.base import Base, Page, holds, latest
from tests.model.records import (
    MANAGE,
    NONE,
    OWNER,
    READ,
    TEAM,
    TMB,
    WRITE,
    Fields,
    roles,
)

_MODEL = {"provider": "Other", "isActive": True, "isCustom": False}
_MODEL |= {"charsPointsPrice": 0}
EMBEDDING = _MODEL | {"type": "embedding", "model": "embedding", "name": "embedding"}
EMBEDDING |= {"defaultToken": 512, "maxToken": 3000, "weight": 100}
LANGUAGE = _MODEL | {"type": "llm", "model": "language", "name": "language"}
LANGUAGE |= {"maxContext": 16000, "maxResponse": 8000, "quoteMaxToken": 13000}
LANGUAGE |= {"functionCall": False, "toolChoice": True}


class Datasets(Base):
    """What has to do with datasets as a whole."""

    def dataset_create(self, fields: Fields) -> str:
        fields = {"type": "dataset", "intro": "", "avatar": "/icon/logo.svg"} | fields
        parent = self.dataset_folder(fields.get("parentId"), WRITE)
        if fields["type"] == "folder" and len(self.dataset_path(parent)) + 1 > 4:
            raise Refused("too_deep")
        dataset_id = self.new_id()
        is_owner = self.key_level() == OWNER
        self.state["datasets"][dataset_id] = {
            "id": dataset_id,
            "type": fields["type"],
            "name": fields["name"],
            "intro": fields["intro"],
            "avatar": fields["avatar"],
            "parentId": parent,
            "tmbId": self.caller.get("member") or TMB,
            "updateTime": self.now,
            "permissions": {} if is_owner else {self.caller["key"]: "owner"},
            "collections": {},
            "rows": {},
        }
        return dataset_id

    def folder_create(self, fields: Fields) -> Any:
        more = {"type": "folder", "avatar": "/imgs/files/folder.svg"}
        self.dataset_create(fields | more)
        return {}

    def dataset_list(self, fields: Fields) -> Page:
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
        size = len(found)
        return Page(latest(found), 0, max(1, size) * 99, self.listed, _array)

    def listed(self, dataset: Fields) -> Fields:
        member = {"name": dataset["tmbId"], "avatar": "", "status": "active"}
        more = {"private": False, "sourceMember": member}
        return self.dataset_view(dataset) | more

    def dataset_detail(self, fields: Fields) -> Any:
        dataset = self.dataset(fields["id"], READ)
        return self.dataset_view(dataset) | {
            "parentId": dataset["parentId"],
            "teamId": TEAM,
            "agentModel": LANGUAGE,
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
            raise Refused("no_key")
        self.dataset_folder(parent, MANAGE)
        self.dataset_folder(dataset["parentId"], MANAGE)
        path = self.dataset_path(parent)
        if dataset["id"] in path:
            raise Refused("cycle")
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
            raise Refused("too_deep")
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

    def dataset_folder(self, parent: str | None, level: int) -> str | None:
        if not parent:
            if self.key_level() < WRITE:
                raise Refused("team")
            return None
        self.check_dataset_folder(parent)
        self.dataset(parent, level)
        return parent

    def check_dataset_folder(self, parent: str | None) -> None:
        folder = self.state["datasets"].get(parent)
        if parent and (folder is None or folder["type"] != "folder"):
            raise Refused("no_parent")

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
            "vectorModel": EMBEDDING,
            "inheritPermission": True,
            "permission": roles(self.level(dataset)),
        }


def _array(_: Page, items: list[Fields]) -> list[Fields]:
    return items
