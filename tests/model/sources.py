"""Collections one by one: made, changed, deleted, looked at."""

from __future__ import annotations

import re
from typing import Any

from tests.model.answers import Refused
from tests.model.base import Base, moment, source_of
from tests.model.records import (
    BY_HAND,
    NONE,
    READ,
    TEAM,
    WRITE,
    Fields,
    mode_of,
    roles,
    written,
)

YEAR_1, YEAR_9999 = -62_135_596_800_000, 253_402_300_799_999


def time_given(value: Any) -> int | None:
    """A time in any form that the service casts: null is 1970. May raise Refused."""
    if value is None:
        return 0
    if isinstance(value, str):
        return moment(value)
    if isinstance(value, int | float) and YEAR_1 <= value <= YEAR_9999:
        return int(value)
    raise Refused("field")


class Sources(Base):
    """What has to do with collections."""

    def collection_create(self, fields: Fields) -> str:
        dataset, parent = self.collection_target(fields)
        collection = {"name": fields["name"], "type": fields["type"]}
        collection |= {"parentId": parent, "tags": fields.get("tags", [])}
        return self.add_collection(dataset, collection)

    def text(self, fields: Fields) -> Any:
        size = {"type": "file", "name": fields["name"] + ".txt"}
        size["fileSize"] = len(fields["text"].encode())
        # None has 1,000 characters.
        text = fields["text"]
        rows = [{"q": text, "a": "", "chunkIndex": 0}] if text.strip() else []
        return self.add_source(fields, size, rows)

    def link(self, fields: Fields) -> Any:
        if not re.fullmatch("https?://[a-z.]+(/[a-z]*)?", fields["link"]):
            raise Refused("field")
        new = {"type": "link", "name": fields["link"], "rawLink": fields["link"]}
        return self.add_source(fields, new, [])

    def file_id(self, fields: Fields) -> Any:
        """Another collection of a file that one is made of already."""
        for dataset in self.state["datasets"].values():
            for each in dataset["collections"].values():
                if each.get("fileId") == fields["fileId"]:
                    new = {"type": "file", "name": each["name"]}
                    for name in ("fileId", "fileSize"):
                        if name in each:
                            new[name] = each[name]
                    rows = self.rows(dataset, each["id"]) + self.waiting(dataset, each)
                    return self.add_source(fields, new, rows)
        raise Refused("no_file")

    def waiting(self, dataset: Fields, collection: Fields) -> list[Fields]:
        """The rows of a collection that are still in training."""
        place = dataset["id"], collection["id"]
        jobs = self.state["jobs"]
        own = [job for job in jobs if (job["dataset"], job["collection"]) == place]
        return [row for job in own for _, row in job["rows"]]

    def add_source(self, fields: Fields, new: Fields, rows: list[Fields]) -> Any:
        dataset, parent = self.collection_target(fields)
        if new["type"] == "file" and "fileId" not in new:
            new["fileId"] = self.new_id()
        new |= {"parentId": parent, "tags": fields.get("tags") or []}
        new["trainingType"] = fields.get("trainingType") or "chunk"
        made = self.add_collection(dataset, new)
        given = [{name: row[name] for name in ("q", "a", "chunkIndex")} for row in rows]
        self.train(dataset, dataset["collections"][made], given, is_text=True)
        return {"collectionId": made, "results": {"insertLen": 0}}

    def collection_update(self, fields: Fields) -> None:
        created = time_given(fields["createTime"]) if "createTime" in fields else None
        dataset, collection = self.collection_to_update(fields)
        self.check_collection_folder(fields.get("parentId"))
        self.dataset(dataset["id"], WRITE)
        if "parentId" in fields:
            parent = fields["parentId"] or None
            if parent in self.below(dataset, collection["id"]):
                raise Refused("cycle")
            parent = self.collection_folder(dataset, parent)
            if parent != collection["parentId"]:
                # It stands where it would if it were new.
                collections = dataset["collections"]
                collections[collection["id"]] = collections.pop(collection["id"])
            collection["parentId"] = parent
        if created is not None:
            collection["createTime"] = written(created)
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
            raise Refused("params")
        dataset = self.state["datasets"].get(fields["datasetId"], {"collections": {}})
        for each in dataset["collections"].values():
            if each["externalFileId"] == fields["externalFileId"]:
                return self.collection(each["id"], NONE)
        raise Refused("no_file")

    def collection_delete(self, fields: Fields) -> None:
        ids = [fields["id"]] if fields.get("id") else fields.get("collectionIds")
        if ids is None:
            raise Refused("params")
        if not ids:
            raise Refused("nothing_listed")
        gone = []
        for each in ids:
            self.collection(each, NONE)
        for each in ids:
            dataset, _ = self.collection(each, WRITE)
            gone += [(dataset, below) for below in self.below(dataset, each)]
        for dataset, each in gone:
            dataset["collections"].pop(each, None)
            dataset["rows"].pop(each, None)
            self.forget_jobs(dataset, each)

    def collection_detail(self, fields: Fields) -> Any:
        dataset, collection = self.collection(fields["id"], READ)
        view = self.item(collection, is_whole=True)
        amount = view.pop("dataAmount")
        names = ("tmbId", "avatar", "name", "intro", "type", "updateTime")
        view |= {
            "permission": roles(self.level(dataset)),
            "teamId": TEAM,
            "datasetId": dataset["id"],
            "dataset": {
                "_id": dataset["id"],
                "parentId": dataset["parentId"],
                "teamId": TEAM,
                "inheritPermission": True,
                "vectorModel": "embedding",
                "agentModel": "language",
            }
            | {name: dataset[name] for name in names},
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
        view |= source_of(collection)
        if "fileId" in collection:
            length = collection.get("fileSize", 0)
            view["file"] = {"filename": collection["name"], "contentLength": length}
        return view

    def collection_paths(self, fields: Fields) -> Any:
        is_former = self.choices["version"] == "4.14"
        source_id = fields.get("parentId" if is_former else "sourceId")
        if not source_id:
            return []
        dataset, collection = self.collection(source_id, READ)
        path: list[Fields] = []
        while collection:
            step = {"parentId": collection["id"], "parentName": collection["name"]}
            path.insert(0, step)
            collection = dataset["collections"].get(collection["parentId"])
        return path

    def training_detail(self, fields: Fields) -> Any:
        dataset, collection = self.collection(fields["collectionId"], READ)
        kinds = ("parse", "qa", "chunk", "image", "auto", "imageParse")
        names = ("customPdfParse", "imageIndex", "autoIndexes")
        counts = ("queuedCounts", "trainingCounts", "errorCounts")
        shown: Fields = {name: dict.fromkeys(kinds, 0) for name in counts}
        for job in self.state["jobs"]:
            if (job["dataset"], job["collection"]) == (dataset["id"], collection["id"]):
                if job["parsed"] is not None:
                    shown["queuedCounts"]["parse"] += 1
                else:
                    shown["queuedCounts"][mode_of(collection)] += len(job["rows"])
        return shown | {
            "trainingType": collection["trainingType"],
            "advancedTraining": dict.fromkeys(names, False),
            "trainedCount": collection["dataAmount"],
        }

    def export(self, fields: Fields) -> str:
        dataset, collection = self.collection(fields["collectionId"], READ)
        now, last = self.state["clock"], self.state["exported"]
        if last is not None and 0 <= now - last < 60_000:
            is_old = self.choices["version"] == "4.14"
            raise Refused("exported_formerly" if is_old else "exported")
        self.state["exported"] = now
        lines = ["\ufeffq,a"]
        for row in self.rows(dataset, collection["id"]):
            texts = [text.replace('"', '""') for text in (row["q"], row["a"])]
            lines.append(f'"{texts[0]}","{texts[1]}"')
        return "\n".join(lines)
